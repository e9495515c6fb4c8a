#!/usr/bin/env python3
"""Every normbench command that the documents show is one that the program accepts. TAP.

    commands_in_text.py PROGRAM ROOT

A command is a line that begins with `normbench` or `./normbench`, in a code block that is not generated or in backticks. Of each, a
word is added that no command takes, `--nonesuch`: the program must get as far as to refuse that word, so it has taken the command and
all options with their values. Then the commands that train nothing run in a folder with the files they name, and of those that
train, `run` and `perf` run with --dry-run. Options of ./check and ./reproduce must stand in their --help. docs/json.md must name every
key of the JSON that is stored and that the reading commands print (compare's is held by tests/compare)."""
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from documents import documents, read

PROGRAM, ROOT = map(os.path.realpath, sys.argv[1:3])
GENERATED = re.compile(r"<!-- (?:from|\w+ of) .*?<!-- end -->", re.S)
PLACEHOLDERS = {"EXPERIMENT": "embedding-norm-4", "NAME": "pre", "FILE": "losses.csv", "DIR": "empty", "DIR...": "empty",
                "WORD": "word", "I/N": "1/2", "N": "2", "X": "2", "...": "embedding-norm-4: layernorm - baseline"}
READS = {"list", "explain", "new", "table", "runs", "show", "trace", "compare", "claims", "status", "verify"}
RECORDS = {"embedding-norm-4"}  # whose records are stored


def commands(text):
    """(line, command) of each that a document shows."""
    text = GENERATED.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    inside = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("```"):
            inside = not inside
        elif inside:
            found = re.match(r"(?:\S*=\S+ )*(?:mpirun .*?|srun .*?)?((?:\./|build/bench/)?normbench\b.*|\./(?:check|reproduce)\b.*)", line)
            if found:
                yield number, re.sub(r"  +#.*| # .*", "", found[1])
    plain = re.sub(r"^```.*?^```", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S | re.M)
    for match in re.finditer(r"`([^`]*)`", plain):
        one = re.sub(r"\s+", " ", match[1])
        found = re.match(r"(?:mpirun .*? |srun .*? )?((?:\./)?normbench [a-z].*|\./(?:check|reproduce)\b.*)", one)
        if found:
            yield plain.count("\n", 0, match.start()) + 1, found[1]


def words_of(command):
    """The words of the command alone: without what is piped, redirected or chained, places of names filled in."""
    words = []
    for word in shlex.split(command, comments=False):
        if word in ("|", ">", "<", "2>/dev/null", "&", ";", "&&"):
            break
        words.append(PLACEHOLDERS.get(word, word))
    return words


def run(words, folder):
    env = {**os.environ, "NORMBENCH_ROOT": ROOT, "LC_ALL": "C.UTF-8"}
    return subprocess.run([PROGRAM, *words], cwd=folder, env=env, capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL)


def refused(words, folder):
    """What is wrong with the command's words, by the program's own reading of them."""
    if "--help" in words:
        return "" if run(words, folder).returncode == 0 else "no such help"
    done = run([*words, "--nonesuch"], folder)
    if done.returncode == 2 and re.search(r"unknown option --nonesuch|--nonesuch needs", done.stderr):
        return ""
    return f"exit {done.returncode}: {(done.stderr or done.stdout).strip()[:200]}"


def prepare(folder):
    subprocess.run(["tar", "-xf", os.path.join(ROOT, "results/reference/records/quick/embedding-norm-4.tar.gz"), "-C", folder], check=True)
    os.rename(os.path.join(folder, "embedding-norm-4"), os.path.join(folder, "results"))
    shutil.copytree(os.path.join(folder, "results"), os.path.join(folder, "doubt"))
    os.symlink(os.path.join(ROOT, "results/reference"), os.path.join(folder, "results/reference"))
    os.mkdir(os.path.join(folder, "empty"))
    with open(os.path.join(folder, "losses.csv"), "w") as file:
        file.write("seed,pre,mine\n" + "".join(f"{i},{3.4 + i / 100},{3.3 + i / 90}\n" for i in range(1, 9)))
    run(["new", "mine.yaml"], folder)


def tried(words, folder):
    """What is wrong when it runs: as it is where it reads, as a dry run where it would train."""
    nouns = 2 if words[0] in ("model", "records") or words[:2] in (["runs", "show"], ["verify", "snapshot"]) else 1
    command, given = words[nouns - 1], [*words[nouns:]]
    if "--help" in words or command in ("run", "table", "trace", "perf") and all(w.startswith("-") for w in given):
        return None  # a command's name alone
    if command in ("run", "perf"):
        dry = given + ([] if "--dry-run" in given else ["--dry-run"])
        if any(w in given for w in ("theory", "--text", "--slurm", "--ranks")) or command == "perf" and "--dry-run" not in given:
            return None
        if "--backend" in dry and "cuda" in dry and "--device" not in dry and command == "run":
            return None
        done = run([command, *dry, *([] if "--results" in dry or command == "perf" else ["--results", "empty"])], folder)
        allowed = (0, 3) if given[0] == "peri-1b5" else (0,)  # more than the device has
    elif command in READS:
        named = next((re.split(r"[:/ ]", w)[0] for w in given if not w.startswith("-")), "")
        if command in ("table", "runs", "trace") and named and named not in RECORDS or command == "show" and named != "layernorm":
            return None
        if command == "verify" or "--watch" in given or command == "table" and "--pdf" in given:
            return None
        if command == "new":
            given = ["another.yaml"]
        done = run([*words[:nouns], *given, *([] if "--results" in given or command in ("new", "list", "explain") else ["--results", "results"])],
                   folder)
        allowed = (0, 1, 4) if command == "compare" else (0,)
    else:
        return None
    if done.returncode == 3 and "cannot be had" in done.stderr:
        return ""  # the corpus, without a network
    return "" if done.returncode in allowed else f"exit {done.returncode}: {(done.stderr or done.stdout).strip()[:200]}"


