"""Weights of `normbench model export RUN -o F.safetensors` elsewhere: a PyTorch module, or numpy arrays, of any placement.

    import load_torch
    model = load_torch.load("F.safetensors")         # a torch.nn.Module; its state_dict has the file's names (nanoGPT's)
    logits = model(tokens)                           # tokens [B, T], T up to the context -> [B, T, vocabulary]
    logits, seen = model(tokens, want=["h.0.attn"])  # and activations by their names in model.graph["ops"]
    model.vocabulary.encode("To be"), model.vocabulary.decode([1, 2, 3])

    python3 load_torch.py F.safetensors                                what is in it
    python3 load_torch.py F.safetensors --text CORPUS                  the loss that `normbench model import` prints
    python3 load_torch.py F.safetensors --text CORPUS --steps 0,1      that of training steps (export with --batches)
    python3 load_torch.py F.safetensors --sample 'ROMEO:' --tokens 200

The file says which network it is: the ops of normbench's tape from tokens to logits (metadata `model`) and the vocabulary
(`vocabulary`). Each op is a method of tape_ops.py beside this file, so a placement, a recipe or a range of layers needs no code of
its own. These two files need nothing else of normbench; PyTorch is used where it is installed, numpy with --numpy or without PyTorch.
"""
import argparse
import hashlib
import json
import math
import random
import re
import struct
import sys

from tape_ops import Numpy, Torch, torch


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


def forward(ops, graph, weights, tokens, want=()):
    """Runs a file's ops on tokens [B, T]: the logits, or with `want` (logits, {name: activation}). A model of several feeds
    takes {feed: ids}, rows packed (translate_torch.py)."""
    feeds = tokens if isinstance(tokens, dict) else {"tokens": tokens}
    if feeds is not tokens and tokens.shape[-1] > graph["context"]:
        raise ValueError(f"{tokens.shape[-1]} tokens; the context of this model is {graph['context']}")
    ops.progress = graph.get("progress", 0)
    value, last = dict(feeds), {}
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
    """A file of `normbench model export`: tensors by name, the network, the run's spec, the vocabulary (None: not in it)."""

    def __init__(self, path, ops):
        with open(path, "rb") as stream:
            data = stream.read()
        (length,) = struct.unpack("<Q", data[:8])
        header = json.loads(data[8:8 + length])
        self.metadata = header.pop("__metadata__", {})
        if "model" not in self.metadata:
            raise ValueError(f"{path}: no 'model' in its metadata; export it anew with `normbench model export`")
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


def philox(seed, stream, offset):
    """A 32-bit word of Philox4x32-10, as base/philox.h numbers them."""
    mask, block = 0xFFFFFFFF, offset >> 2
    c, k = [block & mask, block >> 32, stream & mask, stream >> 32], [seed & mask, seed >> 32]
    for _ in range(10):
        p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [q >> 32 ^ c[1] ^ k[0], q & mask, p >> 32 ^ c[3] ^ k[1], p & mask]
        k = [k[0] + 0x9E3779B9 & mask, k[1] + 0xBB67AE85 & mask]
    return c[offset & 3]


def masked(row, window, vocabulary):
    """Inputs and targets of a validation window of a masked model (datasets/masking.h has the rule)."""
    stream = int.from_bytes(hashlib.sha256(b"mask.valid").digest()[:8], "little")
    draw = [[philox(0, stream, (window << 40) + 4 * i + k) for k in range(4)] for i in range(len(row))]
    chosen = [i for i in range(len(row)) if draw[i][0] * 100 < 15 << 32] or [draw[0][3] * len(row) >> 32]
    inputs, targets = list(row), [-1] * len(row)
    for i in chosen:
        targets[i] = row[i]
        if draw[i][1] * 100 < 90 << 32:
            inputs[i] = vocabulary if draw[i][1] * 100 < 80 << 32 else draw[i][2] * vocabulary >> 32
    return inputs, targets


def validate(run, ops, ids, context, vocabulary=0, batch=16):
    """Loss and accuracy over windows that do not overlap, as normbench's whole validation has them. vocabulary: of a model
    that is asked for masked tokens, how many tokens there are without the mask."""
    windows = [w * context for w in range((len(ids) - 1) // context)]
    if not windows:
        raise ValueError(f"{len(ids)} tokens of validation text; one window takes {context + 1}")
    nll = hits = count = 0
    for at in range(0, len(windows), batch):
        inputs, targets = crops(ids, windows[at:at + batch], context)
        if vocabulary:
            inputs, targets = zip(*(masked(row, at + i, vocabulary) for i, row in enumerate(inputs)))
        one, right = ops.score(run(ops.ids(inputs)), ops.ids(targets))
        nll, hits, count = nll + one, hits + right, count + sum(t >= 0 for row in targets for t in row)
    return nll / count, hits / count, count


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
        hidden = file.graph["vocabulary"] if file.spec.get("objective") == "masked" else 0
        loss, accuracy, targets = validate(run, ops, file.vocabulary.encode(valid), context, hidden)
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
