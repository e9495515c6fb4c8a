"""A training process for compare.py: trains an exported run with PyTorch on one thread, timing its steps.

    python3 bench/peers/step_torch.py F.safetensors CORPUS CURVES.csv MODE STEPS

F.safetensors holds the weights and batches of `normbench export RUN --step 0 --batches`, CURVES.csv the run's learning
rates. MODE is eager or compile, float or bf16: "compile-bf16". Says one JSON line when it has warmed up ({"losses": of
the first steps, …} or {"absent": why}), then one for every line it is given: the median seconds of STEPS steps.
"""
import csv
import json
import os
import platform
import statistics
import sys
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
WARM_UP = 3


def say(**line):
    print(json.dumps(line), flush=True)


def optimizer(torch, w, spec):
    """Decay on matrices and embeddings only, as the recipe has it."""
    groups = [{"params": [p for p in w.values() if p.ndim > 1], "weight_decay": float(spec["weight_decay"])},
              {"params": [p for p in w.values() if p.ndim < 2], "weight_decay": 0.0}]
    kind = {"adamw": torch.optim.AdamW, "adam": torch.optim.Adam}[spec["optimizer"]]
    options = {"lr": 0.0, "betas": (float(spec["beta1"]), float(spec["beta2"])), "eps": float(spec["adam_eps"])}
    try:
        return kind(groups, fused=True, **options), "fused"
    except (TypeError, RuntimeError):  # before 2.4 not on the CPU
        return kind(groups, **options), "not fused"


def main(path, corpus, curves, mode, steps):
    try:
        import torch
        import load_torch
    except ImportError as missing:
        return say(absent=str(missing))
    style, precision = mode.split("-")
    torch.set_num_threads(1)
    if not load_torch.torch:
        return say(absent="no PyTorch")
    model = load_torch.load(path)
    spec, ops = model.spec, model.ops
    if float(spec["dropout"]):
        return say(absent="dropout, whose random numbers are each program's own")
    if not model.vocabulary:
        return say(absent="a file without a vocabulary")
    if style == "compile" and not hasattr(torch, "compile"):
        return say(absent="this PyTorch has no torch.compile")
    T, clip = int(spec["context"]), float(spec["clip"])
    ids = torch.tensor(model.vocabulary.encode(load_torch.parts(corpus)[0]))
    batches = load_torch.File(path, ops).batches
    rates = [float(row["lr"]) for row in csv.DictReader(open(curves)) if row["train_loss"]]
    w = dict(model.named_parameters())
    update, how = optimizer(torch, w, spec)

    def plain_loss(inputs, targets):
        logits = load_torch.forward(ops, model.graph, w, inputs)
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())

    loss_of = torch.compile(plain_loss) if style == "compile" else plain_loss

    def step(number):
        starts = batches[number % len(batches)].tolist()
        inputs, targets = (torch.stack([ids[s + by:s + by + T] for s in starts]) for by in (0, 1))
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=precision == "bf16"):
            loss = loss_of(inputs, targets)
        loss.backward()
        if clip:
            torch.nn.utils.clip_grad_norm_(list(w.values()), clip)
        for group in update.param_groups:
            group["lr"] = rates[number % len(rates)]
        update.step()
        update.zero_grad(set_to_none=True)
        return loss.item()

    try:
        losses = [step(number) for number in range(WARM_UP)]
    except Exception as failure:  # torch.compile: no C++ compiler, or an op it does not know
        return say(absent=(str(failure).strip() or repr(failure)).splitlines()[0][:120])
    say(losses=losses, torch=torch.__version__, python=platform.python_version(), optimizer=how)
    done = WARM_UP
    for _ in sys.stdin:
        seconds = []
        for _ in range(int(steps)):
            start = time.perf_counter()
            step(done)
            seconds.append(time.perf_counter() - start)
            done += 1
        say(seconds=statistics.median(seconds))


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    main(*sys.argv[1:])
