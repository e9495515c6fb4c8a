#!/usr/bin/env bash
# Every row of `normbench list` has the loss that its paper's formula gives, and starts as its paper says: placements.py beside
# this file has each formula once more, in numpy, and reads nothing but weights. TAP.  placements.sh PROGRAM ROOT
. "$(dirname "$0")/../lib.sh"
unset NORMBENCH_DATA NORMBENCH_ROOT
program=$(realpath "$1") root=$(realpath "$2")
export NORMBENCH_ROOT=$root OPENBLAS_NUM_THREADS=1
cd "$T" || exit 3
find_numpy
numpy() { "$python" "${formulas:-$root/tests/run}/placements_check.py" "$@" 2>&1; } # what is wrong

bail() {
  tail -n 3 log | sed 's/^/# /'
  echo "Bail out! $*"
  exit 3
}

train() { # folder, its arms (rows, none given: all), "key: value" lines of the experiment before them
  local arms
  arms=$(printf '%s\n' "${@:3}")
  [ -n "$arms" ] || arms=$(<rows)
  {
    printf 'name: %s\ntitle: T\nbaseline: %s\n%s\n' "$1" "$(head -n 1 <<<"$arms")" "$2"
    printf 'context: 16\nbatch: 4\nnorm_eps: 1e-2\ncurve_every: 4\nseeds: [1]\nprofiles: {smoke: {}}\ndataset: text:text\narms:\n'
    sed 's/.*/  &: {variant: &}/' <<<"$arms"
  } >"$1.yaml"
  "$program" run "$1.yaml" --results "$1.results" >>log 2>&1 || bail "run $1.yaml"
  "$program" runs "$1.yaml" --results "$1.results" | awk '$1 ~ /^[0-9a-f]+$/ && $3 == 1 {print $1, $2}' >"$1.ids"
  [ "$(wc -l <"$1.ids")" = "$(wc -l <<<"$arms")" ] || bail "$1: not every row has a run"
}

export_all() { # results, folder, options of export; with --losses first: what import says, too
  local id row said=false
  [ "$1" = --losses ] && { said=true; shift; }
  mkdir "$2"
  while read -r id row; do
    "$program" export "$id" --results "$1.results" -o "$2/$row.safetensors" "${@:3}" >>log 2>&1 || bail "export $row"
    $said || continue
    "$program" import "$2/$row.safetensors" --results "$1.results" --format json >"$2/$row.json" 2>>log || bail "import $row"
  done <"$1.ids"
}

# Words with letters of one to four bytes.
for i in $(seq 400); do printf '%s the %s grün ist 水 of %s\n' "$((i * i % 97))" "$((i % 13))" "𝛼$((i * 7 % 31))"; done >text
"$program" list --format json >list.json || exit 3
"$python" -c 'import json; print(*(v["name"] for v in json.load(open("list.json"))["variants"]), sep="\n")' >rows || exit 3
report "every row has a formula of its own" "$(numpy rows list.json)"

# Four blocks: the first is MixLN's quarter. Eleven: two are; the groups of attnres-block have three sublayers, the last one.
steps=$'steps: 12\nevaluate_at: 12\nlr: 3e-2'
train four $'layers: 4\nwidth: 16\nheads: 4\n'"$steps"
export_all --losses four four
export_all --losses four half --at 7
train eleven $'layers: 11\nwidth: 24\nheads: 3\nffn_mult: 2\n'"$steps"
export_all --losses eleven eleven
report "import's loss is the formula's, at the end and on the way" "$(numpy losses text four half)"
report "import's loss is the formula's, eleven blocks" "$(numpy losses text eleven)"
report "training has moved what a formula names" "$(numpy moved text four eleven)"
report "no other row's formula gives the loss" "$(numpy others text four half eleven)"
report "nGPT's vectors have length 1 after updates" "$(numpy lengths text four half eleven)"

# One step of no length behind Admin's profiling pass. Deviations of their own for the matrices and both embeddings.
still=$'width: 64\nheads: 4\nsteps: 2\nevaluate_at: 2\nlr: 1e-30\nweight_decay: 0\ninit_std: 0.2\ntoken_std: 0.3\nposition_std: 0.1'
train start $'layers: 6\n'"$still"
grep -v ' admin$' start.ids >others.ids
ln -s start.results others.results
export_all others start --at 0
grep ' admin$' start.ids >admin.ids
ln -s start.results admin.results
export_all admin profiled --at 1 --batches
for depth in 18 19 24 25; do
  train "deep$depth" "layers: $depth"$'\n'"${still/width: 64/width: 8}" layerscale
  export_all "deep$depth" "deep$depth" --at 0
done
report "weights start as the papers say" "$(numpy starts text start profiled)"
report "LayerScale starts by depth" "$(numpy starts text deep18 deep19 deep24 deep25)"

# Would an error be seen? One line of the formulas changed.
mkdir mutant
mutant() { # row, sed script, command, folder
  local path=$4/$1.safetensors
  [ "$3" = rows ] && path=$4
  cp "$root"/tests/run/placements{,_check}.py mutant && sed -i "$2" mutant/*.py
  cmp -s mutant/placements.py "$root/tests/run/placements.py" &&
    cmp -s mutant/placements_check.py "$root/tests/run/placements_check.py" && { echo "$1: nothing changed ($2)"; return; }
  if [ "$3" = rows ]; then formulas=mutant numpy rows "$4"; else formulas=mutant numpy "$3" text "$path"; fi |
    grep -q "^\($path: \|$1: \)" || echo "$1: an error would not be seen ($2)"
}
report "a wrong row or constant shows" "$(
  mutant prepost 's/"prepost": chain.*/"prepost": chain(post),/' losses four
  mutant post 's/"post": chain(post)/"post": chain(pre, ln_f)/' losses four
  mutant pre 's/"pre": chain(pre, ln_f)/"pre": chain(pre)/' losses four
  mutant keel 's/2 \* s.run.L \* x/s.run.L * x/' losses four
  mutant gpas 's/silu(s.of_block("shrink"))/s.of_block("shrink")/' losses four
  mutant hyper 's/out\[:, :n\]/out[:, :n].T/' losses four
  mutant attnres-block 's/attnres(8)/attnres(4)/' losses eleven
  mutant attnres-block 's/math.ceil(2 \* run.L \/ groups)/2 * run.L \/\/ groups/' losses eleven
  mutant mixln 's/s.run.L \/\/ 4/1/' losses eleven
  mutant fade-in 's/self.step - 1, 0/self.step, 0/' losses half
  mutant newcomer 's/"none": chain/"newcomer": chain/' rows list.json
  mutant deepnorm 's/(8 \* run.L)/(6 * run.L)/' starts start
  mutant post-init 's/(run.L - l)$/(run.L - l + 1)/' starts start
  mutant t-fixup 's/0\.67/0.8/' starts start
  mutant subln 's/math.log(2 \* run.L)/math.log(run.L)/' starts start
  mutant admin 's/x, square = run.embedding(tokens), 1.0/x, square = run.embedding(tokens), 1.001/' starts profiled
  mutant layerscale 's/run.L <= 24/run.L < 24/' starts deep24
)"
echo "1..$number"
