#!/usr/bin/env bash
# A network is the one its equation says, over several steps of training: equation_net.py beside this file builds each from what
# `explain` prints and trains it in numpy, double precision; every step's loss and gradient norm are held to the program's. Every
# value of every column that an arm may have, in all blocks and in some, each start with each activation, each optimizer with each
# schedule, every row of the list, in both recipes, with its tokens masked and as an encoder-decoder (equation_pairs.py). The columns
# stand in one recipe each; `full` trains them in the other one too, each rule with other numbers, which must matter, each carry with
# each gate, each rule with each way of streams, and each value of each column as an encoder-decoder. TAP.
#     equations.sh PROGRAM ROOT [full]
. "$(dirname "$0")/../lib.sh"
unset NORMBENCH_DATA
program=$(realpath "$1") root=$(realpath "$2")
export NORMBENCH_ROOT=$root OPENBLAS_NUM_THREADS=1
cd "$T" || exit 3
find_numpy
equations() { "$python" "${scripts:-$root/tests/run}/equations.py" "$@" 2>&1; }
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
for i in $(seq 80); do
  word=$((i * i * 7919 % 899981 + 100000))
  echo "${word:0:i % 6 + 1}" >&3
  printf '%.*s\n' $((i * 3 % 5 + 1)) "$(tr 0-9 a-j <<<"$((i * 611953 % 89989 + 10000))")"
done 3>text.source >text.target
mkdir normals
for list in normals pair_normals; do
  train "$list"
  equations starts "$program" "$list" >>log || bail "exports of $list"
done

lists=(columns ranges starts rows keys masked translated)
[ "${3:-}" = full ] && lists+=(other_columns numbers pairs streams translated_columns)
for list in "${lists[@]}"; do
  train "$list"
  report "arms train as their equations say: $list" "$(equations check "$program" text "$list")"
done

# Is every key, choice, column, rule and row of the program among the arms? A new one must be missed.
report "every key, choice, column and row has an arm" "$(equations missing "$program" "${lists[@]}")"
anew() { # sed script of the help
  printf '#!/bin/sh\n%q "$@" | sed "%s"\n' "$program" "$1" >anew && chmod +x anew
}
missed() { # sed script of the help, what is missing then
  anew "$1" && equations missing ./anew "${lists[@]}" | grep -qxF "$2" || echo "nobody misses '$2'"
}
tried() { # sed script of the help, a list, what one of its arms has then
  anew "$1" && equations arms ./anew "$2" && cat "$2"-*.yaml | grep -qF "$3" || echo "no arm has '$3'"
}
mkdir anew.d && cd anew.d
report "a new one is missed or tried" "$(
  missed 's/^momentum  /viscosity /' 'viscosity: all arms have one number'
  tried 's/^activation .*relu,/& mish,/' keys 'activation: mish'
  tried 's/^optimizer .*adamw,/& lion,/' starts 'optimizer: lion, schedule: cosine'
  tried 's/^carry:/carry, viscosity:/' columns 'viscosity: learned 0.7'
  tried 's/ rmsnorm,/ rmsnorm, peaknorm,/' ranges 'mlp.post: peaknorm'
)"
cd ..

# Would an error be seen? One line of the encoder-decoder changed.
train mutants
mutant() { # how many arms it shows in, sed script
  rm -rf mutant && mkdir mutant && cp "$root"/tests/run/*.py mutant && sed -i "$2" mutant/equation_pairs.py
  cmp -s mutant/equation_pairs.py "$root/tests/run/equation_pairs.py" && { echo "nothing changed ($2)"; return; }
  [ "$(scripts=mutant equations check "$program" text mutants | grep -c '; the equation gives ')" = "$1" ] ||
    echo "an error would not be seen in $1 arms ($2)"
}
report "a wrong encoder-decoder shows" "$(
  mutant 3 's/ & np.tri(T, dtype=bool)//'
  mutant 3 's/return seen$/return seen \& np.tri(T, dtype=bool) if sub == ATTN else seen/'
  mutant 3 's/of = self.memory if sub == CROSS else x/of = x/;s/if sub == CROSS else super().sees/if False else super().sees/'
  mutant 3 's/order = ATTN, CROSS, MLP/order = CROSS, ATTN, MLP/'
  mutant 3 's/\[t\[-1\], \*t\[:-1\]\]/[t[0], *t[:-1]]/'
  mutant 1 's/targets, smoothing)$/targets, 0)/'
  mutant 1 's/equation_of(equation, 1)/equation_of(equation, 0)/'
  mutant 1 's/ - len(real), 0/ - len(real) - 1, 0/'
)"
echo "1..$number"
