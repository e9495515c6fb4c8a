"""The rows of replicas.py in PyTorch: one seed after another, seeds folded into a batch by hand, torch.func over seeds.

The ops are tape_ops.py's, on the model that the exported file describes. Nothing here waits for the device between two steps.
"""
import contextlib
import re
import time
import warnings

import torch
import torch.nn.functional as F

import load_torch
from replica_row import Absent
from tape_ops import Torch

if not hasattr(torch, "func"):
    raise ImportError(f"PyTorch {torch.__version__} is older than torch.func")
CLIP_EPS = 1e-6  # what clip_grad_norm_ adds to the norm


class Folded(Torch):
    """The ops for all seeds at once, x [seeds, batch, tokens, width]; a matrix is [seeds, out, in], a vector
    [seeds, 1, 1, width]."""

    known = {"embed", "linear", "layernorm", "rmsnorm", "center", "unit", "rope", "attention", "gelu", "relu", "swiglu",
             "scale", "residual"}

    def embed(self, op, tokens, wte, wpe=None):
        first = torch.arange(len(wte), device=tokens.device) * wte.shape[1]
        x = F.embedding(tokens + first[:, None, None], wte.flatten(0, 1))
        return x if wpe is None else x + wpe[:, None, :tokens.shape[-1]]

    def linear(self, op, x, weight, bias=None):
        rows = x.flatten(1, 2)
        y = torch.bmm(rows, weight.mT) if bias is None else torch.baddbmm(bias.flatten(1, 2), rows, weight.mT)
        return y.unflatten(1, x.shape[1:3])

    def layernorm(self, op, x, gain, bias):
        return F.layer_norm(x, x.shape[-1:], None, None, op["eps"]) * gain + bias

    def rope(self, op, x):
        return super().rope(op, x.flatten(0, 1)).unflatten(0, x.shape[:2])

    def attention(self, op, x):
        return super().attention(op, x.flatten(0, 1)).unflatten(0, x.shape[:2])


class Row:
    """A row that trains all seeds; a subclass has reset() and steps()."""

    def __init__(self, job, compiled=False):
        if job.device == "cuda" and not torch.cuda.is_available():
            raise Absent("no CUDA device that this PyTorch sees")
        self.job, self.compiled, self.device, self.warned = job, compiled, torch.device(job.device), set()
        if job.device == "cpu":
            torch.set_num_threads(job.threads)
        torch.set_float32_matmul_precision("high" if job.precision == "tf32" else "highest")
        self.version = torch.__version__
        self.weights = {name: torch.tensor(w, device=self.device) for name, w in job.weights.items()}
        self.ids = torch.tensor(job.ids, dtype=torch.int64, device=self.device)
        self.starts = torch.tensor(job.starts, dtype=torch.int64, device=self.device)
        self.row = torch.arange(job.context, device=self.device)
        self.losses = torch.zeros(job.steps, job.seeds, device=self.device)

    def compile(self, function):
        """On a device with CUDA graphs."""
        if not self.compiled:
            return function
        return torch.compile(function, mode="reduce-overhead" if self.device.type == "cuda" else None)

    def crops(self, starts):
        at = starts[..., None] + self.row
        return self.ids[at], self.ids[at + 1]

    def autocast(self):
        if self.job.precision == "bf16":
            return torch.autocast(self.device.type, dtype=torch.bfloat16)
        return contextlib.nullcontext()

    def optimizer(self, w):
        n = self.job.number
        groups = [{"params": [w[name] for name in w if name in self.job.matrices], "weight_decay": n["weight_decay"]},
                  {"params": [w[name] for name in w if name not in self.job.matrices], "weight_decay": 0.0}]
        kind, betas = {"adamw": torch.optim.AdamW, "adam": torch.optim.Adam}[self.job.optimizer], (n["beta1"], n["beta2"])
        return kind([g for g in groups if g["params"]], lr=0.0, betas=betas, eps=n["adam_eps"], fused=True)

    def update(self, optimizer, number):
        for group in optimizer.param_groups:
            group["lr"] = self.job.rates[number]
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    def begin_step(self):
        if self.compiled and self.device.type == "cuda":
            torch.compiler.cudagraph_mark_step_begin()

    def note(self):
        return "; ".join(sorted(self.warned))

    def train(self):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            self.reset()
            self.steps()
        self.warned |= {f"no batching rule for {op}" for w in said
                        for op in re.findall(r"batching rule for (\S+?)\.? ", str(w.message) + " ")}
        return self.losses.tolist()

    def time(self):
        """Seconds of a training; on a device by its own clock, with nothing before it left in the queue."""
        self.reset()
        if self.device.type == "cpu":
            start = time.perf_counter()
            self.steps()
            return time.perf_counter() - start
        first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda.synchronize()
        first.record()
        self.steps()
        last.record()
        torch.cuda.synchronize()
        return first.elapsed_time(last) / 1e3


