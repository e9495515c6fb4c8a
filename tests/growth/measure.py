#!/usr/bin/env python3
"""measure.py PROGRAM RECORDS FOLDER OUT.csv [--sizes 100,1000] [--shape cells|seeds] [--steps N] [--commands status,table]

What reading a folder of runs costs, by the number of runs. PROGRAM: normbench; RECORDS: growth_records (records.c beside this
file; `meson compile -C build growth_records`); FOLDER: scratch outside of the checkout, which may grow to gigabytes.
Ten arms are trained once, for real; then records are made up to each size, and every command runs twice: alone (seconds,
processor seconds, the largest resident set), and under `strace -c` (system calls that name a file, which a shared file
system serves by its metadata server). Shape `cells`: ten seeds, and as many cells of a sweep as make the size; `seeds`: one
cell, and as many seeds. Appends a row for each command and size to OUT.csv."""
import argparse, csv, os, re, subprocess, sys, time

ARMS = """arms:
  pre:     {variant: pre}
  post:    {variant: post}
  peri:    {variant: peri}
  prepost: {variant: prepost}
  none:    {variant: none}
  emb-ln:  {variant: pre, embed: layernorm}
  emb-rms: {variant: pre, embed: rmsnorm}
  emb-center: {variant: pre, embed: center}
  qk-norm: {variant: pre, attn.qk: rmsnorm}
  rezero:  {variant: none, gate: learned 0}
"""
SHAPE = """name: growth
baseline: pre
dataset: synthetic
layers: 2
width: 32
heads: 4
context: 32
batch: 64
steps: 20
"""
# Calls of a path: what costs a look-up, or changes a folder.
METADATA = {"open", "openat", "stat", "lstat", "newfstatat", "statx", "access", "faccessat", "faccessat2", "mkdir", "mkdirat", "rmdir",
            "unlink", "unlinkat", "rename", "renameat", "renameat2", "link", "linkat", "readlink", "readlinkat", "utimensat",
            "getdents64", "fsync", "creat", "chmod", "fchmodat"}
COMMANDS = {"status": ["status"], "status of it": ["status", "EXPERIMENT"], "plan": ["run", "EXPERIMENT", "--dry-run"],
            "table": ["table", "EXPERIMENT"], "claims": ["claims", "--own"], "runs": ["runs", "EXPERIMENT", "--format", "json"]}


def sweep(runs, shape, steps):
    """The experiment of so many runs: ten arms of ten seeds in runs/100 cells, or of runs/10 seeds in one."""
    tens = len(str(runs)) - 3
    head = SHAPE.replace("steps: 20", f"steps: {steps}")
    if shape == "seeds":
        return head + f"lr: 1e-3\nseeds: {runs // 10}\n" + ARMS
    values = {"lr": "1e-3", "weight_decay": "0.1", "clip": "1"}
    for key, top in list(zip(values, (1e-3, 0.1, 1.0)))[:tens]:
        values[key] = "[" + ", ".join(f"{top * (i + 1) / 10:.6g}" for i in range(10)) + "]"
    return head + "".join(f"{k}: {v}\n" for k, v in values.items()) + "seeds: 10\n" + ARMS


def run(command, log):
    """Seconds, processor seconds, MB of the largest resident set, exit status."""
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=log, stderr=log)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return time.monotonic() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, process.returncode


def metadata(command, log, scratch):
    """System calls of a path, of the command and what it starts."""
    path = scratch + "/calls.txt"
    subprocess.run(["strace", "-f", "-c", "-o", path] + command, stdout=log, stderr=log)
    rows = [line.split() for line in open(path)]
    return sum(int(row[3]) for row in rows if len(row) > 4 and row[3].isdigit() and row[-1] in METADATA)


def folder_size(runs):
    """MB of what the files hold, and folders and files."""
    size = nodes = 0
    for at, folders, files in os.walk(runs):
        nodes += 1 + len(files)
        size += sum(os.lstat(os.path.join(at, name)).st_size for name in files)
    return size / 1e6, nodes


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("program", "records", "folder", "out"):
        p.add_argument(name)
    p.add_argument("--sizes", default="100,1000,10000,100000")
    p.add_argument("--shape", default="cells", choices=["cells", "seeds"])
    p.add_argument("--steps", type=int, default=20, help="of each run: a longer run has a larger record")
    p.add_argument("--commands", default=",".join(COMMANDS))
    p.add_argument("--machine", default="", help="what to call this machine in the rows")
    p.add_argument("--limit", type=float, default=600, help="a command that takes longer is measured at no larger size")
    o = p.parse_args()
    results = f"{os.path.abspath(o.folder)}/{o.shape}-{o.steps}"
    os.makedirs(results, exist_ok=True)
    experiment = results + "/growth.yaml"
    log = open(results + "/log.txt", "a")
    slow = set()
    new = not os.path.exists(o.out)
    out = csv.writer(open(o.out, "a", newline=""), lineterminator="\n")
    if new:
        out.writerow("machine shape command runs seconds processor_seconds resident_mb metadata folder_mb inodes".split())
    for size in map(int, o.sizes.split(",")):
        text = sweep(size, o.shape, o.steps)
        open(experiment, "w").write(re.sub(r"seeds: \d+", "seeds: 1", sweep(100, o.shape, o.steps)))
        subprocess.run([o.program, "run", experiment, "--results", results], check=True, stdout=log, stderr=log)
        open(experiment, "w").write(text)
        began = time.monotonic()
        subprocess.run([o.records, experiment, results + "/runs"], check=True, stdout=log, stderr=log)
        mb, inodes = folder_size(results + "/runs")
        print(f"{size} runs: {mb:.0f} MB, {inodes} folders and files, made in {time.monotonic() - began:.0f} s", flush=True)
        for name in o.commands.split(","):
            command = [o.program] + [experiment if a == "EXPERIMENT" else a for a in COMMANDS[name]] + ["--results", results]
            if name in slow:
                continue
            seconds, processor, resident, code = run(command, log)
            if code:
                sys.exit(f"{' '.join(command)}: exit code {code}; see {results}/log.txt")
            if seconds > o.limit:
                slow.add(name)
            calls = metadata(command, log, results) if seconds < o.limit / 4 else ""
            out.writerow([o.machine, o.shape, name, size, f"{seconds:.3f}", f"{processor:.3f}", f"{resident:.1f}", calls,
                          f"{mb:.1f}", inodes])
            print(f"  {name:12} {seconds:9.3f} s {processor:9.3f} s of processor {resident:8.1f} MB {calls} calls", flush=True)


main()
