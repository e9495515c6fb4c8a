"""Reverse-mode derivatives in numpy, double precision: what equation_net.py computes and trains its networks with.

A Var is an array and how its gradient is handed on; `gradients` gives those of a number. Operands may broadcast as numpy's do.
"""
import math

import numpy as np


class Var:
    __array_priority__ = 1  # numpy leaves `array * Var` to Var

    def __init__(self, value, parents=()):
        self.value, self.parents, self.grad = np.asarray(value, "f8"), parents, None

    @property
    def shape(self):
        return self.value.shape

    def __add__(self, other):
        return binary(self, other, np.add, lambda g, a, b, y: g, lambda g, a, b, y: g)

    def __mul__(self, other):
        return binary(self, other, np.multiply, lambda g, a, b, y: g * b, lambda g, a, b, y: g * a)

    def __sub__(self, other):
        return binary(self, other, np.subtract, lambda g, a, b, y: g, lambda g, a, b, y: -g)

    def __truediv__(self, other):
        return binary(self, other, np.divide, lambda g, a, b, y: g / b, lambda g, a, b, y: -g * y / b)

    def __matmul__(self, other):
        return binary(self, other, np.matmul, lambda g, a, b, y: g @ b.swapaxes(-1, -2),
                      lambda g, a, b, y: a.swapaxes(-1, -2) @ g)

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other):
        return var(other) - self

    def __neg__(self):
        return self * -1.0

    def __getitem__(self, key):
        def back(g):
            whole = np.zeros_like(self.value)
            np.add.at(whole, key, g)
            return whole
        return Var(self.value[key], [(self, back)])

    def reshape(self, *shape):
        return Var(self.value.reshape(*shape), [(self, lambda g: g.reshape(self.shape))])

    def swapaxes(self, i, j):
        return Var(self.value.swapaxes(i, j), [(self, lambda g: g.swapaxes(i, j))])

    def sum(self, axis=None, keepdims=False):
        def back(g):
            return np.broadcast_to(g if keepdims or axis is None else np.expand_dims(g, axis), self.shape)
        return Var(self.value.sum(axis, keepdims=keepdims), [(self, back)])

    def mean(self, axis=-1, keepdims=True):
        return self.sum(axis, keepdims) / self.shape[axis]


def var(x):
    return x if isinstance(x, Var) else Var(x)


def fit(g, shape):
    """A gradient of a broadcast operand, summed to the operand's shape."""
    if g.shape == shape:
        return g
    g = g.sum(tuple(range(g.ndim - len(shape))))
    wide = tuple(i for i, n in enumerate(shape) if n == 1 and g.shape[i] > 1)
    return g.sum(wide, keepdims=True) if wide else g


def binary(a, b, f, back_to_a, back_to_b):
    a, b = var(a), var(b)
    y = f(a.value, b.value)
    return Var(y, [(a, lambda g: fit(back_to_a(g, a.value, b.value, y), a.shape)),
                   (b, lambda g: fit(back_to_b(g, a.value, b.value, y), b.shape))])


def unary(x, f, slope):
    """slope(x, y): the derivative of f at x, where f is y."""
    x = var(x)
    y = f(x.value)
    return Var(y, [(x, lambda g: g * slope(x.value, y))])


def exp(x):
    return unary(x, np.exp, lambda x, y: y)


def log(x):
    return unary(x, np.log, lambda x, y: 1 / x)


def tanh(x):
    return unary(x, np.tanh, lambda x, y: 1 - y * y)


def sqrt(x):
    return unary(x, np.sqrt, lambda x, y: 0.5 / y)


def relu(x):
    return unary(x, lambda x: np.maximum(x, 0), lambda x, y: x > 0)


def sigmoid(x):
    return unary(x, lambda x: 1 / (1 + np.exp(-x)), lambda x, y: y * (1 - y))


def erf(x):
    return unary(x, np.vectorize(math.erf, "d"), lambda x, y: 2 / math.sqrt(math.pi) * np.exp(-x * x))


def stop_gradient(x):
    return Var(x.value)


def concatenate(parts, axis=-1):
    ends = np.cumsum([p.shape[axis] for p in parts])

    def back(i):
        return lambda g: np.split(g, ends[:-1], axis)[i]
    return Var(np.concatenate([p.value for p in parts], axis), [(p, back(i)) for i, p in enumerate(parts)])


def stack(parts):
    return concatenate([p.reshape(1, *p.shape) for p in parts], 0)


def softmax(x, axis=-1):
    e = exp(x - x.value.max(axis, keepdims=True))
    return e / e.sum(axis, True)


def gradients(loss, of):
    """The gradients of a number in the variables `of`; zeros where it does not depend on one."""
    order, seen, todo = [], set(), [(loss, False)]
    while todo:
        v, done = todo.pop()
        if done:
            order.append(v)
        elif id(v) not in seen:
            seen.add(id(v))
            todo.append((v, True))
            todo += [(parent, False) for parent, _ in v.parents]
    for v in [*order, *of]:
        v.grad = None
    loss.grad, leading = np.ones_like(loss.value), {id(v) for v in of}
    for v in order:  # what depends on none of them needs no gradient
        if any(id(parent) in leading for parent, _ in v.parents):
            leading.add(id(v))
    for v in reversed(order):
        for parent, back in v.parents:
            if id(parent) in leading and v.grad is not None:
                g = back(v.grad)
                parent.grad = g if parent.grad is None else parent.grad + g
    return [np.zeros_like(v.value) if v.grad is None else v.grad for v in of]
