"""Arms of every rule in every column that takes it, every choice, start and norm, and what is wrong with how they were trained.

    equations.py arms PROGRAM WHAT...            experiment files, NAME.yaml and NAME.arms (JSON), of what is listed in ARMS
    equations.py starts PROGRAM NAME             starting weights and batches of the runs in NAME.results, a file in normals each
    equations.py check PROGRAM TEXT NAME...      the runs in NAME.results against training by equation_net.py, a line each
    equations.py missing PROGRAM NAME...         keys, choices and recipes of the help that no arm of these has, a line each
"""
import csv
import glob
import json
import os
import re
import subprocess
import sys

import numpy as np

from equation_net import Net
from equation_pairs import Pairs, encoded_pairs
from equation_text import equations
from equation_train import train
from placements import letters_of, read_export

# Everything that a key of the experiment says; the starting weights are large, so that every part of a network matters.
KEYS = {"layers": 3, "width": 8, "heads": 2, "ffn_mult": 2, "context": 6, "batch": 2, "norm_eps": 1e-2, "init_std": 0.3, "token_std": 0.4,
        "position_std": 0.3, "optimizer": "adamw", "lr": 3e-2, "schedule": "constant", "warmup": 0, "warmup_lr": 0, "final_lr": 0,
        "beta1": 0.9, "beta2": 0.95, "adam_eps": 1e-2, "momentum": 0.9, "weight_decay": 0.1, "clip": 1, "steps": 5,
        "objective": "next", "activation": "gelu", "positions": "learned", "bias": True, "tied": True, "label_smoothing": 0,
        "shared_embeddings": True, "residual_init": "scaled", "dropout": 0, "init_seed": 0, "order_seed": 0, "dropout_seed": 0}
# Keys that say how numbers are read, rounded, stored or shown, which no equation says, and where they are tested.
ELSEWHERE = {"dataset": "tests/datasets", "tokenizer": "tests/datasets", "text_sha256": "tests/datasets", "long_lines": "tests/datasets",
             "precision": "tests/kernels, tests/models", "evaluate_at": "tests/run", "curve_every": "tests/run", "curve_batches": "tests/run",
             "mended": "tests/plan"}
SHAPE = "activation", "layers", "width", "ffn_mult", "context", "batch", "objective", "init_seed", "order_seed"  # what starts depend on
RECIPES = {"gpt2": {}, "llama": {"activation": "swiglu", "positions": "rope", "bias": False, "tied": False}}
MOST = 60  # arms of an experiment
TWO = {"ramp", "learned_ramp", "moves"}  # rules of two numbers
OUTSIDE = {"embed_scale", "logit_scale", "logit_cap"}  # of the blocks: a ramp has its first number there alone
NUMBERLESS = {"rest", "profiled"}
# Of a loss's and a gradient's size. A step's stored loss is a float; starting lengths of vectors are summed in float, too. Networks of
# large numbers everywhere (FULL) make much of an error.
TOLERANCE, TOLERANCE_OF_FLOATS, TOLERANCE_OF_LENGTHS = 1e-12, 2e-7, 2e-4


# ---- arms

def columns(program):
    """{column: what may stand in it}, read from the help."""
    text = subprocess.run([program, "run", "--help", "all"], capture_output=True, text=True, check=True).stdout
    text = text[text.index("Columns of an arm"):]
    found = {}
    for names, values in re.findall(r"^((?:[a-z_0-9.]+(?:, )?)+):\n((?:    .*\n)+)", text, re.M):
        values = re.sub(r"\s+", " ", values).strip()
        values = re.sub(r" and a number \('.*$", "", values).replace(" and a number", "")
        for name in names.split(", "):
            found[name] = values.split(", ")
    return found


def keys_of_help(program):
    """{key of an experiment: what may stand in it}, a list, or None where it is a number or a text."""
    text = subprocess.run([program, "run", "--help", "all"], capture_output=True, text=True, check=True).stdout
    lines = text[text.index("Keys of --set"):text.index("--set takes")].splitlines()[2:]
    found = {}
    for line in lines:
        key, valid = re.match(r"([a-z_0-9]+) +\S+ +(\S+ to \S+|(?:\S+, )*\S+) ", line).groups()
        found[key] = valid.split(", ") if ", " in valid else None
    return found


def written(column, value):
    """A rule with numbers."""
    end = "0.6" if column in OUTSIDE and value != "moves" else "0.3"
    return value if value in NUMBERLESS else "0.7" if value == "a number" else f"{value} 0.6 {end}" if value in TWO else f"{value} 0.7"


