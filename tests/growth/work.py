#!/usr/bin/env python3
"""work.py PROGRAM ROOT WORK.so: what commands that only read or plan may do, counted (work.c) and not timed. TAP.

A bound stands beside what was measured when it was set. Bounds per run are of what twice as many runs add: what looks at
every run for every run adds far more."""
import os, pathlib, subprocess, sys, tempfile

program, root, library = (os.path.realpath(path) for path in sys.argv[1:4])
experiments = len(list(pathlib.Path(root, "bench/experiments").glob("*.yaml")))
scratch = tempfile.TemporaryDirectory(prefix="normbench-work.")
environment = {key: value for key, value in os.environ.items() if not key.startswith("NORMBENCH_")} | {"NORMBENCH_ROOT": root, "LC_ALL": "C"}
done = 0

TINY = """name: tiny
dataset: synthetic
layers: 1
width: 8
heads: 2
context: 8
batch: 1
steps: 1
evaluate_at: "0,1"
seeds: 2
lr: [{rates}]
arms: {{pre: {{variant: pre}}, post: {{variant: post}}}}
"""


def counts(*command, results="none"):
    """What a command counted; it must succeed."""
    path = scratch.name + "/counts"
    process = subprocess.run([program, *command, "--results", scratch.name + "/" + results], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             env=environment | {"LD_PRELOAD": library, "WORK_COUNTS": path}, cwd=scratch.name, timeout=600)
    assert process.returncode == 0, f"{' '.join(command)}: exit {process.returncode}: {process.stdout.decode()[-400:]}"
    return {name: int(count) for name, count in map(str.split, open(path))}


def more(large, small, runs):
    """What each of `runs` runs more added."""
    return {name: (large[name] - small[name]) / runs for name in large}


def check(what, measured, **most):
    global done
    done += 1
    over = [f"{name}: {measured[name]:.5g}, at most {bound:.5g}" for name, bound in most.items() if measured[name] > bound]
    print(("not ok" if over else "ok") + f" {done} - {what}")
    for line in over:
        print("# " + line)


def tiny(rates, name):
    """A stored sweep of so many rates: four runs at each."""
    path = f"{scratch.name}/{name}.yaml"
    open(path, "w").write(TINY.format(rates=", ".join(f"{i + 1}e-4" for i in range(rates))))
    counts("run", path, results=name)
    return path


def main():
    # A program with a sanitizer has strings of its own.
    if b"__asan_init" in open(program, "rb").read():
        print("1..0 # SKIP a sanitized program")
        return
    synthetic = ("--set", "dataset=synthetic")
    # 165 comparisons of 6 seeds: 20,000 samples of 6 x (165 + 1) normals and one more search with 6 a sample: 20.0 million.
    check("a plan of 165 comparisons draws its samples once", counts("run", "placements", "--profile", "quick", "--dry-run", *synthetic),
          normals=2.1e7, formatted=2.5e5, compared=2.6e6, opened=10)
    check("a plan of 24 comparisons too", counts("run", "deep", "--profile", "quick", "--dry-run", *synthetic), normals=4.4e6)
    # Smoke has 10 arms. A run more: 2.0 hashes, 276 bytes, 7.2 texts, 15 comparisons.
    small, large = (counts("run", "smoke", "--dry-run", "--seeds", str(seeds)) for seeds in (500, 1000))
    check("each run of a plan is named by two short hashes", more(large, small, 5000), hashed=2.5, bytes=500, formatted=12, compared=40, opened=0)
    # 8.7 files, 35 hashes, 8,860 texts, 147,000 comparisons, 4 limits: of 509 stored contrasts the table judges those that decide.
    ledger = {name: count / experiments for name, count in counts("claims").items()}
    check("claims read each plan a few times", ledger, opened=11, events=1700, hashed=45, formatted=1.2e4, compared=1.9e5, limits=6)
    check("list reads each experiment once", counts("list"), opened=experiments + 10, compared=6.5e5)
    check("status of nothing reads nothing", counts("status"), opened=5, compared=2000, formatted=100)
    name = [tiny(rates, f"r{rates}") for rates in (3, 6)]
    for command in (("table",), ("status",), ("run", "--dry-run")):
        small, large = (counts(command[0], path, *command[1:], results=f"r{rates}") for path, rates in zip(name, (3, 6)))
        each = more(large, small, 12)
        # The table dumps each run's evaluations for the sample's hash, 0.54 MB here; no command dumps a record to check its hash.
        # Half of these runs of one step end above a uniform guess: status reads their records whole, 80 texts a run more.
        bounds = {"table": dict(opened=7, hashed=30, formatted=4000, compared=53000, dumped=6e5),
                  "status": dict(opened=2, hashed=8, formatted=400, compared=20000, dumped=0),
                  "run": dict(opened=8, hashed=50, formatted=2000, compared=60000, dumped=0)}[command[0]]
        check(f"{' '.join(command)} reads each stored run a few times", each, **bounds)
    print(f"1..{done}")


main()
