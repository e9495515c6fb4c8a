#!/usr/bin/env python3
"""The same training step by normbench and by PyTorch, on the CPU, one process per core.

    python3 bench/peers/compare.py --program build/bench/normbench [EXPERIMENT] [--set KEY=VALUE …]
                                   [--python OTHER/bin/python …] [--save results/perf]

Trains a run of EXPERIMENT's Pre-LN arm (default: embedding-norm) for a few steps, exports its weights at step 0 with its
batches, and lets PyTorch train on them: eager and torch.compile, float and bf16 autocast, with the PyTorch of every
--python; normbench trains in bf16 too where the processor has instructions for it. Each side has one single-threaded
process on every core, as one would train several seeds. Losses first: of step 0, and of step 1, which has seen one
update; a row where they differ from normbench's float ones by more than the tolerance (2e-5 in float and 1e-2 in bf16, in
proportion where the loss is above 4) is void. Then time: rounds in which each side in turn trains some steps, the median
over rounds and processes. What is not on this machine is absent.

With --save the table and its JSON go to DIR/steps.txt and DIR/steps.json, and the matrix products of the same model,
by the program matmul_speed beside PROGRAM, to DIR/matmul.txt and DIR/matmul.json, in bf16 to DIR/matmul-bf16.*.

JSON: {schema, experiment, set, shape, tokens_per_step, processors, asked_for, cpu, rows: [{name, status: ok, void or
absent, why, version, losses, difference, tolerance, step_seconds, tokens_per_second, ratio}]}; a ratio above 1: normbench
is faster, in the same precision where it has that.
"""
import argparse
import csv
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MODES = ["eager-float", "compile-float", "eager-bf16", "compile-bf16"]
TOLERANCE = {"float": 2e-5, "bf16": 1e-2}  # of a loss up to NEAR: a few units in the last place; bf16 has 8 bits
NEAR = 4
PRECISION = {"float": "exact", "bf16": "bf16"}  # normbench's names
UNMEASURED = 3  # normbench's exit code where something is not on this machine
WAIT_SECONDS = 60


def asked_for():
    return next(line.strip() for line in open(HERE / "requirements.txt") if line.startswith("torch"))


def cpu_model():
    with open("/proc/cpuinfo") as info:
        return next((line.split(":")[1].strip() for line in info if line.startswith("model name")), "unknown")


def pinned(core):
    return lambda: os.sched_setaffinity(0, {core})


def tolerance_at(loss, tolerance):
    """In proportion above NEAR: a unit in the last place of a larger loss is larger."""
    return tolerance * max(1, loss / NEAR)


def largest(differences):
    """nan where one is: max() alone would pass over it."""
    differences = list(differences)
    return math.nan if any(map(math.isnan, differences)) else max(differences)


def judge(side, ours):
    side.tolerance = tolerance_at(ours.losses[0], TOLERANCE[side.precision])
    side.difference = largest(abs(a - b) for a, b in zip(side.losses[:2], ours.losses))
    if not side.difference <= side.tolerance:
        side.status, side.why = "void", f"losses differ by {side.difference:.1e}"


class Ours:
    """normbench run, one seed per core; every round into a folder of its own, or the runs would be there already."""

    def __init__(self, args, folder, precision):
        self.args, self.folder, self.round, self.status, self.why = args, folder, 0, "ok", ""
        self.name, self.precision, self.version, self.losses = f"normbench {precision}", precision, "", []

    def train(self, seeds):
        self.round += 1
        results = self.folder / f"ours-{self.precision}-{self.round}"
        command = [self.args.program, "run", self.args.experiment, "--arm", "pre: {variant: pre}", "--results", results,
                   "--threads", str(len(self.args.cores)), "--set", f"precision={PRECISION[self.precision]}"]
        for key, value in self.args.keys + [("seeds", f"[{', '.join(map(str, seeds))}]"), ("steps", self.args.steps),
                                            ("evaluate_at", self.args.steps), ("curve_every", self.args.steps)]:
            command += ["--set", f"{key}={value}"]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        if done.returncode:
            why = done.stderr.strip().splitlines()[-1]
            if self.precision == "float" or done.returncode != UNMEASURED:
                sys.exit(f"compare.py: {why}")
            self.status, self.why = "absent", why
        return [json.load(open(path)) | {"folder": path.parent} for path in sorted(results.glob("runs/*/record.json"))]

    def try_out(self):
        records = self.train([1])
        if not records:
            return None
        curves = records[0]["folder"] / "curves.csv"
        self.losses = [float(row["train_loss"]) for row in csv.DictReader(open(curves)) if row["train_loss"]][:3]
        self.version = records[0].get("provenance", {}).get("commit", "")
        return records[0]

    def warm_up(self, ours):
        if self.try_out():
            judge(self, ours)

    def export(self):
        """The run that the peers train again: its record, and the paths of weights and curves."""
        record = self.try_out()
        weights = self.folder / "weights.safetensors"
        subprocess.run([self.args.program, "export", record["id"], "--results", record["folder"].parent.parent, "--at", "0",
                        "--batches", "-o", weights], check=True, stdout=subprocess.DEVNULL)
        return record, weights, record["folder"] / "curves.csv"

    def measure(self):
        return [record["step_seconds"] for record in self.train(range(1, len(self.args.cores) + 1))]

    def end(self):
        pass


