"""One training step beside PyTorch: the same weights, the same batches, equal loss first, then time.

    python3 bench/peers/step.py NORMBENCH [--experiment NAME] [--processes N] [--seconds S] [--json]

NORMBENCH is the built program. It trains two steps of the experiment's first arm, exports the weights it started from and
the crops of its batches; PyTorch trains on them in N processes of one thread each (default: one per processor), as a user
would run seeds. Rows: eager and torch.compile, float32 and bfloat16 autocast. A row whose loss at step 0 is not
normbench's (relative 1e-5 in float32, 1e-2 in bfloat16) prints `void`; what this PyTorch lacks prints `absent`.
normbench's own row is `normbench perf` of the same shape, N runs at once. The PyTorch to compare with is 2.5.1.
"""
import argparse
import csv
import glob
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time

MODES = [("eager", "float32"), ("eager", "bfloat16"), ("compile", "float32"), ("compile", "bfloat16")]


def prepare(program, experiment, folder):
    """Trains two steps and exports step 0; the file, the corpus and the two losses."""
    run = [program, "run", experiment, "--profile", "quick", "--set", "steps=2", "--set", "seeds=[1]", "--set",
           "evaluate_at=0,2", "--threads", "1", "--offline", "--results", folder]
    done = subprocess.run(run, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr.strip().splitlines()[-1])
    for record in glob.glob(folder + "/runs/*/record.json"):
        with open(record) as f:
            r = json.load(f)
        spec = dict(line.split(" = ", 1) for line in r["spec"].splitlines())
        if spec["embed"] != "none":
            continue
        weights = folder + "/start.safetensors"
        subprocess.run([program, "export", r["id"], "--step", "0", "--batches", "--offline", "--results", folder, "-o", weights],
                       check=True, capture_output=True)
        with open(os.path.dirname(record) + "/curves.csv") as f:
            return weights, spec, [float(row["train_loss"]) for row in csv.DictReader(f) if row["train_loss"]]
    sys.exit(f"{experiment}: no arm without a norm after the embedding")


def train(weights, corpus, mode, word, seconds, out):
    """One process: steps of the exported batches for `seconds`; (loss at step 0, steps per second) or why not."""
    try:
        import torch
        import torch.nn.functional as F
        sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
        import load_torch as peer
        torch.set_num_threads(1)
        if mode == "compile" and not hasattr(torch, "compile"):
            return out.put("absent")
        w, spec = peer.load(weights)
        peer.refuse_other(spec)
        ids, context = peer.train_ids(corpus, spec["tokenizer"]), int(spec["context"])
        given = [peer.batch(w, ids, step, context) for step in (0, 1)]
        w = {name: t.requires_grad_() for name, t in w.items() if name != "batches"}
        decay, plain = [t for t in w.values() if t.dim() > 1], [t for t in w.values() if t.dim() < 2]
        update = torch.optim.AdamW([{"params": decay, "weight_decay": float(spec["weight_decay"])},
                                    {"params": plain, "weight_decay": 0}], lr=float(spec["lr"]), eps=float(spec["adam_eps"]),
                                   betas=(float(spec["beta1"]), float(spec["beta2"])))
        forward = lambda x, y: F.cross_entropy(peer.logits(w, spec, x).flatten(0, 1), y.flatten())
        forward = torch.compile(forward) if mode == "compile" else forward

        def step(x, y):
            update.zero_grad(set_to_none=True)
            with torch.autocast("cpu", torch.bfloat16, enabled=word == "bfloat16"):
                loss = forward(x, y)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(list(w.values()), float(spec["clip"]))
            update.step()
            return loss.item()

        losses, times = [step(*given[0]), step(*given[1])], []
        start = time.perf_counter()
        while time.perf_counter() - start < seconds or len(times) < 3:
            began = time.perf_counter()
            step(*given[len(times) % 2])
            times.append(time.perf_counter() - began)
        out.put((losses, sorted(times)[len(times) // 2], torch.__version__))
    except ImportError:
        out.put("absent")
    except Exception as why:  # a mode that this PyTorch cannot do here
        out.put(f"failed: {str(why).splitlines()[0][:60]}")


def race(args, mode, word, weights, corpus, losses):
    out = multiprocessing.Queue()
    crowd = [multiprocessing.Process(target=train, args=(weights, corpus, mode, word, args.seconds, out))
             for _ in range(args.processes)]
    for p in crowd:
        p.start()
    said = [out.get() for _ in crowd]
    for p in crowd:
        p.join()
    row = {"peer": f"PyTorch {mode} {word}"}
    if any(isinstance(s, str) for s in said):
        return {**row, "result": next(s for s in said if isinstance(s, str))}
    near = 1e-5 if word == "float32" else 1e-2
    row.update(version=said[0][2], loss=said[0][0], seconds=max(s[1] for s in said))
    if any(abs(a - b) > near * b for s in said for a, b in zip(s[0][:1], losses[:1])):
        return {**row, "result": "void"}
    return {**row, "result": "ok"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--experiment", default="embedding-norm")
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        weights, spec, losses = prepare(args.program, args.experiment, folder)
        corpus = subprocess.run([args.program, "data", "show", spec["dataset"], "--offline"], capture_output=True, text=True).stdout
        corpus = next((word for word in corpus.split() if os.path.isfile(word)), None)
        if not corpus:
            sys.exit(f"{spec['dataset']}: normbench names no file for it")
        perf = json.loads(subprocess.run([args.program, "perf", args.experiment, "--profile", "quick", "--offline", "--json"],
                                         capture_output=True, text=True, check=True).stdout)["steps"][0]
        tokens = int(spec["batch"]) * int(spec["context"])
        scaling = perf["two_threads"]["runs"] if args.processes == 2 else args.processes
        ours = perf["step"]["tokens_per_second"] * (scaling if isinstance(scaling, float) else 1)
        rows = [{"peer": "normbench", "result": "ok", "loss": losses, "tokens_per_second": ours}]
        for mode, word in MODES:
            row = race(args, mode, word, weights, corpus, losses)
            if row["result"] == "ok":
                row["tokens_per_second"] = args.processes * tokens / row["seconds"]
            rows.append(row)
    if args.json:
        return print(json.dumps({"experiment": args.experiment, "processes": args.processes, "rows": rows}, indent=1))
    print(f"{args.experiment}: {spec['layers']} x {spec['width']}, {tokens} tokens per step, {args.processes} processes of one thread")
    for row in rows:
        if "tokens_per_second" in row:
            print(f"  {row['peer']:26} {row['tokens_per_second']:9.0f} tokens/s  normbench {ours / row['tokens_per_second']:5.2f} x"
                  f"   loss at step 0 {row['loss'][0]:.7f}  {row.get('version', '')}")
        else:
            print(f"  {row['peer']:26} {row['result']}")


if __name__ == "__main__":
    main()
