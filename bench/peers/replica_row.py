"""A process of replicas.py: one row, which trains all seeds of an exported experiment by one program.

    python3 bench/peers/replica_row.py ROW JOB.json

JOB.json names the seeds' weights and batches (files of `normbench model export RUN --at 0 --batches`), the corpus' token ids, the
learning rates and the device. The first training, which compiles what is compiled, leaves {"losses": [step][seed]} in the
job's folder; then one JSON line says so, or {"absent": why}. Every line on standard input trains again from the same weights
and is answered with the seconds that it took.
"""
import json
import os
import pathlib
import sys


def say(**line):
    print(json.dumps(line), flush=True)


class Absent(Exception):
    """Why a row cannot be measured here."""


class Job:
    """What a row trains on, in numpy: weights {name: [seeds, …]}, starts [steps, seeds, batch] of the crops in ids."""

    def __init__(self, path):
        import numpy
        from load_torch import File, Numpy
        job = json.loads(pathlib.Path(path).read_text())
        for key in ("folder", "device", "precision", "threads", "rates"):
            setattr(self, key, job[key])
        files = [File(seed, Numpy()) for seed in job["files"]]
        self.graph, self.spec, self.seeds, self.steps = files[0].graph, files[0].spec, len(files), len(self.rates)
        self.weights = {name: numpy.stack([f.weights[name] for f in files]) for name in files[0].weights}
        self.matrices = {name for name, w in files[0].weights.items() if w.ndim > 1}  # decay is theirs alone
        self.starts = numpy.stack([f.batches for f in files], 1)[:self.steps]
        self.ids = numpy.fromfile(job["ids"], "<i4")
        self.number = {key: float(self.spec[key]) for key in ("clip", "weight_decay", "beta1", "beta2", "adam_eps")}
        self.context, self.optimizer = int(self.spec["context"]), self.spec["optimizer"]
        if self.optimizer not in ("adamw", "adam"):
            raise Absent(f"the optimizer {self.optimizer}, which these rows do not have")


def trainer(row, job):
    if row == "jax":
        import replica_jax
        return replica_jax.Seeds(job)
    import replica_torch
    return replica_torch.ROWS[row](job)


def main(row, path):
    device, threads = (json.loads(pathlib.Path(path).read_text())[key] for key in ("device", "threads"))
    # What libraries read when they start. JAX takes another platform in silence unless it is told which one.
    os.environ |= {"JAX_PLATFORMS": device, "XLA_PYTHON_CLIENT_PREALLOCATE": "false", "OMP_NUM_THREADS": str(threads)}
    if row == "jax":
        sys.modules["torch"] = None  # tape_ops imports PyTorch where it is; this row's wall time is not to pay for that
    try:
        job = Job(path)
        side = trainer(row, job)
        losses = side.train()
    except ImportError as missing:
        return say(absent=str(missing))
    except Absent as why:
        return say(absent=str(why))
    except Exception as failure:  # torch.compile: no C++ compiler; a device: no memory
        return say(absent=(str(failure).strip() or repr(failure)).splitlines()[0][:120])
    done = pathlib.Path(job.folder) / f"{row}.json"
    with open(done.with_suffix(".part"), "w") as out:
        json.dump({"losses": losses}, out)
        out.flush()
        os.fsync(out.fileno())
    done.with_suffix(".part").rename(done)
    say(losses=str(done), version=side.version, note=side.note())
    for _ in sys.stdin:
        say(seconds=side.time())


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
