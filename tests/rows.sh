#!/usr/bin/env bash
# Every kind of row is truly one row: rows_patch.py adds one of each kind to a scratch copy of the tree and swaps two older
# ones of every table; the copy is built once; then each new row must be listed, documented and at work, and the smoke
# experiment must have the ids and the bits that the program without them gives. TAP.  rows.sh PROGRAM ROOT
set -u
export LC_ALL=C
unset NORMBENCH_ROOT NORMBENCH_DATA
program=$(realpath "$1") root=$(realpath "$2") here=$(dirname "$(realpath "$0")")
T=$(mktemp -d "${TMPDIR:-/tmp}/normbench-rows.XXXXXX") || exit 3
trap 'rm -rf "$T"' EXIT
trap 'exit 130' INT TERM

number=0
check() { # name; the rest is a command that must succeed and says why not
  number=$((number + 1))
  local name=$1
  shift
  if "$@" >"$T/why" 2>&1; then echo "ok $number - $name"; else
    echo "not ok $number - $name"
    tail -n 20 "$T/why" | cut -c1-300 | sed 's/^/# /'
  fi
}

cd "$root" || exit 3
mkdir "$T/tree"
if git rev-parse --git-dir >/dev/null 2>&1; then git ls-files -z --cached --others --exclude-standard; else find . -type f -not -path './build*' -print0; fi |
  tar --null -T - -c --ignore-failed-read 2>/dev/null | tar x -C "$T/tree"
python3 "$here/rows_patch.py" "$T/tree" || { echo "Bail out! the patches do not fit this tree"; exit 3; }
cd "$T/tree" || exit 3
export NORMBENCH_DATA=$PWD/rows-data # its corpus is small: the readable kernels of a debug build are slow
build() {
  meson setup build -Dtests=disabled -Dcuda=disabled -Dbpe=disabled -Dcurl=disabled --buildtype=debug -Ddebug=false &&
    ninja -C build bench/normbench
}
if ! build >"$T/log" 2>&1; then
  echo "not ok 1 - a tree with a row more of every kind builds"
  grep -E 'error|ERROR' "$T/log" | head -n 20 | sed 's/^/# /'
  echo "1..1"
  exit 1
fi
nb() { build/bench/normbench "$@"; }
nb list >"$T/list" && nb list --format json >"$T/list.json" && nb --help >"$T/help"

listed() { # kind, name: under the kind's heading, and in the JSON
  awk -v kind="$1" '/^[a-z]/ { on = index($0, kind) == 1 } on && /^  /' "$T/list" | grep -qE "^  $2 " || { echo "not in list: $1 $2"; return 1; }
  python3 -c 'import json, sys; sys.exit(sys.argv[3] not in [row["name"] for row in json.load(open(sys.argv[1]))[sys.argv[2]]])' \
    "$T/list.json" "$1" "$2" || { echo "not in list --format json: $1 $2"; return 1; }
}
trains() { # ARGUMENTS…: the new experiment with them trains and its runs are ok
  rm -rf "$T/one"
  nb run row-experiment --profile row_tiny --set seeds=1 --offline --results "$T/one" "$@" || return 1
  grep -l '"status": "ok"' "$T"/one/runs/*/record.json | grep -c . >"$T/count"
  [ "$(cat "$T/count")" -gt 0 ] || { echo "no run is ok"; return 1; }
}
has() { grep -qF -- "$1" "$2" || { echo "$2 has no: $1"; return 1; }; }
ends() { # CODE ARGUMENTS…
  local code=$1
  shift
  nb "$@"
  local rc=$?
  [ $rc = "$code" ] || { echo "exit code $rc, not $code: $*"; return 1; }
}

same_bits() { # BACKEND ARGUMENTS…: it trains to the bits of the CPU
  local backend=$1
  shift
  trains "$@" && mv "$T/one" "$T/cpu" && trains "$@" --backend $backend || return 1
  for run in "$T"/cpu/runs/*; do cmp "$run/curves.csv" "$T/one/runs/${run##*/}/curves.csv" || return 1; done
  rm -rf "$T/cpu"
}

