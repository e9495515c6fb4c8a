#!/usr/bin/env python3
"""Several seeds of one experiment by normbench, by PyTorch and by JAX: the same weights, the same batches, one device.

    python3 bench/peers/replicas.py --program build/bench/normbench [EXPERIMENT] [--variant NAME] [--set KEY=VALUE …]
                                    [--seeds N] [--rows eager,jax] [--device cuda] [--save results/perf]

normbench trains the seeds in one batch and exports their weights at step 0 with their batches. The rows train the same:
  eager           PyTorch, one seed after another
  compile         the same with torch.compile, on a device with CUDA graphs
  folded          PyTorch, seeds folded into one batch by hand: stacked weights, bmm, one attention over seeds x batch
  folded-compile  the same with torch.compile, on a device with CUDA graphs
  func            PyTorch, torch.func: vmap of functional_call and its gradient over seeds
  jax             JAX, jit of vmap of scan: one program trains every step of every seed
Losses first. Of every seed those of the first four steps are normbench's within the tolerance (Adam's first update has no
scale, so clipping shows later), and the last tenth of the steps has the same loss: the mean over seeds of the paired
differences is at most two standard errors of normbench's own losses over seeds, or the tolerance. A row where that fails is
void. Then time, in two columns: wall, from the start of the process to the losses on disk, compilation included; and steady,
a step of all seeds, in the median of rounds in which each side in turn trains again from step 0, by the device's own clock in
PyTorch's rows, by the host's around work that has ended elsewhere. A device that is not there, or a library, makes a row absent;
nothing runs on another device instead.

normbench reads its corpus, draws its weights and validates once at the end; the others get token ids and weights, and do not
validate: wall leans their way. A ratio above 1: normbench is faster. JSON: {schema, experiment, set, variant, shape, seeds,
steps, device, backend, precision, threads, rounds, asked_for, cpu, rows: [{name, status: ok, void or absent, why, note, version,
losses_at_0, final_loss, difference, tolerance, final_difference, final_noise, wall_seconds, wall_ratio, step_seconds,
steps_spread, ratio}]}. Ends with 3 where a row is void or absent.
"""
import argparse
import csv
import difflib
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from compare import HERE, TOLERANCE, UNMEASURED, WAIT_SECONDS, corpus_of, cpu_model, largest, publish, tolerance_at

ROWS = ["eager", "compile", "folded", "folded-compile", "func", "jax"]
OURS = {"float": "exact", "tf32": "tf32", "bf16": "bf16"}  # normbench's precision beside each of the rows'
GATE = 4  # steps whose losses are compared one by one
NOISE = 2  # standard errors
MOVING = {"fade", "blend"}  # ops whose strength changes with the step, which a file shows at one step only


def asked_for():
    lines = (HERE / "requirements.txt").read_text().splitlines()
    return " ".join(line.split(";")[0].strip() for line in lines if line and line[0] != "#")


def stop(why, status=2):
    print(f"replicas.py: {why}", file=sys.stderr)
    sys.exit(status)