def values_of(column, valid):
    if "a number" not in valid:
        return [value for value in valid if value]
    return [written(column, value) for value in valid if value != "or constant"]


# Norms and scales stand wherever they can, so that a column meets something.
APART = {"base": "none", "attn.in": "layernorm", "mlp.in": "layernorm", "attn.out": "rmsnorm", "mlp.out": "rmsnorm",
         "final": "layernorm"}  # of streams that end in no sum
FULL = {**APART, "attn.post": "layernorm", "mlp.post": "layernorm"}
with open(os.environ["NORMBENCH_ROOT"] + "/models/choices.def") as choices:
    NOT_SUMMED = re.findall(r"^CHOICE\(streams, (\w+), \d+, [^,]*\bapart\b", choices.read(), re.M)


def each_value(program):
    """An arm for each value of each column by itself."""
    for column, valid in columns(program).items():
        for value in values_of(column, valid):
            base = APART if column == "streams" and value in NOT_SUMMED else FULL
            more = {"gate": 0.3} if value.startswith("rest") else {"attn.qk": "rmsnorm"} if column == "attn.qk_over" else {}
            yield {**base, **more, column: value}


def arms_columns(program):
    """Each value of each column, in the recipes by turns."""
    for i, arm in enumerate(each_value(program)):
        yield {**arm, "recipe": list(RECIPES)[i % len(RECIPES)]}


def arms_other_columns(program):
    """Each value of each column in the recipes that it has not in `columns`."""
    for i, arm in enumerate(each_value(program)):
        yield from ({**arm, "recipe": recipe} for k, recipe in enumerate(RECIPES) if k != i % len(RECIPES))


def arms_ranges(program):
    """Each norm and rule of each column in some of the blocks, over the column's usual one and over another."""
    places = ("from 1/3", "to 1/3", "from 1 to 1", "from 2")
    for column, valid in columns(program).items():
        if column in OUTSIDE or column in ("embed", "final", "streams", "init", "after_step", "attn.qk_over"):
            continue
        for i, value in enumerate(values_of(column, valid)):
            value = f"{value} {places[i % 4]}"
            first = "0.4; " if "a number" in valid and i % 2 else ""
            more = {"gate": "learned 0.3 from 1"} if value.startswith("rest") else {}
            yield {**FULL, **more, column: first + value}
    yield {**FULL, "gate": "learned 0.5 to 1/3; learned_row 0.7 from 2/3", "attn.gate": "0.3 from 1", "carry": "profiled 1 from 2"}


def arms_numbers(program):
    """Each rule of each column with other numbers, each of which must matter."""
    for column, valid in columns(program).items():
        for rule in valid if "a number" in valid else ():
            if rule not in NUMBERLESS and rule != "or constant":
                more = {"attn.qk": "rmsnorm"} if column == "attn.qk_over" else {}
                numbers = ("0.6 0.3", "0.45 0.3", "0.6 0.2") if rule in TWO else ("0.7", "0.45")
                if rule in TWO and column in OUTSIDE:
                    numbers = "0.6 0.6", "0.45 0.45"
                for number in numbers:
                    yield {**FULL, **more, column: number if rule == "a number" else f"{rule} {number}"}


def same_runs(arms, runs, alike):
    """Arms that have the same losses although their numbers differ; alike: of one column and rule, else any two."""
    seen = {}
    for i, arm in enumerate(arms):
        curves, _ = runs[f"arm{i}"]
        column = [f"{k}: {v.split(' ')[0] if ' ' in v else ''}" for k, v in arm.items() if FULL.get(k) != v] if alike else []
        key = *column, *[row["train_loss"] for row in curves]
        if key in seen:
            yield f"{flow(arm)}: the losses of {flow(seen[key])}, whose numbers are others"
        seen[key] = arm


def arms_pairs(program):
    """Each carry with each gate, on one stream and on two."""
    found = columns(program)
    for carry in values_of("carry", found["carry"]):
        for gate in values_of("gate", found["gate"]):
            for streams in ("one", "dual 0.5"):
                yield {**FULL, "carry": carry, "gate": gate, "streams": streams}


def arms_streams(program):
    """Each rule of each column with each way of streams."""
    found = columns(program)
    for streams in found["streams"][1:]:
        for column, valid in found.items():
            if "a number" not in valid or streams in NOT_SUMMED and column in ("carry", "block_carry", "x0", "shrink", "post_strength"):
                continue
            for value in values_of(column, valid):
                yield {**(APART if streams in NOT_SUMMED else FULL), "streams": streams, column: value,
                       **({"gate": "learned 0.3"} if value.startswith("rest") else {})}


