#!/usr/bin/env bash
# DeepNorm with 1,000 layers trains: finite, near the uniform predictor at first, and the same bits twice. TAP.
# thousand_layers.sh PROGRAM ROOT
. "$(dirname "$0")/../lib.sh"
export LC_ALL=C NORMBENCH_ROOT=$2
program=$(realpath "$1")
words=(run smoke --profile smoke --arm '{base: deepnorm}' --seeds 1 --offline)
for word in layers=1000 width=16 heads=2 context=16 batch=2 steps=3 evaluate_at=3 curve_every=3 curve_batches=1; do
  words+=(--set "$word")
done
for time in 1 2; do "$program" "${words[@]}" --results "$T/$time" >"$T/log" 2>&1 || { tail -n 3 "$T/log" | sed 's/^/# /'; echo "Bail out! run"; exit 3; }; done
said=$(python3 - "$T" <<'PY'
import glob, json, math, sys
one, two = (json.load(open(glob.glob(f"{sys.argv[1]}/{time}/runs/*/record.json")[0])) for time in (1, 2))
if one["status"] != "ok":
    print(one["status"])
if not abs(one["evaluations"][-1]["valid_loss"] - math.log(65)) < 0.2:
    print("loss", one["evaluations"][-1]["valid_loss"])
if (one["loss_chain"], one["parameters_hash"]) != (two["loss_chain"], two["parameters_hash"]):
    print("other bits the second time")
PY
)
echo "1..1"
[ -z "$said" ] && echo "ok 1 - 1,000 layers of DeepNorm train" || { echo "not ok 1 - 1,000 layers of DeepNorm train"; echo "# $said"; }
