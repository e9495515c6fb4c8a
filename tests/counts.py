#!/usr/bin/env python3
"""counts.py ROOT [BUILD]: how heavy the house is, by numbers that its design sets a goal for.

Prints a line for each: the number today, its goal, and whether it is met. Ends with 1 when a number of HELD, which met its goal
once, is above it. With BUILD, a configured and built folder, it also counts circles. Lines are those of tracked or new files
that git does not ignore."""
import os
import re
import subprocess
import sys

PRODUCT = (".c", ".h", ".cu", ".cuh", ".def")
WRITE = ("bench/write", "bench/figures", "bench/compare", "bench/ledger", "bench/runs", "bench/report")  # bench/write was all of them
REST = ("bench/verdict", "bench/verify", "bench/options", "bench/slurm", "bench/cli")  # bench/verdict and bench/cli were these
SCRIPTS = (".sh", ".py", ".cc")
HELD = {"files that print LaTeX tabulars", "sources of the largest room of bench/",
        "words first on the command line", "options", "circles of files or rooms", "lines of README.md",
        "lines of REPRODUCE.md", "lines of the longest page of docs/"}


def tracked(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True, check=True)
    return sorted(path for path in set(listed.stdout.split("\n")) if path and os.path.isfile(os.path.join(root, path)))


def text_of(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def room_of(path):
    parts = os.path.dirname(path).split("/")
    return "/".join(parts[:2]) if parts[0] == "bench" else parts[0]


def words_of_commands(text):
    """The words that may stand first: commands that stand alone, and nouns."""
    return re.findall(r"^NOUN\((\w+)", text, re.M) + re.findall(r'^COMMAND\((\w+), \w+, ""', text, re.M)


def circles_in(build):
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "symbols.py")
    said = subprocess.run([sys.executable, here, build, "circles"], capture_output=True, text=True, check=False).stdout
    return len([line for line in said.split("\n") if line and not line.startswith(" ")])


def counts(root, build):
    """(what, number, goal) of each count."""
    files = tracked(root)
    text = {path: text_of(root, path) for path in files if path.endswith(PRODUCT + SCRIPTS + (".md",))}
    lines = {path: content.count("\n") for path, content in text.items()}
    product = [path for path in text if path.endswith(PRODUCT) and not path.startswith("tests/")]
    total = lambda *rooms: sum(lines[path] for path in product if not rooms or room_of(path) in rooms)
    write = [path for path in product if room_of(path) in WRITE]
    tests = [path for path in text if path.startswith("tests/") and path.endswith(PRODUCT + SCRIPTS)]
    room = {}
    for path in product:
        if path.endswith(".c"):
            room[room_of(path)] = room.get(room_of(path), 0) + 1
    yield "product lines", total(), 70000
    yield "lines of bench/write", total(*WRITE), 8000
    yield "files of bench/write", len(write), 50
    yield "lines of bench/write, verdict and cli", total(*WRITE, *REST), 18000
    yield "lines of tests", sum(lines[path] for path in tests), 42600
    yield "files that print LaTeX tabulars", sum(r"\begin{tabular" in text[path].replace("\\\\", "\\") for path in product), 1
    yield "sources of the largest room of bench/", max(n for name, n in room.items() if name.startswith("bench/")), 30
    yield "words first on the command line", len(words_of_commands(text["bench/cli/commands.def"])), 16
    yield "options", len(re.findall(r"^OPTION\(", text["bench/options/options.def"], re.M)), 70
    yield "lines of README.md", lines["README.md"], 120
    yield "lines of REPRODUCE.md", lines["REPRODUCE.md"], 120
    yield "lines of the longest page of docs/", max(n for path, n in lines.items() if re.fullmatch(r"docs/[^/]*\.md", path)), 300
    if build:
        yield "circles of files or rooms", circles_in(build), 0


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__.split("\n", maxsplit=1)[0])
    broken = 0
    for what, number, goal in counts(sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else None):
        held = what in HELD and number > goal
        broken += held
        print(f"{what:42} {number:7} {'at most':>8} {goal:6}  {'met' if number <= goal else 'BROKEN' if held else 'not met'}")
    sys.exit(broken > 0)


if __name__ == "__main__":
    main()