def arms_starts(program):
    """Each start with each activation, each optimizer with each schedule."""
    found, keys = columns(program), keys_of_help(program)
    for start in found["init"]:
        for recipe in RECIPES:
            for activation in keys["activation"]:
                for after in found["after_step"]:
                    yield {**FULL, "init": start, "recipe": recipe, "activation": activation, "after_step": after}
    for optimizer in keys["optimizer"]:
        for schedule in keys["schedule"]:
            yield {**FULL, "optimizer": optimizer, "schedule": schedule, "warmup": 2, "steps": 9, "clip": 0,
                   "final_lr": 1e-3, "in_strength": "moves 1 0"}


# Other numbers than KEYS has; 0 and 1 are tested as what they are elsewhere. What a key needs beside it to matter.
OTHERS = {"layers": 4, "width": 16, "heads": 4, "ffn_mult": 3, "context": 5, "batch": 3, "norm_eps": 0.1, "init_std": 0.2, "token_std": 0.3,
          "position_std": 0.4, "lr": 1e-2, "warmup": 3, "warmup_lr": 2e-2, "final_lr": 1e-3, "beta1": 0.7, "beta2": 0.8, "adam_eps": 1e-3,
          "momentum": 0.5, "weight_decay": 0.5, "clip": 0.2, "steps": 4, "label_smoothing": 0.2, "dropout": 0.3, "init_seed": 7,
          "order_seed": 7, "dropout_seed": 7}
BESIDE = {"warmup_lr": {"warmup": 2}, "final_lr": {"schedule": "linear"}, "momentum": {"optimizer": "sgd"}, "dropout_seed": {"dropout": 0.3}}
OF_PAIRS = {("objective", "translate"), ("positions", "sinusoidal"), ("shared_embeddings", False)}  # of encoder-decoders alone


def arms_keys(program):
    """Each key at another value, which must matter: each choice, and a number; OF_PAIRS are in `translated`."""
    yield {"base": "peri"}
    for key, valid in keys_of_help(program).items():
        for value in (valid or [OTHERS.get(key)]) if key not in ELSEWHERE else ():
            value = {"true": True, "false": False}.get(value, value)
            if value is not None and value != KEYS.get(key) and (key, value) not in OF_PAIRS:
                yield {"base": "peri", **BESIDE.get(key, {}), key: value}
    for beside in BESIDE.values():
        yield {"base": "peri", **beside}
    yield {"base": "pre", "dropout": 0.2, "embed": "layernorm", "positions": "rope", "activation": "swiglu"}


def missing(program, names):
    """What the help has and no arm of these lists."""
    arms = [arm for name in names for arm in ARMS[name](program)]
    for key, valid in keys_of_help(program).items():
        if key in ELSEWHERE:
            continue
        there = {plain(keys_of(arm).get(key)) for arm in arms}
        for value in valid or ():
            if value not in there:
                yield f"{key}: {value}: no arm has it"
        if not valid and len(there) < 2:
            yield f"{key}: all arms have one number"
    for column, valid in columns(program).items():
        there = {str(arm[column]).split(" ")[0] for arm in arms if column in arm}
        wanted = {written(column, value).split(" ")[0] for value in valid if value and value != "or constant"}
        yield from (f"{column}: {value}: no arm has it" for value in sorted(wanted - there))
    listed = json.loads(subprocess.run([program, "list", "--format", "json"], capture_output=True, text=True, check=True).stdout)
    for kind, key in (("recipes", "recipe"), ("variants", "base")):
        there = {arm.get(key) for arm in arms}
        yield from (f"{key}: {row['name']}: no arm has it" for row in listed[kind] if row["name"] not in there)


def arms_masked(program):
    """Each row of the list, its tokens hidden and read from both sides."""
    for arm in arms_rows(program):
        yield {**arm, "objective": "masked"}


def arms_translated(program):
    """Each row of the list as an encoder-decoder, and the shapes that one may have."""
    for arm in arms_rows(program):
        if arm["recipe"] == "gpt2":
            yield {**arm, "objective": "translate"}
    for base in ("post", "pre", "peri"):
        for shape in ({"label_smoothing": 0.1}, {"shared_embeddings": False}, {"tied": False}, {"positions": "sinusoidal"},
                      {"positions": "none"}, {"activation": "swiglu", "bias": False}, {"activation": "relu", "embed_scale": "width_root"},
                      {"optimizer": "adam", "schedule": "inverse_sqrt", "warmup": 2, "clip": 0}):
            yield {"base": base, "objective": "translate", **shape}


