"""A network and its training, written from the equation that `normbench explain` prints (equation_text.py) and from the usual parts.

Nothing here looks at models/, at the ops of an exported file or at a row's columns. From the program come the equation, the keys of
the experiment, the standard normals behind the starting weights (an export of deviations 1) and where each batch begins. Blocks l and
sublayers k = 2l, 2l + 1 count from 0; in formulas l counts from 1. equation_pairs.py has the networks of two stacks.
"""
import math
import re

import numpy as np

from autograd import Var, concatenate, erf, exp, log, relu, sigmoid, softmax, sqrt, stack, stop_gradient, tanh, var
from equation_masks import Draws
from equation_text import Named, evaluate, parse


# ---- numbers that a letter stands for

class Rule:
    """What stands behind "c = " or "c goes ": a fixed number of the place, one that moves over the steps, or learned ones.

    learned: None, or per what there is one: "sublayer", "block". shape: "number" or "row". start and factor are formulas.
    """

    NUMBER = r"(-?[\d.]+(?:e[-+]?\d+)?)"
    RAMP = rf"from {NUMBER} in the first block to {NUMBER} in the last"

    def __init__(self, text):
        text = re.sub(r", in a straight line(; here the first)?$|; here the first$|, l = 1( in block 0)?$", "", text)
        self.learned, self.shape, self.factor, self.start = None, "number", "1", None
        self.ends = self.moves = self.by_depth = None
        self.profiled = False
        self.read(text)

    def read(self, text):
        n = self.NUMBER
        if match := re.fullmatch(self.RAMP, text):
            self.ends = [float(x) for x in match.groups()]
        elif match := re.fullmatch(rf"from {n} at the first step to {n} at the last", text):
            self.moves = [float(x) for x in match.groups()]
        elif match := re.fullmatch(rf"learned numbers that start on a straight line {self.RAMP}", text):
            self.learned, self.ends = "place", [float(x) for x in match.groups()]
        elif match := re.fullmatch(r"one learned number per block, shared by its sublayers, starting at (\S+)", text):
            self.learned, self.start = "block", match[1]
        elif match := re.fullmatch(r"one learned (number|vector)(?: per \w+)?, starting at (\S+)", text):
            self.learned, self.shape, self.start = "place", match[1], match[2]
        elif match := re.fullmatch(rf"one learned vector(?: per \w+)? that starts at {n} times {n} up to 18 blocks, {n} up to 24, {n} "
                                   "beyond", text):
            self.learned, self.shape, self.by_depth = "place", "vector", [float(x) for x in match.groups()]
        elif re.fullmatch(r"one learned vector per \w+, at first the root of 1 \+ the variances that the first batch gives the branches "
                          "before it, their gates left out", text):
            self.learned, self.shape, self.start, self.profiled = "place", "vector", "1", True
        elif match := re.fullmatch(r"(.+) times one learned vector(?:, starting at | that starts at )(\S+)", text):
            self.learned, self.shape, self.factor, self.start = "place", "vector", match[1], match[2]
        else:
            self.start = text
            parse(text)

    def value(self, formula, net, block):
        return evaluate(parse(formula), {"l": block + 1, "L": net.L, "d": net.d, "sqrt": math.sqrt})

    def first(self, net, block):
        """The number of a block, or what a learned one starts at."""
        if self.ends:
            return self.ends[0] + (self.ends[1] - self.ends[0]) * block / max(net.L - 1, 1)
        if self.by_depth:
            v, shallow, deep, deeper = self.by_depth
            return v * (shallow if net.L <= 18 else deep if net.L <= 24 else deeper)
        return self.value(self.start, net, block)


# ---- starting weights

XAVIER = re.compile(r"Xavier; v, output and MLP matrices times ([^;]+)(?:; embeddings N\(0, 1/d\) times (.+))?")
ZERO = r"the projections into the stream start at zero"


