#!/usr/bin/env python3
"""Every number in the prose of the documents (tests/documents.py) and of the claims' notes (bench/claims/) is
recomputed from results/, or is a setting.

    numbers_in_text.py ROOT          prints what is wrong, and nothing when nothing is
    numbers_in_text.py ROOT --show   prints every sentence of the lists as it must read now

Prose is what stands outside generated blocks (tests/figures_in_text.py), code, links' targets and comments. The lists,
tests/numbers_in_text.def of the documents and tests/numbers_in_notes.def of the notes, have two kinds of rows:
    setting REGEX        a number that is no result: what was asked for, a shape, a version, another's number
    FILE: SENTENCE       {} and {:FORMAT} stand for numbers; the document must hold the sentence with them filled in
      = EXPRESSION       their values, of the functions below; lines that are indented further go on
For a note FILE is its claim. The documents' settings hold in notes too, the notes' in notes alone.
A number in digits that neither kind covers is wrong, and so is one in words before a unit ("twelve times").
"""
import csv
import functools
import glob
import itertools
import json
import math
import operator
import os
import re
import statistics
import string
import sys
import tarfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from documents import documents, read

WORDS = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
         "seventeen eighteen nineteen twenty").split()
NUMBER = re.compile(rf"(?<![\w.^])(?<!\w-)[-+]?(?:\d+(?:,\d{{3}})*(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?|"
                    rf"\b(?:{'|'.join(WORDS)}|half|twice) (?:times|percent|decades|nats|BLEU)\b")
SHAKESPEARE, WIKITEXT = 3.3473303, 5.9367233  # validation losses of the unigram models, in nats
T95 = {7: 2.364624252, 11: 2.200985160, 15: 2.131449546}  # the 97.5 % quantile of Student's t by degrees of freedom
HIDDEN = [r"<!-- (?:from|\w+ of) .*?<!-- end -->", r"^```.*?^```", r"<!--.*?-->",  # blocks, code, comments
          r"(?<=\])\([^)\s]*\)", r"\[[\w.-]+/[\w./-]+\]", r"`(?:[^`\n]|\n(?!\n))*`"]  # targets of links, paths, code


class Number(float):
    """A float with formats of the texts: :p is .023, :word twelve, :rate 3e-4, :, 1,216; no zero has a sign."""

    def __format__(self, form):
        if form == "word":
            return WORDS[int(self)]
        if form == "rate":
            return format(float(self), ".0e").replace("e-0", "e-")
        whole = int(self) if self == int(self) else float(self)
        text = format(whole, form) if form in ("", ",") else format(float(self), ".3f" if form == "p" else form)
        return re.sub(r"^-(?=[0.]+$)", "", text.removeprefix("0") if form == "p" else text)


def path(name):
    return os.path.join(ROOT, "results", name)


@functools.cache
def lines(name):
    """Of a file under results/."""
    with open(path(name), encoding="utf-8") as file:
        return file.read().split("\n")


@functools.cache
def load(name):
    with open(path(name), encoding="utf-8") as file:
        return json.load(file)


@functools.cache
def rows_of(name):
    """Of a table under results/ whose values commas separate."""
    return list(csv.DictReader(lines(name)))


def runs(*experiments, **where):
    """The rows of results/reference/quick/NAME-runs.csv whose columns are as said; one that several files have once."""
    found = {}
    for name in experiments:
        rows = rows_of(f"reference/{name if '/' in name else 'quick/' + name}-runs.csv")
        found |= {row["id"]: row for row in rows if all(row[k] == str(v) for k, v in where.items())}
    if not found:
        raise ValueError(f"no run of {experiments} has {where}")
    return list(found.values())


def losses(experiment, **where):
    """Validation loss by seed."""
    chosen = runs(experiment, **where)
    if len({row["seed"] for row in chosen}) != len(chosen):
        raise ValueError(f"{experiment}: {where} leaves several runs of a seed")
    return {int(row["seed"]): float(row["valid_loss"]) for row in chosen}


def mean(experiment, **where):
    return statistics.fmean(losses(experiment, **where).values())


