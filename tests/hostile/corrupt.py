#!/usr/bin/env python3
"""Files of every kind that the program reads, changed behind its back: each is refused, or changes nothing that is shown. TAP.

  corrupt.py PROGRAM ROOT LIBRARY TRIES [--kind NAME] [--seed N]     TRIES for each kind

A change is a bit, a byte that means something, a cut, pieces dropped, doubled, swapped or zeroed, another file's bytes.
Where a hash is stored the command ends with 5; where only a schema is, with 2 or 5, or it shows what the file now says
under another hash. A refusal is one line, and leaves the results as they were."""
import argparse, glob, hashlib, json, os, random, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), os.pardir, "faults"))
from calls import (COSTS, IMPORT, PIECES, RUN, SHARDS, SPLIT, TABLE, snapshots, both_stored, losses, split_weights, stopped,
                   stopped_split, weights, words)
from world import Target, World, difference, signal_name

MEANING = b"\0\xff\n\t\"'{}[]:,-&*!%0e.<\\#|>"


def changed(draw, old, others):
    """Other bytes than old; what was done to them."""
    while True:
        new, a, b = bytearray(old), *sorted(draw.randrange(len(old) + 1) for _ in range(2))
        how = draw.choice(("bit", "bit", "bits", "byte", "truncated", "emptied", "dropped", "doubled", "swapped", "zeroed",
                           "grown", "another file's"))
        if how in ("bit", "bits"):
            for _ in range(1 if how == "bit" else 8):
                if new:
                    new[draw.randrange(len(new))] ^= 1 << draw.randrange(8)
        elif how == "byte" and new:
            new[draw.randrange(len(new))] = draw.choice(MEANING)
        elif how == "truncated":
            del new[b:]
        elif how == "emptied":
            new.clear()
        elif how == "dropped":
            del new[a:min(b, a + 64)]
        elif how == "doubled":
            new[a:a] = new[a:min(b, a + 64)]
        elif how == "swapped":
            m = (a + b) // 2
            new[a:b] = new[m:b] + new[a:m]
        elif how == "zeroed":
            new[a:b] = bytes(b - a)
        elif how == "grown":
            new += bytes(draw.randrange(256) for _ in range(1 + draw.randrange(16)))
        elif how == "another file's" and others:
            new = bytearray(draw.choice(others))
        if new != old:
            return bytes(new), how


class Kind(Target):
    """files: which are changed; codes: how a command may refuse; judge(world, path, old, new, out): what is wrong with a
    command that ends well and shows something else; fresh: each try begins in a folder of its own; good: codes that end well,
    of `compare` each verdict."""

    def __init__(self, name, files, command, codes, prepare=None, judge=None, fresh=False, good=(0,)):
        super().__init__(name, [command], prepare, volatile=COSTS)
        self.files, self.refuses, self.judge, self.fresh, self.good = files, codes, judge, fresh, good


# ---- where each kind begins ----

def two_seeds(world):
    world.must(*RUN, *SEEDS)


def tabled(world):
    both_stored(world)
    world.must(*TABLE)
    os.rename(os.path.join(world.work, "r", "out", os.listdir(os.path.join(world.work, "r", "out"))[0]),
              os.path.join(world.work, "r", "out", "mine"))


def one_trained(world):
    world.must("run", "one.yaml", *RUN[2:])


def sharded(world):
    words(world)
    world.must(*SHARDS)


def pieces(world):
    words(world)
    world.must(*PIECES)


def hits(world):
    world.must(*RUN, "--set", "hits=true")


def translated(world):
    pairs = [(f"ein {i * i % 7} haus {i % 5}", f"one {i * i % 7} house {i % 5}") for i in range(60)]
    for side, name in enumerate("ab"):
        world.write(name, "".join(pair[side] + "\n" for pair in pairs))
    world.must(*RUN, *TRANSLATE)


def traced(world):
    world.must("verify", "toy", "--offline", "--threads", "1", "-o", "one.trace")
    world.must("verify", "toy", "--offline", "--threads", "1", "-o", "other.trace")


def tasks(world):
    world.must(*RUN, "--set", "tokenizer=byte")
    run = sorted(n for n in os.listdir(os.path.join(world.work, "r", "runs")) if n[0] != ".")[0]
    world.must("export", run, "--at", "final", "-o", "w.safetensors", "--results", "r", "--offline")
    world.write("piqa.jsonl", '{"goal": "1 2 3", "sol1": "4 5", "sol2": "9 9 9"}\n{"goal": "7", "sol1": "1", "sol2": "9"}\n')
    world.write("labels", "0\n1\n")


