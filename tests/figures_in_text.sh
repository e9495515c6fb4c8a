#!/bin/sh
# The numbers in README.md and REPRODUCE.md come from files under results/. Such a block ends with `<!-- end -->` and begins with
#   <!-- from FILE -->                      the whole text of FILE
#   <!-- from FILE, lines with REGEX -->    its lines that match
#   <!-- finding of FILE.json -->           the last step of a table's JSON in four columns
#
#   figures_in_text.sh ROOT           rewrites the blocks
#   figures_in_text.sh ROOT --check   prints what is not as the files say, and nothing when all is
exec python3 - "$@" <<'PY'
import json, os, re, sys

root, check = sys.argv[1], "--check" in sys.argv
block = re.compile(r"(<!-- (from|finding of) (\S+?)(?:, lines with (.*?))? -->\n)(.*?)(<!-- end -->)", re.S)
count = 0


def finding(path):
    """Each arm's mean loss and its difference to the baseline, at the last step of the table's last cell."""
    table = json.load(open(path, encoding="utf-8"))
    cell = len(table["cells"]) - 1
    step = table["cells"][cell]["steps"][-1]
    words = {"higher": "worse", "lower": "better", "equivalent": f"the same within {table['margin']:g}"}
    rows = ["| arm | validation loss | minus baseline, 95% interval | p | verdict |", "|---|---|---|---|---|"]
    for arm in step["arms"]:
        difference = "| | | |"
        for c in table["family"]["at"]:
            if (c["cell"], c["step"], c["metric"], c["terms"][0]["arm"]) != (cell, step["step"], "valid_loss", arm["arm"]):
                continue
            t, p = c["t_interval"], c["max_t_step_down"]
            mean, lo, hi = (f"{x + 0.0:.4f}".replace("-0.0000", "0.0000") for x in (t["mean"], t["lo"], t["hi"]))
            plus = "+" if t["mean"] >= 5e-5 else ""
            word = c.get("verdict") or words.get(c["decision"], "not decided")
            difference = f"| {plus}{mean} [{lo}, {hi}] | {p['count']}/{p['total']} | {word} |"
        rows.append(f"| {arm['label']} | {arm['metrics']['valid_loss']['mean']:.4f} {difference}")
    return "\n".join(rows)


for name in ("README.md", "REPRODUCE.md"):
    path = os.path.join(root, name)
    text = open(path, encoding="utf-8").read()

    def fill(match):
        global count
        count += 1
        head, kind, source, wanted, _, end = match.groups()
        if not source.startswith("results/"):
            print(f"{name}: {source} is not under results/")
            return match.group(0)
        file = os.path.join(root, source)
        if kind == "finding of":
            return f"{head}{finding(file)}\n{end}"
        lines = open(file, encoding="utf-8").read().rstrip("\n").split("\n")
        lines = [line.rstrip() for line in lines if not wanted or re.search(wanted, line)]
        if not lines:
            print(f"{name}: no line of {source} matches {wanted}")
        body = "\n".join(lines)
        return f"{head}```text\n{body}\n```\n{end}"

    new = block.sub(fill, text)
    if new.count("<!-- end -->") != len(block.findall(new)):
        print(f"{name}: a block begins or ends in a way that this script does not know")
    if check and new != text:
        print(f"{name}: a block is not what its file says (tests/figures_in_text.sh ROOT rewrites it)")
    elif new != text:
        open(path, "w", encoding="utf-8").write(new)
if not count:
    print("no block found")
PY
