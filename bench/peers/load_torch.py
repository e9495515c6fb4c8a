"""Weights of `normbench export RUN -o F.safetensors` elsewhere: a PyTorch module, or numpy arrays, of any placement.

    import load_torch
    model = load_torch.load("F.safetensors")         # a torch.nn.Module; its state_dict has the file's names (nanoGPT's)
    logits = model(tokens)                           # tokens [B, T], T up to the context -> [B, T, vocabulary]
    logits, seen = model(tokens, want=["h.0.attn"])  # and activations by their names in model.graph["ops"]
    model.vocabulary.encode("To be"), model.vocabulary.decode([1, 2, 3])

    python3 load_torch.py F.safetensors                                what is in it
    python3 load_torch.py F.safetensors --text CORPUS                  the loss that `normbench import` prints
    python3 load_torch.py F.safetensors --text CORPUS --steps 0,1      that of training steps (export with --batches)
    python3 load_torch.py F.safetensors --sample 'ROMEO:' --tokens 200

The file says which network it is: the ops of normbench's tape from tokens to logits (metadata `model`) and the vocabulary
(`vocabulary`). Each op is a method here, so a placement, a recipe or a range of layers needs no code of its own. This file
needs nothing else of normbench; PyTorch is used where it is installed, numpy with --numpy or without PyTorch.
"""
import argparse
import hashlib
import json
import math
import random
import re
import struct
import sys

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    torch = None


class Vocabulary:
    """Text to ids and back: characters, bytes or byte pairs. The text is the one whose SHA-256 normbench records."""

    def __init__(self, text):
        self.kind, *lines = text.splitlines()
        if self.kind == "bpe":  # "t 20746865": a letter (text, byte, newline, unknown) and the bytes in hex
            self.letter = [line[0] for line in lines]
            self.token = [bytes.fromhex(line[2:]) for line in lines]
        else:
            self.token = [bytes([int(x)]) if self.kind == "byte" else chr(int(x)).encode() for x in lines]
            self.letter = "t" * len(lines)
        self.id = {token: i for i, token in enumerate(self.token) if self.letter[i] in "tn"}
        self.byte = {token: i for i, token in enumerate(self.token) if self.letter[i] == "b"}
        self.known = {}

    def decode(self, ids):
        return b"".join(self.token[i] for i in ids).decode(errors="replace")

    def encode(self, text):
        if self.kind == "byte":
            return list(text.encode(errors="surrogateescape"))
        if self.kind == "char":
            return [self.char(c) for c in text]
        # No piece has a blank inside, and the newline is a piece by itself.
        return [i for part in re.findall(r"\n| ?[^ \n]+| ", text) for i in self.pieces(part)]

    def char(self, c):
        if c.encode() not in self.id:
            raise ValueError(f"{c!r} is not in the vocabulary")
        return self.id[c.encode()]

    def pieces(self, part):
        """Byte pairs: of all neighbours the pair with the smallest id is joined, the first of equals, until none is a piece."""
        if part in self.known:
            return self.known[part]
        symbols = [c.encode() for c in part]
        while True:
            pairs = [(self.id.get(a + b, math.inf), at) for at, (a, b) in enumerate(zip(symbols, symbols[1:]))]
            best, at = min(pairs, default=(math.inf, 0))
            if best == math.inf:
                break
            symbols[at:at + 2] = [self.token[best]]
        ids = [i for s in symbols for i in ([self.id[s]] if s in self.id else [self.byte[s[k:k + 1]] for k in range(len(s))])]
        self.known[part] = ids
        return ids


