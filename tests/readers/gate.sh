#!/usr/bin/env bash
# The step of docs/compare.md that judges a pull request, run as a job would run it. TAP.  gate.sh PROGRAM ROOT
set -u
program=$(realpath "$1") root=$(realpath "$2")
T=$(mktemp -d "${TMPDIR:-/tmp}/normbench-gate.XXXXXX") || exit 3
trap 'rm -rf "$T"' EXIT
mkdir "$T/bin" && ln -s "$program" "$T/bin/normbench" || exit 3
PATH=$T/bin:$PATH
export NORMBENCH_ROOT=$root
sed -n '/^        run: |$/,/^```$/p' "$root/docs/compare.md" | sed '1d; $d; s/^          //' >"$T/step.sh"

# runs FIRST STEP: seeds 1 to 8, main at 3 + seed/100, new worse by FIRST + seed * STEP.
runs() {
  rm -rf "$T/runs"
  for seed in 1 2 3 4 5 6 7 8; do
    mkdir -p "$T/runs/main_s$seed" "$T/runs/new_s$seed"
    awk -v s=$seed 'BEGIN {printf "epoch,step,val_loss\n0,50,9\n1,100,%.6f\n", 3 + s / 100}' >"$T/runs/main_s$seed/metrics.csv"
    awk -v s=$seed -v f="$1" -v t="$2" 'BEGIN {printf "epoch,step,val_loss\n0,50,9\n1,100,%.6f\n", 3 + s / 100 + f + s * t}' \
      >"$T/runs/new_s$seed/metrics.csv"
  done
}
number=0
# case NAME WANT SUMMARY OUTPUT
gate() {
  number=$((number + 1))
  : >"$T/summary.md"
  (cd "$T" && GITHUB_STEP_SUMMARY=$T/summary.md bash -e step.sh >"$T/out" 2>&1)
  local code=$?
  if [ $code -eq "$2" ] && { [ -z "$3" ] || grep -q -e "$3" "$T/summary.md"; } && { [ -z "$4" ] || grep -q -e "$4" "$T/out"; }; then echo "ok $number - $1"; else
    echo "not ok $number - $1"
    { echo "exit code $code"; cat "$T/out" "$T/summary.md"; } | sed 's/^/# /'
  fi
}
runs 0.05 0.001
gate "a metric that got worse by more fails" 1 '^\*\*FAIL\*\*: an arm is worse than main by more than 0.02' ''
runs 0.001 0.0005
gate "one that did not passes" 0 '^\*\*PASS\*\*: no arm is worse than main by more than 0.02' ''
runs -0.01 0.009
gate "what is not decided warns" 0 '^\*\*NOT DECIDED\*\*.* about [0-9]* more seeds would decide it' '::warning::not decided'
runs 0 0 && rm "$T/runs/new_s3/metrics.csv" && touch "$T/runs/new_s3/metrics.csv"
gate "an empty file is named" 0 'Used 14 of 16 runs' ''
rm -r "$T/runs" && mkdir "$T/runs"
gate "no logs at all fail" 1 '' 'no file below this folder is one that a reader knows'
echo "1..$number"
