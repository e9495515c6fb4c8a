#!/usr/bin/env python3
"""The blocks of the documents (tests/documents.py) that come from files under results/.

    figures_in_text.py ROOT           rewrites the blocks
    figures_in_text.py ROOT --check   prints what is not as the files say, and nothing when all is

A block ends with `<!-- end -->` and begins with one of
    <!-- from FILE -->                          the whole text of FILE
    <!-- from FILE, lines with REGEX -->        its lines that match
    <!-- from FILE, after REGEX -->             what stands below the first line that matches, and that line
    <!-- from FILE, command REGEX -->           of a transcript, the commands whose line matches, with what each printed
    <!-- finding of FILE.json -->               the last step of a table's JSON: an arm a row
    <!-- ranking of FILE.txt -->                the ranking of a table's text: an arm a row;
                                                `, cell KEY = VALUE` of a table of several cells
    <!-- means of FILE.csv by FACTOR, ... of ARM=LABEL, ... where KEY=VALUE, ... -->
                                                mean and SD of the validation loss by factors, and the paired difference of
                                                the second arm to the first; `where` may be left out, and V1|V2 is either
    <!-- failures of FILE.txt -->               of a table's text, how many runs of each arm fail, by the factor before them
    <!-- claims of FILE.json -->                of stored claims, how many of each write-up have which verdict
    <!-- placements of FILE.txt -->             the variants of a stored `normbench list`
"""
import collections
import csv
import json
import math
import os
import re
import statistics
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from documents import documents, read

BLOCK = re.compile(r"(<!-- (from|finding of|ranking of|means of|failures of|claims of|placements of) (\S+?)(?:(?:,| (?=by\b)) ?(.*?))? -->\n)(.*?)"
                   r"(<!-- end -->)", re.S)
T95 = {7: 2.364624252, 11: 2.200985160, 15: 2.131449546}  # the 97.5 % quantile of Student's t by degrees of freedom


def table(heading, rows):
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (heading, ["---"] * len(heading), *rows))


def signed(x, digits=4):
    return ("+" if x >= 0.5 * 10 ** -digits else "") + unsigned(x, digits)


def unsigned(x, digits=4):
    return re.sub(r"^-(?=[0.]+$)", "", f"{x:.{digits}f}")


def source(root, file, what):
    """The text of FILE, all of it, the lines that match or the commands that match."""
    lines = [line.rstrip() for line in read(root, file).rstrip("\n").split("\n")]
    kind, _, pattern = (what or "").partition(" with " if (what or "").startswith("lines") else " ")
    if kind == "lines":
        lines = [line for line in lines if re.search(pattern, line)]
    elif kind == "after":
        lines = lines[next((i for i, line in enumerate(lines) if re.search(pattern, line)), len(lines)):]
    elif kind == "command":
        taken, on = [], False
        for line in lines:
            on = bool(re.search(pattern, line)) if line.startswith("$ ") else on
            taken += [line] if on else []
        lines = taken
    elif kind:
        raise ValueError(f"a block of '{kind}'")
    if not lines:
        raise ValueError(f"nothing in {file} matches {pattern}")
    return "```text\n" + "\n".join(lines) + "\n```"


def finding(root, file, _):
    """Each arm's mean loss and its difference to the baseline, at the last step of the table's last cell."""
    data = json.loads(read(root, file))
    cell = len(data["cells"]) - 1
    step = data["cells"][cell]["steps"][-1]
    words = {"higher": "worse", "lower": "better", "equivalent": f"the same within {data['margin']:g}"}
    rows = []
    for arm in step["arms"]:
        cells = ["", "", ""]
        for c in data["family"]["at"]:
            if (c["cell"], c["step"], c["metric"], c["terms"][0]["arm"]) != (cell, step["step"], "valid_loss", arm["arm"]):
                continue
            t, p = c["t_interval"], c["max_t_step_down"]
            cells = [f"{signed(t['mean'])} [{unsigned(t['lo'])}, {unsigned(t['hi'])}]", f"{p['count']}/{p['total']}",
                     c.get("verdict") or words.get(c["decision"], "not decided")]
        rows.append([arm["label"], f"{arm['metrics']['valid_loss']['mean']:.4f}", *cells])
    return table(["arm", "validation loss", "minus baseline, 95% interval", "p", "verdict"], rows)


