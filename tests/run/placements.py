"""Every placement of `normbench list` once more: its forward pass in numpy, float64, written from the papers' formulas.

Nothing here looks at models/ or at the ops that an exported file lists: from a file come its weights, by their names, its
vocabulary, its spec and its step. So a row whose network is not the formula under its name has another loss here than in
`normbench import`: placements_check.py compares them.

x is the stream, [windows, tokens, width]; A attention, F the MLP, f either of them; block l of L and sublayer k of 2L count
from 0; LN and RMS have gains, LN biases too; eps is the recipe's.
"""
import json
import math
import struct

import numpy as np


# ---- the parts of every network

def silu(x):
    return x / (1 + np.exp(-x))


def gelu(x):  # the tanh form of Hendrycks and Gimpel, as in GPT-2
    return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def read_export(path):
    """The metadata of a safetensors file and its tensors by name, as they are stored."""
    with open(path, "rb") as stream:
        data = stream.read()
    (n,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + n])
    meta, tensors = header.pop("__metadata__"), {}
    for name, t in header.items():
        begin, end = (8 + n + o for o in t["data_offsets"])
        tensors[name] = np.frombuffer(data[begin:end], {"F32": "<f4", "I64": "<i8"}[t["dtype"]]).reshape(t["shape"])
    return meta, tensors


def letters_of(meta):
    """The token id of each character of an export's vocabulary."""
    return {chr(int(code)): i for i, code in enumerate(meta["vocabulary"].splitlines()[1:])}


class Run:
    """The weights of a file, which of them were read, and the numbers a formula names."""

    def __init__(self, path):
        meta, self.weights = read_export(path)
        self.batches = self.weights.pop("batches", None)
        self.weights = {name: w.astype("f8") for name, w in self.weights.items()}
        spec = dict(line.split(" = ", 1) for line in meta["spec"].splitlines())
        self.L, self.d, self.H, self.context, steps = (int(spec[k]) for k in ("layers", "width", "heads", "context", "steps"))
        self.batch, self.eps, self.step = int(spec["batch"]), float(spec["norm_eps"]), int(meta["step"])
        self.u = max(self.step - 1, 0) / (steps - 1)  # progress: 0 in the first update, 1 in the last
        init = float(spec["init_std"])
        self.std = dict.fromkeys(["q", "k", "v", "out", "fc", "proj"], init) | {
            "wte": float(spec["token_std"]), "wpe": float(spec["position_std"])}
        self.letters = letters_of(meta)
        self.read = set()

    def __getitem__(self, name):
        self.read.add(name)
        return self.weights[name]

    def linear(self, name, x):
        return x @ self[name + ".weight"].T + self[name + ".bias"]

    def LN(self, name, x):
        x = x - x.mean(-1, keepdims=True)
        return self[name + ".weight"] * x / np.sqrt((x * x).mean(-1, keepdims=True) + self.eps) + self[name + ".bias"]

    def RMS(self, name, x):
        return self[name + ".weight"] * x / np.sqrt((x * x).mean(-1, keepdims=True) + self.eps)

    def unit(self, x):  # x / |x|, with eps as in the other norms
        return x / np.sqrt((x * x).sum(-1, keepdims=True) + self.eps)

    def embedding(self, tokens):
        return self["wte.weight"][tokens] + self["wpe.weight"][:tokens.shape[1]]


