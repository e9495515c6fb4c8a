#!/usr/bin/env python3
"""Files that unfold, nest, or do not end: each command ends with 2, 3 or 5 and one line, within 512 MiB and a stack of 1 MiB. TAP.

  exhaust.py PROGRAM ROOT"""
import argparse, json, os, resource, struct, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), os.pardir, "faults"))
from calls import RUN, weights
from world import EXPERIMENT, World, signal_name

MEMORY, STACK, SECONDS, DEEP = 512 << 20, 1 << 20, 60, 100000


def laughs():
    """Nine aliases of nine aliases: 9^9 values."""
    lines = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 10)]
    return "\n".join(lines) + "\n"


YAML = {
    "aliases of aliases": laughs(),
    "an alias of itself": "arms: &a\n  x: *a\n",
    "a merge of aliases": "base: &b {steps: 2}\narms:\n  plain: {<<: *b, variant: pre}\n",
    "nested lists": "arms: " + "[" * DEEP + "]" * DEEP + "\n",
    "nested mappings": "arms: " + "{a: " * DEEP + "}" * DEEP + "\n",
    "nested lists that do not end": "[" * DEEP,
    "nested blocks": "".join(" " * min(i, 1000) + "a:\n" for i in range(1400)),
    "nested list items": "arms:\n" + "- " * DEEP + "a\n",
    "many keys": "".join(f"k{i}: {i}\n" for i in range(90000)),
    "many values": "lr: [" + ", ".join(["1e-3"] * 100000) + "]\n",
    "many arms": EXPERIMENT.format(name="x", steps=2) + "".join(f"  a{i}: {{variant: pre}}\n" for i in range(30000)),
    "a long key": "k" * 1000000 + ": 1\n",
    "a long value": "name: " + "v" * 1000000 + "\n",
    "a long quoted value": 'name: "' + "v " * 400000 + '"\n',
    "an end that does not come": 'name: "' + "\n" * 900000,
    "more than 1 MiB": "#" * (2 << 20),
    "documents": "---\na: 1\n" * 50000,
    "tags": "a: " + "!t " * 100000 + "\n",
    "numbers": EXPERIMENT.format(name="x", steps=2).replace("width: 16", "width: 1" + "0" * 100000),
    "a grid": EXPERIMENT.format(name="x", steps=2).replace("lr: 1e-3", "lr: [" + ", ".join(f"{i}e-5" for i in range(1, 9000)) + "]"),
}
NESTED = "[" * DEEP + "]" * DEEP
JSON = {
    "nested lists": NESTED, "nested objects": '{"a":' * DEEP + "1" + "}" * DEEP, "a list that does not end": "[" * (1 << 20),
    "numbers": "[" + "9" * 1000000 + "]", "an exponent": '[{"seed": 1, "arm": "a", "value": 1e999999}]',
    "many runs": json.dumps([{"seed": s, "arm": "a", "value": 1} for s in range(100000)]),
    "many arms": json.dumps([{"seed": 1, "arm": f"a{s}", "value": 1} for s in range(100000)]),
    "a long name": json.dumps([{"seed": 1, "arm": "a" * 1000000, "value": 1}]), "equal keys": '{"a": 1, "a": 2}',
}
CSV = {
    "many columns": "seed," + ",".join(f"a{i}" for i in range(100000)) + "\n1" + ",1" * 100000 + "\n",
    "a line": "seed,a,b\n" + "1" * 1000000 + "\n", "a quote that does not end": 'seed,a,b\n1,"' + "x" * 1000000,
    "many lines": "seed,a,b\n" + "".join(f"{i},1,2\n" for i in range(200000)),
}
SAFE = {
    "a header of 2^63 bytes": struct.pack("<Q", 1 << 63) + b"{}", "a header of 2^32 bytes": struct.pack("<Q", 1 << 32) + b"{}",
    "a nested header": struct.pack("<Q", 6 * DEEP + 1) + b'{"a":1' [:5] * DEEP + b"1" + b"}" * DEEP,
    "a shape of 2^62 numbers": None, "an end before its beginning": None,
}
for name, entry in (("a shape of 2^62 numbers", {"dtype": "F32", "shape": [1 << 31, 1 << 31], "data_offsets": [0, 4]}),
                    ("an end before its beginning", {"dtype": "F32", "shape": [1], "data_offsets": [8, 4]})):
    header = json.dumps({"__metadata__": {"format_version": "normbench-1"}, "wte.weight": entry}).encode()
    SAFE[name] = struct.pack("<Q", len(header)) + header + bytes(16)
