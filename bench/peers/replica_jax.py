"""The row of replicas.py in JAX: the whole training of a seed is one scan, vmap makes it all seeds', jit compiles that once.

The ops are tape_ops.py's for numpy, run by jax.numpy; the optimizer is written out here.
"""
import time

import jax
import jax.numpy as jnp

import load_torch
from replica_row import Absent
from tape_ops import Numpy

CLIP_EPS = 1e-6  # as PyTorch's clip_grad_norm_
PRECISION = {"float": "highest", "tf32": "tensorfloat32", "bf16": "highest"}  # of float products; bf16 rounds factors itself


class Jax(Numpy):
    def __init__(self, rounded):
        self.np, self.rounded = jnp, rounded

    def product(self, x, y):
        """In bf16 of rounded factors, summed in float."""
        if not self.rounded:
            return x @ y
        return jnp.matmul(x.astype(jnp.bfloat16), y.astype(jnp.bfloat16), preferred_element_type=jnp.float32)

    def linear(self, op, x, weight, bias=None):
        y = self.product(x, weight.T)
        return y if bias is None else y + bias

    def erf(self, op, x, gain, bias):
        return gain * jax.scipy.special.erf(x) + bias

    def softmax_of(self, q, k, v, full):
        T = q.shape[-2]
        scores = self.product(q, k.swapaxes(-1, -2)) / jnp.sqrt(jnp.float32(q.shape[-1]))
        if not full:
            scores = jnp.where(jnp.tril(jnp.ones((T, T), bool)), scores, -jnp.inf)
        return self.product(self.softmax(scores), v)


class Seeds:
    def __init__(self, job):
        try:
            self.device = jax.devices(job.device)[0]
        except (RuntimeError, AssertionError):  # either, where JAX_PLATFORMS names one that this JAX lacks
            raise Absent(f"no {job.device} device that this JAX sees")
        self.job, self.version = job, jax.__version__
        put = lambda x: jax.device_put(x, self.device)
        self.weights = {name: put(jnp.asarray(w)) for name, w in job.weights.items()}
        self.starts, self.ids = put(jnp.asarray(job.starts.swapaxes(0, 1), jnp.int32)), put(jnp.asarray(job.ids))
        self.rates = put(jnp.asarray(job.rates, jnp.float32))
        ops, n = Jax(job.precision == "bf16"), job.number
        # In double on the host, as PyTorch has them: 1 - beta^t in float loses digits where t is small.
        correct = [put(jnp.asarray([1 - n[beta] ** t for t in range(1, job.steps + 1)], jnp.float32))
                   for beta in ("beta1", "beta2")]
        row = jnp.arange(job.context)

        def loss(w, ids, starts):
            at = starts[:, None] + row
            logits, targets = load_torch.forward(ops, job.graph, w, ids[at]), ids[at + 1]
            right = jnp.take_along_axis(logits, targets[..., None], -1)[..., 0]
            return (jax.nn.logsumexp(logits, -1) - right).mean()

        def step(ids, state, by):
            w, m, v = state
            starts, rate, c1, c2 = by
            value, g = jax.value_and_grad(loss)(w, ids, starts)
            if n["clip"]:
                norm = jnp.sqrt(sum((x * x).sum() for x in g.values()))
                g = {name: x * jnp.minimum(1, n["clip"] / (norm + CLIP_EPS)) for name, x in g.items()}
            decay = {name: n["weight_decay"] if name in job.matrices else 0.0 for name in w}
            if job.optimizer == "adamw":
                w = {name: x * (1 - rate * decay[name]) for name, x in w.items()}
            else:
                g = {name: x + decay[name] * w[name] for name, x in g.items()}
            m = {name: n["beta1"] * m[name] + (1 - n["beta1"]) * x for name, x in g.items()}
            v = {name: n["beta2"] * v[name] + (1 - n["beta2"]) * x * x for name, x in g.items()}
            w = {name: x - rate / c1 * m[name] / (jnp.sqrt(v[name] / c2) + n["adam_eps"]) for name, x in w.items()}
            return (w, m, v), value

        def train(w, starts, ids, rates, c1, c2):
            zero = {name: jnp.zeros_like(x) for name, x in w.items()}
            return jax.lax.scan(lambda state, by: step(ids, state, by), (w, zero, zero), (starts, rates, c1, c2))

        compiled = jax.jit(jax.vmap(train, (0, 0, None, None, None, None)))

        def run():
            with jax.default_matmul_precision(PRECISION[job.precision]):
                return jax.block_until_ready(compiled(self.weights, self.starts, self.ids, self.rates, *correct))
        self.run = run

    def note(self):
        return ""

    def train(self):
        return self.run()[1].T.tolist()

    def time(self):
        start = time.perf_counter()
        self.run()
        return time.perf_counter() - start