def arms_mutants(program):
    """What equations.sh shows errors with."""
    yield {"base": "peri", "objective": "translate", "label_smoothing": 0.1, "shared_embeddings": False, "positions": "sinusoidal"}
    yield {"base": "deepnorm", "objective": "translate"}
    yield {"base": "admin", "objective": "translate"}


def arms_translated_columns(program):
    """Each value of each column as an encoder-decoder; of its many sublayers a smaller multiple, which makes less of errors."""
    for arm in each_value(program):
        yield {**{key: "sublayers 0.2" if value == "sublayers 0.7" else value for key, value in arm.items()}, "recipe": "gpt2",
               "objective": "translate"}


def arms_rows(program):
    """Each row of the list in both recipes."""
    listed = json.loads(subprocess.run([program, "list", "--format", "json"], capture_output=True, text=True, check=True).stdout)
    for row in listed["variants"]:
        for recipe in RECIPES:
            yield {"base": row["name"], "layers": 4, "recipe": recipe}


ARMS = {"columns": arms_columns, "other_columns": arms_other_columns, "ranges": arms_ranges, "numbers": arms_numbers,
        "pairs": arms_pairs, "streams": arms_streams, "starts": arms_starts, "rows": arms_rows, "masked": arms_masked,
        "translated": arms_translated, "translated_columns": arms_translated_columns, "mutants": arms_mutants, "keys": arms_keys}


def plain(value):
    return str(value).lower() if isinstance(value, bool) else value


def flow(arm):
    return "{" + ", ".join(f"{key}: {plain(value)}" for key, value in arm.items()) + "}"


def network(arm):
    """What two arms of one network have in common."""
    said = {**arm, "recipe": arm.get("recipe", "gpt2")}
    kept = {key: value for key, value in said.items() if value not in ("none", "recipe", "one") and (key, value) != ("attn.qk_over", "head")}
    text = flow(dict(sorted(kept.items())))
    return text.replace("layernorm", "rmsnorm") if said["recipe"] == "llama" else text


def write_experiments(program, names):
    for name in names:
        arms = list({network(arm): arm for arm in ARMS[name](program)}.values())
        for first in range(0, len(arms), MOST):
            write_experiment(f"{name}-{first // MOST}", arms[first:first + MOST])


def write_experiment(name, arms):
    with open(name + ".arms", "w") as stream:
        json.dump(arms, stream)
    text = "text.source,text.target" if arms[0].get("objective") == "translate" else "text"
    lines = [f"name: {name}", "title: T", "baseline: arm0", "seeds: [1]", "profiles: {smoke: {}}", f"dataset: text:{text}",
             "precision: fp64", "evaluate_at: 0", "curve_every: 1"]
    lines += [f"{key}: {plain(value)}" for key, value in KEYS.items()]
    lines += ["arms:"] + [f"  arm{i}: {flow(arm)}" for i, arm in enumerate(arms)]
    with open(name + ".yaml", "w") as stream:
        stream.write("\n".join(lines) + "\n")


# ---- what the program trained

def keys_of(arm):
    keys = {**KEYS, **RECIPES[arm.get("recipe", "gpt2")]}
    return {**keys, **{key: value for key, value in arm.items() if key in KEYS}}


class Exported:
    """An export before the first step of deviations 1: standard normals by name, where batches begin, the vocabulary."""

    def __init__(self, path):
        meta, tensors = read_export(path)
        self.batches = tensors.pop("batches", None)
        self.normals = {name: w for name, w in tensors.items() if w.ndim == 2 and w.shape[0] > 1}
        self.letters = letters_of(meta)

    def encode(self, path, objective):
        """Training and validation: tokens, or pairs of sentences."""
        if objective == "translate":
            return encoded_pairs([path + ".source", path + ".target"], self.letters)
        with open(path, "rb") as stream:
            text = stream.read()
        cut = len(text) * 9 // 10
        return [np.array([self.letters[c] for c in part.decode()]) for part in (text[:cut], text[cut:])]


def shape_of(arm):
    keys = keys_of(arm)
    return "-".join(str(keys[key]) for key in SHAPE)


def write_starts(program, name):
    """The exports of all runs of an experiment, a shape each."""
    with open(name + "-0.arms") as stream:
        arms = json.load(stream)
    for run in listed_runs(program, name + "-0"):
        arm = arms[int(run["arm"].removeprefix("arm"))]
        batches = [] if arm["objective"] == "masked" else ["--batches"]
        subprocess.run([program, "export", run["id"], "--results", name + "-0.results", "--at", "0", *batches, "-o",
                        f"normals/{shape_of(arm)}.safetensors"], check=True)


