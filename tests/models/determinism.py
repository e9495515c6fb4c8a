#!/usr/bin/env python3
"""One hash over backends, threads, threads that share a run, and replicas: a toy of each objective. TAP.

  determinism.py PROGRAM ROOT [--every N]     N: only each Nth configuration of a backend, for the quick suite

A configuration's hash is that of its runs' loss chains and final parameters. A backend that this machine cannot run is
named and left out."""
import argparse, hashlib, itertools, json, os, pathlib, subprocess, sys, tempfile

BACKENDS = ("readable", "portable", "v3", "v4", "simt")
THREADS, PER_RUN, REPLICAS = (1, 2, 3, 7), (1, 2, 3), (1, 2, 3)
UNMEASURED = 3
COMMON = """layers: 2
width: 16
heads: 2
batch: 3
steps: 3
evaluate_at: 3
curve_batches: 1
dropout: 0.1
seeds: 3
arms:
  plain: {variant: pre}
  ours: {variant: post}
"""
TOYS = {
    "next": "name: next\ndataset: text:text.txt\ncontext: 8\n" + COMMON,
    "masked": "name: masked\ndataset: text:text.txt\nobjective: masked\ncontext: 8\n" + COMMON,
    "translate": "name: translate\ndataset: text:a.txt,b.txt\nobjective: translate\npositions: sinusoidal\n"
                 "label_smoothing: 0.1\ncontext: 24\n" + COMMON,
}


def hash_of(program, name, options, environment):
    """The hash of all runs of a toy, or None where its backend is not of this machine."""
    with tempfile.TemporaryDirectory(dir=".") as results:
        command = [program, "run", f"{name}.yaml", "--offline", "--results", results, *options]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        if done.returncode == UNMEASURED and "--backend" in options:
            return None
        if done.returncode:
            raise SystemExit(f"Bail out! {' '.join(command[1:])}: {done.stderr.strip().splitlines()[-1]}")
        lines = []
        for path in pathlib.Path(results, "runs").glob("*/record.json"):
            record = json.loads(path.read_text())
            lines.append(" ".join(record[key] for key in ("id", "loss_chain", "parameters_hash")))
        assert len(lines) == 6, lines
        return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=os.path.realpath), parser.add_argument("root", type=os.path.realpath)
    parser.add_argument("--every", type=int, default=1)
    o = parser.parse_args()
    environment = os.environ | {"NORMBENCH_ROOT": o.root, "LC_ALL": "C"}
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pathlib.Path("text.txt").write_text(" ".join(map(str, range(400))))
        for file, word in (("a.txt", "ein {} haus {}\n"), ("b.txt", "one {} house {}\n")):
            pathlib.Path(file).write_text("".join(word.format(i * i % 7, i % 5) for i in range(60)))
        for name, text in TOYS.items():
            pathlib.Path(f"{name}.yaml").write_text(text)
        print(f"1..{len(TOYS)}", flush=True)
        for number, name in enumerate(TOYS, 1):
            wanted, tries, wrong, absent = hash_of(o.program, name, [], environment), 0, [], []
            for at, backend in enumerate(BACKENDS):
                shared = PER_RUN if backend != "simt" else (1,)  # it takes no threads of the host
                grid = list(itertools.product(THREADS, shared, REPLICAS))
                for threads, per_run, replicas in grid[at % o.every::o.every]:
                    options = ["--backend", backend, "--threads", f"{threads},per-run={per_run}",
                               "--replicas", str(replicas)]
                    found = hash_of(o.program, name, options, environment)
                    if found is None:
                        absent.append(backend)
                        break
                    tries += 1
                    if found != wanted:
                        wrong.append(f"{' '.join(options)}: {found[:12]}")
            failed += bool(wrong)
            print(f"{'not ok' if wrong else 'ok'} {number} - {name}: {wanted[:12]} in {tries} configurations")
            print(f"# figure: one hash | backends, threads, replicas: {name} | {tries} | {len(wrong)}")
            for line in wrong[:10] + [f"not on this machine: {b}" for b in absent]:
                print("# " + line)
            sys.stdout.flush()
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
