"""What is wrong with exported placements, a line each: their losses and their starting weights against the papers' formulas.

    placements_check.py rows LIST.json            rows of `normbench list --format json` without a formula, formulas without a row
    placements_check.py losses TEXT PATH...       each PATH/ROW.safetensors beside what import says of it, PATH/ROW.json
    placements_check.py others TEXT PATH...       files whose loss another row's formula gives too
    placements_check.py moved TEXT PATH...        vectors that training has left at their start
    placements_check.py starts TEXT PATH...       files before the first update (admin: after its profiling pass)
    placements_check.py lengths TEXT PATH...      nGPT's vectors after an update
"""
import glob
import json
import math
import os
import sys

import numpy as np

from placements import PLACEMENTS, Run, Sublayer, encode, loss

TOLERANCE = 3e-7  # nats, and of a loss above 1 its share: the program computes in float; seen: 3e-8


# ---- starting weights

def recipe(run, l, kind, rows, cols):  # GPT-2: N(0, std), the projections into the stream times 1 / sqrt(2L)
    return run.std[kind] / (math.sqrt(2 * run.L) if kind in ("out", "proj") else 1)


def plain(run, l, kind, rows, cols):
    return run.std[kind]


def xavier(beta, embeddings=recipe):
    """Glorot and Bengio's normal start; v, the output and the MLP's matrices times beta(run, l), q and k once."""
    def std(run, l, kind, rows, cols):
        if l is None:
            return embeddings(run, l, kind, rows, cols)
        return math.sqrt(2 / (rows + cols)) * (1 if kind in "qk" else beta(run, l))
    return std


def layerwise(run, l, kind, rows, cols):  # DeepNet, section 3: all matrices of block l by L - l, l from 0
    return recipe(run, l, kind, rows, cols) if l is None else math.sqrt(2 / (rows + cols)) / (run.L - l)


def fixup(run, l, kind, rows, cols):  # m = 2 matrices a branch, 2L branches
    return 0 if kind in ("out", "proj") else run.std[kind] * ((2 * run.L) ** -0.5 if kind in ("v", "fc") else 1)


def zero_out(run, l, kind, rows, cols):
    return 0 if kind in ("out", "proj") else run.std[kind]


STARTS = {
    "subln": xavier(lambda run, l: math.sqrt(math.log(2 * run.L))),
    "deepnorm": xavier(lambda run, l: (8 * run.L) ** -0.25),
    "post-init": layerwise,
    "fixup": fixup,
    "t-fixup": xavier(lambda run, l: 0.67 * run.L ** -0.25, lambda run, *_: run.d ** -0.5 * (9 * run.L) ** -0.25),
    "lns": plain,
    "x0-lambdas": zero_out,
}


