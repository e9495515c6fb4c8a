#!/bin/sh
# Every path that a document, comment or script names exists.  paths_in_text.sh ROOT  prints those that do not.
#   a path from the root or from the file's own folder; build products and what runs write (results/runs, results/out, datasets/cache) aside
#   `a/{b,c}.h` are two paths; `<op>`, NAME, NNN and * stand for anything; bench/perf/perf may be bench/perf/perf.c
#   in Markdown also the target of each link and each file name in backticks
exec python3 - "$@" <<'PY'
import glob, os, re, subprocess, sys

os.chdir(sys.argv[1])
listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True).stdout.split("\n")
data = ("results", "tests/golden")
files = [f for f in listed if os.path.isfile(f) and (f.endswith(".md") or not f.startswith(data))]
names = {os.path.basename(f) for f in listed}
rooms = "base|bench|datasets|docs|kernels|models|results|stats|tests"
path = re.compile(rf"(?<![\w/.$*-])(?:{rooms})/[\w./{{}},*<>-]*[\w}}*>/]")
link = re.compile(r"\]\(([^)#:]+)\)")
named = re.compile(r"`(\w[\w-]*\.(?:c|h|cu|cuh|def|json|md|py|sh|txt|yaml))`")
elsewhere = re.compile(r"(results/(runs|out)|datasets/cache)\b|.*\.(o|a|pb-c\.[ch])\b|tests/test_$|bench/normbench$")


def exists(text, folder):
    pattern = re.sub(r"<[^>]*>|\bN(NN|AME)\b", "*", text).rstrip("/")
    braces = re.fullmatch(r"(.*)\{(.*)\}(.*)", pattern)
    parts = [braces[1] + part + braces[3] for part in braces[2].split(",")] if braces else [pattern]
    return all(any(glob.glob(os.path.join(at, part) + end) for at in (".", folder) for end in ("", ".*")) for part in parts)


for file in files:
    folder, fenced = os.path.dirname(file) or ".", False  # what a program printed has no links
    for number, line in enumerate(open(file, encoding="utf-8", errors="replace"), 1):
        wanted = [p for p in path.findall(line) if not elsewhere.match(p)]
        missing = [p for p in wanted if not exists(p, folder)]
        fenced ^= line.startswith("```")
        if file.endswith(".md") and not fenced:
            missing += [p for p in link.findall(re.sub("`[^`]*`", "", line)) if not exists(p, folder)]
            missing += [p for p in named.findall(line) if p not in names]
        for p in missing:
            print(f"{file}:{number}: {p} does not exist")
PY
