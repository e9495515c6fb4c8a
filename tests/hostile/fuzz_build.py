#!/usr/bin/env python3
"""Builds the libFuzzer harness FOLDER/fuzz: what reads files is compiled anew by clang, with the address and
undefined-behaviour sanitizers, in the way that the build folder compiles it; kernels and models are taken as they stand there.

  fuzz_build.py BUILD FOLDER"""
import concurrent.futures, os, shlex, shutil, subprocess, sys

DRIVER = os.path.join("tests", "hostile", "hostile")
READERS = ("base/", "datasets/", "stats/", "bench/", "tests/hostile/target.c")
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer", "-g", "-O1"]


def clang(plain):
    return [*([shutil.which("ccache")] if shutil.which("ccache") else []), "clang++" if plain.endswith(".cc") else "clang"]


def compiled(words, folder):
    """The command of one source, and its object; None: it is not one of the readers."""
    at = words.index("-c")
    source = words[at + 1]
    if not source.startswith("../") or not source[3:].startswith(READERS):
        return None
    made = os.path.join(folder, source[3:].replace("/", "_") + ".o")
    first = next(i for i, word in enumerate(words) if word.startswith("-"))
    kept = [w for w in words[first:at] if not w.startswith("-O") and not w.startswith("-W")]
    for flag in ("-MD", "-MQ", "-MF", "-o"):
        i = kept.index(flag)
        del kept[i:i + (1 if flag == "-MD" else 2)]
    return [*clang(source), *kept, *SANITIZE, "-fsanitize=fuzzer-no-link", "-w", "-o", made, "-c", source], made


def run(command, build):
    done = subprocess.run(command, cwd=build, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{shlex.join(command)}\n{done.stderr[-3000:]}")


def main(build, folder):
    build, folder = os.path.realpath(build), os.path.realpath(folder)
    os.makedirs(folder, exist_ok=True)
    said = subprocess.run(["ninja", "-C", build, "-t", "commands", DRIVER], capture_output=True, text=True,
                          check=True).stdout.splitlines()
    lines = [shlex.split(line) for line in said if not line.startswith(("ninja:", "rm "))]
    jobs, link = [], lines[-1]
    for words in lines:
        job = compiled(words, folder) if "-c" in words else None
        if job:
            jobs.append(job)
            if job[0][-1].endswith("/target.c"):
                fuzz = os.path.join(folder, "fuzz.c.o")
                jobs.append(([*job[0][:-3], fuzz, "-c", job[0][-1].replace("target.c", "fuzz.c")], fuzz))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda job: run(job[0], build), jobs))
    ours = ("bench/libbench.a", "base/libbase.a", "datasets/libdatasets.a", "stats/libstats.a")
    rest = [w for w in link[link.index("-o") + 2:] if not w.endswith(".o") and w not in ours]
    run(["clang++", "-fsanitize=fuzzer,address,undefined", "-o", os.path.join(folder, "fuzz"), *(made for _, made in jobs), *rest],
        build)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