# What never ends, for everything that takes a path; {} is it.
ENDLESS = (["compare", "{}"], ["import", "{}", "--offline"], ["bleu", "{}", "text.txt"], ["sample", "{}"], ["score", "{}"],
           ["run", "{}", "--offline"], ["table", "{}"], ["verify", "toy", "--offline", "--bisect", "{}", "one.yaml"],
           ["run", "toy", "--text", "{}", "--offline"], ["explain", "{}"], ["data", "shards", "-o", "x", "--text", "{}"],
           ["score", "w.safetensors", "--tasks", "piqa", "--file", "piqa={}", "--file", "labels:piqa=text.txt"])


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_STACK, (STACK, STACK))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def wrong(world, arguments, codes=(2, 3, 5), stdin=subprocess.DEVNULL):
    process = subprocess.Popen([world.program, *arguments], cwd=world.work, env=world.environment, stdin=stdin, preexec_fn=limits,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        err = process.communicate(timeout=SECONDS)[1].decode(errors="replace")
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return f"still running after {SECONDS} s"
    if process.returncode not in codes:
        return f"exit {signal_name(process.returncode)}: {err[-300:]}"
    if process.returncode in (2, 3, 5) and (not err.startswith("normbench: ") or err.count("\n") != 1 or len(err) > 2000):
        return f"not one line: {err[:400]}"
    return ""


def forms(world, name, texts, path, commands, codes=(2, 3, 5)):
    failures = []
    for what, text in texts.items():
        whole = os.path.join(world.work, path)
        with open(whole, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        failures += [f"{what}: {arguments[0]}: {bad}" for arguments in commands if (bad := wrong(world, arguments, codes))]
    world.report("exhaustion", name, len(texts) * len(commands), failures)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program"), parser.add_argument("root")
    options = parser.parse_args()
    if subprocess.run([os.path.realpath(options.program), "--version"], preexec_fn=limits, capture_output=True).returncode:
        print("Bail out! the program does not start within 512 MiB (a sanitizer?)")
        sys.exit(1)
    with World(options.program, options.root, "") as world:
        world.begin()
        weights(world)
        forms(world, "experiment", YAML, "bad.yaml", [["run", "bad.yaml", "--offline", "--dry-run"]])
        arms = ("{base: pre, gate: " + "[" * 20000 + "}", "{base: " * 10000, "{base: pre, gate: &a [*a, *a]}", "{base: *a}", "x" * 100000)
        bad = [wrong(world, arguments) for arm in arms for arguments in (["run", "one.yaml", "--arm", arm], ["explain", arm])]
        world.report("exhaustion", "arm", len(bad), [b for b in bad if b])
        claims = os.path.join(world.work, "root", "bench", "claims", "900.yaml")
        with open(claims) as file:
            usual = file.read()
        forms(world, "claims", YAML, "root/bench/claims/900.yaml", [["claims", "--own", "--results", "r"]])
        with open(claims, "w") as file:
            file.write(usual)
        forms(world, "losses", {**JSON, **CSV}, "losses.csv", [["compare", "losses.csv"]], codes=(0, 1, 2, 3))
        forms(world, "weights", SAFE, "bad.safetensors", [["import", "bad.safetensors", "--offline"]])
        run = sorted(n for n in os.listdir(os.path.join(world.work, "r", "runs")) if n[0] != ".")[0]
        record = f"r/runs/{run}/record.json"
        with open(os.path.join(world.work, record)) as file:
            usual = file.read()
        forms(world, "record", JSON, record, [RUN], codes=(5,))
        with open(os.path.join(world.work, record), "w") as file:
            file.write(usual)
        failures, tries = [], 0
        os.mkfifo(os.path.join(world.work, "pipe"))
        for endless in ("/dev/zero", "/dev/urandom", "/dev/stdin"):
            for command in ENDLESS:
                tries += 1
                with open("/dev/zero", "rb") as zero:
                    bad = wrong(world, [word.replace("{}", endless) for word in command], stdin=zero)
                failures += [f"{command[0]} {endless}: {bad}"] if bad else []
        world.report("exhaustion", "files that do not end", tries, failures)


if __name__ == "__main__":
    main()