def mean_of_last(losses):
    """Per seed, over the last tenth of the steps: one batch's loss alone says little."""
    last = losses[-max(1, len(losses) // 10):]
    return [statistics.fmean(seed) for seed in zip(*last)]


def judge(row, theirs, ours, tolerance):
    """row with what was compared, void where the two did not train the same; losses are [step][seed]."""
    difference = largest(abs(a - b) for one, other in zip(theirs[:GATE], ours[:GATE]) for a, b in zip(one, other))
    tolerance = tolerance_at(statistics.fmean(ours[0]), tolerance)
    pairs = [a - b for a, b in zip(mean_of_last(theirs), mean_of_last(ours))]
    noise = statistics.stdev(mean_of_last(ours)) / math.sqrt(len(pairs))
    final, bound = statistics.fmean(pairs), max(tolerance, NOISE * noise)
    row |= {"losses_at_0": theirs[0], "final_loss": statistics.fmean(mean_of_last(theirs)), "difference": difference,
            "tolerance": tolerance, "final_difference": final, "final_noise": noise}
    if not difference <= tolerance:  # or not a number
        row |= {"status": "void", "why": f"the first losses differ by {difference:.1e}"}
    elif not abs(final) <= bound:
        row |= {"status": "void", "why": f"final losses differ by {final:.1e}, more than {bound:.1e}"}
    return row


class Ours:
    """normbench, all seeds in one batch; every round into a folder of its own, or the runs would be there already."""

    def __init__(self, args, folder):
        self.args, self.folder, self.round = args, folder, 0

    def train(self):
        self.round += 1
        a, results = self.args, self.folder / f"ours-{self.round}"
        seeds = f"[{', '.join(map(str, range(1, a.seeds + 1)))}]"
        command = [a.program, "run", a.experiment, "--arm", f"{a.variant}: {{variant: {a.variant}}}", "--results", results,
                   "--set", f"precision={a.ours}", "--backend", a.backend]
        if a.device == "cpu":
            command += ["--replicas", a.seeds, "--threads", f"per-run={a.threads}"]
        for key, value in a.keys + [("seeds", seeds), ("steps", a.steps), ("evaluate_at", a.steps),
                                    ("curve_every", a.steps), ("curve_batches", 0)]:
            command += ["--set", f"{key}={value}"]
        start = time.perf_counter()
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, preexec_fn=a.place)
        self.wall = time.perf_counter() - start
        if done.returncode:
            said = done.stderr.strip().splitlines() or ["normbench said nothing"]
            stop(said[-1].removeprefix("normbench: "), done.returncode)
        records = [json.loads(path.read_text()) | {"folder": path.parent} for path in results.glob("runs/*/record.json")]
        for r in records:
            r["keys"] = dict(line.split(" = ", 1) for line in r["spec"].splitlines())
        return sorted(records, key=lambda r: int(r["keys"]["seed"]))

    def try_out(self):
        """The job that the rows get: files of all seeds, ids, rates."""
        sys.modules["torch"] = None  # numpy is enough to read a file; importing PyTorch takes seconds
        from load_torch import File, Numpy, parts
        records, a = self.train(), self.args
        first_wall, keys = self.wall, records[0]["keys"]
        curves = [[row for row in csv.DictReader(open(r["folder"] / "curves.csv")) if row["train_loss"]][:a.steps]
                  for r in records]
        self.losses = [[float(row["train_loss"]) for row in step] for step in zip(*curves)]
        if len(self.losses) < a.steps:
            stop(f"normbench diverged at step {len(self.losses)}", UNMEASURED)
        files = []
        for r in records:
            files.append(str(self.folder / f"seed-{r['keys']['seed']}.safetensors"))
            subprocess.run([a.program, "export", r["id"], "--results", r["folder"].parent.parent, "--at", "0", "--batches",
                            "-o", files[-1]], check=True, stdout=subprocess.DEVNULL)
        file = File(files[0], Numpy())
        moving = sorted(MOVING & {op["op"] for op in file.graph["ops"]})
        for wrong, why in [
                (float(keys["dropout"]), "dropout, whose random numbers are each program's own; --set dropout=0"),
                (keys.get("objective", "next") != "next", f"objective {keys.get('objective')}; these rows know `next`"),
                (moving, f"the op {'/'.join(moving)}, whose strength changes from step to step"),
                (keys["dataset"] == "synthetic" or not file.vocabulary,
                 f"dataset {keys['dataset']} is no file of text, which the rows need; --set dataset=text:FILE")]:
            if wrong:
                stop(why)
        corpus = a.corpus or (keys["dataset"][5:] if keys["dataset"].startswith("text:") else corpus_of(a, keys))
        if not pathlib.Path(corpus).is_file():
            stop(f"--corpus: no file '{corpus}'")
        import numpy
        numpy.array(file.vocabulary.encode(parts(corpus)[0]), "<i4").tofile(self.folder / "ids")
        job = {"folder": str(self.folder), "files": files, "ids": str(self.folder / "ids"), "device": a.device,
               "rates": [float(row["lr"]) for row in curves[0]], "precision": a.precision, "threads": a.threads}
        (self.folder / "job.json").write_text(json.dumps(job))
        row = {"name": f"normbench {a.ours}", "status": "ok", "why": "", "note": "",
               "version": records[0]["provenance"]["commit"], "losses_at_0": self.losses[0],
               "final_loss": statistics.fmean(mean_of_last(self.losses)), "wall_seconds": first_wall}
        return keys, row

    def measure(self):
        """Of the batch, from what a record says of its own run's share of it."""
        return self.args.seeds * statistics.median(r["step_seconds"] for r in self.train())

    def end(self):
        pass


class Peer:
    def __init__(self, args, folder, name, ours):
        self.args, self.row = args, {"name": name, "status": "ok", "why": "", "note": "", "version": ""}
        python, self.said = args.jax_python if name == "jax" else args.python, folder / f"{name}.err"
        start = time.perf_counter()
        self.process = subprocess.Popen([python, str(HERE / "replica_row.py"), name, str(folder / "job.json")], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=open(self.said, "w"),
                                        preexec_fn=args.place)
        line = self.line()
        wall = time.perf_counter() - start
        if "absent" in line:
            self.row |= {"status": "absent", "why": line["absent"]}
            return
        self.row |= {"version": line["version"], "note": line["note"], "wall_seconds": wall}
        judge(self.row, json.loads(pathlib.Path(line["losses"]).read_text())["losses"], ours.losses, args.tolerance)

    def line(self):
        text = self.process.stdout.readline()
        if text:
            return json.loads(text)
        return {"absent": f"the process died: {(self.said.read_text().strip().splitlines() or [''])[-1][:100]}"}

    def measure(self):
        try:
            self.process.stdin.write("go\n")
            self.process.stdin.flush()
            line = self.line()
        except BrokenPipeError:
            line = self.line()
        if "absent" in line:
            self.row |= {"status": "absent", "why": line["absent"]}
            return math.nan
        return line["seconds"] / self.args.steps

    def end(self):
        self.process.stdin.close()
        try:
            self.process.wait(WAIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()


def measure(args, folder):
    ours = Ours(args, folder)
    keys, first = ours.try_out()
    peers = []
    for name in args.rows:
        print(f"{name}: training for the first time", file=sys.stderr)
        peers.append(Peer(args, folder, name, ours))
    timed = [(ours, first)] + [(peer, peer.row) for peer in peers if peer.row["status"] == "ok"]
    seconds = {row["name"]: [] for _, row in timed}
    for turn in range(args.rounds):
        for i in range(len(timed)):
            side, row = timed[(turn + i) % len(timed)]
            if row["status"] == "ok":
                seconds[row["name"]].append(side.measure())
    for peer in peers:
        peer.end()
    for _, row in timed:
        if row["status"] == "ok":
            steps = seconds[row["name"]]
            row |= {"step_seconds": statistics.median(steps), "steps_spread": [min(steps), max(steps)],
                    "ratio": statistics.median(steps) / statistics.median(seconds[first["name"]]),
                    "wall_ratio": row["wall_seconds"] / first["wall_seconds"]}
    shape = {key: int(keys[key]) for key in ("layers", "width", "heads", "context", "batch")}
    same = {key: getattr(args, key) for key in ("seeds", "steps", "device", "backend", "precision", "threads", "rounds")}
    return {"schema": 1, "experiment": pathlib.Path(args.experiment).stem, "set": [f"{k}={v}" for k, v in args.keys],
            "variant": args.variant, "shape": shape, **same, "asked_for": asked_for(), "cpu": cpu_model(),
            "rows": [first] + [peer.row for peer in peers]}


def text(r):
    s = r["shape"]
    where = f"{r['threads']} thread{'s' * (r['threads'] > 1)} of a CPU" if r["device"] == "cpu" else f"device {r['device']}"
    lines = [f"{r['seeds']} seeds of {' '.join([r['experiment'], *r['set']])}, variant {r['variant']}: {s['layers']} layers x "
             f"{s['width']}, {s['heads']} heads, {s['batch']} x {s['context']} tokens, {r['steps']} steps,",
             f"{r['precision']}; {where}; normbench on {r['backend']}; {r['cpu']}; asked for: {r['asked_for']}",
             "wall: from the start of the process to losses on disk, compilation included;",
             f"steady: a step of all seeds, the median of {r['rounds']}; a ratio above 1: normbench is faster"]
    if r["device"] == "cpu":
        lines.append("Times on a CPU say nothing about a device; what counts here is that the losses are equal.")
    lines += ["", f"  {'':16} {'version':14} {'loss at 0':>10} {'differs':>8} {'final':>9} {'differs':>8} {'wall s':>7} "
              f"{'ratio':>7} {'steady ms':>9} {'ratio':>7}"]
    for row in r["rows"]:
        line = f"  {row['name']:16} {row['version']:14} "
        if "final_loss" in row:
            known = "difference" in row
            first, last = (f"{row[key]:8.1e}" if known else " " * 8 for key in ("difference", "final_difference"))
            line += f"{statistics.fmean(row['losses_at_0']):10.6f} {first} {row['final_loss']:9.5f} {last} "
        else:
            line += " " * 38 + " "
        if row["status"] == "ok":
            line += f"{row['wall_seconds']:7.2f} {row['wall_ratio']:6.2f}x {1e3 * row['step_seconds']:9.3f} {row['ratio']:6.2f}x"
        else:
            line += f"{row['status']}: {row['why']}"
        lines.append(line)
    lines += [f"  {row['name']}: {row['note']}" for row in r["rows"] if row["note"]]
    return "\n".join(lines) + "\n"


def chosen_rows(names):
    names = names.split(",") if names else ROWS
    for name in names:
        if name not in ROWS:
            near = difflib.get_close_matches(name, ROWS, 1, 0)
            stop(f"--rows: unknown row '{name}'; did you mean '{near[0]}'? ({', '.join(ROWS)})")
    return names


def count(least):
    def read(word):
        if not word.isdigit() or int(word) < least:
            raise argparse.ArgumentTypeError(f"'{word}': a whole number from {least} is needed")
        return int(word)
    return read


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("experiment", nargs="?", default="embedding-norm")
    p.add_argument("--program", default="build/bench/normbench", help="normbench (default: %(default)s)")
    p.add_argument("--variant", default="pre", help="where norms stand, a row of normbench list (default: %(default)s)")
    p.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="as of normbench run")
    p.add_argument("--rows", help="which, separated by commas (default: all)")
    p.add_argument("--seeds", type=count(2), default=5, help="at least 2: noise is over seeds (default: %(default)s)")
    p.add_argument("--steps", type=count(GATE), default=300, help="of each training (default: %(default)s)")
    p.add_argument("--rounds", type=count(1), default=3, help="trainings for the steady column (default: %(default)s)")
    p.add_argument("--device", choices=["cpu", "cuda"], default="cpu", help="of every row (default: %(default)s)")
    p.add_argument("--backend", help="normbench's (default: that of --device)")
    p.add_argument("--precision", choices=list(OURS), default="float", help="of the rows (default: %(default)s)")
    p.add_argument("--ours", metavar="NAME", help="normbench's precision (default: the nearest to --precision)")
    p.add_argument("--tolerance", type=float, help="of losses up to 4, in proportion above (default: 2e-5; tf32, bf16: 1e-2)")
    p.add_argument("--threads", type=count(1), default=1, help="of every side on a CPU (default: %(default)s)")
    p.add_argument("--python", default=sys.executable, metavar="PYTHON", help="one with PyTorch and numpy")
    p.add_argument("--jax-python", metavar="PYTHON", help="one with JAX (default: --python)")
    p.add_argument("--corpus", help="the text of the run (default: what normbench uses)")
    p.add_argument("--json", action="store_true", help="JSON instead of the table")
    p.add_argument("--save", type=pathlib.Path, metavar="DIR", help="store both there, as replicas.txt and replicas.json")
    a = p.parse_args()
    a.rows, a.jax_python = chosen_rows(a.rows), a.jax_python or a.python
    for option, program in [("--program", a.program), ("--python", a.python), ("--jax-python", a.jax_python)]:
        if not shutil.which(program):
            stop(f"{option}: no program '{program}'")
    for pair in a.set:
        if "=" not in pair:
            stop(f"--set: '{pair}' is not KEY=VALUE")
    if a.precision == "tf32" and a.device == "cpu":
        stop("--precision tf32: a CPU has none; --device cuda")
    a.keys = [tuple(pair.split("=", 1)) for pair in a.set]
    a.backend, a.ours = a.backend or a.device, a.ours or OURS[a.precision]
    a.tolerance = TOLERANCE["float" if a.precision == "float" else "bf16"] if a.tolerance is None else a.tolerance
    cores = sorted(os.sched_getaffinity(0))
    if a.device == "cpu" and a.threads > len(cores):
        stop(f"--threads: {a.threads} on {len(cores)} processors")
    a.place = (lambda: os.sched_setaffinity(0, cores[:a.threads])) if a.device == "cpu" else None
    return a


def main():
    args = arguments()
    try:
        import numpy  # noqa: F401: what reads the exported files; without it nothing is trained for nothing
    except ImportError as missing:
        stop(f"{missing}; Debian: python3-numpy", UNMEASURED)
    with tempfile.TemporaryDirectory() as folder:
        r = measure(args, pathlib.Path(folder))
    publish(args, "replicas", text(r), r)
    sys.exit(UNMEASURED if any(row["status"] != "ok" for row in r["rows"]) else 0)


if __name__ == "__main__":
    main()
