#!/usr/bin/env python3
"""What the compiled kernels are made of: registers, spills, instructions, and those of each kernel's hottest loop.

    python3 tests/gpu/sass.py [--arch 90] [--word float] [--nvcc NVCC] [--nvdisasm NVDISASM] [--against FOLDER] OP...

Compiles kernels/cuda/<op>.cu as the build does, for one architecture, and reads nvdisasm's listing; no device is needed.
A loop is what a backward branch encloses, less the loops inside it; the hottest has the most FMA, of an FFMA one, of an
HMMA a lane's share of its product (if none has one, the most instructions). `issue` is the share of its instructions that are FFMA: with one instruction a cycle and
scheduler, the ceiling it sets on the fp32 peak. FOLDER is another checkout: its numbers stand in brackets.

nvdisasm is in the CUDA toolkit and in PyPI's package nvidia-cuda-nvdisasm. Exit codes: 0, 1 a kernel spills, 2 a mistake in
the command line, 3 nvcc or nvdisasm is not on this machine."""
import argparse
import difflib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
COUNTED = {"FFMA": r"FFMA", "HMMA": r"HMMA", "LDS": r"LDS\b", "LDS.64": r"LDS\.(U\.)?64", "LDS.128": r"LDS\.(U\.)?128", "STS": r"STS",
           "LDG": r"LDG", "STG": r"STG", "BAR": r"BAR"}
INSTRUCTION = re.compile(r"/\*([0-9a-f]{4,})\*/\s+(?:\{\s*)?(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)([^;]*);")


def stop(code, text):
    print(f"sass.py: {text}", file=sys.stderr)
    sys.exit(code)


def find(asked, name):
    found = shutil.which(asked or name) or shutil.which(f"/usr/local/cuda/bin/{name}")
    return found or stop(3, f"{asked or name} is not on this machine")


def counts_of(instructions):
    counts = {"all": len(instructions)}
    for name, pattern in COUNTED.items():
        counts[name] = sum(bool(re.match(pattern, code)) for _, code, _ in instructions)
    counts["LDS"] -= counts["LDS.64"] + counts["LDS.128"]
    counts["FMA"] = sum(map(fma_of, instructions)) or counts["FFMA"]
    return counts


def fma_of(instruction):
    """Of a lane, by a product of 16 rows and 8 columns whose third size is the rest of the number in its name."""
    shape = re.match(r"HMMA\.168(\d+)", instruction[1])
    return 16 * 8 * int(shape.group(1)) // 32 if shape else 0


def hottest(instructions, labels):
    """The loops of a kernel are its backward branches; instructions are (address, code, operands)."""
    loops = []
    for at, code, operands in instructions:
        target = re.search(r"\.L_x_\d+", operands) if code.startswith("BRA") else None
        if target and labels.get(target.group(), at + 1) < at:
            loops.append((labels[target.group()], at))
    bodies = []
    for a, b in loops:
        inside = [(c, d) for c, d in loops if (c, d) != (a, b) and a <= c and d <= b]
        bodies.append([i for i in instructions if a <= i[0] <= b and not any(c <= i[0] <= d for c, d in inside)])
    return counts_of(max(bodies, key=lambda b: (counts_of(b)["FMA"], len(b)))) if bodies else None


def kernels_of(listing):
    kernels, here, labels = {}, None, {}
    for line in listing.splitlines():
        section = re.match(r"\s*\.section\s+\.text\.(\S+?),", line)
        label = re.match(r"(\.L_x_\d+):", line)
        found = INSTRUCTION.search(line)
        if re.match(r"\$\S*count_number\S*:", line):
            here = None
        if section:
            here, labels, waiting = [], {}, []
            kernels[section.group(1)] = (here, labels)
        elif label and here is not None:
            waiting.append(label.group(1))
        elif found and here is not None:
            address = int(found.group(1), 16)
            labels.update(dict.fromkeys(waiting, address))
            waiting.clear()
            here.append((address, found.group(2), found.group(3)))
    return kernels