FREE = {"rows", "metrics", "keys", "spec", "changed", "factors", "counts", "stored_counts", "provenance", "libraries", "evaluations"}


def unnamed(value, words, under=""):
    """Keys below a JSON value that the page does not name; those of FREE objects are names of metrics, keys and the like."""
    if isinstance(value, list):
        return {key for part in value for key in unnamed(part, words, under)}
    if not isinstance(value, dict):
        return set()
    own = {f"{under}/{key}" for key in value if under not in FREE and not set(key.split()) <= words and not key.isdigit()}
    return own.union(*(unnamed(part, words, key) for key, part in value.items()))


def schema_wrong(page, section, written):
    """A section of the page says the schema that is written."""
    said = re.search(rf"## {section}\n.*?{{schema: (\d+)", page, re.S)
    return not said or said[1] != str(written)


def json_keys(folder):
    page = read(ROOT, "docs/json.md")
    words = set(re.findall(r"\w+", page))
    reference = os.path.join(ROOT, "results/reference")
    for name in ("quick/embedding-norm-4.json", "full/embedding-norm-4.json", "full/embedding-norm.json", "quick/peri-seeds.json",
                 "claims.json"):
        yield from (f"{name}: {key}" for key in sorted(unnamed(json.loads(read(reference, name)), words)))
    metrics = {row["name"] for row in json.loads(run(["list", "metrics", "--format", "json"], folder).stdout)["metrics"]}
    run(["run", "smoke", "--seeds", "1", "--results", "one"], folder)
    run(["export", "pre/seed=1", "--results", "one", "-o", "w.safetensors"], folder)
    for asked in (["runs"], ["runs", "show", "layernorm/seed=3"], ["status", "embedding-norm-4", "--profile", "quick"],
                  ["records", "trace", "embedding-norm-4: layernorm - baseline"], ["claims", "002", "--own"], ["compare", "losses.csv"],
                  ["compare", "losses.csv", "--against", "3"], ["perf", "smoke", "--profile", "smoke", "--dry-run"],
                  ["perf", "smoke", "--profile", "smoke"], ["import", "w.safetensors"]):
        done = run([*asked, "--format", "json", *([] if asked[0] == "perf" else ["--results", "doubt"])], folder)
        try:
            value = json.loads(done.stdout)
        except ValueError:
            yield f"{' '.join(asked)} --format json: {done.stderr or 'no JSON'}"
            continue
        yield from (f"{' '.join(asked)} --format json: {key}" for key in sorted(unnamed(value, words)) if key[1:] not in metrics)
        if asked[0] in ("claims", "compare") and "--against" not in asked and schema_wrong(page, asked[0], value["schema"]):
            yield f"docs/json.md has another schema of {asked[0]} than {value['schema']}"
    run(["table", "embedding-norm-4", "--profile", "quick", "--results", "doubt"], folder)
    (file,) = glob.glob(os.path.join(folder, "doubt/out/*/embedding-norm-4.json"))
    table = json.loads(read(folder, file))
    yield from (f"table embedding-norm-4: {key}" for key in sorted(unnamed(table, words)))
    if schema_wrong(page, "table", table["schema"]):
        yield f"docs/json.md has another schema of table than {table['schema']}"


def main():
    folder = tempfile.mkdtemp(prefix="normbench-commands.")
    wrong, ran, seen = {"taken": [], "run": [], "scripts": [], "keys": []}, 0, {}
    try:
        prepare(folder)
        helps = {s: subprocess.run([os.path.join(ROOT, s), "--help"], capture_output=True, text=True).stdout for s in ("check", "reproduce")}
        for name in documents(ROOT) + ["CONTRIBUTING.md"]:
            for line, command in commands(read(ROOT, name)):
                words = words_of(command)
                if words[0] in ("./check", "./reproduce"):
                    missing = [w for w in words[1:] if w.startswith("--") and w not in helps[words[0][2:]]]
                    wrong["scripts"] += [f"{name}:{line}: {command}: {words[0]} --help has no {w}" for w in missing]
                    continue
                key = tuple(words[1:])
                if not key or key in seen:
                    continue
                seen[key] = True
                said = refused(list(key), folder)
                wrong["taken"] += [f"{name}:{line}: {command}: {said}"] if said else []
                said = None if said else tried(list(key), folder)
                ran += said is not None
                wrong["run"] += [f"{name}:{line}: {command}: {said}"] if said else []
        wrong["keys"] = list(json_keys(folder))
    finally:
        shutil.rmtree(folder)
    if len(seen) < 60 or ran < 20:
        wrong["taken"].append(f"only {len(seen)} commands were found and {ran} run")
    for number, (key, name) in enumerate((("taken", f"the program takes the {len(seen)} commands that the documents show"),
                                          ("run", f"{ran} of them run, or their dry runs do"),
                                          ("scripts", "./check and ./reproduce have the options that the documents show"),
                                          ("keys", "docs/json.md names every key of stored and printed JSON")), 1):
        print(f"{'not ' if wrong[key] else ''}ok {number} - {name}")
        for text in wrong[key]:
            print("# " + text)
    print("1..4")


if __name__ == "__main__":
    main()
