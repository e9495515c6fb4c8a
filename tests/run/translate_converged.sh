#!/usr/bin/env bash
# The Pre-LN run of translate-converged ends with the stored hashes, and reaches 33 BLEU on the test sentences: trained
# twice, by `run` and, since no weights are kept, by `translate`. TAP. translate_converged.sh PROGRAM ROOT
. "$(dirname "$0")/../lib.sh"
export LC_ALL=C NORMBENCH_ROOT=$2
program=$(realpath "$1") root=$2
quit() { tail -n 3 "$T/log" | sed 's/^/# /'; echo "Bail out! $1"; exit 3; }
corpus=$("$program" data show multi30k-de-en 2>"$T/log" | sed -n 's/^ *from  *//p')
corpus=${corpus%/*}
[ -r "$corpus/test_2016_flickr.de" ] || quit "no multi30k-de-en with its test sentences"
# One arm of two: the same spec, so the same run.
sed '/^  post:/d; s/^baseline: .*/baseline: pre/' "$root/bench/experiments/translate-converged.yaml" >"$T/converged.yaml"
"$program" run "$T/converged.yaml" --profile full --offline --threads 1 --threads per-run="$(nproc)" --results "$T/r" \
  >"$T/log" 2>&1 || quit "run"
echo "1..2"
id=$(ls "$T/r/runs")
hash=$(sed -n 's/.*"parameters_hash": "\([0-9a-f]*\)".*/\1/p' "$T/r/runs/$id/record.json")
if grep "^pre,.*$hash" "$root/results/reference/full/translate-converged-runs.csv" >"$T/row"; then echo "ok 1 - the stored weights"; else
  echo "not ok 1 - the stored weights"
  echo "# run $id ends with $hash"
fi
"$program" translate "$id" --results "$T/r" --offline --beam 5 --beam length-penalty=1 --threads per-run="$(nproc)" \
  <"$corpus/test_2016_flickr.de" >"$T/out" 2>"$T/log" || quit "translate"
"$program" bleu "$T/out" "$corpus/test_2016_flickr.en" >"$T/bleu" 2>"$T/log" || quit "bleu"
score=$(sed -n 's/^BLEU|.* = \([0-9.]*\) .*BP.*/\1/p' "$T/bleu")
if awk "BEGIN { exit !($score >= 33) }"; then echo "ok 2 - $score BLEU on the test sentences"; else
  echo "not ok 2 - $score BLEU on the test sentences, which is below 33"
fi