class Ops:
    """One method per op of a model: the formulas of kernels/ops.def. `op` holds the op's constants, absent ones are 0."""

    dropout_p, training = 0.0, False

    def embed(self, op, tokens, wte, wpe):
        return wte[tokens] + wpe[:tokens.shape[-1]]

    def linear(self, op, x, weight, bias=None):
        y = x @ weight.T
        return y if bias is None else y + bias

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

    def attention(self, op, x):
        B, T, C = *x.shape[:2], x.shape[-1] // 3
        q, k, v = (x[..., i * C:(i + 1) * C].reshape(B, T, op["heads"], -1).swapaxes(1, 2) for i in range(3))
        return self.attend(q, k, v).swapaxes(1, 2).reshape(B, T, C)

    def scale(self, op, x):
        return op.get("alpha", 0) * x

    def gate(self, op, x, gain):
        return x * gain

    def shift(self, op, x, by):
        return x + by

    def residual(self, op, x, f):
        a, b = op.get("alpha", 0), op.get("beta", 0)
        return (x if a == 1 else a * x) + (f if b == 1 else b * f)

    def dropout(self, op, x):
        return x


class Numpy(Ops):
    def __init__(self):
        import numpy
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

    def concatenate(self, parts):
        return self.np.concatenate(parts, -1)

    def gelu(self, op, x):
        return x / 2 * (1 + self.np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))

    def relu(self, op, x):
        return self.np.maximum(x, 0)

    def tanh(self, op, x, gain, bias):
        return gain * self.np.tanh(x) + bias

    def erf(self, op, x, gain, bias):
        return gain * self.np.vectorize(math.erf, [x.dtype])(x) + bias

    def attend(self, q, k, v):
        T = q.shape[-2]
        scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
        scores = self.np.where(self.np.tril(self.np.ones((T, T), bool)), scores, -self.np.inf)
        e = self.np.exp(scores - scores.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True) @ v

    def score(self, logits, targets):
        """The sum of the losses and the number of right guesses."""
        x = logits.reshape(-1, logits.shape[-1]).astype("f8")
        right, most, targets = self.np.arange(len(x)), x.max(-1), targets.reshape(-1)
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

    def concatenate(self, parts):
        return torch.cat(parts, -1)

    def linear(self, op, x, weight, bias=None):
        return F.linear(x, weight, bias)

    def layernorm(self, op, x, gain, bias):
        return self.by_group(op, lambda x: F.layer_norm(x, x.shape[-1:], gain, bias, op["eps"]), x)

    def gelu(self, op, x):
        return F.gelu(x, approximate="tanh")

    def relu(self, op, x):
        return F.relu(x)

    def tanh(self, op, x, gain, bias):
        return gain * torch.tanh(x) + bias

    def erf(self, op, x, gain, bias):
        return gain * torch.erf(x) + bias

    def dropout(self, op, x):
        return F.dropout(x, self.dropout_p, self.training)

    def attend(self, q, k, v):
        """q, k, v [B, heads, T, size]: fused since PyTorch 2, written out before."""
        if hasattr(F, "scaled_dot_product_attention"):
            return F.scaled_dot_product_attention(q, k, v, is_causal=True)
        future = torch.ones(q.shape[-2], q.shape[-2], dtype=torch.bool, device=q.device).triu(1)
        scores = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).masked_fill(future, -math.inf)
        return scores.softmax(-1) @ v

    def score(self, logits, targets):
        x, targets = logits.flatten(0, 1).double(), targets.flatten()
        return F.cross_entropy(x, targets, reduction="sum").item(), int((x.argmax(-1) == targets).sum())


def forward(ops, graph, weights, tokens, want=()):
    """Runs a file's ops on tokens [B, T]: the logits, or with `want` (logits, {name: activation})."""
    if tokens.shape[-1] > graph["context"]:
        raise ValueError(f"{tokens.shape[-1]} tokens; the context of this model is {graph['context']}")
    value, last = {"tokens": tokens}, {}
    for number, op in enumerate(graph["ops"]):
        last.update((name, number) for name in op["in"])
    for number, op in enumerate(graph["ops"]):
        inputs = [weights[name] if name in weights else value[name] for name in op["in"]]
        value[op["out"]] = getattr(ops, op["op"])(op, *inputs)
        for name in set(op["in"]) & set(value):  # what nobody reads any more
            if last[name] == number and name not in want:
                del value[name]
    unknown = [name for name in want if name not in value]
    if unknown:
        raise KeyError(f"{unknown[0]}: no activation of this model; see `out` in graph['ops']")
    return (value[graph["logits"]], {name: value[name] for name in want}) if want else value[graph["logits"]]