def difference(experiment, one, other, **where):
    """Mean over seeds of one minus other, each a dictionary of columns, and its paired 95 % t interval."""
    a, b = losses(experiment, **where, **one), losses(experiment, **where, **other)
    return interval([a[seed] - b[seed] for seed in a])


def sensitivity(experiment, **where):
    """By how much the loss rises over the rates above that of each seed's own best one, on average."""
    seeds = {}
    for run in runs(experiment, **where):
        seeds.setdefault(run["seed"], []).append(float(run["valid_loss"]))
    return statistics.fmean(statistics.fmean(values) - min(values) for values in seeds.values())


def variance(experiment, **where):
    return statistics.variance(losses(experiment, **where).values())


def interval(values):
    centre, width = statistics.fmean(values), T95[len(values) - 1] * statistics.stdev(values) / math.sqrt(len(values))
    return centre, centre - width, centre + width


def at(name, regex):
    """The groups of the one line of a file that matches, numbers where they are some."""
    found = [match for match in map(re.compile(regex).search, lines(name)) if match]
    if len(found) != 1:
        raise ValueError(f"{len(found)} lines of {name} match {regex}")
    return tuple(number(group) for group in found[0].groups())


def all_at(name, regex):
    """The first group of every line that matches."""
    found = [number(match[1]) for match in map(re.compile(regex).search, lines(name)) if match]
    if not found:
        raise ValueError(f"no line of {name} matches {regex}")
    return found


def last(name, regex):
    """The groups of the last line that matches."""
    found = [match for match in map(re.compile(regex).search, lines(name)) if match]
    return tuple(number(group) for group in found[-1].groups())


def holds(true, *values):
    """values, which the sentence may give because the rest of it is true."""
    if not true:
        raise ValueError(f"the sentence with {values} is not true")
    return values


def number(text):
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return text


def count(name, regex):
    return sum(bool(re.search(regex, line)) for line in lines(name))


def verdicts(claim, regex=""):
    """The stored verdicts of a claim whose hypothesis, place and experiment, as "HYPOTHESIS | PLACE", match."""
    found = [v for w in load("reference/claims.json")["writeups"] for c in w["claims"] if re.fullmatch(claim, c["id"])
             for v in c["verdicts"] if re.search(regex, f"{v.get('hypothesis')} | {v.get('where')}")]
    if not found:
        raise ValueError(f"no stored verdict of {claim} matches {regex}")
    return found


def claim(id):
    """A stored claim, with its verdict."""
    (found,) = (c for w in load("reference/claims.json")["writeups"] for c in w["claims"] if c["id"] == id)
    return found


def verdict(claim, regex, *keys):
    """Numbers of the one verdict that matches; by default its effect and interval."""
    found = verdicts(claim, regex)
    if len(found) != 1:
        raise ValueError(f"{len(found)} stored verdicts of {claim} match {regex}")
    return tuple(found[0][key] for key in keys or ("effect", "lo", "hi"))


def chosen_rates(claim, regex, term=0):
    """The rates of an arm, by default the first, that seeds choose, of the one verdict that matches."""
    (comparison,) = verdict(claim, regex, "comparison")
    return set(comparison["terms"][term]["rates"])


def chosen_rate(*of):
    """The one that all seeds choose."""
    return same(*chosen_rates(*of))[0]


def contrast(table, arm, cell=0, step=None, metric="valid_loss"):
    """What a stored table (its JSON) has of an arm minus the baseline; at its last step, or at one."""
    family = [c for c in load(f"reference/{table}.json")["family"]["at"]
              if (c["cell"], c["metric"], c["terms"][0]["arm"]) == (cell, metric, arm) and step in (None, c["step"])]
    return max(family, key=lambda c: c["step"])


def own(size):
    """What write-up 000's own runs are called: "deep" or "", the shallow ones."""
    return f"own/pre-post{'-' if size else ''}{size}-bf16-stored-fast"


def own_gap(size, warmup):
    """Pre-LN minus Post-LN in them."""
    return difference(own(size), {"arm": "pre"}, {"arm": "post"}, warmup=warmup)


def own_warmup(size, arm):
    """What warm-up changes in them."""
    return difference(own(size), {"warmup": "500"}, {"warmup": "0"}, arm=arm)[0]


