#!/usr/bin/env python3
"""Every call that touches a file fails once, in every way that it can, over all that the program reads and writes. TAP.

  calls.py PROGRAM ROOT LIBRARY [--every N] [--target NAME]    N: only each Nth (call, fault), for the quick suite

Afterwards: success with what an undisturbed command leaves and prints, or exit 3 (or 5 where bytes are not what they
should be) and one line with the machine's reason; nothing temporary; what was stored before is still there. Then the
same commands, undisturbed, must end with the bytes of a run that nothing disturbed."""
import argparse, os, re, signal

from world import Target, World, difference, signal_name

ERRNO = {"enospc": "No space left on device", "eio": "Input/output error", "eintr": "Interrupted system call",
         "full": "No space left on device"}
# What each call can do wrong. A read-only call has nothing to lose in a power cut, but a process can die there.
FAULTS = {
    "open": ("eio", "eintr", "kill"), "create": ("enospc", "eio", "eintr", "full", "kill", "lose"),
    "read": ("eio", "eintr", "short"), "write": ("enospc", "eio", "eintr", "short", "full", "kill", "cut", "lose"),
    "fsync": ("enospc", "eio", "eintr", "kill", "cut", "lose"), "rename": ("enospc", "eio", "full", "kill", "cut", "lose"),
    "link": ("enospc", "eio", "kill", "lose"), "unlink": ("eio", "kill", "lose"), "mkdir": ("enospc", "eio", "kill", "lose"),
    "mmap": ("eio",), "close": ("enospc", "eio", "eintr", "kill", "cut", "lose"), "list": ("eio",),
}
RUN = ["run", "toy", "--offline", "--threads", "1", "--checkpoint-every", "0", "--results", "r"]
SPLIT = [*RUN, "--file-size", "0.008"]
TABLE = ["table", "toy", "--results", "r"]
EXPORT = ["export", "post/seed=1", "--at", "final", "-o", "w.safetensors", "--results", "r", "--offline"]
IMPORT = ["import", "w.safetensors", "--results", "r", "--offline"]
COSTS = ("-cost.json", "-cost.tex", "-cost.csv")


def one_stored(world):
    world.must(*RUN, "--part", "1/2")


def both_stored(world):
    world.must(*RUN)


def stopped(world, run=RUN, ending=".safetensors"):
    """A checkpoint in the middle of the second run."""
    one_stored(world)
    world.run(run, "count")
    calls = [line.split()[0] for line in open(world.log) if "allocations" not in line]
    paths = [line.split()[-1] for line in open(world.log)]
    at = max(i for i, path in enumerate(paths) if path.endswith(ending) and calls[i] == "rename")
    world.begin()
    one_stored(world)
    world.run(run, "kill", at + 3)
    partial = os.path.join(world.work, "r", "runs", ".partial")
    if not any(name.endswith(ending) for name in os.listdir(partial)):
        raise SystemExit("Bail out! no checkpoint is left to go on from")


def stopped_split(world):
    """The same where a checkpoint is several files."""
    stopped(world, SPLIT, ".index.json")


def words(world):
    world.write("words.txt", " ".join(w * (1 + n % 3) for n in range(1200) for w in ("norm", "pre", "post", f"x{n % 97}")))


def weights(world, *how):
    both_stored(world)
    run = sorted(n for n in os.listdir(os.path.join(world.work, "r", "runs")) if n[0] != ".")[0]
    world.must("export", run, "--at", "final", "-o", "w.safetensors", "--results", "r", "--offline", *how)


def split_weights(world):
    weights(world, "--file-size", "0.004")


def losses(world):
    world.write("losses.csv", "seed,base,a\n" + "".join(f"{s},3.0{s},3.1{s * s % 10}\n" for s in range(1, 9)))


def snapshots(world):
    world.must("snapshot", "toy", "--offline", "--threads", "1", "--reason", "the first one of all")


SHARDS = ["data", "shards", "-o", "made/tiny", "--text", "words.txt", "--tokenizer", "bpe:300", "--shard-tokens", "500"]
PIECES = [*RUN, "--set", "dataset=text:words.txt", "--set", "tokenizer=bpe:300"]
SNAPSHOT = ["snapshot", "toy", "--offline", "--threads", "1", "--reason", "the first one of all"]
TARGETS = [
    Target("run", [RUN, TABLE], one_stored, spare=("r/out",), volatile=COSTS),
    Target("resumed run", [RUN], stopped, spare=("r/out",)),
    Target("resumed run, split checkpoint", [SPLIT], stopped_split, spare=("r/out",)),
    Target("split export", [[*EXPORT, "--file-size", "0.008"], IMPORT], split_weights, reads=IMPORT),
    Target("table", [TABLE], both_stored, volatile=COSTS),
    Target("report", [["report", "--results", "r"]], both_stored, told="note: no figures: "),
    Target("snapshot", [SNAPSHOT]),
    Target("verify", [["verify", "toy", "--offline", "--threads", "1"]], snapshots),
    Target("claims", [["claims", "--results", "r", "--own"]], both_stored),
    Target("tokenizer, prepared tokens", [PIECES], words, spare=("root/datasets/cache", "r/out")),
    Target("shards", [SHARDS, [*RUN, "--set", "dataset=shards:tiny", "--set", "tokenizer=bpe:300", "--data", "made"]], words,
           once="made/tiny/manifest.json"),
    Target("archive", [["archive", "toy", "--results", "r", "-o", "a.tar"]], both_stored),
    Target("import", [IMPORT], weights),
    Target("split import", [IMPORT], split_weights),
    Target("compare", [["compare", "losses.csv"]], losses, codes=(1,)),
]