def deviation(net, start, kind, block, rows, cols):
    """Of the weights of a matrix: kind is wte, wpe, head, q, k, v, out, fc (each of SwiGLU's two) or proj."""
    keys, inside = net.keys, kind not in ("wte", "wpe", "head")
    usual = keys[{"wte": "token_std", "wpe": "position_std"}.get(kind, "init_std")]
    into_stream = kind in ("out", "proj")
    scaled = usual / math.sqrt(2 * net.L) if into_stream else usual
    number = lambda formula: evaluate(parse(formula), {"L": net.L, "l": (block or 0) + 1, "d": net.d, "ln": math.log,
                                                       "sqrt": math.sqrt})
    xavier = math.sqrt(2 / (rows + cols))
    if start is None:
        return scaled if keys["residual_init"] == "scaled" else usual
    if start.startswith("the projections into the stream not scaled down"):
        return usual
    if start == "all weights N(0, 1/d)":
        return number("1 / sqrt(d)")
    if start == "Xavier divided by L - l + 1":
        return xavier / number("L - l + 1") if inside else scaled
    if match := XAVIER.fullmatch(start):
        if not inside:
            return number("1 / sqrt(d)") * number(match[2]) if match[2] and kind != "head" else scaled
        return xavier * (1 if kind in "qk" else number(match[1]))
    if match := re.fullmatch(ZERO + r"(?:, v and the MLP's first matrix times (.+))?", start):
        return 0 if into_stream else usual * (number(match[1]) if match[1] and kind in ("v", "fc") else 1)
    raise ValueError(f"a start that is not known: '{start}'")


def branch_of(tree):
    """f's node in a sublayer's sum: what a gate multiplies."""
    if tree[0] == "call":
        return branch_of(tree[3])
    left, right = tree[1:]
    if right == ("name", "x_block"):
        return branch_of(left)
    return right[-1] if right[0] == "times" else right


# ---- the network

ATTN, MLP, CROSS = 0, 1, 2  # sublayers