def bf16_costs():
    """The largest mean difference, over the shallow cells, from the same seeds' runs in precision exact; rounded up."""
    with open(path("gpu/pre-post-full-runs.csv"), encoding="utf-8") as file:
        exact = {(r["arm"], r["warmup"], int(r["seed"])): float(r["valid_loss"]) for r in csv.DictReader(file)}
    cells = {key[:2] for key in exact}
    means = [statistics.fmean(losses(own(""), arm=arm, warmup=warmup)[seed] - value
                              for (a, w, seed), value in exact.items() if (a, w) == (arm, warmup)) for arm, warmup in cells]
    return math.ceil(1e4 * max(map(abs, means))) / 1e4


def stalled_deep():
    """How many of the deep Post-LN runs without warm-up stalled."""
    return fails(own("deep"), WIKITEXT, arm="post", warmup=0)[0]


def device(part="", of="nvidia-h100-80gb-hbm3"):
    """What bench/gpu-check measured."""
    return load(f"gpu/{of}.json")[part]


def device_steps(replicas):
    (row,) = (r for r in device("speed", "nvidia-h100-80gb-hbm3-first")["steps"] if r["replicas"] == replicas)
    return row


def device_all(precision):
    """The sum over a step's launches, in ms."""
    text = "\n".join(lines("gpu/h100-steps-5.txt"))
    return float(re.search(rf"^{precision}: 5 replicas.*?^all +\d+ +([\d.]+)$", text, re.M | re.S)[1])


def losses_of(table, arm, cell=0, step=-1):
    """Validation loss by seed at a step of a stored table's cell; the last one by default."""
    arms = load(f"reference/{table}.json")["cells"][cell]["steps"][step]["arms"]
    (found,) = (a for a in arms if a["arm"] == arm)
    return {run["seed"]: run["value"] for run in found["metrics"]["valid_loss"]["runs"]}


def duration(command, *columns):
    """Of results/perf/durations.csv, which says who measured or estimated it, and where; least by default."""
    with open(path("perf/durations.csv"), encoding="utf-8") as file:
        (row,) = (row for row in csv.DictReader(file) if row["command"] == command)
    return [number(row[column]) for column in columns or ("least",)]


def growth(column, **where):
    """{(machine, shape, command, runs): a column} of results/reference/growth/measured.csv."""
    with open(path("reference/growth/measured.csv"), encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row[column] and all(row[k] == str(v) for k, v in where.items())]
    return {(row["machine"], row["shape"], row["command"], int(row["runs"])): float(row[column]) for row in rows}


def first_eight():
    """002-3 on seeds 1 to 8 alone: LayerNorm minus RMSNorm after 150 steps, and its p by sign flips."""
    one, other = (losses_of("own/embedding-norm", arm, step=1) for arm in ("layernorm", "rmsnorm"))
    d = [one[seed] - other[seed] for seed in range(1, 9)]
    flips = [sum(map(operator.mul, d, signs)) for signs in itertools.product((1, -1), repeat=len(d))]
    return statistics.fmean(d), statistics.fmean(abs(x) >= abs(sum(d)) - 1e-12 for x in flips)


def fails(experiment, unigram, **where):
    """How many of the runs diverged or stalled, and of how many."""
    chosen = runs(experiment, **where)
    return sum(failed(run, unigram) for run in chosen), len(chosen)


def late_post():
    """Of 001-14, at the highest rate of residual-scale, Pre-LN's best: the runs of Post-LN that stall, all of them, those
    that train, and how far these end below Pre-LN of their seeds."""
    top = asked("residual-scale", "lr", "own")[-1]
    post, pre = (runs("own/residual-scale", arm=arm, lr=top, warmup=200) for arm in ("post", "pre"))
    gaps = [float(b["valid_loss"]) - float(a["valid_loss"]) for a in post for b in pre
            if a["seed"] == b["seed"] and not failed(a, SHAKESPEARE)]
    best = chosen_rate("001-14", "residual-scale own", 1)
    return holds(best == top, len(post) - len(gaps), len(post), len(gaps), statistics.fmean(gaps))


def seeds_of(experiment):
    """How many the stored runs have."""
    return len({run["seed"] for run in runs(experiment)})


