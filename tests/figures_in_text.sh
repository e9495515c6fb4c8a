#!/bin/sh
# Blocks between `<!-- from FILE -->` and `<!-- end -->` in README.md and REPRODUCE.md are the text of FILE under results/.
#   figures_in_text.sh ROOT           rewrites them
#   figures_in_text.sh ROOT --check   prints each block that differs, and nothing when all are the files' text
exec python3 - "$@" <<'PY'
import os, re, sys

root, check = sys.argv[1], "--check" in sys.argv
block = re.compile(r"(<!-- from (\S+) -->\n)(.*?)(<!-- end -->)", re.S)
count = 0
for name in ("README.md", "REPRODUCE.md"):
    path = os.path.join(root, name)
    text = open(path, encoding="utf-8").read()

    def fill(match):
        global count
        count += 1
        source = match.group(2)
        if not source.startswith("results/"):
            print(f"{name}: {source} is not under results/")
            return match.group(0)
        lines = open(os.path.join(root, source), encoding="utf-8").read().rstrip("\n").split("\n")
        body = "\n".join(line.rstrip() for line in lines)
        return f"{match.group(1)}```text\n{body}\n```\n{match.group(4)}"

    new = block.sub(fill, text)
    for picture in re.findall(r"\]\((results/[^)]+)\)", text):
        if not os.path.exists(os.path.join(root, picture)):
            print(f"{name}: {picture} does not exist")
    if check and new != text:
        print(f"{name}: a block is not what its file says (tests/figures_in_text.sh ROOT rewrites it)")
    elif new != text:
        open(path, "w", encoding="utf-8").write(new)
if not count:
    print("no block found")
PY
