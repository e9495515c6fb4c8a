"""A training process for compare.py: trains an exported run with PyTorch on one thread, timing its steps.

    python3 bench/peers/step_torch.py F.safetensors CORPUS[,TARGETS] CURVES.csv MODE STEPS

F.safetensors holds the weights and batches of `normbench model export RUN --at 0 --batches`, CURVES.csv the run's learning
rates. An encoder-decoder reads sentence pairs, from two files. MODE is eager or compile, float or bf16: "compile-bf16". Says one JSON line when it has warmed up ({"losses": of
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


def crop_feeds(torch, load_torch, model, corpus):
    """Inputs and targets of the crops that start at the numbers of a batch."""
    T, ids = int(model.spec["context"]), torch.tensor(model.vocabulary.encode(load_torch.parts(corpus)[0]))
    return lambda starts: tuple(torch.stack([ids[s + by:s + by + T] for s in starts]) for by in (0, 1))


def pair_feeds(torch, load_torch, model, corpus):
    """What an encoder-decoder reads of the sentence pairs with a batch's numbers: rows packed, as normbench has them, and for
    attention the sentences' lengths."""
    read = model.vocabulary.encode
    lines = [[read(line) for line in open(path, encoding="utf-8", newline="\n").read().removesuffix("\n").split("\n")]
             for path in corpus.split(",")]
    pairs, (end,) = [(s, t) for s, t in zip(*lines) if s and t], read("\n")

    def feeds(numbers):
        batch = [pairs[n] for n in numbers if n >= 0]
        s, t = ([len(pair[side]) + 1 for pair in batch] for side in (0, 1))
        flat = lambda parts: torch.tensor([i for part in parts for i in part])
        inputs = {"source": flat(x + [end] for x, _ in batch), "source_positions": flat(map(range, s)),
                  "tokens": flat([end] + y for _, y in batch), "positions": flat(map(range, t)),
                  "source_keys": Sentences(torch, s, s), "keys": Sentences(torch, t, t, causal=True),
                  "memory_keys": Sentences(torch, t, s)}
        return inputs, flat(y + [end] for _, y in batch)
    return feeds


class Sentences:
    """Packed rows of queries and keys as [sentences, longest], and what a query may see there."""

    def __init__(self, torch, queries, keys, causal=False):
        def rows(lengths):
            length, first = torch.tensor(lengths), torch.tensor([0, *lengths[:-1]]).cumsum(0)
            at = torch.arange(max(lengths))
            real = at < length[:, None]
            return torch.where(real, first[:, None] + at, 0), real
        (self.q, self.q_real), (self.k, k_real) = rows(queries), rows(keys)
        self.seen = k_real[:, None, None, :]
        if causal:
            at = torch.arange(self.q.shape[1])
            self.seen = self.seen & (at[:, None] >= at)


def attention_by_sentence(torch, Torch):
    """The ops with sentences padded inside attention alone, where PyTorch has its fused kernel; elsewhere rows stay packed."""
    class Ops(Torch):
        def attend(self, op, q, k, v, sentences):
            def heads(x, rows):
                return x[rows].unflatten(-1, (op["heads"], -1)).transpose(1, 2)
            y = torch.nn.functional.scaled_dot_product_attention(
                heads(q, sentences.q), heads(k, sentences.k), heads(v, sentences.k), attn_mask=sentences.seen)
            return y.transpose(1, 2).flatten(2)[sentences.q_real]

        def sinusoid(self, op, x, positions):
            if not hasattr(self, "waves"):
                self.waves = super().sinusoid(op, x.new_zeros(1024, x.shape[-1]), torch.arange(1024))
            return x + self.waves[positions]
    return Ops()


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
    clip, smoothing = float(spec["clip"]), float(spec.get("label_smoothing", 0))
    batches = load_torch.File(path, ops).batches
    rates = [float(row["lr"]) for row in csv.DictReader(open(curves)) if row["train_loss"]]
    w = dict(model.named_parameters())
    update, how = optimizer(torch, w, spec)

    translates = spec.get("objective") == "translate"
    feeds = (pair_feeds if translates else crop_feeds)(torch, load_torch, model, corpus)
    if translates:
        ops = attention_by_sentence(torch, load_torch.Torch)

    def plain_loss(inputs, targets):
        logits = load_torch.forward(ops, model.graph, w, inputs)
        return torch.nn.functional.cross_entropy(logits.flatten(0, -2), targets.flatten(), label_smoothing=smoothing)

    loss_of = torch.compile(plain_loss) if style == "compile" else plain_loss

    def step(number):
        inputs, targets = feeds(batches[number % len(batches)].tolist())
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