class Net:
    order = ATTN, MLP  # of a block's sublayers
    stack = ""         # what the names of a stack's parameters begin with
    step = None        # of a training pass, which drops: its number

    def __init__(self, equation, keys, normals, weights=None):
        """normals: {name: matrix of standard normals}, floats, names as exported. weights: where the net puts its own; None: nowhere."""
        self.e, self.keys = equation, keys
        self.L, self.d, self.H, self.context = (keys[k] for k in ("layers", "width", "heads", "context"))
        self.weights, self.profile, self.total = {} if weights is None else weights, False, 1.0
        self.sublayer = [[self.read_sublayer(text) for text in equation.sublayers(block)] for block in range(self.L)]
        self.streams = equation.field.get("streams", "")
        head = re.match(r"(?:x \+ )?(\w+)(?:\(|$)", equation.field["head"])
        self.final = head and head[1]
        form = self.sublayer[0][0][0]
        absent = [part for part, there in ((".streams_", form == "mhc"), ("lm_head.", not keys["tied"]),
                                           ("wpe.", keys["positions"] == "learned")) if not there]
        for name, z in normals.items():
            if not any(part in name for part in absent):
                self.weights[name] = Var(self.scaled(name, z))
        self.unit_lengths()

    def scaled(self, name, z):
        start, part = self.start(name), name.removeprefix(self.stack).split(".")
        block = int(part[1]) if part[0] == "h" else None
        std = lambda kind, rows: deviation(self, start, kind, block, rows, z.shape[1])
        if "c_attn" in name:
            return np.vstack([part * np.float32(std(kind, self.d)) for kind, part in zip("qkv", np.split(z, 3))])
        if ".streams_" in name:
            return z * np.float32(self.keys["init_std"])
        kind = {"wte": "wte", "wpe": "wpe", "lm_head": "head"}.get(part[0]) or {"c_fc": "fc", "c_q": "q", "c_k": "k", "c_v": "v"}.get(
            part[-2], "proj" if "mlp" in name else "out")
        swiglu = kind == "fc" and self.keys["activation"] == "swiglu"
        return z * np.float32(std(kind, z.shape[0] // (2 if swiglu else 1)))

    def start(self, name):
        return self.e.field.get("start")

    def learned(self, key, shape, start):
        """The learned vector called key of this stack, made where it is first asked for."""
        key = (self.stack, key)
        if key not in self.weights:
            self.weights[key] = Var(np.broadcast_to(np.asarray(start, "f4").astype("f8"), shape).copy())
        return self.weights[key]

    def dropped(self, x, stream):
        """Srivastava et al. 2014: what is kept is larger by 1 / (1 - p); word e of the step's draws decides on number e."""
        p = self.keys["dropout"]
        if not p or self.step is None:
            return x
        draws = Draws(self.keys["dropout_seed"] or 1, stream, self.step)
        kept = [draws(e) >= int(p * 2 ** 32) for e in range(x.value.size)]
        return x * (np.reshape(kept, x.shape) / (1 - p))

    def unit_lengths(self):
        if "updates" not in self.e.field:
            return
        if not self.e.field["updates"].startswith("the vectors of each matrix along the width of the stream are scaled to length 1"):
            raise ValueError(f"an update that is not known: '{self.e.field['updates']}'")
        for name, w in self.weights.items():
            if w.value.ndim == 2 and not name.endswith("wpe.weight") and ".streams_" not in name:
                length = np.sqrt((w.value ** 2).sum(0 if "c_proj" in name else 1, keepdims=True))
                w.value /= np.where(length > 0, length, 1)

    # letters

    def letter(self, name, block, sub, width, u):
        """Its value at a sublayer, a block (sub None) or outside the blocks (block None); u: progress of the run."""
        rule, at = Rule(self.e.rule(name, block, sub)), 0 if block is None else block
        if rule.moves:
            return rule.moves[0] + (rule.moves[1] - rule.moves[0]) * u
        start = rule.first(self, at)
        if not rule.learned:
            return start
        key = (name, block) if rule.learned == "block" else (name, block, sub)
        w = self.learned(key, (width,) if rule.shape == "vector" else (1,), start)
        if rule.profiled and self.profile:
            w.value[:] = np.float32(math.sqrt(self.total))
        factor = rule.value(rule.factor, self, at)
        return w if factor == 1 else w * factor

    def letters(self, names, block, sub, u, width=None):
        env = {}
        for name in names:
            if self.e.rule(name, block, sub):
                env[name] = lambda name=name: self.letter(name, block, sub, width or self.d, u)
                env[name].letter = True
        return env

    # norms

    def norm(self, name, key, x, width=None):
        """width: of a group of columns, each by itself with the same gains."""
        if width:
            return self.norm(name, key, x.reshape(*x.shape[:-1], -1, width)).reshape(*x.shape)
        eps, n = self.keys["norm_eps"], x.shape[-1]
        w = lambda leaf, start, shape=(n,): self.learned((*key, leaf), shape, start)
        if name == "LN":
            x = x - x.mean()
            return w("weight", 1) * x / sqrt((x * x).mean() + eps) + w("bias", 0)
        if name == "RMS":
            return w("weight", 1) * x / sqrt((x * x).mean() + eps)
        if name == "center":
            return x - x.mean()
        if name == "crms":
            total = x.sum(-1, True)
            return w("weight", 1) * x / sqrt(((x * x).sum(-1, True) + total * total) / (n + 1) + eps)
        if name in ("L2", "scalenorm"):
            x = x / sqrt((x * x).sum(-1, True) + eps)
            return x if name == "L2" else w("weight", math.sqrt(n), (1,)) * x
        x = w("alpha", 0.5, (1,)) * x
        x = tanh(x) if name == "dyt" else erf(x + w("shift", 0, (1,)))
        return w("weight", 1) * x + w("bias", 0)

    def norms(self, place, env, groups={}):
        """LN(...), and with a strength LN[i](...): i N(x) + (1 - i) x. What it is applied to tells norms of a place apart.
        groups: of how many columns the norm of q, of k and of v is."""
        def of(name):
            def apply(node, index, x):
                y = self.norm(name, (*place, node[3]), x, groups.get(node[3][1]))
                if index is None:
                    return y
                s = evaluate(("name", index), env)
                return s * y + (1 - s) * x
            return Named(apply)
        return {name: of(name) for name in ("LN", "RMS", "L2", "center", "crms", "scalenorm", "dyt", "derf")}

    # sublayers

    def linear(self, name, x, bias=True):
        w = self.weights[name + ".weight"]
        y = x @ w.swapaxes(0, 1)
        return y + self.learned((name, "bias"), (w.shape[0],), 0) if bias and self.keys["bias"] else y

    def rope(self, x):  # x [B, H, T, size]: pairs of columns turn
        size, T = x.shape[-1], x.shape[-2]
        angle = np.arange(T)[:, None] * 10000.0 ** (-2 * np.arange(size // 2) / size)
        even, odd = x[..., 0::2], x[..., 1::2]
        turned = [even * np.cos(angle) - odd * np.sin(angle), even * np.sin(angle) + odd * np.cos(angle)]
        return concatenate([y.reshape(*y.shape, 1) for y in turned]).reshape(*x.shape)

    def heads(self, sub, q, k, v):
        B, T, d = q.shape
        q, k, v = (x.reshape(B, x.shape[1], self.H, -1).swapaxes(1, 2) for x in (q, k, v))
        if self.keys["positions"] == "rope":
            q, k = self.rope(q), self.rope(k)
        score = q @ k.swapaxes(-1, -2) / math.sqrt(d / self.H)
        seen = self.sees(sub, T)
        share = softmax(score + np.where(seen, 0, -1e30)) * seen.any(-1, keepdims=True)
        return (share @ v).swapaxes(1, 2).reshape(B, T, d)

    def sees(self, sub, T):
        """Which row attends to which; one that sees none gets 0."""
        return np.tri(T, dtype=bool) if self.keys["objective"] == "next" else np.ones((1, 1), bool)

    def asked_of(self, name, sub, x):
        """q, k and v."""
        qkv, d = self.linear(name + ".c_attn", x), self.d
        return qkv[..., :d], qkv[..., d:2 * d], qkv[..., 2 * d:]

    def name(self, block, sub):
        return f"{self.stack}h.{block}.{('attn', 'mlp', 'cross')[sub]}"

    def A(self, block, sub, u, x):
        name, d = self.name(block, sub), self.d
        text = self.e.at(block, "A") or "W heads(q, k, v)"
        whole = text.endswith(" over all heads")
        text = re.sub(r", \S+ over all heads$", "", text)
        q, k, v = self.asked_of(name, sub, x)
        env = self.letters("h", block, sub, u, self.H)
        if "h" in env:  # a number of each head stands before its columns
            number = env["h"]
            env["h"] = lambda: self.spread(number(), d // self.H)
            env["h"].letter = True
        env |= {"q": q, "k": k, "v": v, "heads": lambda *qkv: self.heads(sub, *qkv),
                "W": lambda y: self.linear(name + ".c_proj", y)}
        groups = {"q": None if whole else d // self.H, "k": None if whole else d // self.H, "v": d // self.H}
        return evaluate(parse(text), env | self.norms((block, "A", sub), env, groups))

    def spread(self, number, each):
        v = var(number)
        return v if v.shape in ((), (1,)) else v[np.repeat(np.arange(self.H), each)]

    def act(self, x):
        kind = self.keys["activation"]
        if kind == "relu":
            return relu(x)
        if kind == "gelu":
            return x / 2.0 * (1.0 + tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))
        n = x.shape[-1] // 2
        return x[..., :n] * sigmoid(x[..., :n]) * x[..., n:]

    def F(self, block, u, x):
        name = self.name(block, MLP)
        env = self.letters("t", block, 1, u, self.weights[name + ".c_fc.weight"].shape[0])
        env |= {"x": x, "act": self.act, "W": lambda y: self.linear(name + ".c_fc", y),
                "W'": lambda y: self.linear(name + ".c_proj", y)}
        return evaluate(parse(self.e.at(block, "F") or "W' act(W x)"), env | self.norms((block, "F"), env))

    # streams

    FORMS = [("mhc", r"x = p X, X <- H X \+ q (?P<branch>.+)"), ("hyper", r"x = m X, X <- M \[X; (?P<branch>.+)\]"), ("attnres", r"x = sum_i a_i v_i, next v = (?P<branch>.+)"),
             ("groups", r"x = sum_i a_i v_i, v <- v \+ (?P<branch>.+)"), ("dual", r"x <- (?P<sum>.+), r <- r \+ (?P<branch>.+)"),
             ("one", r"x <- (?P<sum>.+)")]

    def read_sublayer(self, text):
        for form, pattern in self.FORMS:
            if match := re.fullmatch(pattern, text):
                return form, {part: parse(formula) for part, formula in match.groupdict().items()}
        raise ValueError(f"a sublayer that is not known: '{text}'")

    def attend(self, key, values):
        """sum_i a_i v_i, a = softmax_i(w . RMS(v_i)), w at first 0"""
        w, v = self.learned(key, (self.d,), 0), stack(values)
        a = softmax((w * v / sqrt((v * v).mean() + self.keys["norm_eps"])).sum(-1, True), 0)
        return (a * v).sum(0)

    def mix(self, key, start, streams):
        """Each row of a learned matrix times the streams."""
        m = self.learned(key, np.shape(start), start)
        n = len(streams)
        return [sum((streams[j] * m[i * n + j] for j in range(1, n)), streams[0] * m[i * n]) for i in range(m.shape[0] // n)]

    def asked(self, block, sub, what, start):
        """a W v + b of each token, a number and W a matrix; v is of this sublayer."""
        name = f"{self.name(block, sub)}.{what}"
        a = self.learned((name, "a"), (1,), float(re.search(r"the numbers a at (\S+),", self.streams)[1]))
        return a * (self.v @ self.weights[name + ".weight"].swapaxes(0, 1)) + self.learned((name, "b"), start.shape, start)

    def shares(self, block, sub, streams):
        """p, q and H of a sublayer, for every token; of the streams' columns side by side."""
        n, beside = len(streams), float(re.search(r"b'' at (\S+) beside the diagonal", self.streams)[1])
        self.v = self.norm("RMS", ("shares", block, sub), concatenate(streams))
        p, q = sigmoid(self.asked(block, sub, "streams_in", np.zeros(n))), 2.0 * sigmoid(self.asked(block, sub, "streams_out", np.zeros(n)))
        h = self.asked(block, sub, "streams_kept", (beside * (1 - np.eye(n))).ravel())
        h = exp(h.reshape(*h.shape[:-1], n, n))
        for _ in range(int(re.search(r"exp, then (\d+) times each column, then each row divided by its sum", self.streams)[1])):
            h = h / h.sum(-2, True)
            h = h / h.sum(-1, True)
        return p, q, h

    def sublayer_of(self, block, sub, s, u):
        """s: the streams by name; changes them as the equation says."""
        form, node = self.sublayer[block][ATTN if sub == CROSS else sub]
        k = len(self.order) * block + self.order.index(sub)
        f = lambda x: self.dropped(self.F(block, u, x) if sub == MLP else self.A(block, sub, u, x), self.name(block, sub) + ".dropout")
        if form == "hyper":
            n = len(s["X"])
            s["x"] = self.mix(("m", k), np.eye(n)[k % n], s["X"])[0]
        elif form == "mhc":
            X, (p, q, h) = s["X"], self.shares(block, sub, s["X"])
            s["x"] = sum((X[j] * p[..., j:j + 1] for j in range(1, len(X))), X[0] * p[..., :1])
        elif form in ("attnres", "groups"):
            s["x"] = self.attend(("w", k), s["v"])
        env = self.letters("cgsiop", block, sub, u)
        env |= {"x": s["x"], "r": s.get("r"), "x_block": s.get("x_block"), "f": f, "A": f, "F": f}
        env |= self.norms((block, sub), env)
        memo = {}
        results = {part: evaluate(tree, env, memo) for part, tree in node.items()}
        if self.profile and "sum" in node:  # of the branches, what a gate has not multiplied yet
            self.total += self.there(memo[branch_of(node["sum"])].value).var()
        if "sum" in results:
            s["x"] = results["sum"]
        if form == "dual":
            s["r"] = s["r"] + results["branch"]
        elif form == "hyper":
            start = np.hstack([np.eye(n), np.ones((n, 1))]).ravel()
            s["X"] = self.mix(("M", k), start, [*s["X"], results["branch"]])
        elif form == "mhc":
            s["X"] = [sum((X[j] * h[..., i, j:j + 1] for j in range(len(X))), results["branch"] * q[..., i:i + 1]) for i in range(len(X))]
        elif form == "attnres":
            s["v"] = [*s["v"], results["branch"]]
        elif form == "groups":
            first = k % self.group == 0
            s["v"] = [*s["v"], results["branch"]] if first else [*s["v"][:-1], s["v"][-1] + results["branch"]]

    def there(self, rows):
        """Those of tokens."""
        return rows

    def begin(self, x):
        s, form = {"x": x, "x_0": x}, self.sublayer[0][0][0]
        if form == "dual" and self.streams.startswith("a sublayer reads x + N(r)"):
            s["r"], s["x"] = x, self.norm(self.final, ("first",), x) if self.final else x
        elif form == "dual":
            s["r"] = float(re.search(r"at first (?:(\S+) )?x,", self.streams)[1] or 1) * x
        elif form in ("hyper", "mhc"):
            s["X"] = [x] * int(re.match(r"(\d+) streams,", self.streams)[1])
        elif form in ("attnres", "groups"):
            groups = re.search(r"\((\d)L / (\d+) of them each, rounded up\)", self.streams)
            s["v"] = [x]
            self.group = math.ceil(int(groups[1]) * self.L / int(groups[2])) if groups else 1
        return s

    def blocks(self, x, u):
        s = self.begin(x)
        for block in range(self.L):
            if before := self.e.at(block, "before"):
                env = self.letters("ey", block, None, u) | {"x": s["x"], "x_0": s["x_0"]}
                s["x"] = evaluate(parse(before), env)
            s["x_block"] = s["x"]
            for sub in self.order:
                self.sublayer_of(block, sub, s, u)
            if after := self.e.at(block, "after"):
                env = self.letters("k", block, None, u) | {"x": s["x"], "stop_gradient": stop_gradient,
                                                           "silu": lambda k: var(k) * sigmoid(k)}
                s["x"] = evaluate(parse(after), env)
        if "X" in s:
            s["x"] = self.mix(("end",), np.ones(len(s["X"])), s["X"])[0]
        if "v" in s:
            s["x"] = self.attend(("end",), s["v"])
        return s

    def embedded(self, tokens, u):
        x, field = self.weights[self.table()][tokens], self.e.field
        if self.keys["positions"] == "learned":
            x = x + self.weights[self.stack + "wpe.weight"][:tokens.shape[1]]
        if self.keys["positions"] == "sinusoidal":  # Vaswani et al. 2017: sines and cosines in turn
            angle = np.arange(tokens.shape[1])[:, None] / 10000.0 ** (2 * np.arange(self.d // 2) / self.d)
            x = x + np.stack([np.sin(angle), np.cos(angle)], -1).reshape(-1, self.d)
        env = self.letters("m", None, None, u)
        if "embeddings" in field:
            x = evaluate(parse(field["embeddings"]), env) * x
        if "embed_norm" in field:
            x = self.norm(field["embed_norm"], ("embed",), x)
        return self.dropped(x, self.stack + "drop")

    def table(self):
        return "wte.weight"

    def read(self, tokens, u):
        """What the stack ends with, before the head."""
        s, head = self.blocks(self.embedded(tokens, u), u), self.e.field["head"]
        if "(" in head or "+" in head:
            return evaluate(parse(head), s | self.norms(("head",), {}))
        return s["x"] if head == "no norm" else self.norm(head, ("head",), s["x"])

    def logits(self, x, u):
        field = self.e.field
        z = self.linear("wte" if self.keys["tied"] else "lm_head", x, False)
        if "logits" in field:
            z = evaluate(parse(field["logits"]), self.letters("z", None, None, u, z.shape[-1])) * z
        if "cap" in field:
            z = evaluate(parse(field["cap"]), self.letters("b", None, None, u) | {"x": z, "tanh": tanh})
        return z

    def profiles(self, on):
        self.profile = on

    def loss(self, tokens, targets, u, smoothing=0):
        return mean_loss(self.logits(self.read(tokens, u), u), targets, smoothing)


def mean_loss(z, targets, smoothing):
    """The mean over the targets that are there; -1: none is. Szegedy et al. 2016: a share of the label is every token's alike."""
    z = z - z.value.max(-1, keepdims=True)
    there = np.nonzero(targets >= 0)
    z = z[there]
    z = z - log(exp(z).sum(-1, True))
    right = z[np.arange(z.shape[0]), targets[there]]
    return -((1 - smoothing) * right + smoothing * z.mean(keepdims=False)).sum() / z.shape[0]
