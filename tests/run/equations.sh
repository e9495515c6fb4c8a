#!/usr/bin/env bash
# A network is the one its equation says, over several steps of training: equation_net.py beside this file builds each from what
# `explain` prints and trains it in numpy, double precision; every step's loss and gradient norm are held to the program's. Every
# value of every column that an arm may have, in all blocks and in some, each start with each activation, each optimizer with each schedule, every row of the
# list, in both recipes, and with its tokens masked; `full` also each rule with other numbers, which must matter, each carry with
# each gate, and each rule with each way of streams. TAP.
#     equations.sh PROGRAM ROOT [full]
. "$(dirname "$0")/../lib.sh"
unset NORMBENCH_DATA
program=$(realpath "$1") root=$(realpath "$2")
export NORMBENCH_ROOT=$root OPENBLAS_NUM_THREADS=1
cd "$T" || exit 3
find_numpy
equations() { "$python" "$root/tests/run/equations.py" "$@" 2>&1; }
bail() {
  tail -n 3 log | sed 's/^/# /'
  echo "Bail out! $*"
  exit 3
}
train() { # name of a list of arms
  local file
  equations arms "$program" "$1" >>log || bail "arms of $1"
  for file in "$1"-*.yaml; do
    "$program" run "$file" --results "${file%.yaml}.results" --threads 1 >>log 2>&1 || bail "run $file"
  done
}

for i in $(seq 60); do printf '%s the %s is a word of %s\n' "$((i * i % 97))" "$((i % 13))" "$((i * 7 % 31))"; done >text
train normals
mkdir normals
"$program" runs normals-0.yaml --results normals-0.results --format json >normals.json || bail "runs normals-0.yaml"
"$python" - >ids <<'PY' || bail "ids of normals"
import json
arms, runs = json.load(open("normals-0.arms")), json.load(open("normals.json"))["groups"][0]["runs"]
for run in runs:
    arm = arms[int(run["arm"][3:])]
    print(run["id"], "-".join(str(arm[key]) for key in ("recipe", "activation", "layers", "objective")))
PY
while read -r id shape; do
  batches=(--batches)
  [ "${shape%-masked}" = "$shape" ] || batches=()
  "$program" export "$id" --results normals-0.results --at 0 "${batches[@]}" -o "normals/$shape.safetensors" >>log 2>&1 || bail "export $shape"
done <ids
[ "$(wc -l <ids)" = 24 ] || bail "not every shape has a run"

lists=(columns ranges starts rows masked)
[ "${3:-}" = full ] && lists+=(numbers pairs streams)
for list in "${lists[@]}"; do
  train "$list"
  report "arms train as their equations say: $list" "$(equations check "$program" text "$list")"
done
echo "1..$number"
