#!/usr/bin/env bash
# The stored records make the stored tables. TAP.  reference.sh PROGRAM ROOT
# Each archive in results/reference/records, as PROFILE/NAME.tar.gz, is what `normbench records archive` wrote. Its sums must hold,
# and `table` must make of it, with no corpus in reach, all files of results/reference/<profile>/, byte for byte, as
# `verify --tables` compares them (bench/verify/reference.h says what is left out); the same of results/reference/theory.
# `verify --tables` is then given bad versions of one. NORMBENCH_WRITE_GOLDEN=1 writes the stored files anew first.
. "$(dirname "$0")/../lib.sh"
export LC_ALL=C
[ $# -eq 2 ] || { echo "usage: reference.sh PROGRAM ROOT" >&2; exit 2; }
program=$(realpath "$1") root=$(realpath "$2")
export NORMBENCH_ROOT=$root HOME=/nonexistent
export TMPDIR=$T NORMBENCH_DATA=$T/empty
mkdir "$T/empty" && cd "$T/empty" || exit 3
plans() { # MANIFEST: "experiment profile" a line
  python3 -c 'import json, sys
for p in json.load(open(sys.argv[1]))["plans"]: print(p["experiment"], p["profile"])' "$1"
}
# Tables of which some files are stored, whose JSON is none of them: NAME.json stands for the whole (bench/verify/reference.h).
partly=" own/optimizers own/residual-scale own/residual-scale-grid own/peri-fp16 own/embedding-norm-4 own/peri-context own/peri-depth \
own/peri-decay own/peri-lr own/mlm quick/embedding-norm-fresh quick/residual-scale-grid-fresh quick/amplification quick/deep-next quick/peri-init-grid quick/peri-decay-grid \
quick/peri-lr-grid quick/peri-decay-fresh quick/peri-rates-fresh quick/peri-seeds-fresh "
made() { # RESULTS NAME FOLDER: files to be held
  find "$1"/out/"$2"* -type f ! -name '*.pdf' ! -name '*-cost.*' ! -name plan.json | while read -r file; do
    [[ $partly == *" $3/$2 "* && ! -e $root/results/reference/$3/$(basename "$file") ]] || echo "$file"
  done
}

reprints() { # RESULTS EXPERIMENT PROFILE FOLDER: prints what differs
  local file of all
  "$program" table "$2" ${3:+--profile "$3"} --results "$1" >"$T/out" 2>"$T/err" || { tail -n 1 "$T/err"; return; }
  all=$(made "$1" "$2" "$4" | wc -l)
  [ -z "${NORMBENCH_WRITE_GOLDEN:-}" ] || made "$1" "$2" "$4" | while read -r file; do cp "$file" "$root/results/reference/$4/"; done
  "$program" verify "$2" --tables ${3:+--profile "$3"} --results "$1" >"$T/out" 2>&1 || { cat "$T/out"; return; }
  of=$(sed -nE 's/.*: ([0-9]+) of \1 files are the stored ones, byte for byte$/\1/p' "$T/out")
  grep -q 'figures.* not compared' "$T/out" && all=$(made "$1" "$2" "$4" | grep -vc 'svg$')
  [ "$of" = "$all" ] || { echo "not all of the $all files are compared:"; cat "$T/out"; }
}

# A run of today, to know what a record of today measures.
"$program" run smoke --arm '{base: pre}' --set steps=2 --seeds 1 --threads 1 --results "$T/today" >"$T/out" 2>&1 || cat "$T/out"
older() { # RESULTS (those of full cost an hour and may be older): metrics of today that a stored record lacks, so that a run made today could not give the stored files
  python3 - "$T"/today/runs/*/record.json "$1"/runs/*/record.json <<'PY'
import json, sys
evaluations = [json.load(open(name))["evaluations"] for name in sys.argv[1:]]
today, *stored = [set(all[-1]) for all in evaluations if all] # a run can diverge before the first
for metric in sorted(today):
    lack = sum(metric not in record for record in stored)
    if lack: print(f"{lack} of {len(stored)} records are older than the metric {metric}: train them again")
PY
}

# Of lists of runs, all columns but those that depend on the other runs in the folder: status, loss, hashes.
ends() { grep -oE '[a-z]+(,[^,]+){4}$' "$1" | sort; }
listed() { "$program" runs "$1" --profile "$2" --results "$3" --format csv >"$T/list" 2>"$T/err" || cat "$T/err"; ends "$T/list"; }

for archive in "$root"/results/reference/records/*/*.tar.gz; do
  profile=$(basename "$(dirname "$archive")") experiment=$(basename "$archive" .tar.gz)
  name=$profile/$experiment from=$T/$profile/$experiment
  mkdir -p "$T/$profile" && tar -xf "$archive" -C "$T/$profile" || { report "$name: it is a tar file" "tar cannot unpack it"; continue; }
  report "$name: records have the hashes of their manifest" "$(cd "$from" && sha256sum --quiet -c SHA256SUMS 2>&1
    find . -type f ! -name SHA256SUMS | sed 's|^\./||' | sort | diff - <(cut -c67- SHA256SUMS | sort))"
  [ "$profile" = full ] || report "$name: records have every metric of today" "$(older "$from")"
  # A run made today declares today's claims, so its table would not be this one: train it anew and archive it.
  [ "$name" != quick/embedding-norm-4 ] || report "$name: records declare today's claims" \
    "$(grep -h '(exploratory)' "$root"/results/reference/quick/embedding-norm-4-claims.tex)"
  report "$name: its plan is the experiment's own" "$(plans "$from/MANIFEST.json" | grep -vx "$experiment $profile")"
  [ ! -e "$root/results/reference/$name-runs.csv" ] || report "$name: its list of runs is that of its records" \
    "$(listed "$experiment" "$profile" "$archive" | diff <(ends "$root/results/reference/$name-runs.csv") - | head -n 3)"
  report "$name is reprinted" "$(reprints "$from" "$experiment" "$profile" "$profile")"
done
[ "$number" -gt 0 ] || report "there are reference records" "none in results/reference/records"
mkdir -p "$T/measured/out/theory" && cp "$root/results/reference/theory/measured.json" "$T/measured/out/theory/"
report "theory is reprinted" "$(reprints "$T/measured" theory "" theory)"

# Bad versions: of what is stored (in a tree of its own), of what is made here, of both.
N=embedding-norm-4
fresh() {
  chmod -R u+w "$T/tree" "$T/here" 2>/dev/null; rm -rf "$T/tree" "$T/here"
  mkdir -p "$T/tree/bench" "$T/tree/results/reference/records/quick"
  ln -s "$root/bench/experiments" "$root/bench/claims" "$T/tree/bench/"
  cp -r "$root/results/reference/quick" "$T/tree/results/reference/"
  cp "$root/results/reference/records/quick/$N.tar.gz" "$T/tree/results/reference/records/quick/"
  packed=$T/tree/results/reference/records/quick/$N.tar.gz records=$T/tree/$N
  tar -xf "$packed" -C "$T/tree"
  cp -r "$T/quick/$N" "$T/here"
  stored=$T/tree/results/reference/quick
  here=$(echo "$T"/here/out/$N-*) plan=$(echo "$T"/here/out/$N-*/plan.json)
  chmod -R u+w "$T/tree/results"
}
says() { # NAME EXIT-CODE PATTERN...: lines of `verify --tables`
  local name=$1 want=$2 code wrong= pattern
  NORMBENCH_ROOT=$T/tree "$program" verify $N --tables --profile quick --results "$T/here" >"$T/out" 2>&1
  code=$?
  [ $code = "$want" ] || wrong="exit code $code, not $want"
  for pattern in "${@:3}"; do grep -qE -- "$pattern" "$T/out" || wrong+=$'\n'"not said: $pattern"; done
  report "$name" "${wrong:+$wrong
$(cat "$T/out")}"
}
pack() { # what was changed of the records, with sums that hold
  (cd "$records" && find . -type f ! -name SHA256SUMS | sed 's|^\./||' | sort | xargs sha256sum >SHA256SUMS)
  tar -czf "$packed" -C "$T/tree" "$N"
}
unlist() { python3 - "$plan" "$1" <<'PY'
import json, re, sys
note = json.load(open(sys.argv[1]))
note["files"] = [f for f in note["files"] if not re.search(sys.argv[2], f)]
json.dump(note, open(sys.argv[1], "w"))
PY
}
if [ -d "$T/quick/embedding-norm-4/out" ]; then
  fresh; sed -i '40{s/\([0-9]\.[0-9]\)[0-4]/\19/;t;s/\([0-9]\.[0-9]\)[5-9]/\11/}' "$here/$N.csv"
  says "one digit" 1 '10 of 11 files are the stored ones$' "first difference: $N.csv, line 40\$" '^    stored  .*[0-9]\.' '^    here    .*[0-9]\.' \
    'why: the runs have the stored bits: another commit.s table, or a changed file; stored by commit [0-9a-f]+'
  fresh; unlist "^$N.csv$"
  says "a file that was not made" 1 "$N.csv is stored and was not made here" '10 of 11 files'
  fresh; rm "$stored/$N-macros.tex"
  says "a file that is not stored" 1 "$N-macros.tex was made here and is not stored" '10 of 11 files'
  fresh; rm "$here/$N.tex"
  says "a file that its plan.json alone lists" 3 "$N.tex is not there"
  fresh; sed -i 's/paired t interval/paired interval of t/' "$here/$N.txt"
  says "other words" 1 "first difference: $N.txt, line" "why: other words: every number is the stored one; stored by commit "
  fresh; sed -i 's/paired t interval/paired t interval 3/' "$here/$N.txt"
  says "a number more" 1 "why: the runs have the stored bits"
  fresh; sed -i 's/"commit": ".*"/"commit": "000000000000"/; s/"runs": 32$/"runs": 31/' "$here/$N.json"
  says "another commit's build and records" 0 '11 of 11 files are the stored ones, byte for byte'
  fresh; sed -i 's/patchlevel [0-9]*/patchlevel 99/' "$here"/*.svg
  says "figures of another gnuplot" 0 '3 figures are not compared' '8 of 8 files are the stored ones, byte for byte'
  fresh; unlist 'svg$'
  says "no gnuplot here" 0 '3 figures are not compared' '8 of 8 files are the stored ones, byte for byte'
  fresh; sed -i '1s/$/,more/' "$here/$N.csv"; python3 - "$records"/runs/*/record.json <<'PY'