class File:
    """A file of `normbench export`: tensors by name, the network, the run's spec, the vocabulary (None: not in it)."""

    def __init__(self, path, ops):
        with open(path, "rb") as stream:
            data = stream.read()
        (length,) = struct.unpack("<Q", data[:8])
        header = json.loads(data[8:8 + length])
        self.metadata = header.pop("__metadata__", {})
        if "model" not in self.metadata:
            raise ValueError(f"{path}: no 'model' in its metadata; export it anew with `normbench export`")
        self.graph = json.loads(self.metadata["model"])
        missing = sorted({op["op"] for op in self.graph["ops"] if not hasattr(ops, op["op"])})
        if missing:
            raise ValueError(f"{path}: a model with the op {missing[0]}, which this load_torch.py does not know")
        self.spec = dict(line.split(" = ", 1) for line in self.metadata["spec"].splitlines())
        text = self.metadata.get("vocabulary")
        if text and hashlib.sha256(text.encode()).hexdigest() != self.metadata["tokenizer_sha256"]:
            raise ValueError(f"{path}: its vocabulary is not the one that tokenizer_sha256 names")
        self.vocabulary = Vocabulary(text) if text else None
        body = data[8 + length:]
        self.weights = {name: ops.tensor(body[slice(*t["data_offsets"])], t["dtype"], t["shape"])
                        for name, t in header.items()}
        self.batches = self.weights.pop("batches", None)  # [steps, batch]: where each crop of training begins


class Model(torch.nn.Module if torch else object):
    """The network of a File. In training mode it drops out as its recipe says, with PyTorch's random numbers."""

    def __init__(self, file, ops):
        super().__init__()
        self.graph, self.spec, self.vocabulary, self.ops = file.graph, file.spec, file.vocabulary, ops
        ops.dropout_p = file.graph["dropout"]
        for name, tensor in file.weights.items():
            *path, leaf = name.split(".")
            owner = self
            for part in path:
                if part not in owner._modules:
                    owner.add_module(part, torch.nn.Module())
                owner = owner._modules[part]
            owner.register_parameter(leaf, torch.nn.Parameter(tensor))

    def forward(self, tokens, want=()):
        self.ops.training = self.training
        return forward(self.ops, self.graph, dict(self.named_parameters()), tokens, want)


def load(path):
    """A torch.nn.Module in evaluation mode."""
    ops = Torch()
    return Model(File(path, ops), ops).eval()


def parts(path):
    """A corpus' training text, its first 90% of bytes up to the end of a code point, and its validation text."""
    with open(path, "rb") as stream:
        data = stream.read()
    cut = len(data) * 9 // 10
    while cut < len(data) and data[cut] & 0xC0 == 0x80:
        cut += 1
    return data[:cut].decode(errors="surrogateescape"), data[cut:].decode(errors="surrogateescape")


def crops(ids, starts, context):
    """Inputs and targets of the crops that begin at starts, as lists."""
    return [ids[s:s + context] for s in starts], [ids[s + 1:s + 1 + context] for s in starts]