class Sublayer:
    """Sublayer k: its block l, its function f and its norms by their place: "" before f, "_out" behind it, "_post" on the sum."""

    def __init__(self, run, k, qkv=lambda s, q, k, v: (q, k, v), heads=lambda s, y: y, hidden=lambda s, y: y,
                 activation=lambda s, y: gelu(y)):
        self.run, self.k, self.l, self.attention = run, k, k // 2, k % 2 == 0
        self.block = f"h.{self.l}"
        self.name = self.block + (".attn" if self.attention else ".mlp")
        self.qkv, self.heads, self.hidden, self.activation = qkv, heads, hidden, activation

    def LN(self, place, x):
        return self.run.LN(f"{self.block}.ln_{1 + self.k % 2}{place}", x)

    def RMS(self, place, x):
        return self.run.RMS(f"{self.block}.ln_{1 + self.k % 2}{place}", x)

    def own(self, name):  # a weight of the sublayer, and of its block
        return self.run[f"{self.name}.{name}"]

    def of_block(self, name):
        return self.run[f"{self.block}.{name}"]

    def f(self, x):
        return self.A(x) if self.attention else self.F(x)

    def split(self, x):  # [B, T, d] -> [B, H, T, d / H]
        return x.reshape(*x.shape[:2], self.run.H, -1).swapaxes(1, 2)

    def join(self, x):
        return x.swapaxes(1, 2).reshape(x.shape[0], x.shape[2], -1)

    def A(self, x):
        q, k, v = self.qkv(self, *np.split(self.run.linear(self.name + ".c_attn", x), 3, -1))
        q, k, v = self.split(q), self.split(k), self.split(v)
        score = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
        score = np.where(np.tri(x.shape[1], dtype=bool), score, -np.inf)
        return self.run.linear(self.name + ".c_proj", self.heads(self, self.join(softmax(score) @ v)))

    def F(self, x):
        y = self.activation(self, self.run.linear(self.name + ".c_fc", x))
        return self.run.linear(self.name + ".c_proj", self.hidden(self, y))

    def head_norm(self, which, x):  # RMS within each head, one gain for all heads
        return self.join(self.run.RMS(f"{self.name}.{which}_norm", self.split(x)))


# ---- placements: run, x of the embedding -> x of the head

def chain(step, final=None, start=None, **inside):
    """x <- step(sublayer, x) through all sublayers, then the norm before the head."""
    def network(run, x):
        x = start(run, x) if start else x
        for k in range(2 * run.L):
            x = step(Sublayer(run, k, **inside), x)
        return final(run, x) if final else x
    return network


def ln_f(run, x):
    return run.LN("ln_f", x)


def rms_f(run, x):
    return run.RMS("ln_f", x)


def mid_norm(s, y):  # Magneto, NormFormer: LN before the second matrix of a sublayer
    return s.run.LN(s.name + ".ln_mid", y)