option() { ends 0 list --row-added 3 && ends 2 list --row-added 12 && nb list --help >"$T/out" && has "--row-added N" "$T/out" && ends 2 run smoke --row-added 3; }
exit_code() { listed "exit codes" 77 && has "77  an exit code" "$T/help" && ends 77 list --row-added 7; }
schedule() { listed schedules row_halved && trains --set schedule=row_halved && grep -q '^1,0.0005,' "$T"/one/runs/*/curves.csv; }
optimizer() {
  listed optimizers row_plain && trains --set optimizer=row_plain || return 1
  [ -n "$(nb list | grep '^  simt ' | grep -v 'not on this machine')" ] || return 0
  same_bits simt --set optimizer=row_plain --set layers=1 --set width=8 --set heads=1
}
metric() {
  listed metrics row_worst && rm -rf "$T/two" && nb run row-experiment --offline --results "$T/two" &&
    nb table row-experiment --results "$T/two" >"$T/out" && has "worst train loss" "$T/out" && has "the loss" "$T/out" &&
    has '"row_worst"' "$T"/two/out/row-experiment-*/"row-experiment.json" && has "RowWorst" "$T"/two/out/row-experiment-*/"row-experiment-macros.tex" &&
    has ",lr," "$T"/two/out/row-experiment-*/"row-experiment-curves.csv"
}
summary() { # on the terminal, in LaTeX, CSV and JSON, and in the report
  nb run --help all | grep -q "row_summary" && rm -rf "$T/two" && nb run row-experiment --offline --results "$T/two" &&
    nb table row-experiment --results "$T/two" >"$T/out" && has "Added by a row" "$T/out" || return 1
  local files
  files=$(echo "$T"/two/out/row-experiment-*/)row-experiment
  has "Added by a row" "$files-row_summary.tex" && has "arm,seeds" "$files-row_summary.csv" && has '"row_summary": [' "$files.json" &&
    nb report --results "$T/two" >"$T/out" && grep -qF "Added by a row" "$T"/two/out/report/report.html
}
norm() { listed norms row_negated && trains --arm '{base: pre, attn.out: row_negated}' && trains --arm '{base: pre, attn.out: rowneg}'; }
choice() { listed choices "init: row_halved" && trains --arm '{base: pre, init: row_halved}'; }
streams() { # a line, what it does and what it says; the line alone is no program
  listed choices "streams: row_doubled" && trains --arm '{base: none, streams: row_doubled}' &&
    nb explain --arm '{base: pre, streams: row_doubled}' >"$T/out" && has "x <- x + f(LN(2 x))" "$T/out" || return 1
  mkdir -p "$T/half/models" && cp models/*.[ch] models/*.def "$T/half/models" && printf 'CHOICE(streams, row_half, 0, usual, "half")\n' >>"$T/half/models/choices.def"
  local file
  for file in streams equation; do
    ! ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -fsyntax-only -I"$T/half" -I. "$T/half/models/$file.c" 2>"$T/why-not" && grep -q row_half "$T/why-not" ||
      { echo "models/$file.c compiles without the kind"; return 1; }
  done
}
rule() { listed rules row_inverse && trains --arm '{base: pre, carry: row_inverse 1}'; }
op() {
  listed ops rownegate && nb explain --arm '{base: pre, attn.out: row_negated}' >"$T/out" && has rownegate "$T/out" || return 1
  for backend in cpu cpu64 portable; do trains --arm '{base: pre, attn.out: row_negated}' --backend $backend || return 1; done
}
backend() { listed backends row-cpu && same_bits row-cpu; }
precision() {
  listed precisions row_precise && trains --backend row-cpu --set precision=row_precise &&
    nb table row-experiment --profile row_tiny --set seeds=1 --set precision=row_precise --results "$T/one" >"$T/out"
}
statistic() {
  listed statistics row-test && nb run row-experiment --offline --results "$T/two" &&
    nb claims row-claims --format json --results "$T/two" >"$T/out" && has '"row-test"' "$T/out" && has '"p"' "$T/out"
}
probe() {
  listed probes row_probe && trains --set 'probes=[usual, row_probe]' && grep -q '^step,.*,row_probe' "$T"/one/runs/*/curves.csv
}
variant() {
  listed variants row-variant && nb explain row-variant >"$T/out" && has "no norm before the head" "$T/out" &&
    has "blocks 2 to 3, MLP: x <- x + RMS(F(LN(x)))" "$T/out" && trains --arm '{base: row-variant}'
}
dataset() {
  listed datasets row-corpus && nb data verify row-corpus --offline && nb data show row-corpus --offline >"$T/out" && has bottles "$T/out" && trains
}
reader() { # of logs, chosen by what a file holds
  printf 'row 1 2.5\nrow 2 2.25\n' >"$T/row.log" && nb compare "$T/row.log" --list --metric row >"$T/out" &&
    has "Read as row log, 1 run" "$T/out" && has "2.25" "$T/out" && nb compare "$T/row.log" --as row-log --list >"$T/out"
}
task() {
  listed tasks row-task && trains --tokenizer byte || return 1
  nb export "$(ls "$T/one/runs" | head -n 1)" --results "$T/one" -o "$T/weights" &&
    printf '{"goal": "g", "sol1": "a", "sol2": "b", "label": 1}\n' >"$T/items" &&
    nb score "$T/weights" --tasks row-task --file "row-task=$T/items" >"$T/out" && has "row-task 7.0" "$T/out"
}
profile() { listed profiles row_tiny && trains && ends 2 claims --profile row_tny && nb claims row-claims --profile row_tiny --results "$T/one"; }
experiment() { listed experiments row-experiment && nb run row-experiment --dry-run --results "$T/none"; }
claim() { listed claims row-claims && nb claims row-claims --all --results "$T/two" >"$T/out" && has "row_worst: post - pre < 0" "$T/out"; }
grid() { listed "grid metrics" row_rates && nb claims row-claims --all --results "$T/two" >"$T/out" && has "row_rates: post > 0" "$T/out"; }
command() { nb rowcommand | grep -q "a command" && has "a command that tests/rows.sh added" "$T/help"; }

