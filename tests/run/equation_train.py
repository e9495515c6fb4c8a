"""Trains a Net of equation_net.py as an experiment's keys say: the updates of kernels/optimizers.def, as their papers have them."""
import math

import numpy as np

from autograd import gradients
from equation_masks import masked_batch, masked_windows
from equation_pairs import batch_of_pairs


def rate(keys, t):
    """Of update t, from 0: a linear warm-up, then the schedule."""
    lr, warmup, steps = keys["lr"], keys["warmup"], keys["steps"]
    if t < warmup:
        return keys["warmup_lr"] + (lr - keys["warmup_lr"]) * (t + 1) / warmup
    u = (t - warmup) / (steps - warmup)
    final = keys["final_lr"]
    return {"constant": lambda: lr, "linear": lambda: lr + (final - lr) * u,
            "cosine": lambda: final + (lr - final) * (1 + math.cos(math.pi * u)) / 2,
            "inverse_sqrt": lambda: lr * math.sqrt(max(warmup, 1) / (t + 1))}[keys["schedule"]]()


def rectification(b2, t):
    """RAdam's r_t, None while its denominator is not defined; t from 1."""
    most = 2 / (1 - b2) - 1
    rho = most - 2 * t * b2 ** t / (1 - b2 ** t)
    return math.sqrt((rho - 4) * (rho - 2) * most / ((most - 4) * (most - 2) * rho)) if rho > 5 else None


class Optimizer:
    def __init__(self, keys):
        self.keys, self.m, self.v = keys, {}, {}

    def step(self, weights, grads, t):
        """t from 0. Matrices decay, vectors do not."""
        for name, w in weights.items():
            decay = self.keys["weight_decay"] if w.value.ndim == 2 else 0
            w.value = self.moved(name, w.value, grads[name], rate(self.keys, t), decay, t + 1)

    def moved(self, name, p, g, lr, decay, t):
        keys, kind = self.keys, self.keys["optimizer"]
        b1, b2 = keys["beta1"], keys["beta2"]
        if kind == "sgd":
            self.m[name] = keys["momentum"] * self.m.get(name, 0) + g + decay * p
            return p - lr * self.m[name]
        if kind != "adamw":
            g = g + decay * p
        self.m[name] = m = b1 * self.m.get(name, 0) + (1 - b1) * g
        self.v[name] = v = b2 * self.v.get(name, 0) + (1 - b2) * g * g
        m, root = m / (1 - b1 ** t), np.sqrt(v / (1 - b2 ** t)) + keys["adam_eps"]
        if kind == "radam":
            r = rectification(b2, t)
            return p - lr * (m if r is None else r * m / root)
        return (1 - lr * (decay if kind == "adamw" else 0)) * p - lr * m / root


def clipped(grads, most):
    """The norm of all gradients, and the gradients scaled down to it."""
    norm = math.sqrt(sum(float((g * g).sum()) for g in grads.values()))
    scale = min(1, most / (norm + 1e-6)) if most > 0 else 1
    return norm, {name: g * scale for name, g in grads.items()}


def windows(ids, context):
    n = (len(ids) - 1) // context * context
    return ids[:n].reshape(-1, context), ids[1:n + 1].reshape(-1, context)


def read_batches(net, ids, valid, batches):
    """(tokens, targets) of every step, and of the whole validation; of sentence pairs (source, tokens, targets)."""
    context, steps = net.context, net.keys["steps"]
    if net.keys["objective"] == "translate":
        fitting = [pair for pair in valid if max(map(len, pair)) <= context]
        return [batch_of_pairs([ids[i] for i in numbers if i >= 0]) for numbers in batches], batch_of_pairs(fitting)
    crops = [(np.stack([ids[a:a + context] for a in row]), np.stack([ids[a + 1:a + 1 + context] for a in row])) for row in batches]
    whole = windows(valid, context)
    if net.keys["objective"] != "masked":
        return crops, whole
    vocab = net.weights["wte.weight"].shape[0] - 1  # the last row is the mask
    return [masked_batch(1, t, crops[t][0], vocab) for t in range(steps)], masked_windows(whole[0], vocab)


def train(net, ids, valid, batches):
    """ids: training tokens, or pairs of sentences; batches: where each step's crops begin, or which pairs it reads. Losses and gradient
    norms of all steps, and the validation losses before the first of them and after the last."""
    keys, optimizer = net.keys, Optimizer(net.keys)
    steps, losses, norms = keys["steps"], [], []
    crops, whole = read_batches(net, ids, valid, batches)
    net.profiles(True)
    net.loss(*crops[0], 0)  # makes what is learned
    net.profiles(False)
    before = float(net.loss(*whole, 0).value)
    for t in range(steps):
        net.step = t
        loss = net.loss(*crops[t], t / (steps - 1), keys["label_smoothing"])
        net.step = None
        names = list(net.weights)
        grads = dict(zip(names, gradients(loss, [net.weights[name] for name in names])))
        norm, grads = clipped(grads, keys["clip"])
        losses.append(float(loss.value))
        norms.append(norm)
        optimizer.step(net.weights, grads, t)
        net.unit_lengths()
    return losses, norms, before, float(net.loss(*whole, 1).value)