def stored_verdicts(world):
    os.makedirs(os.path.join(world.work, "root", "results", "reference"))
    world.write("root/results/reference/claims.json", world.must("claims", "--results", "none", "--format", "json", "--own"))


def theory(world):
    os.makedirs(os.path.join(world.work, "r", "out", "theory"))
    with open(os.path.join(world.checkout, "results", "reference", "theory", "measured.json")) as file:
        world.write("r/out/theory/measured.json", file.read())


def corpus(world):
    os.makedirs(os.path.join(world.work, "data", "tinyshakespeare"))
    world.write("data/tinyshakespeare/input.txt", ("First Citizen:\n" * 80000)[:1115394])


def list_losses(world):
    rows = [{"seed": s, "arm": arm, "value": 3 + s / 100 + i / 10} for s in range(1, 9) for i, arm in enumerate(("base", "a"))]
    world.write("losses.json", json.dumps(rows))


# ---- what may be shown of a changed file ----

def never(world, path, old, new, out):
    return "the change is not seen"


def another_plan(world, path, old, new, out):
    """A file that a user writes: nothing but its plan's hash tells, and that is in the folder's name."""
    return "" if len(os.listdir(os.path.join(world.work, "r", "out"))) > 1 else "it shows something else under the same hash"


def another_text(world, path, old, new, out):
    """Each record made of the text names the hash of the bytes that are there now."""
    hashes = set()
    for record in glob.glob(os.path.join(world.work, "r", "runs", "*", "record.json")):
        with open(record) as file:
            hashes.add(json.load(file)["dataset_sha256"])
    return "" if hashlib.sha256(new).hexdigest() in hashes else "no record names the new hash"


def another_claim(world, path, old, new, out):
    """What is decided of a claim differs only under another hash; words that are shown are no part of it."""
    known = {claim["id"]: claim["hash"] for writeup in json.loads(world.printed)["writeups"] for claim in writeup["claims"]}
    for writeup in json.loads(out)["writeups"]:
        for claim in writeup["claims"]:
            if len(claim["hash"]) != 64:
                return "a claim without a hash"
    now = {claim["id"]: claim["hash"] for writeup in json.loads(out)["writeups"] for claim in writeup["claims"]}
    words_only = all(word in new for word in (b"metric: valid_loss", b"expects: higher", b"test: t,", b"at: [2]"))
    return "" if now != known or words_only else "it decides something else under the same hash"


def any_words(world, path, old, new, out):
    """A user's own numbers or sentences: whatever they say now."""
    return ""


TRANSLATE = ["--set", "dataset=text:a,b", "--set", "objective=translate", "--set", "positions=sinusoidal", "--set", "context=20",
             "--set", "batch=6"]
SEEDS = ["--set", "seeds=2"]
SCORE = ["score", "w.safetensors", "--tasks", "piqa", "--file", "piqa=piqa.jsonl", "--file", "labels:piqa=labels"]
VERIFY = ["verify", "toy", "--offline", "--threads", "1"]
KINDS = [
    Kind("record", "r/runs/*/record.json", [*TABLE, *SEEDS], (5,), two_seeds),
    Kind("curves", "r/runs/*/curves.csv", [*TABLE, *SEEDS], (5,), two_seeds),
    Kind("hits", "r/runs/*/hits.bin", RUN, (5,), hits),
    Kind("translations", "r/runs/*/translations.tsv", [*RUN, *TRANSLATE], (5,), translated),
    Kind("checkpoint", "r/runs/.partial/*.safetensors", RUN, (), stopped, fresh=True),
    Kind("split checkpoint", "r/runs/.partial/*.safetensors*", SPLIT, (), stopped_split, fresh=True),
    Kind("prepared tokens", "root/datasets/cache/tokens/*", [*PIECES, "--results", "q"], (5,), pieces, fresh=True),
    Kind("shards", "made/tiny/*", [*RUN, "--set", "dataset=shards:tiny", "--set", "tokenizer=bpe:300", "--data", "made"],
         (5,), sharded, fresh=True),
    Kind("corpus", "data/*/input.txt", ["data", "verify", "tinyshakespeare", "--data", "data", "--offline"], (5,), corpus,
         good=(5,)),
    Kind("snapshot", "root/results/baselines/*.json", VERIFY, (5,), snapshots),
    Kind("weights", "w.safetensors", IMPORT, (5,), weights),
    Kind("split weights", "w[-.]*", IMPORT, (5,), split_weights),
    Kind("plan", "r/out/mine/plan.json", ["table", "mine", "--results", "r"], (2, 3, 5), tabled),
    Kind("stored verdicts", "root/results/reference/claims.json", ["claims", "--results", "none"], (5,), stored_verdicts,
         any_words),
    Kind("theory", "r/out/theory/measured.json", ["table", "theory", "--results", "r"], (5,), theory, any_words),
    Kind("trace", "one.trace", [*VERIFY, "--bisect", "one.trace", "other.trace"], (1, 2, 3, 5), traced, never),
    Kind("experiment", "one.yaml", ["table", "one.yaml", "--results", "r"], (2, 3), one_trained, another_plan, True),
    Kind("claims", "root/bench/claims/900.yaml", ["claims", "--results", "r", "--own", "--format", "json"], (2,), both_stored,
         another_claim),
    Kind("own text", "text.txt", RUN, (2,), both_stored, another_text, True),
    Kind("task", "piqa.jsonl", SCORE, (2,), tasks, any_words),
    Kind("answers", "labels", SCORE, (2,), tasks, any_words),
    Kind("losses, csv", "losses.csv", ["compare", "losses.csv"], (2,), losses, any_words, good=(0, 1, 4)),
    Kind("losses, json", "losses.json", ["compare", "losses.json"], (2,), list_losses, any_words, good=(0, 1, 4)),
]