def head_scale(s, y):  # NormFormer: one number per head, before the output projection
    return y * np.repeat(s.own("head_scale"), s.run.d // s.run.H)


def qk_whole(s, q, k, v):  # OLMo 2: over all heads together
    return s.run.RMS(s.name + ".q_norm", q), s.run.RMS(s.name + ".k_norm", k), v


def qk_heads(s, q, k, v):
    return s.head_norm("q", q), s.head_norm("k", k), v


def qkv_heads(s, q, k, v):
    return s.head_norm("q", q), s.head_norm("k", k), s.head_norm("v", v)


def none(s, x):
    return x + s.f(x)


def pre(s, x):
    return x + s.f(s.LN("", x))


def post(s, x):
    return s.LN("_post", x + s.f(x))


def gated(s, x):  # SkipInit, Fixup
    return x + s.own("gate") * s.f(x)


def hybrid(s, x):  # Y = x + A(x); x <- N(Y) + F(N(Y))
    return s.RMS("_post", x + s.f(x)) if s.attention else x + s.f(x)


def gpas(s, x):
    x = pre(s, x)
    return x if s.attention else x - silu(s.of_block("shrink")) * x


def ngpt(s, h):  # Loshchilov et al. 2024: alpha = 0.05 at the start, kept as a number that starts at 1 / sqrt(d)
    alpha = s.own("gate") * 0.05 * math.sqrt(s.run.d)
    return s.run.unit(h + alpha * (s.run.unit(s.f(h)) - h))


def ngpt_hidden(s, y):
    return gelu(s.own("hidden_scale") * math.sqrt(s.run.d) * y)


def moving(of_in, of_post):
    """x <- N[p](x + f(N[i](x))), N[s](x) = s N(x) + (1 - s) x; i and p move from their first value to their second."""
    def step(s, x):
        i, p = (ends and ends[0] + (ends[1] - ends[0]) * s.run.u for ends in (of_in, of_post))
        y = x + s.f(i * s.LN("", x) + (1 - i) * x)
        return y if p is None else p * s.LN("_post", y) + (1 - p) * y
    return step


def residual(run, x):  # ResiDual: x <- N(x + f(x)), r <- r + f(x), y = x + N(r)
    r = x
    for k in range(2 * run.L):
        s = Sublayer(run, k)
        f = s.f(x)
        x, r = s.LN("_post", x + f), r + f
    return x + run.LN("ln_f", r)


def b2t(run, x):  # a = N(x + A(x)), x <- N(x + a + F(a))
    for l in range(run.L):
        attention, mlp = Sublayer(run, 2 * l), Sublayer(run, 2 * l + 1)
        a = attention.LN("_post", x + attention.f(x))
        x = mlp.LN("_post", x + a + mlp.f(a))
    return x


def x0_lambdas(run, x):  # nanochat: x <- lr x + lx x0 before each block
    x = x0 = run.RMS("ln_emb", x)
    for l in range(run.L):
        x = run[f"h.{l}.block_carry"] * x + run[f"h.{l}.x0"] * x0
        for k in (2 * l, 2 * l + 1):
            s = Sublayer(run, k)
            x = x + s.f(s.RMS("", x))
    return rms_f(run, x)


def attend(run, w, values):  # h = sum_i a_i v_i, a = softmax_i(w . RMS(v_i))
    v = np.stack(values)
    a = softmax((v / np.sqrt((v * v).mean(-1, keepdims=True) + run.eps)) @ w, 0)
    return (a[..., None] * v).sum(0)


def attnres(groups):
    """Attention residuals; with groups, the outputs of so many groups of sublayers are added up to a value each. Where they
    do not come out even a group has the next whole number of sublayers, which may leave fewer groups: 12 make 6 of 2."""
    def network(run, x):
        size, values = (math.ceil(2 * run.L / groups) if groups else 1), [x]
        for k in range(2 * run.L):
            s = Sublayer(run, k)
            y = s.f(s.RMS("", attend(run, s.own("depth_query"), values)))
            if k % size == 0:
                values.append(y)
            else:
                values[-1] = values[-1] + y
        return rms_f(run, attend(run, run["depth_query"], values))
    return network


def hyper(run, x):  # static hyper-connections: h = a H, H <- R H + b f(N(h)) for n streams H, at first n copies
    n = 4
    streams = np.stack([x] * n)
    mix = lambda m: np.einsum("ij,jbtd->ibtd", m, streams)
    for k in range(2 * run.L):
        s = Sublayer(run, k)
        y = s.f(s.LN("", mix(s.own("streams_in").reshape(1, n))[0]))
        out = s.own("streams_out").reshape(n, n + 1)
        streams = mix(out[:, :n]) + out[:, n, None, None, None] * y
    return ln_f(run, mix(run["streams_end"].reshape(1, n))[0])


def mhc(run, x):
    """arXiv 2512.24880: X <- H X + q^T f(N(p X)), p = sigmoid(.), q = 2 sigmoid(.), H = Sinkhorn-Knopp(.), each of a token's streams."""
    n, sigmoid = 4, lambda z: 1 / (1 + np.exp(-z))
    streams = np.stack([x] * n, 2)  # [B, T, n, d]
    for k in range(2 * run.L):
        s = Sublayer(run, k)
        v = run.RMS(s.name + ".streams_norm", streams.reshape(*x.shape[:2], -1))
        asked = lambda what: s.own(what + ".scale") * (v @ s.own(what + ".weight").T) + s.own(what + ".bias")
        p, q = sigmoid(asked("streams_in")), 2 * sigmoid(asked("streams_out"))
        h = np.exp(asked("streams_kept").reshape(*x.shape[:2], n, n))
        for _ in range(20):
            h = h / h.sum(-2, keepdims=True)
            h = h / h.sum(-1, keepdims=True)
        y = s.f(s.LN("", (p[..., None] * streams).sum(2)))
        streams = h @ streams + q[..., None] * y[:, :, None]
    return ln_f(run, np.einsum("j,btjd->btd", run["streams_end"].reshape(-1), streams))


def siamese(run, x):
    """arXiv 2602.08064: a stream of normed sums and one of plain ones, both read by every sublayer; the first takes f / sqrt(2 l)."""
    y, x = x, run.LN("ln_first", x)
    for k in range(2 * run.L):
        s = Sublayer(run, k)
        f = s.f(s.LN("", x + run.LN(s.name + ".ln_second", y)))
        x, y = s.LN("_post", x + f / math.sqrt(2 * (s.l + 1))), y + f
    return ln_f(run, x + run.LN("ln_second", y))


PLACEMENTS = {
    "none": chain(none),
    "pre": chain(pre, ln_f),
    "post": chain(post),
    "peri": chain(lambda s, x: x + s.LN("_out", s.f(s.LN("", x))), ln_f),
    "prepost": chain(lambda s, x: s.LN("_post", x + s.f(s.LN("", x)))),
    "outnorm": chain(lambda s, x: x + s.LN("_out", s.f(x)), ln_f),
    "olmo2": chain(lambda s, x: x + s.RMS("_out", s.f(x)), rms_f, qkv=qk_whole),
    "gemma2": chain(lambda s, x: x + s.RMS("_out", s.f(s.RMS("", x))), rms_f, lambda run, x: x * math.sqrt(run.d)),
    "sandwich": chain(lambda s, x: x + s.LN("_out", s.f(s.LN("", x))), ln_f),
    "subln": chain(pre, ln_f, heads=mid_norm, hidden=mid_norm),
    "normformer": chain(lambda s, x: x + s.LN("_out", s.f(s.LN("", x))) if s.attention else pre(s, x), ln_f,
                        heads=head_scale, hidden=mid_norm),
    "deepnorm": chain(lambda s, x: s.LN("_post", (2 * s.run.L) ** 0.25 * x + s.f(x))),
    "post-init": chain(post),
    "rezero": chain(lambda s, x: x + s.of_block("gate") * s.f(x)),
    "skipinit": chain(gated),
    "fixup": chain(gated),
    "t-fixup": chain(none),
    "layerscale": chain(lambda s, x: x + s.own("gate") * s.f(s.LN("", x)), ln_f),
    "lns": chain(lambda s, x: x + s.f(s.LN("", x) / math.sqrt(s.l + 1)), ln_f),
    "mixln": chain(lambda s, x: (post if s.l < s.run.L // 4 else pre)(s, x), ln_f),
    "residual": residual,
    "b2t": b2t,
    "admin": chain(lambda s, x: s.LN("_post", s.own("carry") * x + s.f(x))),
    "gpas": chain(gpas, ln_f),
    "hybridnorm": chain(hybrid, rms_f, qkv=qkv_heads),
    "hybridnorm-star": chain(lambda s, x: x + s.f(s.RMS("", x)) if s.l == 0 else hybrid(s, x), rms_f, qkv=qkv_heads),
    "keel": chain(lambda s, x: s.LN("_post", 2 * s.run.L * x + s.f(s.LN("", x)))),
    "ngpt": chain(ngpt, None, lambda run, x: run.unit(x), qkv=qk_heads, activation=ngpt_hidden),
    "x0-lambdas": x0_lambdas,
    "attnres": attnres(0),
    "attnres-block": attnres(8),
    "hyper": hyper,
    "mhc": mhc,
    "siamese": siamese,
    "pre-to-post": chain(moving((1, 0), (0, 1)), ln_f),
    "post-to-pre": chain(moving((0, 1), (1, 0)), ln_f),
    "fade-in": chain(moving((0, 1), None), ln_f),
}
# What follows the tied head.
LOGITS = {
    "gemma2": lambda run, z: 30 * np.tanh(z / 30),
    "ngpt": lambda run, z: run["logit_scale"] * math.sqrt(run.d) * z,
}


def encode(run, path):
    """The text's ids: the first nine tenths of its bytes, up to the end of a code point, train; the others validate."""
    with open(path, "rb") as stream:
        text = stream.read()
    cut = len(text) * 9 // 10
    while text[cut] & 0xC0 == 0x80:
        cut += 1
    return (np.array([run.letters[c] for c in part.decode()]) for part in (text[:cut], text[cut:]))


def loss(run, row, ids):
    """Mean cross-entropy of every token after the first, over windows that do not overlap."""
    n = (len(ids) - 1) // run.context * run.context
    tokens, targets = ids[:n].reshape(-1, run.context), ids[1:n + 1].reshape(-1, run.context)
    logits = PLACEMENTS[row](run, run.embedding(tokens)) @ run["wte.weight"].T
    logits = LOGITS.get(row, lambda run, z: z)(run, logits)
    logits = logits - logits.max(-1, keepdims=True)
    logits = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    return -np.take_along_axis(logits, targets[..., None], -1).mean()