class Torch:
    def __init__(self, args, python, mode, files):
        self.name, self.status, self.why, self.version, self.losses = f"{mode}", "ok", "", "", []
        self.precision = mode.split("-")[1]
        command = [python, str(HERE / "step_torch.py"), *map(str, files), mode, str(args.steps)]
        self.process = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                         text=True, preexec_fn=pinned(core)) for core in args.cores]

    def lines(self):
        return [json.loads(p.stdout.readline() or '{"absent": "the process died"}') for p in self.process]

    def warm_up(self, ours):
        line = self.lines()[0]
        if "absent" in line:
            self.status, self.why = "absent", line["absent"]
            return
        self.version, self.losses = f"{line['torch']} ({line['optimizer']})", line["losses"]
        judge(self, ours)

    def measure(self):
        for p in self.process:
            p.stdin.write("go\n")
            p.stdin.flush()
        return [line["seconds"] for line in self.lines()]

    def end(self):
        for p in self.process:
            p.stdin.close()
            try:
                p.wait(WAIT_SECONDS)
            except subprocess.TimeoutExpired:
                p.kill()


def corpus_of(args, spec):
    shown = subprocess.run([args.program, "data", "show", spec["dataset"]], capture_output=True, text=True).stdout
    path = next((line.split(None, 1)[1] for line in shown.splitlines() if line.split()[:1] == ["from"]), "")
    if spec.get("objective") != "translate":
        return path
    source = pathlib.Path(path)  # train.de of multi30k-de-en; for files of your own there is --corpus
    return f"{source},{source.with_suffix('.en')}"


def measure(args, folder):
    ours = Ours(args, folder, "float")
    record, *files = ours.export()
    spec = dict(line.split(" = ", 1) for line in record["spec"].splitlines())
    files.insert(1, args.corpus or corpus_of(args, spec))
    rounded = Ours(args, folder, "bf16")
    rounded.warm_up(ours)
    peers = [rounded]
    for python in args.python:
        for mode in MODES:
            peer = Torch(args, python, mode, files)
            print(f"{python} {mode}: warming up", file=sys.stderr)
            peer.warm_up(ours)
            peers.append(peer)
    timed = [ours] + [p for p in peers if p.status == "ok"]
    seconds = {side: [] for side in timed}
    for turn in range(args.rounds):
        for i in range(len(timed)):
            side = timed[(turn + i) % len(timed)]
            seconds[side] += side.measure()
    for peer in peers:
        peer.end()
    return report(args, spec, ours, [ours] + peers, seconds)


def report(args, spec, ours, sides, seconds):
    tokens = int(spec["batch"]) * int(spec["context"])  # of sentence pairs: rows, some of them padding
    rows, same = [], {side.precision: seconds[side] for side in sides if isinstance(side, Ours) and side in seconds}
    for side in sides:
        row = {"name": side.name, "status": side.status, "why": side.why, "version": side.version, "losses": side.losses}
        if side is not ours and side.losses:
            row |= {"difference": side.difference, "tolerance": side.tolerance}
        if side in seconds:
            median = statistics.median(seconds[side])
            row |= {"step_seconds": median, "tokens_per_second": len(args.cores) * tokens / median,
                    "ratio": median / statistics.median(same.get(side.precision, seconds[ours]))}
        rows.append(row)
    shape = {key: int(spec[key]) for key in ("layers", "width", "heads", "context", "batch")}
    return {"schema": 1, "experiment": args.experiment, "set": [f"{k}={v}" for k, v in args.keys], "shape": shape,
            "tokens_per_step": tokens, "processors": len(args.cores), "asked_for": asked_for(), "cpu": cpu_model(),
            "rows": rows}


