"""Weights of `normbench export RUN --step N -o F.safetensors --batches`, loaded and run in PyTorch.

    python3 bench/peers/load_torch.py F.safetensors CORPUS [STEP ...]

CORPUS is the text the run trained on. Prints the loss of each step's batch (default: the first two) under the file's
weights: for weights exported at step N, the loss of step N is the one that normbench recorded for it. Covers the Pre-LN
model with any norm after the embedding, which is what bench/experiments/embedding-norm.yaml compares.
"""
import json
import math
import struct
import sys

try:
    import torch
    import torch.nn.functional as F
except ImportError as missing:
    print(f"skipped: {missing} (Debian: python3-torch; PyPI: torch)")
    sys.exit(77)

EXPECTED = {"attn.in": "layernorm", "mlp.in": "layernorm", "final": "layernorm", "carry": "1", "gate": "1",
            "depth_scale": "1", "tied": "true", "bias": "true", "dropout": "0", "activation": "gelu"}


DTYPE = {"F32": torch.float32, "I64": torch.int64, "I32": torch.int32, "U64": torch.int64}


def load(path):
    """The tensors by name, and the run's spec as a dictionary. safetensors: a length, a JSON header, the bytes."""
    data = bytearray(open(path, "rb").read())
    (length,) = struct.unpack("<Q", data[:8])
    header, spec = json.loads(data[8:8 + length]), {}
    spec = dict(line.split(" = ", 1) for line in header.pop("__metadata__")["spec"].splitlines())
    return {name: torch.frombuffer(data, dtype=DTYPE[t["dtype"]], offset=8 + length + t["data_offsets"][0],
                                   count=math.prod(t["shape"])).view(t["shape"]).clone()
            for name, t in header.items()}, spec


def train_ids(path, tokenizer):
    """Token ids of the first 90% of the bytes: bytes themselves, or ranks of the code points that occur."""
    data = open(path, "rb").read()
    cut = len(data) * 9 // 10
    while cut < len(data) and data[cut] & 0xC0 == 0x80:  # not inside a code point
        cut += 1
    if tokenizer == "byte":
        return torch.tensor(list(data[:cut]))
    rank = {c: i for i, c in enumerate(sorted(set(data.decode())))}
    return torch.tensor([rank[c] for c in data[:cut].decode()])


def norm(x, kind, w, name, eps):
    if kind == "layernorm":
        return F.layer_norm(x, x.shape[-1:], w[name + ".weight"], w[name + ".bias"], eps)
    if kind == "rmsnorm":
        return w[name + ".weight"] * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)
    return x - x.mean(-1, keepdim=True) if kind == "center" else x


def attention(q, k, v):
    """q, k, v [B, heads, T, size]: fused since PyTorch 2, written out before."""
    if hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)
    future = torch.ones(q.shape[-2], q.shape[-2], dtype=torch.bool).triu(1)
    scores = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).masked_fill(future, -math.inf)
    return scores.softmax(-1) @ v


def logits(w, spec, tokens):
    """tokens [B, T] -> [B, T, vocabulary]; weights are [out, in], as F.linear takes them."""
    (B, T), C, heads, eps = tokens.shape, int(spec["width"]), int(spec["heads"]), float(spec["norm_eps"])
    linear = lambda x, name: F.linear(x, w[name + ".weight"], w[name + ".bias"])
    x = w["wte.weight"][tokens] + w["wpe.weight"][:T]
    x = norm(x, spec["embed"], w, "ln_emb", eps)
    for i in range(int(spec["layers"])):
        h = f"h.{i}."
        qkv = linear(norm(x, "layernorm", w, h + "ln_1", eps), h + "attn.c_attn")
        q, k, v = (z.view(B, T, heads, C // heads).transpose(1, 2) for z in qkv.split(C, -1))
        x = x + linear(attention(q, k, v).transpose(1, 2).reshape(B, T, C), h + "attn.c_proj")
        u = linear(norm(x, "layernorm", w, h + "ln_2", eps), h + "mlp.c_fc")
        x = x + linear(F.gelu(u, approximate="tanh"), h + "mlp.c_proj")
    return F.linear(norm(x, "layernorm", w, "ln_f", eps), w["wte.weight"])


def refuse_other(spec):
    """Exits when the run's model is not the one written here."""
    other = [f"{key} = {spec[key]}" for key, value in EXPECTED.items() if spec[key] != value]
    other += [f"{key} = {spec[key]}" for key in spec if key.startswith(("attn.", "mlp."))
              and key not in EXPECTED and spec[key] != "none"]
    if other:
        sys.exit("this example has no " + ", ".join(other))


def batch(w, ids, step, context):
    """Inputs and targets of a step: the crops whose starts the file holds."""
    starts = w["batches"][step].tolist()
    return (torch.stack([ids[s:s + context] for s in starts]), torch.stack([ids[s + 1:s + 1 + context] for s in starts]))


def main(path, corpus, *steps):
    w, spec = load(path)
    refuse_other(spec)
    if "batches" not in w:
        sys.exit(f"{path}: no `batches`; export with --batches")
    ids = train_ids(corpus, spec["tokenizer"])
    for step in [int(s) for s in steps] or [0, 1]:
        inputs, targets = batch(w, ids, step, int(spec["context"]))
        with torch.no_grad():
            loss = F.cross_entropy(logits(w, spec, inputs).flatten(0, 1), targets.flatten())
        print(f"step {step}: loss {loss.item():.7f}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
