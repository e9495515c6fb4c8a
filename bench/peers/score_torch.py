"""The log-likelihoods of `normbench model score` computed again, from the weights alone, in PyTorch (or numpy).

    normbench model score F.safetensors --tasks arc-easy,piqa,items=50 -o F.jsonl
    python3 score_torch.py F.safetensors F.jsonl

Each line of the dump has a context and a continuation. They are cut into tokens with the file's vocabulary and run through its
network (load_torch.py). Prints the largest differences; ends with 1 where one is above --most nats per token.
"""
import argparse
import json
import sys

from load_torch import File, Numpy, Torch, forward, torch


def windows(scored, count, context):
    """What the model is shown: (first input, one behind the last, first target that counts)."""
    stride = count - scored if count - scored <= context else max(context // 2, 1)
    while scored < count:
        end = min(scored + stride, count)
        yield max(end - 1 - context, 0), end - 1, scored
        scored = end


def tokens(vocabulary, context, continuation):
    """As lm_eval's encode_pair: blanks at the context's end belong to the continuation."""
    kept = context.rstrip(" \t\n\r\v\f")
    return vocabulary.encode(context + continuation), len(vocabulary.encode(kept))


def log_probabilities(ops, logits, targets):
    """Sum of log softmax(logits[i])[targets[i]] of one sequence, in double."""
    if isinstance(ops, Numpy):
        x = logits.astype("f8")
        x = x - x.max(axis=-1, keepdims=True)
        x = x - ops.np.log(ops.np.exp(x).sum(axis=-1, keepdims=True))
        return sum(float(x[i, t]) for i, t in targets)
    x = torch.log_softmax(logits.double(), dim=-1)
    return sum(float(x[i, t]) for i, t in targets)


def likelihood(ops, file, whole, scored):
    total = 0.0
    for first, end, target in windows(scored, len(whole), file.graph["context"]):
        logits = forward(ops, file.graph, file.weights, ops.ids([whole[first:end]]))[0]
        total += log_probabilities(ops, logits, [(i - first, whole[i + 1]) for i in range(target - 1, end)])
    return total


def main(o):
    ops = Torch() if torch and not o.numpy else Numpy()
    file = File(o.file, ops)
    if not file.vocabulary:
        raise ValueError(f"{o.file}: no vocabulary in it; export it where the corpus is")
    worst = per_token = 0.0
    lines = 0
    with open(o.dump, encoding="utf-8") as stream:
        for line in stream:
            row = json.loads(line)
            whole, scored = tokens(file.vocabulary, row["context"], row["continuation"])
            if len(whole) - scored != row["tokens"]:
                raise ValueError(f"{row['task']}, line {row['line']}: {len(whole) - scored} tokens, not {row['tokens']}")
            if sum(1 for _ in windows(scored, len(whole), file.graph["context"])) != row["windows"]:
                raise ValueError(f"{row['task']}, line {row['line']}: not {row['windows']} windows")
            difference = abs(likelihood(ops, file, whole, scored) - row["loglikelihood"])
            worst, per_token = max(worst, difference), max(per_token, difference / row["tokens"])
            lines += 1
    if not lines:
        raise ValueError(f"{o.dump}: no lines")
    print(f"{lines} log-likelihoods, {type(ops).__name__.lower()}: the largest difference is {worst:.1e} nats, "
          f"{per_token:.1e} per token")
    return per_token > o.most


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="F.safetensors")
    parser.add_argument("dump", metavar="F.jsonl")
    parser.add_argument("--most", type=float, default=1e-5, help="nats per token (default: 1e-5)")
    parser.add_argument("--numpy", action="store_true", help="numpy also where PyTorch is installed")
    try:
        sys.exit(main(parser.parse_args()))
    except (ValueError, KeyError, OSError) as problem:
        sys.exit(f"score_torch.py: {problem}")