def text(r):
    s = r["shape"]
    lines = [f"training steps of {' '.join([r['experiment'], *r['set']])}: {s['layers']} layers x {s['width']}, {s['heads']} heads, "
             f"{r['tokens_per_step']} tokens; one process on each of {r['processors']} cores",
             f"({r['cpu']}); PyTorch asked for: {r['asked_for']};",
             "a ratio above 1: normbench is faster, in the same precision where it has that", "",
             f"  {'':16} {'version':24} {'loss at 0':>10} {'differs':>8}  {'ms/step':>8} {'tokens/s':>9} {'ratio':>6}"]
    for row in r["rows"]:
        start = f"  {row['name']:16} {row['version']:24} "
        loss = f"{row['losses'][0]:10.6f} " if row["losses"] else f"{'':10} "
        loss += f"{row['difference']:8.1e}  " if "difference" in row else f"{'':8}  "
        if row["status"] == "ok":
            end = f"{1e3 * row['step_seconds']:8.1f} {row['tokens_per_second']:9.0f} {row['ratio']:5.2f}x"
        else:
            end = f"{row['status']}: {row['why']}"
        lines.append(start + loss + end)
    return "\n".join(lines) + "\n"


def save_matmuls(args, folder, r):
    program = pathlib.Path(args.program).parent / "peers" / "matmul_speed"
    if not program.exists():
        print("matmul_speed: absent (ninja -C BUILD bench/peers/matmul_speed)", file=sys.stderr)
        return
    s, rounded = r["shape"], any(row["name"] == "normbench bf16" and row["status"] == "ok" for row in r["rows"])
    for name, options in [("matmul", [])] + [("matmul-bf16", ["--bf16"])] * rounded:
        done = subprocess.run([str(program), *options, "--width", str(s["width"]), "--layers", str(s["layers"]), "--rows",
                               str(r["tokens_per_step"]), "-o", str(folder / f"{name}.json")], check=True,
                              capture_output=True, text=True, preexec_fn=pinned(args.cores[0]))
        (folder / f"{name}.txt").write_text(done.stdout)
        print(done.stdout)


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("experiment", nargs="?", default="embedding-norm")
    p.add_argument("--program", default="build/bench/normbench", help="normbench (default: %(default)s)")
    p.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="as of normbench run")
    p.add_argument("--python", action="append", metavar="PYTHON", help="a Python with PyTorch; may be repeated")
    p.add_argument("--corpus", help="the text of the run, or its two files SOURCE,TARGET (default: what normbench uses)")
    p.add_argument("--processes", type=int, default=0, help="at once (default: one per core)")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--steps", type=int, default=20, help="steps of a round")
    p.add_argument("--json", action="store_true", help="JSON instead of the table")
    p.add_argument("--save", type=pathlib.Path, metavar="DIR", help="store tables and JSON there")
    args = p.parse_args()
    args.python = args.python or [sys.executable]
    for option, program in [("--program", args.program)] + [("--python", python) for python in args.python]:
        if not shutil.which(program):
            p.error(f"{option}: no program '{program}'")
    args.keys = [tuple(pair.split("=", 1)) for pair in args.set]
    cores = sorted(os.sched_getaffinity(0))
    args.cores = cores[:args.processes] if args.processes > 0 else cores
    return args


def publish(args, name, table, r):
    """The table, or with --json the numbers; both into the folder of --save."""
    data = json.dumps(r, indent=1) + "\n"
    print(data if args.json else table, end="")
    if args.save:
        args.save.mkdir(parents=True, exist_ok=True)
        (args.save / f"{name}.txt").write_text(table)
        (args.save / f"{name}.json").write_text(data)


def main():
    args = arguments()
    with tempfile.TemporaryDirectory() as folder:
        r = measure(args, pathlib.Path(folder))
    publish(args, "steps", text(r), r)
    if args.save:
        save_matmuls(args, args.save, r)


if __name__ == "__main__":
    main()
