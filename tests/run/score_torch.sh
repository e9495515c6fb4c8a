#!/usr/bin/env bash
# bench/peers/score_torch.py finds the log-likelihoods of `normbench score` from the exported weights alone: of characters,
# bytes and pieces, short texts and such as are longer than the context; with numpy, and with PyTorch where it is installed.
# TAP.  score_torch.sh PROGRAM ROOT
. "$(dirname "$0")/../lib.sh"
unset NORMBENCH_DATA NORMBENCH_ROOT
program=$(realpath "$1") root=$(realpath "$2")
export NORMBENCH_ROOT=$root OPENBLAS_NUM_THREADS=1
cd "$T" || exit 3
find_numpy
peer=$root/bench/peers/score_torch.py
backends=numpy
"$python" -c 'import torch' 2>/dev/null && backends="numpy torch"


for i in $(seq 300); do
  printf 'Question: why is %s grün, and 水 not? Answer: the %s of it.\n' "$((i * i % 97))" "$((i % 13))"
done >text
{
  printf '%s\n' '{"goal": "why is 5 not 7?", "sol1": "it is grün", "sol2": "水 is", "label": 0}'
  printf '%s\n' '{"goal": "the 13 of it, and the 12 of it, and the 11 of it, and why", "sol1": "the", "sol2": "it", "label": 1}'
  printf '%s\n' '{"goal": "why  ", "sol1": " 13 13 13 13, and 12 12 12 12, and 11 11 11 11, and the 10", "sol2": "i", "label": 1}'
} >piqa
printf '%s\n' '{"sentence": "it is the _ of it", "option1": "13 ", "option2": "why", "answer": "1"}' >winogrande
for tokenizer in char byte bpe:330; do
  "$program" run smoke --text text --tokenizer $tokenizer --arm '{base: peri, embed: rmsnorm}' --seeds 1 --set steps=20 \
    --set evaluate_at=20 --set context=24 --set lr=3e-3 --results "r-$tokenizer" >log 2>&1 || { echo "Bail out! $(tail -n 1 log)"; exit 3; }
  for id in "r-$tokenizer"/runs/*/; do
    id=$(basename "$id")
    "$program" export "$id" --results "r-$tokenizer" -o weights >log 2>&1 &&
      "$program" score weights --tasks piqa,winogrande --file piqa=piqa --file winogrande=winogrande -o dump >log 2>&1 ||
      { report "$tokenizer is scored" "$(tail -n 2 log)"; continue; }
    for backend in $backends; do
      said=$("$python" "$peer" weights dump $([ $backend = torch ] || echo --numpy) 2>&1) && shown=$said said=
      report "$tokenizer ${id:0:8} has the peer's likelihoods ($backend)" "$said"
      [ -n "$said" ] || echo "# $shown"
    done
  done
done
report "a long choice was scored in windows" "$(grep -q '"windows":[2-9]' dump || echo none)"

# A likelihood, a cut or a window that is another's must show.
"$python" - <<'PY'
import json
rows = [json.loads(line) for line in open("dump")]
for name, key, by in (("likelihood", "loglikelihood", 1e-3), ("cut", "tokens", 1), ("window", "windows", 1)):
    rows[0][key] += by
    open(name, "w").write("\n".join(map(json.dumps, rows)) + "\n")
    rows[0][key] -= by
PY
: >empty
report "what differs is not passed over" "$(for what in likelihood cut window empty; do
  "$python" "$peer" weights $what --numpy >/dev/null 2>&1 && echo "$what"
done)"
echo "1..$number"
