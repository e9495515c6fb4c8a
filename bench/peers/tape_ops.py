"""The ops of normbench's tape (kernels/ops.def), a method each, in numpy and in PyTorch: what load_torch.py runs a file with."""
import math
import sys

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    torch = None


class Ops:
    """One method per op of a model: the formulas of kernels/ops.def. `op` holds the op's constants, absent ones are 0."""

    dropout_p, training, progress = 0.0, False, 0.0

    def embed(self, op, tokens, wte, wpe=None):
        return wte[tokens] if wpe is None else wte[tokens] + wpe[:tokens.shape[-1]]

    def linear(self, op, x, weight, bias=None):
        y = x @ weight.T
        return y if bias is None else y + bias

    def groups(self, op, x):
        return x.reshape(*x.shape[:-1], -1, op.get("group", 0) or x.shape[-1])

    def by_group(self, op, norm, x):
        """norm over groups of columns, or over whole rows."""
        group = op.get("group", 0)
        return norm(x.reshape(*x.shape[:-1], -1, group)).reshape(x.shape) if group else norm(x)

    def centered(self, x):
        return x - self.mean(x)

    def layernorm(self, op, x, gain, bias):
        def norm(x):
            d = self.centered(x)
            return gain * (d * self.rsqrt(self.mean(d * d) + op["eps"])) + bias
        return self.by_group(op, norm, x)

    def rmsnorm(self, op, x, gain):
        return self.by_group(op, lambda x: gain * (x * self.rsqrt(self.mean(x * x) + op["eps"])), x)

    def crms(self, op, x, gain):
        def norm(x):
            n, total = x.shape[-1], self.mean(x) * x.shape[-1]
            return gain * (x * self.rsqrt((self.mean(x * x) * n + total * total) / (n + 1) + op["eps"]))
        return self.by_group(op, norm, x)

    def unit(self, op, x):
        return self.by_group(op, lambda x: x * self.rsqrt(self.mean(x * x) * x.shape[-1] + op["eps"]), x)

    def center(self, op, x):
        return self.by_group(op, self.centered, x)

    def qkrms(self, op, x, q_gain, k_gain):
        C = x.shape[-1] // 3
        q, k = self.rmsnorm(op, x[..., :C], q_gain), self.rmsnorm(op, x[..., C:2 * C], k_gain)
        return self.concatenate([q, k, x[..., 2 * C:]])

    def vrms(self, op, x, gain):
        C = x.shape[-1] // 3
        return self.concatenate([x[..., :2 * C], self.rmsnorm(op, x[..., 2 * C:], gain)])

    def rope(self, op, x):
        T, C = x.shape[1], x.shape[-1] // 3
        size = C // op["heads"]
        angle = [[t * 10000 ** (-2 * i / size) for i in range(size // 2)] for t in range(T)]
        cos, sin = (self.table([[f(a) for a in row] for row in angle], x)[:, None, :] for f in (math.cos, math.sin))
        parts = []
        for part in (x[..., :C], x[..., C:2 * C]):
            pairs = part.reshape(*part.shape[:-1], op["heads"], size // 2, 2)
            a, b = pairs[..., 0], pairs[..., 1]
            parts.append(self.stack([a * cos - b * sin, a * sin + b * cos]).reshape(part.shape))
        return self.concatenate(parts + [x[..., 2 * C:]])

    def swiglu(self, op, x):
        n = x.shape[-1] // 2
        return x[..., :n] / (1 + self.exp(-x[..., :n])) * x[..., n:]

    def attention(self, op, x):
        B, T, C = *x.shape[:2], x.shape[-1] // 3
        q, k, v = (x[..., i * C:(i + 1) * C].reshape(B, T, op["heads"], -1).swapaxes(1, 2) for i in range(3))
        return self.softmax_of(q, k, v, op.get("full", False)).swapaxes(1, 2).reshape(B, T, C)

    def sinusoid(self, op, x, positions):
        C = x.shape[-1]
        angle = [[p * 10000 ** (-2 * (i // 2) / C) for i in range(C)] for p in positions.reshape(-1).tolist()]
        waves = [[math.cos(a) if i % 2 else math.sin(a) for i, a in enumerate(row)] for row in angle]
        return x + self.table(waves, x).reshape(x.shape)

    def attend(self, op, q, k, v, ranges):
        """Rows of q that see rows ranges[2i] .. ranges[2i + 1] - 1 of k and v."""
        heads = [x.reshape(x.shape[0], op["heads"], -1).swapaxes(0, 1) for x in (q, k, v)]
        return self.softmax_in(*heads, ranges.reshape(-1, 2)).swapaxes(0, 1).reshape(q.shape)

    def scale(self, op, x):
        return op.get("alpha", 0) * x

    def scheduled(self, op):
        """From alpha at the first step of a run to beta at the last, where the file's weights are."""
        a, b = op.get("alpha", 0), op.get("beta", 0)
        return a + (b - a) * self.progress

    def fade(self, op, x):
        return self.scheduled(op) * x

    def blend(self, op, x, n):
        s = self.scheduled(op)
        return (1 - s) * x + s * n

    def gate(self, op, x, gain):
        return (x.reshape(*x.shape[:-1], len(gain), -1) * gain[:, None]).reshape(x.shape)

    def damp(self, op, x, g=None):
        if g is None:
            return (1 - op["alpha"] / (1 + math.exp(-op["alpha"]))) * x
        return (1 - g * self.logistic(g)) * x

    def shift(self, op, x, by):
        return x + by

    def residual(self, op, x, f):
        a, b = op.get("alpha", 0), op.get("beta", 0)
        return (x if a == 1 else a * x) + (f if b == 1 else b * f)

    def append(self, op, x, other):
        return self.concatenate([x, other])

    def streams(self, op, x, matrix):
        """Groups of columns, mixed by a matrix that stands as one row."""
        groups = self.groups(op, x)
        mixed = matrix.reshape(-1, groups.shape[-2]) @ groups
        return mixed.reshape(*x.shape[:-1], -1)

    def mix(self, op, x, matrix):
        """The same by a matrix of each row's own."""
        groups = self.groups(op, x)
        mixed = matrix.reshape(*x.shape[:-1], -1, groups.shape[-2]) @ groups
        return mixed.reshape(*x.shape[:-1], -1)

    def sinkhorn(self, op, x):
        """A square matrix in each row, to one whose columns and rows have sums of 1."""
        m = self.exp(x.reshape(*x.shape[:-1], op["group"], op["group"]))
        for _ in range(20):
            m = m / m.sum(-2)[..., None, :]
            m = m / m.sum(-1)[..., None]
        return m.reshape(x.shape)

    def sigmoid(self, op, x):
        return op["alpha"] * self.logistic(x)

    def attnres(self, op, x, query):
        x = self.groups(op, x)
        scores = (query * x * self.rsqrt(self.mean(x * x) + op["eps"])).sum(-1)
        return (self.softmax(scores)[..., None] * x).sum(-2)

    def dropout(self, op, x):
        return x


class Numpy(Ops):
    def __init__(self):
        try:
            import numpy
        except ImportError:
            sys.exit("numpy is needed where PyTorch is not installed: python3 -m pip install numpy")
        self.np = numpy

    def tensor(self, data, dtype, shape):
        kind = {"F32": "<f4", "I64": "<i8", "I32": "<i4"}[dtype]
        return self.np.frombuffer(bytes(data), kind).reshape(shape)

    def ids(self, rows):
        return self.np.array(rows)

    def mean(self, x):
        return x.mean(-1, keepdims=True)

    def rsqrt(self, x):
        return 1 / self.np.sqrt(x)

    def logistic(self, x):
        return 1 / (1 + self.np.exp(-x))

    def concatenate(self, parts):
        return self.np.concatenate(parts, -1)

    def stack(self, parts):
        return self.np.stack(parts, -1)

    def table(self, rows, like):
        return self.np.array(rows, like.dtype)

    def exp(self, x):
        return self.np.exp(x)

    def gelu(self, op, x):
        return x / 2 * (1 + self.np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))

    def relu(self, op, x):
        return self.np.maximum(x, 0)

    def softcap(self, op, x):
        return op["alpha"] * self.np.tanh(x / op["alpha"])

    def tanh(self, op, x, gain, bias):
        return gain * self.np.tanh(x) + bias

    def erf(self, op, x, gain, bias):
        return gain * self.np.vectorize(math.erf, [x.dtype])(x) + bias

    def softmax_of(self, q, k, v, full):
        T = q.shape[-2]
        scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
        if not full:
            scores = self.np.where(self.np.tril(self.np.ones((T, T), bool)), scores, -self.np.inf)
        return self.softmax(scores) @ v

    def softmax_in(self, q, k, v, ranges):
        at = self.np.arange(k.shape[-2])
        seen = (at >= ranges[:, :1]) & (at < ranges[:, 1:])
        scores = self.np.where(seen, q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1]), -self.np.inf)
        scores[:, ~seen.any(-1)] = 0  # a row that sees nothing is 0
        return self.np.where(seen.any(-1)[:, None], self.softmax(scores) @ v, 0)

    def softmax(self, x):
        e = self.np.exp(x - x.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)

    def score(self, logits, targets):
        """The sum of the losses and the number of right guesses; target -1 is left out."""
        targets = targets.reshape(-1)
        x = logits.reshape(-1, logits.shape[-1])[targets >= 0].astype("f8")
        targets = targets[targets >= 0]
        right, most = self.np.arange(len(x)), x.max(-1)
        nll = most + self.np.log(self.np.exp(x - most[:, None]).sum(-1)) - x[right, targets]
        return float(nll.sum()), int((x.argmax(-1) == targets).sum())


class Torch(Ops):
    """The same with PyTorch's own layer norm, GELU and attention."""

    def tensor(self, data, dtype, shape):
        kind = {"F32": torch.float32, "I64": torch.int64, "I32": torch.int32}[dtype]
        return torch.frombuffer(bytearray(data), dtype=kind).reshape(shape)

    def ids(self, rows):
        return torch.tensor(rows)

    def mean(self, x):
        return x.mean(-1, keepdim=True)

    def rsqrt(self, x):
        return torch.rsqrt(x)

    def logistic(self, x):
        return torch.sigmoid(x)

    def concatenate(self, parts):
        return torch.cat(parts, -1)

    def softmax(self, x):
        return x.softmax(-1)

    def stack(self, parts):
        return torch.stack(parts, -1)

    def table(self, rows, like):
        return torch.tensor(rows, dtype=like.dtype, device=like.device)

    def exp(self, x):
        return torch.exp(x)

    def linear(self, op, x, weight, bias=None):
        return F.linear(x, weight, bias)

    def layernorm(self, op, x, gain, bias):
        return self.by_group(op, lambda x: F.layer_norm(x, x.shape[-1:], gain, bias, op["eps"]), x)

    def gelu(self, op, x):
        return F.gelu(x, approximate="tanh")

    def relu(self, op, x):
        return F.relu(x)

    def softcap(self, op, x):
        return op["alpha"] * torch.tanh(x / op["alpha"])

    def tanh(self, op, x, gain, bias):
        return gain * torch.tanh(x) + bias

    def erf(self, op, x, gain, bias):
        return gain * torch.erf(x) + bias

    def dropout(self, op, x):
        return F.dropout(x, self.dropout_p, self.training)

    def softmax_in(self, q, k, v, ranges):
        at = torch.arange(k.shape[-2], device=q.device)
        seen = (at >= ranges[:, :1]) & (at < ranges[:, 1:])
        scores = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).masked_fill(~seen, -math.inf)
        return scores.masked_fill(~seen.any(-1)[:, None], 0).softmax(-1).masked_fill(~seen, 0) @ v

    def softmax_of(self, q, k, v, full):
        """q, k, v [B, heads, T, size]: fused since PyTorch 2, written out before."""
        if hasattr(F, "scaled_dot_product_attention"):
            return F.scaled_dot_product_attention(q, k, v, is_causal=not full)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        if not full:
            future = torch.ones(q.shape[-2], q.shape[-2], dtype=torch.bool, device=q.device).triu(1)
            scores = scores.masked_fill(future, -math.inf)
        return scores.softmax(-1) @ v

    def score(self, logits, targets):
        x, targets = logits.flatten(0, 1).double(), targets.flatten()
        return F.cross_entropy(x, targets, reduction="sum", ignore_index=-1).item(), int((x.argmax(-1) == targets).sum())