import json, sys
for name in sys.argv[1:]:
    record = json.load(open(name))
    for evaluation in record["evaluations"]: evaluation.pop("grad_spikes", None)
    json.dump(record, open(name, "w"))
PY
  pack
  says "records of an older program" 1 "$N.csv, line 1\$" 'why: the stored runs are older than the metric grad_spikes'
  fresh; record=$(echo "$records"/runs/*/record.json | cut -d' ' -f2); sed -i 's/"loss_chain": "..../"loss_chain": "0000/' "$record"; pack
  says "a run with other bits" 1 '31 of 32 runs have the stored loss chains' 'first: .*, seed [0-9]+ \(.*has another loss chain'
  fresh; rm -r "$(dirname "$record")"; pack
  says "a run that is not stored" 1 '31 of 32 runs have the stored loss chains' 'first: .*, seed [0-9]+ \(.*is not among the stored'
  fresh; head -c 5000 "$root/results/reference/records/quick/$N.tar.gz" >"$packed"
  says "an archive that breaks off" 5 'embedding-norm-4.tar.gz: the gzip file breaks off'
  fresh; echo '{' >"$records/MANIFEST.json"; pack
  says "a damaged manifest" 5 'MANIFEST.json: '
  fresh; rm "$packed"; rm "$stored/$N".* "$stored/$N"-*
  says "nothing stored" 0 'no file of this table is stored; nothing to compare with'
  fresh; rm "$stored/$N"-curves.* "$stored/$N"-blocks.*
  says "files of curves that are not stored" 1 "$N-blocks.csv was made here and is not stored"
  sed -i '2s/^/ "curves": false,\n/' "$records/MANIFEST.json"; pack
  says "records that are stored without curves" 0 '4 other files of this table are not stored' '7 of 7 files are the stored ones, byte for byte'
  fresh; rm "$packed"; rm "$stored/$N".tex
  says "a table without stored records" 0 '1 other file of this table is not stored' '10 of 10 files are the stored ones'
  fresh; python3 - "$records" "$stored/$N-runs.csv" <<'PY'
import glob, json, sys
with open(sys.argv[2], "w") as out:
    print("arm,seed,loss_chain,parameters_hash,id", file=out)
    for name in sorted(glob.glob(sys.argv[1] + "/runs/*/record.json")):
        record = json.load(open(name))
        print("any,0," + ",".join(record[key] for key in ("loss_chain", "parameters_hash", "id")), file=out)
PY
  rm "$packed"
  says "a list of the runs' hashes" 0 '32 of 32 runs have the stored loss chains' '11 of 11 files are the stored ones'
  sed -i '3s/,[0-9a-f]\{8\}/,00000000/; 4s/.$/x/' "$stored/$N-runs.csv"
  says "a list with other hashes" 1 '30 of 32 runs have the stored loss chains' '11 of 11 files are the stored ones'
  fresh; rm -r "$T/here/out"
  says "no table made here" 3 'its table is not made here yet'
fi

# `trace` finds the stored runs where the results have none, and its numbers are those that the documents show.
mkdir -p "$T/clone/results" && ln -s "$root/bench" "$T/clone/bench" && ln -s "$root/results/reference" "$T/clone/results/reference"
findings() { # "experiment profile arm baseline" of each row of each block
  cat "$root"/README.md "$root"/docs/*.md | sed -nE 's#^<!-- finding of (results/[^ ]*\.json) -->$#\1#p' | sort -u | while read -r json; do
    python3 - "$root/$json" <<'PY'
import json, sys
table = json.load(open(sys.argv[1]))
first, *others = [arm["arm"] for arm in table["cells"][-1]["steps"][-1]["arms"]]
for arm in others: print(table["experiment"], table["profile"], arm, first)
PY
  done
}
while read -r experiment profile arm baseline; do
  asked=(trace "$experiment: $arm - $baseline" --profile "$profile" --format json)
  report "a finding's number is traced in a fresh clone: $experiment, $arm" "$(
    NORMBENCH_ROOT=$T/clone "$program" "${asked[@]}" >"$T/out" 2>"$T/err" || { cat "$T/err"; exit; }
    grep -q '^normbench: note: .*those stored in results/reference/records/' "$T/err" || echo "no note"
    python3 - "$T/out" "$root"/README.md "$root"/docs/*.md <<'PY'
import json, sys
c = json.load(open(sys.argv[1]))["comparison"]
t, p = c["t_interval"], c["max_t_step_down"]
mean, lo, hi = (f"{x + 0.0:.4f}".replace("-0.0000", "0.0000") for x in (t["mean"], t["lo"], t["hi"]))
row = f"{'+' if t['mean'] >= 5e-5 else ''}{mean} [{lo}, {hi}] | {p['count']}/{p['total']} |"
if not any(row in open(name).read() for name in sys.argv[2:]): print("no document says", row)
PY
    "$program" "${asked[@]}" --results "$T/empty" >"$T/out" 2>&1 && echo "--results of an empty folder traces"
    grep -q 'runs are missing' "$T/out" || cat "$T/out")"
done < <(findings)
echo "1..$number"
