#!/bin/sh
# Every file under results/reference is used.  stored_files.sh ROOT [FILE...]  prints those that are not, FILE among them if
# it were stored.
# A file is used when a document, a test or a source names its path, or by one of these rules:
#   records/       `table`, `trace` and tests/write/reference.sh read them
#   journeys/, theory/, growth/   tests/write/journeys.sh and reference.sh hold the first two; growth/foretell.py reads the third
#   PROFILE/NAME.txt, NAME-differences.svg, NAME-runs.csv   `verify NAME --tables` reads them of every experiment
#   PROFILE/NAME-*   of an experiment whose records are stored: tests/write/reference.sh holds all of its files, which are
#                    those of `table` without measured times and PDFs, or some of those that reference.sh calls stored in part
exec python3 - "$@" <<'PY'
import glob, json, os, re, subprocess, sys, tarfile

os.chdir(sys.argv[1])
listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True).stdout.split("\n")
listed = [f for f in listed if os.path.isfile(f)] or [f for f in glob.glob("**", recursive=True) if os.path.isfile(f)]
store = "results/reference/"
texts = [f for f in listed if not f.startswith(store) and not f.startswith("build") and f != "CHANGELOG.md"]
named = set()
for file in texts:
    for path in re.findall(r"results/reference/[\w./=,-]*\w", open(file, encoding="utf-8", errors="replace").read()):
        named.add(path)
# tests/numbers_in_*.def call them without the folder, and a table's JSON by the table's name.
lists = "".join(open(file, encoding="utf-8").read() for file in glob.glob("tests/numbers_in_*.def"))
for name in re.findall(r'"(?:reference/)?([a-z]+/[\w./=-]+)"', lists):
    named |= {store + name, store + name + ".json"}
experiments = sorted((os.path.basename(f)[:-5] for f in glob.glob("bench/experiments/*.yaml")), key=len, reverse=True)
def plans(archive):
    with tarfile.open(archive) as tar:
        return json.load(tar.extractfile(next(m for m in tar if m.name.endswith("/MANIFEST.json"))))["plans"]


whole = {(p["profile"], p["experiment"]) for f in glob.glob(store + "records/*/*.tar.gz") for p in plans(f)}


def used(path):
    folder, _, name = path[len(store):].partition("/")
    if path in named or folder in ("records", "journeys", "theory", "growth"):
        return True
    owner = next((e for e in experiments if re.match(re.escape(e) + r"[.-]", name)), None)
    if not owner:
        return False
    if re.fullmatch(r"(-\w+)?(\.txt|-differences\.svg|-runs\.csv)", name[len(owner):]):
        return True
    return (folder, owner) in whole and "-cost." not in name and not name.endswith(".pdf")


for path in listed + sys.argv[2:]:
    if path.startswith(store) and not used(path):
        print(f"{path}: no document shows it, no test holds it, no command reads it")
PY