def statement(name):
    """A statement of theory, as measured."""
    (found,) = (s for s in load("reference/theory/theory.json")["statements"] if s["statement"] == name)
    return found


def planned(folder, name):
    """A file of bench/claims/ or bench/experiments/."""
    return read(os.path.join(ROOT, "bench", folder), name + ".yaml")


def bounds(claim, key="against"):
    """What a claim's tests ask for, each number once: their `against` or their `margin`."""
    parts = re.split(r"^  - id: ", planned("claims", claim[:3]), flags=re.M)
    (entry,) = (part for part in parts if part.startswith(claim + "\n"))
    return list(dict.fromkeys(map(float, re.findall(rf"^ +{key}: (-?[\d.]+)$", entry, re.M))))


def reported(row, metric="valid_loss", writeup="000"):
    """What a write-up's table has, as bench/claims/ copies it."""
    of_row = rf'^ +"?{re.escape(row)}"?:\n(?: +\w+: [\d.]+\n)*? +{metric}: ([\d.]+)$'
    return float(re.search(of_row, planned("claims", writeup), re.M)[1])


def asked(experiment, key, profile="quick"):
    """The numbers of a key of an experiment's profile, or of the experiment; of 9-57 the first and the last."""
    text = planned("experiments", experiment)
    of_profile = re.search(rf"^  {profile}: +\{{(.*?)\}}", text, re.M | re.S)[1]
    value = rf"\b{key}: (\[[^]]*\]|[^,\n]+)"
    found = re.findall(r"\d[\d.]*(?:e-?\d+)?", re.search(value, of_profile + "\n" + text)[1])
    return [int(x) if x.isdigit() else float(x) for x in found]


def fresh(experiment, trained=True):
    """How many other seeds an experiment plans; the stored verdicts are of them all, or of none if not trained."""
    first, last = asked(experiment, "seeds")
    stored = {v["n"] for v in verdicts(".*") if v.get("experiment") == experiment}
    return holds(stored == ({last - first + 1} if trained else set()), last - first + 1)


def ends(values):
    return min(values), max(values)


def same(*values):
    """The one value that all are."""
    return holds(len(set(values)) == 1, *set(values))


def failed(run, unigram):
    """A row of runs() that diverged or stalled: ended, but not 0.05 nats below the unigram model."""
    return run["status"] != "ok" or float(run["valid_loss"]) > unigram - 0.05


def placements():
    """Names of the variants that normbench list prints."""
    text = "\n".join(lines("reference/rows.txt")).split("\n\n")[0]
    return re.findall(r"^  (\w[\w-]*) {2,}x? ?", text, re.M)


def worse_placements():
    """How many arms the full ranking leaves the first place open to, finds worse than Pre-LN, and does not tell from it."""
    pattern = re.compile(r" +\d+ +(\d+)(?: to \d+)? .* (<?\.\d+|baseline)$")
    rows = [row for row in map(pattern.match, lines("reference/full/placements.txt")) if row]
    rows = rows[:[row[2] for row in rows].index("<.001") + 1]
    worse = sum(row[2] != "baseline" and float(row[2].lstrip("<")) < 0.05 for row in rows)
    return sum(row[1] == "1" for row in rows), worse, len(rows) - 1 - worse


def stuck_seed():
    """Of 8 layers at N(0, 1): the baseline's stuck loss, how far it is above LayerNorm's, and the most of other seeds."""
    one, other = (losses_of("full/embedding-norm", arm, 1) for arm in ("baseline", "layernorm"))
    d = {seed: one[seed] - other[seed] for seed in one}
    worst = max(d, key=d.get)
    return one[worst], d[worst], max(abs(x) for seed, x in d.items() if seed != worst)


def runs_in(archive):
    with tarfile.open(path(f"reference/records/{archive}.tar.gz")) as tar:
        return sum(member.name.endswith("/record.json") for member in tar)


def values_of(expression):
    """The numbers that an expression gives, flat."""
    def flat(x):
        if isinstance(x, (list, tuple)):
            return [y for part in x for y in flat(part)]
        return [Number(x) if isinstance(x, (int, float)) else x]
    if not expression:
        raise ValueError("no expression below the sentence")
    return flat(eval(expression, globals()))