def what_is_wrong(world, kind, path, old, new, before, code, out, err):
    now = world.standing(kind)
    short = os.path.relpath(path, world.work)
    if code in kind.good:
        now.pop(short, None)
        differs = difference(now, {p: c for p, c in kind.whole.items() if p != short})
        if out == kind.printed and not differs:
            return never(world, path, old, new, out) if kind.judge is never else ""
        world.printed = kind.printed
        return kind.judge(world, path, old, new, out) if kind.judge else f"it goes on: {differs or 'other words'}"
    if code not in kind.refuses:
        return f"exit {signal_name(code)}"
    lines = [line for line in err.rstrip("\n").split("\n") if not line.startswith("normbench: note: ")]
    if not lines[-1].startswith("normbench: ") or (code == 2 and len(lines) > 1 and not kind.fresh):
        return "not one line that says why"
    if any(c < " " and c not in "\n\t" or c == "\x7f" for c in err) or len(lines[-1]) > 2000:
        return "the line is no line for a terminal"
    if not kind.fresh:
        before = {**before, short: new}
        differs = difference({**now, short: new}, before)
        return f"a refusal changes the results: {differs}" if differs else ""
    return ""


def attack(world, kind, tries, seed):
    draw = random.Random(f"{seed} {kind.name}")
    world.begin()
    kind.prepare(world)
    start = os.path.join(world.top, "start")
    world.keep_as(start)
    before = world.standing(kind)
    paths = sorted(p for p in glob.glob(os.path.join(world.work, kind.files)) if os.path.isfile(p))
    kind.printed = world.must(*kind.commands[0], codes=kind.good)
    kind.whole = world.standing(kind)
    if not paths:
        raise SystemExit(f"Bail out! {kind.name}: no file {kind.files}")
    if not kind.fresh:
        before = dict(kind.whole)
    content = {}
    for path in paths:
        with open(os.path.join(start, os.path.relpath(path, world.work)), "rb") as file:
            content[path] = file.read()
    failures = []
    for number in range(tries):
        path = draw.choice(paths)
        old = content[path]
        new, how = changed(draw, old, [content[p] for p in paths if p != path])
        if kind.fresh:
            world.begin(start)
        with open(path, "wb") as file:
            file.write(new)
        code, out, err = world.run(kind.commands[0])
        wrong = what_is_wrong(world, kind, path, old, new, before, code, out, err)
        if wrong:
            failures.append(f"try {number}, {how}, {os.path.relpath(path, world.work)}: {wrong}\n{err[-300:]}")
        if kind.fresh:
            continue
        with open(path, "wb") as file:
            file.write(old)
        if difference(world.standing(kind), kind.whole):
            world.begin(start)
            world.run(kind.commands[0])
    return failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program"), parser.add_argument("root"), parser.add_argument("library")
    parser.add_argument("tries", type=int)
    parser.add_argument("--kind", action="append")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with World(options.program, options.root, options.library) as world:
        for kind in KINDS:
            if not options.kind or kind.name in options.kind:
                world.report("changed file", kind.name, options.tries, attack(world, kind, options.tries, options.seed))


if __name__ == "__main__":
    main()
