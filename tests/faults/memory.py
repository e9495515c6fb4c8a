#!/usr/bin/env python3
"""Every allocation fails: the Nth one alone, and the Nth and all that follow. TAP.

  memory.py PROGRAM ROOT LIBRARY [--most N] [--target NAME]     N: at most so many moments of a target, evenly spread

The program must end with 3 and one line, or do without (what it leaves and prints is then that of an undisturbed one).
It must not crash. An undisturbed command afterwards ends with the usual bytes."""
import argparse

from calls import COSTS, RUN, TABLE, both_stored, losses, one_stored, weights
from world import Target, World, difference, signal_name

TARGETS = [
    Target("run", [RUN], one_stored, spare=("r/out",), volatile=COSTS),
    Target("table", [TABLE], both_stored, volatile=COSTS),
    Target("compare", [["compare", "losses.csv"]], losses, codes=(1,)),
    Target("claims", [["claims", "--results", "r", "--own"]], both_stored),
    Target("import", [["import", "w.safetensors", "--results", "r", "--offline"]], weights),
    Target("report", [["report", "--results", "r"]], both_stored),
]


def what_is_wrong(world, target, code, out, err):
    if code in target.codes:
        if target.name != "run" and out != target.printed:
            return "it succeeds and prints something else"
        differs = difference(world.standing(target), target.after_first, target.spare)
        return f"it succeeds with other results: {differs}" if differs else ""
    last = err.rstrip("\n").split("\n")[-1]
    if code != 3:
        return f"exit {signal_name(code)}"
    return "" if last.startswith("normbench: ") and "memory" in err.lower() else "no line says that memory ran out"


def attack(world, target, fault, most):
    world.prepare(target)
    world.begin(target.start)
    world.run(target.commands[0], "count")
    count = int([line for line in open(world.log) if line.startswith("allocations")][0].split()[1])
    tries, failures = 0, []
    every = -(-count // most)
    for at in range(1 + every // 3, count + 1, every):
        world.begin(target.start)
        code, out, err = world.run(target.commands[0], fault, at)
        if not world.struck():
            continue
        tries += 1
        wrong = what_is_wrong(world, target, code, out, err)
        if not wrong:
            again, _, said = world.run(target.commands[0])
            if again != target.codes[0]:
                wrong = f"undisturbed again: exit {signal_name(again)}: {said[-300:]}"
        wrong = wrong or difference(world.standing(target), target.whole)
        if wrong:
            failures.append(f"allocation {at} of {count}: {wrong}\n{err[-300:]}")
    world.report({"oom": "an allocation fails", "ooms": "all allocations fail from one on"}[fault], target.name, tries,
                 failures)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program"), parser.add_argument("root"), parser.add_argument("library")
    parser.add_argument("--most", type=int, default=10**9)
    parser.add_argument("--target", action="append")
    options = parser.parse_args()
    with World(options.program, options.root, options.library) as world:
        for target in TARGETS:
            if options.target and target.name not in options.target:
                continue
            for fault in ("oom", "ooms"):
                attack(world, target, fault, options.most)


if __name__ == "__main__":
    main()