def validate(run, ops, ids, context, batch=16):
    """Loss and accuracy over windows that do not overlap, as normbench's whole validation has them."""
    windows = [w * context for w in range((len(ids) - 1) // context)]
    if not windows:
        raise ValueError(f"{len(ids)} tokens of validation text; one window takes {context + 1}")
    nll = hits = 0
    for at in range(0, len(windows), batch):
        inputs, targets = crops(ids, windows[at:at + batch], context)
        one, right = ops.score(run(ops.ids(inputs)), ops.ids(targets))
        nll, hits = nll + one, hits + right
    return nll / (len(windows) * context), hits / (len(windows) * context), len(windows) * context


def sample(run, ops, vocabulary, prompt, context, tokens, temperature, seed):
    ids, draw = vocabulary.encode(prompt), random.Random(seed)
    if not ids:
        raise ValueError("--sample: an empty text; at least one character is needed")
    for _ in range(tokens):
        row = [float(x) for x in run(ops.ids([ids[-context:]]))[0, -1]]
        if temperature == 0:
            ids.append(row.index(max(row)))
        else:
            ids += draw.choices(range(len(row)), [math.exp((x - max(row)) / temperature) for x in row])
    return vocabulary.decode(ids)


def describe(file):
    graph, count = file.graph, sum(math.prod(w.shape) for w in file.weights.values())
    ops = ", ".join(sorted({op["op"] for op in graph["ops"]}))
    print(f"{graph['layers']} layers x {graph['width']}, context {graph['context']}, {count} parameters; ops: {ops}")
    print(f"vocabulary: {len(file.vocabulary.token)} of kind {file.vocabulary.kind}" if file.vocabulary
          else f"vocabulary: {graph['vocabulary']} tokens, which the file does not name")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="F.safetensors")
    parser.add_argument("--text", help="the corpus: its first 90%% train, the rest validates")
    parser.add_argument("--valid", help="a validation text of its own, whole")
    parser.add_argument("--steps", help="with --text: the losses of these steps' batches, such as 0,1")
    parser.add_argument("--sample", metavar="PROMPT", help="goes on from this text")
    parser.add_argument("--tokens", type=int, default=200, help="how far (default: 200)")
    parser.add_argument("--temperature", type=float, default=1.0, help="0: the likeliest token (default: 1)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--numpy", action="store_true", help="numpy also where PyTorch is installed")
    return parser.parse_args()


def chosen_steps(o, file):
    if not o.steps:
        return []
    if file.batches is None:
        raise ValueError(f"{o.file}: no `batches`; export with --batches")
    for step in o.steps.split(","):
        if not step.isdigit() or int(step) >= len(file.batches):
            raise ValueError(f"--steps: {step!r} is no step of this run (0 to {len(file.batches) - 1})")
    return [int(step) for step in o.steps.split(",")]


def main(o):
    ops = Torch() if torch and not o.numpy else Numpy()
    file = File(o.file, ops)
    context, run = file.graph["context"], lambda tokens: forward(ops, file.graph, file.weights, tokens)
    if not (o.text or o.valid) and o.sample is None:
        return describe(file)
    if o.steps and not o.text:
        raise ValueError("--steps: needs --text, the corpus that the run trained on")
    if not file.vocabulary:
        raise ValueError(f"{o.file}: no vocabulary in it; export it where the corpus is")
    steps = chosen_steps(o, file)
    train, valid = parts(o.text) if o.text else ("", "")
    if o.valid:
        with open(o.valid, "rb") as stream:
            valid = stream.read().decode(errors="surrogateescape")
    if o.text or o.valid:
        loss, accuracy, targets = validate(run, ops, file.vocabulary.encode(valid), context)
        print(f"validation loss {loss:.7f}, accuracy {accuracy:.6f}, {targets} targets")
    ids = file.vocabulary.encode(train) if steps else []
    for step in steps:
        inputs, targets = crops(ids, file.batches[step].tolist(), context)
        print(f"step {step}: loss {ops.score(run(ops.ids(inputs)), ops.ids(targets))[0] / len(inputs) / context:.7f}")
    if o.sample is not None:
        print(sample(run, ops, file.vocabulary, o.sample, context, o.tokens, o.temperature, o.seed))


if __name__ == "__main__":
    try:
        if torch:
            torch.set_grad_enabled(False)
        main(arguments())
    except (OSError, ValueError, KeyError, ImportError) as problem:
        sys.exit(f"load_torch.py: {problem}")
