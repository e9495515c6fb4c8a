#!/usr/bin/env bash
# A model of 400 million parameters on the CPU: seconds until its first step, memory, and a checkpoint in shards from which it
# goes on to the bits of an undisturbed run. Needs 13 GB of memory and 11 GB of disk. TAP. large_model.sh PROGRAM ROOT
set -u
export LC_ALL=C NORMBENCH_ROOT=$2
exec python3 - "$(realpath "$1")" <<'PY'
import glob, json, os, resource, signal, subprocess, sys, tempfile, time

program, failed, number = sys.argv[1], 0, 0
sizes = dict(layers=32, width=1024, heads=16, context=16, batch=1, steps=4, evaluate_at=4, curve_every=4, curve_batches=1)
words = [program, "run", "smoke", "--profile", "smoke", "--arm", "{base: pre}", "--seeds", "1", "--offline", "--threads", "per-run=2"]
for key, value in sizes.items():
    words += ["--set", f"{key}={value}"]


def tap(good, what):
    global failed, number
    number, failed = number + 1, failed + (not good)
    print(f"{'ok' if good else 'not ok'} {number} - {what}", flush=True)


def peak():
    """Of the largest process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024


def run(results, *more):
    return subprocess.Popen([*words, "--results", results, *more], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def record(results):
    paths = glob.glob(results + "/runs/*/record.json")
    return json.load(open(paths[0])) if paths else {}


with tempfile.TemporaryDirectory(prefix="normbench-large.") as folder:
    with open(folder + "/text.txt", "w") as text:  # short: the whole validation part is evaluated
        text.write(" ".join(map(str, range(1, 1001))))
    words += ["--set", f"dataset=text:{folder}/text.txt"]
    whole, parts = folder + "/whole", folder + "/parts"
    began = time.time()
    job = run(whole, "--checkpoint-every", "1e9")
    said = job.communicate()[0]
    plain, seconds, first = record(whole), time.time() - began, peak()
    tap(job.returncode == 0 and plain.get("status") == "ok", "four steps")
    if job.returncode:
        print("# " + said.strip().replace("\n", "\n# "))
    parameters = plain.get("parameters", 0)
    print(f"# {parameters:,} parameters, {plain.get('step_seconds', 0):.2f} s a step, {seconds:.1f} s with start and evaluation, "
          f"peak {first / 1e9:.2f} GB")
    tap(4e8 < parameters < 4.2e8, f"{parameters:,} parameters")
    tap(4 * 4 * parameters < first < 24e9, f"below 24 GB, four words a parameter and more: {first / 1e9:.2f} GB")

    job = run(parts, "--checkpoint-every", "0")
    while job.poll() is None and not glob.glob(parts + "/runs/.partial/*.index.json"):
        time.sleep(0.05)
    job.send_signal(signal.SIGTERM)
    said = job.communicate()[0]
    shards = glob.glob(parts + "/runs/.partial/*-of-*.safetensors")
    bytes_ = sum(os.path.getsize(path) for path in shards)
    tap(job.returncode == 143, f"stopped by a signal: exit {job.returncode}")
    print(f"# a checkpoint of {bytes_ / 1e9:.2f} GB in {len(shards)} shards")
    tap(len(shards) >= 2 and bytes_ > 12 * parameters and max(map(os.path.getsize, shards), default=0) < 2.1e9,
        "the checkpoint is shards of 2 GB")
    job = run(parts)
    said = job.communicate()[0]
    resumed = record(parts)
    same = [key for key in ("parameters_hash", "loss_chain", "evaluations") if resumed.get(key) == plain.get(key) is not None]
    tap(job.returncode == 0 and "starts over" not in said and len(same) == 3, f"it goes on to the undisturbed run's {', '.join(same)}")
    print(f"# resuming: peak {peak() / 1e9:.2f} GB")
    tap(peak() < 24e9, "below 24 GB")
print(f"1..{number}")
sys.exit(1 if failed else 0)
PY