def ramp(first, last):
    return lambda run, k: first + (last - first) * (k // 2) / (run.L - 1)


def cait(run, k):  # Touvron et al. 2021: by depth
    return 0.1 if run.L <= 18 else 1e-5 if run.L <= 24 else 1e-6


# By row or for all rows: vectors that do not start at 1 (gains, scales) or 0 (biases); run, sublayer (of a block's: its first).
VECTORS = {
    ("rezero", "gate"): lambda run, k: 0, ("skipinit", "gate"): lambda run, k: 0, ("layerscale", "gate"): cait,
    ("ngpt", "gate"): lambda run, k: run.d ** -0.5, ("ngpt", "logit_scale"): lambda run, k: run.d ** -0.5,
    ("gpas", "shrink"): lambda run, k: 0, ("x0-lambdas", "block_carry"): ramp(1.15, 1.05), ("x0-lambdas", "x0"): ramp(0.2, 0.05),
    ("attnres", "depth_query"): lambda run, k: 0, ("attnres-block", "depth_query"): lambda run, k: 0,
    ("mhc", "scale"): lambda run, k: 0.01, ("mhc", "streams_kept.bias"): lambda run, k: -8 * (1 - np.eye(4)).ravel(),
    ("hyper", "streams_in"): lambda run, k: np.eye(4)[k % 4],
    ("hyper", "streams_out"): lambda run, k: np.hstack([np.eye(4), np.ones((4, 1))]).ravel(),
}


def matrices(run):
    """(name, block or None, kind, matrix)"""
    for name, w in run.weights.items():
        if w.ndim == 2:
            l = int(name.split(".")[1]) if name.startswith("h.") else None
            if "c_attn" in name:
                yield from ((f"{name} {kind}", l, kind, part) for kind, part in zip("qkv", np.split(w, 3)))
            else:
                kind = name[:3] if l is None else "fc" if "c_fc" in name or "streams_" in name else "out" if "attn" in name else "proj"
                yield name, l, kind, w


def unit_lengths(run):
    """nGPT: the vectors along the width of the stream have length 1, of inputs the rows, of outputs the columns."""
    for name, _, kind, w in matrices(run):
        if kind != "wpe":  # the paper has no learned positions
            off = abs(np.sqrt((w * w).sum(0 if kind in ("out", "proj") else 1)) - 1).max()
            if off > 1e-6:
                yield f"{name}: a vector's length is {off:.1e} off 1"


def vectors(row, run):
    """(name, vector, what it starts at)"""
    for name, w in run.weights.items():
        path = name.split(".")
        k = 2 * int(path[1]) + (path[2] == "mlp") if path[0] == "h" else 0
        if w.ndim == 1:
            usual = VECTORS.get((row, path[-1]), lambda run, k: float(path[-1] != "bias"))
            yield name, w, VECTORS.get((row, ".".join(path[-2:])), usual)(run, k)


def wrong_starts(row, run):
    """What of the starting weights is not as the row's paper says."""
    for name, w, want in vectors(row, run):
        if not name.endswith(".carry") and abs(w - want).max() > 1e-7 * np.max(np.abs(want)) + 1e-20:
            yield f"{name} starts at {w[:5]}, not {want}"
    if row == "ngpt":
        yield from unit_lengths(run)
        return
    for name, l, kind, w in matrices(run):
        want, got = STARTS.get(row, recipe)(run, l, kind, *w.shape), w.std()
        if abs(got - want) > 5 * want / math.sqrt(2 * w.size) or abs(w.mean()) > 5 * want / math.sqrt(w.size):
            yield f"{name} starts with deviation {got:.5f}, mean {w.mean():.5f}, not {want:.5f} and 0"


def unmoved(row, run):
    """What training has left at its start: an error of it would not show."""
    for name, w, want in vectors(row, run):
        # The first sublayer attends to one value only, or mixes copies of one. A profiled row starts with equal numbers.
        copies = name == "h.0.attn.depth_query" or row == "mhc" and name.startswith("h.0.attn.streams_")
        least = 1e-4 if name.endswith(".scale") else 1e-3
        if not copies and max(abs(w - (w[0] if name.endswith(".carry") else want))) < least:
            yield f"{name} has stayed at {want}"


def wrong_profile(run, ids):
    """Admin, algorithm 1: on the first batch w_k^2 = 1 + sum of the variances of the branches before k, with these w in use."""
    tokens = np.stack([ids[at:at + run.context] for at in run.batches[0]])
    x, square = run.embedding(tokens), 1.0
    for k in range(2 * run.L):
        s = Sublayer(run, k)
        if abs(s.own("carry") / math.sqrt(square) - 1).max() > 1e-6:
            yield f"{s.name}.carry starts at {s.own('carry')[:3]}, not {math.sqrt(square):.6f}"
        f = s.f(x)
        x, square = s.LN("_post", math.sqrt(square) * x + f), square + f.var()
    if square < 1.5:
        yield f"the branches' variances add up to {square - 1:.1e}: too small to see an error"


# ---- commands

# Rows with the same forward pass: they differ in how they start.
SAME = [{"none", "t-fixup"}, {"post", "post-init"}, {"peri", "sandwich"}, {"skipinit", "fixup"}]
# And these: the norms that move are Pre-LN's after the last update; as many groups as sublayers have an output each.
SAME_AT_END, SAME_IN_FOUR_BLOCKS = {"pre", "post-to-pre", "fade-in"}, {"attnres", "attnres-block"}


def others(row, run, ids):
    found = {}
    for other in PLACEMENTS:
        try:
            found[other] = loss(run, other, ids[:4 * run.context + 1])
        except (KeyError, ValueError):  # other weights, or of another shape
            continue
    for other in found:
        off = abs(found[other] - found.get(row, math.nan))
        known = ({row, other} in SAME or run.u == 1 and {row, other} <= SAME_AT_END
                 or run.L == 4 and {row, other} <= SAME_IN_FOUR_BLOCKS)
        if other != row and off <= 10 * TOLERANCE and not known:
            yield f"the formula of {other} has its loss too"


def losses(row, run, ids, path):
    with open(path.replace(".safetensors", ".json")) as stream:
        said = json.load(stream)["valid_loss"]
    try:
        got = loss(run, row, ids)
    except (KeyError, ValueError) as error:
        yield f"its weights are not the formula's: {error}"
        return
    unread = sorted(set(run.weights) - run.read)
    if not abs(got - said) <= TOLERANCE * max(1, said):
        yield f"loss {got:.9f}, import says {said:.9f}"
    if unread:
        yield f"the formula has no use for {unread[0]}"


def starts(row, run, train):
    yield from wrong_starts(row, run)
    if row == "admin":
        yield from wrong_profile(run, train)


def main(command, first, *paths):
    if command == "rows":
        with open(first) as stream:
            rows = {v["name"] for v in json.load(stream)["variants"]}
        for row in sorted(rows ^ set(PLACEMENTS)):
            print(f"{row}: not in {'placements.py' if row in rows else 'the list'}")
        return
    for path in sorted(file for path in paths for file in glob.glob(path + "/*.safetensors") or [path]):
        run, row = Run(path), os.path.basename(path)[:-len(".safetensors")]
        train, valid = encode(run, first)
        wrong = {"losses": lambda: losses(row, run, valid, path), "others": lambda: others(row, run, valid), "moved": lambda: unmoved(row, run), "starts": lambda: starts(row, run, train),
                 "lengths": lambda: unit_lengths(run) if row == "ngpt" else ()}[command]()
        for what in wrong:
            print(f"{path}: {what}")


if __name__ == "__main__":
    main(*sys.argv[1:])