class OneByOne(Row):
    """One seed after another, in the same tensors: what was compiled or captured for the first serves every one."""

    def __init__(self, job, compiled=False):
        super().__init__(job, compiled)
        self.w = {name: w[0].clone().requires_grad_() for name, w in self.weights.items()}
        if compiled:
            for w in self.w.values():
                torch._dynamo.mark_static_address(w)
        ops = Torch()
        self.loss = self.compile(lambda inputs, targets: F.cross_entropy(
            load_torch.forward(ops, job.graph, self.w, inputs).flatten(0, 1), targets.flatten()))

    def reset(self):
        pass

    def steps(self):
        clip, every = self.job.number["clip"], list(self.w.values())
        for seed in range(self.job.seeds):
            with torch.no_grad():
                for name, w in self.w.items():
                    w.copy_(self.weights[name][seed])
            optimizer = self.optimizer(self.w)
            for number in range(self.job.steps):
                self.begin_step()
                inputs, targets = self.crops(self.starts[number, seed])
                with self.autocast():
                    loss = self.loss(inputs, targets)
                loss.backward()
                self.losses[number, seed] = loss.detach()
                if clip:
                    torch.nn.utils.clip_grad_norm_(every, clip)
                self.update(optimizer, number)


def clip_seeds(grads, limit):
    """Each seed's gradients by that seed's norm."""
    norm = torch.stack([g.flatten(1).square().sum(1) for g in grads]).sum(0).sqrt()
    scale = (limit / (norm + CLIP_EPS)).clamp(max=1)
    for g in grads:
        g.mul_(scale.view(-1, *[1] * (g.ndim - 1)))


class Together(Row):
    """All seeds in one step; a subclass has gradients(inputs, targets), which leaves them in .grad and returns the losses."""

    def reset(self):
        with torch.no_grad():
            for name, w in self.w.items():
                w.copy_(self.weights[name].view_as(w))
        self.adam = self.optimizer(self.w)

    def steps(self):
        for number in range(self.job.steps):
            self.begin_step()
            inputs, targets = self.crops(self.starts[number])
            self.losses[number] = self.gradients(inputs, targets)
            if self.job.number["clip"]:
                self.clip([w.grad for w in self.w.values()], self.job.number["clip"])
            self.update(self.adam, number)


class ByHand(Together):
    """Seeds folded into the batch: bmm and baddbmm for products, one attention over seeds x batch."""

    def __init__(self, job, compiled=False):
        super().__init__(job, compiled)
        unknown = [op["op"] for op in job.graph["ops"] if op["op"] not in Folded.known or op.get("group")]
        if unknown:
            raise Absent(f"the op {unknown[0]} of this model, which is not folded by hand here")
        self.w = {name: w.clone().view(w.shape if name in job.matrices else (len(w), 1, 1, -1)).requires_grad_()
                  for name, w in self.weights.items()}
        if compiled:
            for w in self.w.values():
                torch._dynamo.mark_static_address(w)
        ops = Folded()

        def losses(inputs, targets):
            logits = load_torch.forward(ops, job.graph, self.w, inputs)
            return F.cross_entropy(logits.flatten(0, 2), targets.flatten(), reduction="none").view(job.seeds, -1).mean(1)
        self.each, self.clip = self.compile(losses), self.compile(clip_seeds)

    def gradients(self, inputs, targets):
        with self.autocast():
            losses = self.each(inputs, targets)
        losses.sum().backward()
        return losses.detach()


class Vmapped(Together):
    """torch.func: vmap of functional_call and its gradient over stacked parameters."""

    def __init__(self, job):
        super().__init__(job)
        self.w = {name: w.clone() for name, w in self.weights.items()}
        file = type("File", (), {"graph": job.graph, "spec": job.spec, "vocabulary": None,
                                 "weights": {name: w[0] for name, w in self.weights.items()}})
        model = load_torch.Model(file, Torch())

        def loss(w, inputs, targets):
            logits = torch.func.functional_call(model, w, (inputs,))
            return F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        self.each, self.clip = torch.func.vmap(torch.func.grad_and_value(loss)), clip_seeds

    def gradients(self, inputs, targets):
        with self.autocast():
            grads, losses = self.each(self.w, inputs, targets)
        for name, w in self.w.items():
            w.grad = grads[name]
        return losses


ROWS = {"eager": OneByOne, "compile": lambda job: OneByOne(job, True), "folded": ByHand,
        "folded-compile": lambda job: ByHand(job, True), "func": Vmapped}
