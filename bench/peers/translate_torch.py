"""An encoder-decoder of `normbench model export RUN -o F.safetensors` elsewhere: the losses of sentence pairs, and greedy translations.

    python3 translate_torch.py F.safetensors --pairs val.de val.en             the loss that `normbench model import` prints
    python3 translate_torch.py F.safetensors --pairs val.de val.en --losses    and each token's nats, a sentence a line
    python3 translate_torch.py F.safetensors < sentences                       as `normbench model translate F.safetensors --beam 1`

A sentence at a time, with no padding: what normbench packs into batches must give the same numbers. Needs load_torch.py and
tape_ops.py beside it; numpy with --numpy or without PyTorch.
"""
import argparse
import sys

import load_torch
from tape_ops import Numpy, Torch, torch


def feeds(ops, source, target):
    """What the model reads of one pair of ids; `target` begins with the end of the line before it."""
    s, t = len(source), len(target)
    return {name: ops.ids(ids) for name, ids in {
        "source": source, "source_positions": list(range(s)), "source_keys": [0, s] * s,
        "tokens": target, "positions": list(range(t)), "keys": [x for i in range(t) for x in (0, i + 1)],
        "memory_keys": [0, s] * t}.items()}


class Translator:
    def __init__(self, path, ops):
        self.ops, self.file = ops, load_torch.File(path, ops)
        if "source" not in {name for op in self.file.graph["ops"] for name in op["in"]}:
            raise ValueError(f"{path}: no encoder-decoder")
        if not self.file.vocabulary:
            raise ValueError(f"{path}: no vocabulary in it; export it where the corpus is")
        self.context, (self.end,) = self.file.graph["context"], self.file.vocabulary.encode("\n")

    def logits(self, source, target):
        return load_torch.forward(self.ops, self.file.graph, self.file.weights, feeds(self.ops, source, target))

    def losses(self, source, target):
        """Nats of each token of the target and of its end."""
        logits = self.logits(source + [self.end], [self.end] + target)
        return [self.ops.score(logits[i:i + 1], self.ops.ids([token]))[0] for i, token in enumerate(target + [self.end])]

    def greedy(self, source):
        target = []
        while len(target) < self.context - 1:
            row = [float(x) for x in self.logits(source + [self.end], [self.end] + target)[-1]]
            token = row.index(max(row))
            if token == self.end:
                break
            target.append(token)
        return target

    def encode(self, line):
        return self.file.vocabulary.encode(line)


def lines(path):
    with open(path, encoding="utf-8", newline="\n") as file:
        return file.read().removesuffix("\n").split("\n")


def print_losses(t, o):
    """Pairs with an empty line or a sentence of `context` tokens or more are left out, as normbench does."""
    pairs = [[t.encode(line) for line in lines(path)] for path in o.pairs]
    if len(pairs[0]) != len(pairs[1]):
        raise ValueError(f"--pairs: {len(pairs[0])} and {len(pairs[1])} lines")
    total = count = 0
    for source, target in zip(*pairs):
        if not source or not target or max(len(source), len(target)) >= t.context:
            continue
        nats = t.losses(source, target)
        total, count = total + sum(nats), count + len(nats)
        if o.losses:
            print(" ".join(f"{x:.6f}" for x in nats))
    print(f"validation loss {total / count:.7f}, {count} targets")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="F.safetensors")
    parser.add_argument("--pairs", nargs=2, metavar=("SOURCE", "TARGET"), help="sentences and their translations, line by line")
    parser.add_argument("--losses", action="store_true", help="with --pairs: each token's nats")
    parser.add_argument("--numpy", action="store_true", help="numpy also where PyTorch is installed")
    o = parser.parse_args()
    t = Translator(o.file, Torch() if torch and not o.numpy else Numpy())
    if o.pairs:
        return print_losses(t, o)
    for line in sys.stdin:
        source = t.encode(line.rstrip("\n"))[:t.context - 1]
        print(t.file.vocabulary.decode(t.greedy(source)) if source else "")


if __name__ == "__main__":
    try:
        if torch:
            torch.set_grad_enabled(False)
        main()
    except (OSError, ValueError, KeyError, ImportError) as problem:
        sys.exit(f"translate_torch.py: {problem}")