def demangled(names):
    tool = shutil.which("c++filt")
    plain = subprocess.run([tool, *names], capture_output=True, text=True, check=True).stdout if tool else "\n".join(names)
    return [re.sub(r"^void |\(Call\)$|\(.*\)$", "", name) for name in plain.splitlines()]


def of_build(word):
    rare = [] if word == "float" else ["-DRARE_FN=static __device__ __noinline__"]
    return [f"-DBACKEND=cuda{'' if word == 'float' else '_' + word}", f"-DSTORED={word}", *rare]


def measure(tools, root, op, arch, word="float"):
    with tempfile.TemporaryDirectory() as work:
        cubin = pathlib.Path(work, "op.cubin")
        built = subprocess.run([tools["nvcc"], "-std=c++17", "-O3", "-fmad=false", *of_build(word), "-I", root,
                                f"-arch=sm_{arch}", "-cubin", "-Xptxas", "-v", root / "kernels" / "cuda" / f"{op}.cu", "-o", cubin],
                               capture_output=True, text=True)
        if built.returncode:
            stop(2, f"nvcc does not compile {op}.cu: {built.stderr.strip().splitlines()[0]}")
        listing = subprocess.run([tools["nvdisasm"], "-c", cubin], capture_output=True, text=True, check=True).stdout
    about = {}
    for name, spilled, registers in re.findall(
            r"Compiling entry function '(\S+)'.*?(\d+) bytes spill stores.*?Used (\d+) registers", built.stderr, re.S):
        about[name] = {"registers": int(registers), "spilled": int(spilled)}
    rows, kernels = {}, kernels_of(listing)
    for name, plain in zip(kernels, demangled(kernels)):
        instructions = kernels[name][0]
        while instructions and instructions[-1][1] == "NOP":  # padding
            instructions.pop()
        rows[f"{op}: {plain}"] = {**about.get(name, {}), "all": len(instructions), "loop": hottest(*kernels[name])}
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", default="90", type=str)
    parser.add_argument("--word", default="float", choices=["float", "bf16", "fp16"])
    parser.add_argument("--nvcc")
    parser.add_argument("--nvdisasm")
    parser.add_argument("--against", type=pathlib.Path)
    parser.add_argument("op", nargs="+")
    asked = parser.parse_args()
    ops = sorted(p.stem for p in (ROOT / "kernels/cuda").glob("*.cu"))
    for op in asked.op:
        if op not in ops:
            near = difflib.get_close_matches(op, ops, 1)
            stop(2, f"no op {op} in kernels/cuda" + (f"; did you mean '{near[0]}'?" if near else ""))
    tools = {"nvcc": find(asked.nvcc, "nvcc"), "nvdisasm": find(asked.nvdisasm, "nvdisasm")}
    head = ["kernel", "registers", "instructions", "loop", "FFMA", "HMMA", "LDS", "LDS.64", "LDS.128", "STS", "LDG", "STG", "BAR",
            "issue"]
    table, spills = [head], False
    for op in asked.op:
        before = measure(tools, asked.against, op, asked.arch, asked.word) if asked.against else {}
        for name, row in measure(tools, ROOT, op, asked.arch, asked.word).items():
            spills |= row.get("spilled", 0) > 0

            def cells(r):
                loop = r["loop"] or counts_of([])
                share = f"{loop['FFMA'] / loop['all']:.0%}" if loop["FFMA"] else "-"
                return [r.get("registers", "-"), r["all"], loop["all"], *(loop[k] for k in head[4:-1]), share]
            old = cells(before[name]) if name in before else None
            new = cells(row)
            table.append([name, *(f"{n} ({o})" if old and n != o else str(n) for n, o in zip(new, old or new))])
    widths = [max(len(str(row[i])) for row in table) for i in range(len(head))]
    for row in table:
        print("  ".join(str(c).ljust(w) if not i else str(c).rjust(w) for i, (c, w) in enumerate(zip(row, widths))).rstrip())
    sys.exit(1 if spills else 0)


if __name__ == "__main__":
    main()