def listed_runs(program, name):
    command = [program, "runs", name + ".yaml", "--results", name + ".results", "--format", "json"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["groups"][0]["runs"]


def explained(program, arms):
    found = []
    for at in range(0, len(arms), 20):
        command = [program, "explain"] + [word for arm in arms[at:at + 20] for word in ("--arm", flow({**arm, "layers": keys_of(arm)["layers"]}))]
        found += equations(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return found


def runs_of(program, name):
    """{arm: (curves' rows, evaluations, status)}"""
    found = {}
    for run in listed_runs(program, name):
        folder = f"{name}.results/runs/{run['id']}/"
        with open(folder + "curves.csv") as stream:
            curves = list(csv.DictReader(stream))
        with open(folder + "record.json") as stream:
            found[run["arm"]] = curves, json.load(stream)["evaluations"]
    return found


def off(got, want):
    return abs(got - want) / max(1, abs(want))


def wrong(arm, equation, exported, text, run):
    """What of the program's numbers is not those of the equation."""
    keys = keys_of(arm)
    pairs = keys["objective"] == "translate"
    shape, batches = exported[shape_of(arm)], exported[shape_of({**arm, "objective": "translate" if pairs else "next"})].batches
    ids, valid = shape.encode(text, keys["objective"])
    net = (Pairs if pairs else Net)(equation, keys, shape.normals)
    losses, norms, before, after = train(net, ids, valid, batches[:keys["steps"]])
    curves, evaluations = run
    of_floats = TOLERANCE_OF_FLOATS  # as the cosine of a schedule is a float
    most = of_floats if "attn.in" in arm or keys["schedule"] == "cosine" else TOLERANCE
    if "updates" in equation.field:
        most = of_floats = TOLERANCE_OF_LENGTHS
    for t, (loss, norm) in enumerate(zip(losses, norms)):
        if not (off(float(curves[t]["train_loss"]), loss) <= of_floats and off(float(curves[t]["grad_norm"]), norm) <= most):
            return f"step {t}: loss {curves[t]['train_loss']}, gradient {curves[t]['grad_norm']}; the equation gives {loss:.9f}, {norm:.15f}"
    for what, got, want in (("before", evaluations[0], before), ("after", evaluations[-1], after)):
        if not off(got["valid_loss"], want) <= most:
            return f"{what} training: validation loss {got['valid_loss']:.15f}; the equation gives {want:.15f}"
    return None


def check(program, text, names):
    exported = {}
    for path in glob.glob("normals/*.safetensors"):
        exported[os.path.basename(path).removesuffix(".safetensors")] = Exported(path)
    for path in sorted(path for name in names for path in glob.glob(name + "-*.arms")):
        name = path.removesuffix(".arms")
        with open(path) as stream:
            arms = json.load(stream)
        runs = runs_of(program, name)
        for what in same_runs(arms, runs, name.startswith("numbers")) if name.startswith(("numbers", "keys")) else ():
            print(what)
        for i, (arm, equation) in enumerate(zip(arms, explained(program, arms))):
            try:
                what = wrong(arm, equation, exported, text, runs[f"arm{i}"])
            except (ArithmeticError, LookupError, TypeError, ValueError) as error:
                what = f"the equation does not read: {error!r}"
            if what:
                print(f"{flow(arm)}: {what}")


STARTS = {"base": "pre", "streams": "mhc", "steps": 9, "init_std": 1, "token_std": 1, "position_std": 1, "residual_init": "plain",
          "tied": False}


def arms_normals(program):
    """mHC over Pre-LN, which has every matrix that others have, in every shape: the exports hold the starting weights."""
    for activation in keys_of_help(program)["activation"]:
        for layers in (3, 4):
            for objective in ("next", "masked"):
                yield {**STARTS, "activation": activation, "layers": layers, "objective": objective}
    for key in SHAPE:
        if key in OTHERS and key != "layers":
            yield {**STARTS, "objective": "next", key: OTHERS[key]}


def arms_pair_normals(program):
    """As much of encoder-decoders, with tables of their own for source, target and head."""
    for activation in keys_of_help(program)["activation"]:
        for layers in (3, 4):
            yield {**STARTS, "activation": activation, "layers": layers, "objective": "translate", "shared_embeddings": False}


ARMS |= {"normals": arms_normals, "pair_normals": arms_pair_normals}

if __name__ == "__main__":
    {"arms": lambda program, *names: write_experiments(program, names),
     "starts": write_starts,
     "check": lambda program, text, *names: check(program, text, names),
     "missing": lambda program, *names: print(*missing(program, names), sep="\n", end="")}[sys.argv[1]](*sys.argv[2:])
