#!/usr/bin/env python3
"""200 kills by the clock, and several processes on one results folder. TAP.

  kills.py PROGRAM ROOT LIBRARY [--every N]     N: only each Nth kill, for the quick suite

A process is killed after a time drawn by chance; then the same command is given again. In the end there must be the
bytes of a run that nothing disturbed, and nothing beside them."""
import argparse, os, random, signal, subprocess, time

from calls import COSTS, PIECES, RUN, TABLE, both_stored, words
from world import Target, World, difference, signal_name

LONG = [*RUN, "--set", "steps=400"]
TARGETS = [
    (100, Target("run with checkpoints", [LONG])),
    (50, Target("table", [TABLE], both_stored, volatile=COSTS)),
    (50, Target("prepared tokens", [PIECES], words)),
]


def start(world, command):
    return subprocess.Popen([world.program, *command], cwd=world.work, env=world.environment, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def killed(world, target, wanted, every):
    """Processes of one command are killed until enough were; whenever one ends by itself, its results are compared."""
    world.prepare(target)
    world.begin(target.start)
    before = time.time()
    world.run(target.commands[0])
    usual = time.time() - before
    world.begin(target.start)
    kills, failures, started = 0, [], 0
    while kills < (wanted + every - 1) // every and started < 20 * wanted:
        started += 1
        process = start(world, target.commands[0])
        try:
            code = process.wait(random.uniform(0.2, 1.0) * usual)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            code = process.wait()
        kills += code == -signal.SIGKILL
        if code not in (0, -signal.SIGKILL):
            failures.append(f"exit {signal_name(code)} after {kills} kills")
        if code == 0:
            failures += [w for w in [difference(world.standing(target), target.whole)] if w]
            world.begin(target.start)
    code, _, err = world.run(target.commands[0])
    if code:
        failures.append(f"undisturbed at last: exit {signal_name(code)}: {err[-300:]}")
    failures += [w for w in [difference(world.standing(target), target.whole)] if w]
    world.report("kill by the clock", target.name, kills, failures)


def together(world, rounds):
    """Two and three processes train the same runs, others make the table meanwhile."""
    target = Target("processes", [LONG])
    world.prepare(target)
    for count in (2, 3):
        failures = []
        for _ in range(rounds):
            world.begin(target.start)
            processes = [start(world, LONG) for _ in range(count)]
            tables = []
            while any(p.poll() is None for p in processes):
                tables.append(world.run(["table", "toy", "--set", "steps=400", "--results", "r"])[0])
            failures += [f"a run ends with {signal_name(p.returncode)}" for p in processes if p.returncode]
            failures += [f"a table meanwhile ends with {signal_name(code)}" for code in tables if code not in (0, 3)]
            now = {p: c for p, c in world.standing(target).items() if not p.startswith("r/out/")}
            whole = {p: c for p, c in target.whole.items() if not p.startswith("r/out/")}
            failures += [w for w in [difference(now, whole)] if w]
        world.report("at the same time", f"{count} runs and table", rounds, failures)


def cache_goes(world, rounds):
    """The prepared tokens are deleted, or replaced by others, under the run that uses them."""
    target = Target("cache", [PIECES], words)
    world.prepare(target)
    for how in ("deleted", "replaced"):
        failures, tries = [], 0
        for _ in range(rounds):
            world.begin(target.start)
            process = start(world, PIECES)
            tokens = os.path.join(world.work, "root", "datasets", "cache", "tokens")
            while process.poll() is None:
                for name in os.listdir(tokens) if os.path.isdir(tokens) else ():
                    path = os.path.join(tokens, name)
                    if how == "deleted" and name.endswith(".tokens"):
                        os.path.exists(path) and os.remove(path)
                    elif name.endswith(".tokens"):
                        with open(path + ".other", "wb") as other:
                            other.write(b"other bytes")
                        os.replace(path + ".other", path)
                time.sleep(random.uniform(0, 0.004))
            tries += 1
            if process.returncode not in (0, 5):
                failures.append(f"exit {signal_name(process.returncode)}")
            code = 5
            for _ in range(2):  # what was replaced is put aside by the first, and made again by the second
                code = world.run(PIECES)[0] if code else 0
            now, whole = ({p: c for p, c in tree.items() if not p.startswith("root/")}
                          for tree in (world.standing(target), target.whole))
            failures += [f"at last exit {code}"] if code else [w for w in [difference(now, whole)] if w]
        world.report("cache " + how, "run", tries, failures)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program"), parser.add_argument("root"), parser.add_argument("library")
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    seed = random.randrange(10**6)
    random.seed(seed)
    print(f"# seed {seed}")
    rounds = max(1, 20 // options.every)
    with World(options.program, options.root, options.library) as world:
        for wanted, target in TARGETS:
            killed(world, target, wanted, options.every)
        together(world, rounds)
        cache_goes(world, rounds)


if __name__ == "__main__":
    main()