def labels(root, experiment):
    text = read(root, os.path.join("bench", "experiments", experiment + ".yaml"))
    return [label.strip("\"' ") for label in re.findall(r"\blabel: *(\"[^\"]*\"|[^},\n]*)", text)]


def ranking(root, file, which):
    """The ranking that a table prints. Tables of before have the places before the arm, and cut its name off: it is written out."""
    known = labels(root, os.path.basename(file).partition(".")[0]) if "/placements" not in file else []
    place, values = r"(?P<place>\d+(?: to \d+)?)", r"(?P<loss>\S+ +\[[^]]*\]) +(?P<rest>baseline|\S+ +\[[^]]*\] +\S+)$"
    rows = [re.compile(r" +\d+ +" + place + r" +[\d.]+ +(?P<arm>\S.*?) {2,}" + values),
            re.compile(r" +\d+ +(?P<arm>\S.*?) +" + place + r" +[\d.]+ +" + values)]
    wanted = which and which.removeprefix("cell ")
    baseline, ranked, above, cell = None, [], "", None
    for line in read(root, file).split("\n"):
        if re.match(r" +rank +(places|arm +places)", line):
            if ranked:
                break
            baseline = re.search(r"minus (.*?)(?: {2,}|$)", f"{line}\n{above}", re.M)[1]
        above = line
        cell = line.strip() if re.match(r"  \w+ = ", line) else cell
        found = next(filter(None, (row.match(line) for row in rows)), None)
        if found and baseline and wanted in (None, cell):
            arm = next((label for label in known if label.startswith(found["arm"])), found["arm"])
            minus, p = (found["rest"], "") if found["rest"] == "baseline" else found["rest"].rsplit(None, 1)
            ranked.append([arm, *(re.sub(" +", " ", text.strip()) for text in (found["loss"], minus)), p, found["place"]])
    if not ranked:
        raise ValueError(f"{file} has no such ranking")
    return table(["arm", "validation loss, 95% interval", f"minus {baseline}", "p", "possible ranks"], ranked)


def settings(text):
    return dict(pair.strip().split("=", 1) for pair in text.split(",")) if text else {}


def means(root, file, what):
    """Of runs in a CSV. A run that diverged has no place in a mean: such a table is refused."""
    by, arms, where = re.fullmatch(r"by (.*?) of (.*?)(?: where (.*))?", what).groups()
    factors, arms, where = [f.strip() for f in by.split(",")], settings(arms), settings(where)
    cells = collections.OrderedDict()
    for run in csv.DictReader(read(root, file).splitlines()):
        if run["arm"] in arms and all(run[k] in v.split("|") for k, v in where.items()):
            if run["status"] != "ok":
                raise ValueError(f"{file}: a run is {run['status']}")
            at = cells.setdefault(tuple(run[f] for f in factors), {})
            at.setdefault(run["arm"], {})[run["seed"]] = float(run["valid_loss"])
    first, second, rows = *list(arms)[:2], []
    for factor, found in cells.items():
        d = [found[second][seed] - found[first][seed] for seed in found[first]]
        half = T95[len(d) - 1] * statistics.stdev(d) / math.sqrt(len(d))
        shown = [f"{statistics.fmean(found[arm].values()):.3f} ± {statistics.stdev(found[arm].values()):.3f}" for arm in arms]
        mean = statistics.fmean(d)
        rows.append([*factor, *shown, f"{signed(mean, 3)} [{unsigned(mean - half, 3)}, {unsigned(mean + half, 3)}]"])
    names = {"layers": "layers", "warmup": "warm-up steps", "lr": "learning rate", "token_std": "embedding std"}
    return table([*(names.get(f, f) for f in factors), *arms.values(), f"{arms[second]} minus {arms[first]}"], rows)