# What was there before: ids, bits, tables; and records of the program without the rows are read. The debug build takes
# minutes for all of smoke's steps and evaluations at its width, and most of them on the built-in source.
seq -s ' ' 1 3000 >"$T/words.txt"
short=(--set steps=4 --set evaluate_at=4 --set curve_every=2 --set width=16)
smoke=(smoke "${short[@]}" --set seeds=2 --set "dataset=text:$T/words.txt")
both() {
  NORMBENCH_ROOT=$root "$program" run "$@" --offline --results "$T/before" && nb run "$@" --offline --results "$T/after"
}
same_runs() {
  both "${smoke[@]}" && both smoke "${short[@]}" --set seeds=1 --arm '{base: pre}' || return 1
  diff <(ls "$T/before/runs") <(ls "$T/after/runs") || return 1
  python3 - "$T" <<'PY'
import json, os, sys
for run in os.listdir(sys.argv[1] + "/before/runs"):
    old, new = ({**json.load(open(f"{sys.argv[1]}/{when}/runs/{run}/record.json"))} for when in ("before", "after"))
    for key in ("loss_chain", "parameters_hash", "declared", "spec"):
        if old.get(key) != new.get(key):
            sys.exit(f"{run}: {key} differs")
    for a, b in zip(old["evaluations"], new["evaluations"]):
        if any(a[key] != b[key] for key in a):
            sys.exit(f"{run}: evaluations differ")
PY
}
same_table() {
  NORMBENCH_ROOT=$root "$program" table "${smoke[@]}" --results "$T/before" >"$T/table-before" 2>/dev/null &&
    nb table "${smoke[@]}" --results "$T/after" >"$T/table-after" 2>/dev/null || return 1
  diff "$T"/before/out/smoke-*/smoke.txt "$T"/after/out/smoke-*/smoke.txt
}
older() { # and their tables keep their bytes, the hash of all results included
  mv "$T/before/out" "$T/kept" && nb table "${smoke[@]}" --results "$T/before" >"$T/out" || return 1
  for ending in .txt .tex -macros.tex -curves.csv; do diff "$T"/kept/smoke-*/"smoke$ending" "$T"/before/out/smoke-*/"smoke$ending" || return 1; done
}

check "a tree with a row more of every kind builds" true
for kind in option exit_code schedule optimizer metric summary norm rule choice streams op backend precision statistic probe variant dataset task profile experiment claim grid reader command; do
  check "one row adds: $kind" $kind
done
check "rows in another order leave ids and bits" same_runs
check "and tables" same_table
check "records of the program without the new rows are read" older
echo "1..$number"
