#!/usr/bin/env bash
# The jobs of docs/compare.md that judge a pull request: the workflow is parsed, and every `run` of its steps runs in a
# shell as a runner would start it; so does the script of the job for GitLab. TAP.  gate.sh PROGRAM STEPS ROOT
set -u
program=$(realpath "$1") steps=$(realpath "$2") root=$(realpath "$3")
T=$(mktemp -d "${TMPDIR:-/tmp}/normbench-gate.XXXXXX") || exit 3
trap 'rm -rf "$T"' EXIT
mkdir "$T/bin" "$T/steps" && ln -s "$program" "$T/bin/normbench" || exit 3
PATH=$T/bin:$PATH
export NORMBENCH_ROOT=$root
sed -n '/^```yaml$/,/^```$/p' "$root/docs/compare.md" | sed '1d; /^```$/,$d' >"$T/workflow.yaml"
gitlab=$(sed -n 's/^    - \(normbench compare .*metric.xml\)$/\1/p' "$root/docs/compare.md")
[ "$gitlab" ] || { echo "Bail out! no job of GitLab"; exit 1; }
count=$("$steps" "$T/steps" <"$T/workflow.yaml") && [ "$count" = 2 ] || { echo "Bail out! no workflow of two runs"; exit 1; }

# runs FIRST STEP: what ./train-both-sides writes: seeds 1 to 8, main at 3 + seed/100, new worse by FIRST + seed * STEP.
runs() {
  cat >"$T/train-both-sides" <<END
#!/usr/bin/env bash
rm -rf runs
for seed in 1 2 3 4 5 6 7 8; do
  mkdir -p runs/main_s\$seed runs/new_s\$seed
  awk -v s=\$seed 'BEGIN {printf "epoch,step,val_loss\n0,50,9\n1,100,%.6f\n", 3 + s / 100}' >runs/main_s\$seed/metrics.csv
  awk -v s=\$seed 'BEGIN {printf "epoch,step,val_loss\n0,50,9\n1,100,%.6f\n", 3 + s / 100 + $1 + s * $2}' >runs/new_s\$seed/metrics.csv
done
${3:-}
END
  chmod +x "$T/train-both-sides"
}
# junit NAME CODE FAILURES SKIPPED: what the same runs give as JUnit's XML, read by a parser of XML.
junit() {
  number=$((number + 1))
  local code=0 said
  (cd "$T" && ./train-both-sides && bash -ec "$gitlab")
  code=$?
  said=$(python3 - "$T/metric.xml" <<'END'
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
print(len(root.findall("./testsuite/testcase/failure")), len(root.findall("./testsuite/testcase/skipped")), root.get("tests"))
END
  )
  if [ $code -eq "$2" ] && [ "$said" = "$3 $4 1" ]; then echo "ok $number - $1"; else
    echo "not ok $number - $1"
    { echo "exit code $code, '$said'"; cat "$T/metric.xml"; } | sed 's/^/# /'
  fi
}
number=0
# gate NAME WANT SUMMARY OUTPUT: the exit code, and what the summary and the log must hold; steps run until one fails.
gate() {
  number=$((number + 1))
  : >"$T/summary.md"
  local code=0 step
  for ((step = 1; step <= count && code == 0; step++)); do
    (cd "$T" && GITHUB_STEP_SUMMARY=$T/summary.md bash -e "steps/$step.sh" >"$T/out" 2>&1)
    code=$?
  done
  if [ $code -eq "$2" ] && { [ -z "$3" ] || grep -q -e "$3" "$T/summary.md"; } && { [ -z "$4" ] || grep -q -e "$4" "$T/out"; }; then echo "ok $number - $1"; else
    echo "not ok $number - $1"
    { echo "exit code $code"; cat "$T/out" "$T/summary.md"; } | sed 's/^/# /'
  fi
}
runs 0.05 0.001
gate "a metric that got worse by more fails" 1 '^\*\*FAIL\*\*: an arm is worse than main by more than 0.02' ''
junit "as JUnit it is a failure" 1 1 0
runs 0.001 0.0005
gate "one that did not passes" 0 '^\*\*PASS\*\*: no arm is worse than main by more than 0.02' ''
runs -0.01 0.009
junit "as JUnit what is not decided is skipped" 4 0 1
gate "what is not decided warns" 0 '^\*\*NOT DECIDED\*\*.* about [0-9]* more seeds would decide it' '::warning::not decided'
runs 0 0 ': >runs/new_s3/metrics.csv'
gate "an empty file is named" 0 'Used 14 of 16 runs' ''
runs 0 0 'rm -r runs && mkdir runs'
gate "no logs at all fail" 1 '' 'no file below this folder is one that a reader knows'
runs 0 0 'exit 7'
gate "a training that fails ends the job" 7 '' ''
echo "1..$number"