def what_is_wrong(world, target, fault, hit, code, out, err):
    """After a disturbed command and before the clean one; "" when every promise was kept."""
    now = world.standing(target)
    if fault == "eio" and hit.startswith("unlink "):  # what the disk did not remove stands until the clean command
        now.pop(hit.split("work/", 1)[-1], None)
    if fault == "eio" and hit.startswith("list "):  # the same of what it did not name
        now = {p: c for p, c in now.items() if p in target.after_first or p not in target.before}
    lost = [p for p in target.before if p not in now and p in target.whole]
    changed = [p for p in target.before if p in now and now[p] != target.before[p] and p in target.whole
               and target.whole[p] == target.before[p]]
    if lost or changed:
        return f"what was stored is lost: {(lost + changed)[:3]}"
    if fault in ("kill", "cut", "lose"):
        return "" if code == -signal.SIGKILL else f"exit {signal_name(code)}"
    if code in target.codes and target.told and target.told in err and ERRNO.get(fault, "") in err:
        return ""
    if code in target.codes:
        if target.printed != out and target.name not in ("run", "resumed run", "resumed run, split checkpoint", "tokenizer, prepared tokens"):
            return "it succeeds and prints something else"
        differs = difference(now, target.after_first, target.spare)
        return f"it succeeds with other results: {differs}" if differs else ""
    if code not in (3, 5):
        return f"exit {signal_name(code)}"
    last = err.rstrip("\n").split("\n")[-1]
    if not last.startswith("normbench: ") or last.startswith("normbench: note"):
        return "the last line says no reason"
    if ERRNO.get(fault, "") not in err and code == 3:
        return "no line says what the machine said"
    if code == 5:
        return "exit 5 though the bytes are right"
    left = [p for p in now if p not in target.before and re.search(r"\.tmp\.|\.aside\.|\.dead$|\.hold$", p)]
    left += [p for p in now if p.startswith("tmp/")]
    return f"left behind {left[:3]}" if left else ""


def attack(world, target, every, offset):
    """All (call, fault) of a target, or each `every`th: tries by fault and what went wrong."""
    world.prepare(target)
    world.begin(target.start)
    world.run(target.commands[0], "count")
    calls = [line.split()[0] for line in open(world.log) if not line.startswith("allocations")]
    tries, failures = {}, {}
    moments = [(at, fault) for at, call in enumerate(calls, 1) for fault in FAULTS[call]]
    for at, fault in moments[offset % every::every]:
        world.begin(target.start)
        code, out, err = world.run(target.commands[0], fault, at)
        hit = world.struck()
        if not hit:
            continue
        wrong = what_is_wrong(world, target, fault, hit, code, out, err)
        if fault in ("cut", "lose"):
            world.age()
        if target.reads and not wrong:
            read, _, said = world.run(target.reads)
            wrong = f"what stands cannot be read: exit {signal_name(read)}: {said[-300:]}" if read else ""
        done = target.once and os.path.exists(os.path.join(world.work, target.once))
        for command in target.commands[bool(done):] if not wrong else ():
            again, _, said = world.run(command)
            if again != (target.codes[0] if command is target.commands[0] else 0):
                wrong = f"undisturbed again: exit {signal_name(again)}: {said[-300:]}"
                break
        wrong = wrong or difference(world.standing(target), target.whole)
        tries[fault] = tries.get(fault, 0) + 1
        failures.setdefault(fault, [])
        if wrong:
            failures[fault].append(f"{fault} at call {at}, {hit}: {wrong}\n{err[-300:]}")
    return tries, failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program"), parser.add_argument("root"), parser.add_argument("library")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--offset", type=int, default=0)
    parser.add_argument("--target", action="append")
    options = parser.parse_args()
    with World(options.program, options.root, options.library) as world:
        for number, target in enumerate(TARGETS):
            if options.target and target.name not in options.target:
                continue
            tries, failures = attack(world, target, options.every, options.offset + number)
            for fault in tries:
                world.report(fault, target.name, tries[fault], failures[fault])


if __name__ == "__main__":
    main()