def fill(sentence, values):
    wanted = sum(field is not None for _, field, _, _ in string.Formatter().parse(sentence))
    if wanted != len(values):
        raise ValueError(f"{wanted} numbers in the sentence, {len(values)} in the expression: {values}")
    return sentence.format(*values)


def read_list(file):
    """([setting regex], [(line, document, sentence, expression)])"""
    settings, sentences = [], []
    for at_line, text in enumerate(open(file, encoding="utf-8").read().split("\n"), 1):
        if not text.strip() or text.startswith("#"):
            continue
        if text.startswith("setting "):
            settings.append((at_line, text.removeprefix("setting ")))
        elif text.startswith("  "):
            sentences[-1][3] += " " + text.strip().removeprefix("= ")
        else:
            document, _, sentence = text.partition(": ")
            sentences.append([at_line, document, sentence, ""])
    return settings, sentences


class Prose:
    """A document's text in one line with what is hidden blanked, and the document's line of every character."""

    def __init__(self, text, at_line=1):
        for pattern in HIDDEN:
            text = re.sub(pattern, lambda m: re.sub(r"[^\n]", "\0", m[0]), text, flags=re.S | re.M)
        kept, self.line = [], []
        for character in text:
            blank = character.isspace()
            if character != "\0" and not (blank and (not kept or kept[-1] == " ")):
                kept.append(" " if blank else character)
                self.line.append(at_line)
            at_line += character == "\n"
        self.text, self.free = "".join(kept), [True] * len(kept)

    def cover(self, regex):
        """How often the expression matches; numbers inside a match count as explained."""
        found = 0
        for match in re.finditer(regex, self.text):
            self.free[match.start():match.end()] = [False] * (match.end() - match.start())
            found += 1
        return found

    def unexplained(self):
        for match in NUMBER.finditer(self.text):
            if any(self.free[match.start():match.end()]):  # also of one that is longer than what was found
                around = self.text[max(0, match.start() - 40):match.end() + 30]
                yield self.line[match.start()], match[0], around


def notes(root):
    """{claim: its note}, empty where it has none."""
    found = {}
    for name in sorted(glob.glob("bench/claims/*.yaml", root_dir=root)):
        for at_line, line in enumerate(read(root, name).split("\n"), 1):
            key, _, value = line.strip("- ").partition(": ")
            if key == "id":
                claim, found[value] = value, Prose("")
            elif key == "note":
                found[claim] = Prose(value.replace('\\"', '"'), at_line)
    return found


def check(root, show):
    prose = {name: Prose(read(root, name)) for name in documents(root)}
    of_notes = notes(root)
    lists = ("tests/numbers_in_text.def", prose, of_notes), ("tests/numbers_in_notes.def", of_notes, {})
    for file, texts, others in lists:
        settings, sentences = read_list(os.path.join(root, file))
        for at_line, name, sentence, expression in sentences:
            where = f"{file}:{at_line}"
            if name not in texts:
                print(f"{where}: no document '{name}'")
                continue
            try:
                filled = fill(sentence, values_of(expression))
            except (ArithmeticError, LookupError, OSError, SyntaxError, TypeError, ValueError, NameError) as wrong:
                print(f"{where}: {wrong}")
                continue
            if show:
                print(f"{name}: {filled}")
            elif not texts[name].cover(re.escape(filled)):
                print(f"{where}: {name} does not say: {filled}")
        for at_line, regex in settings:
            if not sum([text.cover(regex) for text in texts.values()]) and not show:
                print(f"{file}:{at_line}: no text has such a setting: {regex}")
            for text in others.values():
                text.cover(regex)
    for name, text in of_notes.items():
        for other in set(re.findall(r"\b00\d-\d+\b", text.text)) - of_notes.keys():
            print(f"{name}: there is no claim {other}")
    for name, text in (prose | of_notes).items() if not show else ():
        for line, number_there, around in text.unexplained():
            print(f"{name}:{line}: {number_there} is neither recomputed nor a setting (tests/numbers_in_*.def): "
                  f"…{around}…")


if __name__ == "__main__":
    if len(sys.argv) < 2 or not os.path.isdir(sys.argv[1]):
        sys.exit(__doc__)
    ROOT = sys.argv[1]
    check(ROOT, "--show" in sys.argv)