def claims(root, file, _):
    """How many claims of each write-up have which verdict."""
    data = json.loads(read(root, file))
    words = [w for w in data["counts"] if data["counts"][w]]
    rows = [[w["writeup"], w["title"], str(len(w["claims"])), *(str(w["counts"][word]) for word in words)] for w in data["writeups"]]
    rows.append(["all", "", str(sum(len(w["claims"]) for w in data["writeups"])), *(str(data["counts"][word]) for word in words)])
    return table(["write-up", "title", "claims", *words], rows)


def placements(root, file, _):
    """id, equation, source and known differences of each variant that `normbench list` prints."""
    rows = []
    for line in read(root, file).split("\n\n")[0].split("\n")[1:]:
        if line.startswith("  columns "):
            break
        named, part = re.match(r"  (\S+) +(.*)", line), re.match(r" +(source|known differences|needed by): (.*)", line)
        if named:
            rows.append({"name": named[1], "equation": named[2]})
            key = "equation"
        elif part:
            key = part[1]
            rows[-1][key] = part[2]
        else:
            rows[-1][key] += " " + line.strip()
    return table(["name", "equation", "source", "known differences"],
                 [[f"`{row['name']}`", f"`{row['equation']}`", row.get("source", ""), row.get("known differences", "")] for row in rows])


def failures(root, file, _):
    """Runs of each arm that diverge or stall, their adjusted p against the baseline's, and the mean loss."""
    row = re.compile(r"  (\S.*?) {2,}(?:\d+ of \d+ +\[[^]]*\] +){2}(\d+) of (\d+) +\[[^]]*\] +(?:\S+ +(\S+) +)?([\d.]+)$")
    arms, columns = {}, []
    for line in read(root, file).split("\n"):
        place, found = re.fullmatch(r"  (\w+) = (\S+)", line), row.match(line)
        columns += [f"{place[2]} {place[1]}"] if place else []
        if found and columns:
            arm, failed, n, p, loss = found.groups()
            arms.setdefault(arm, []).append(f"{failed} of {n}, {loss}" + (f" (p {p})" if p else ""))
    if not arms:
        raise ValueError(f"{file} has no table of failures")
    return table(["arm", *columns], [[arm, *cells] for arm, cells in arms.items()])


MAKE = {"from": source, "finding of": finding, "ranking of": ranking, "means of": means,
        "failures of": failures, "claims of": claims,
        "placements of": placements}


def main(root, check):
    count = 0
    for name in documents(root):
        text = read(root, name)

        def fill(match):
            nonlocal count
            count += 1
            head, kind, file, what, _, end = match.groups()
            try:
                if not file.startswith("results/"):
                    raise ValueError(f"{file} is not under results/")
                return f"{head}{MAKE[kind](root, file, what)}\n{end}"
            except (AttributeError, LookupError, OSError, TypeError, ValueError) as wrong:
                print(f"{name}: {head.strip()} {wrong}")
                return match.group(0)

        new = BLOCK.sub(fill, text)
        if new.count("<!-- end -->") != len(BLOCK.findall(new)):
            print(f"{name}: a block begins or ends in a way that this script does not know")
        if check and new != text:
            print(f"{name}: a block is not what its file says (tests/figures_in_text.py ROOT rewrites it)")
        elif new != text:
            with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                file.write(new)
    if not count:
        print("no block found")


if __name__ == "__main__":
    if len(sys.argv) < 2 or not os.path.isdir(sys.argv[1]):
        sys.exit(__doc__)
    main(sys.argv[1], "--check" in sys.argv)
