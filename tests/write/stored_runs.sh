#!/usr/bin/env bash
# Runs of the stored rankings, trained again, have the hashes of their lines in results/reference/*/*-runs.csv. TAP.
# stored_runs.sh PROGRAM ROOT [rest]    rest: those that add no other way to train, only other numbers of its keys
. "$(dirname "$0")/../lib.sh"
export LC_ALL=C NORMBENCH_ROOT=$2
program=$(realpath "$1") root=$(realpath "$2")
"$program" data verify tinyshakespeare --offline >/dev/null 2>&1 ||
  { echo "ok 1 - stored runs # SKIP no copy of tiny Shakespeare on this machine"; echo "1..1"; exit 0; }

same() { # EXPERIMENT PROFILE ARM SEED KEY=VALUE...: the run of that arm, seed and factors
  number=$((number + 1))
  local name="$1 $2: $3 seed $4, ${*:5}" arm said line key set=()
  arm=$(sed -n "s/^  $3: *\({.*}\)$/\1/p" "$root/bench/experiments/$1.yaml")
  for key in "${@:5}"; do set+=(--set "$key"); done
  said=$("$program" run "$1" --profile "$2" --arm "$arm" --set "seeds=[$4]" "${set[@]}" --offline --results "$T/$number" 2>&1) ||
    { echo "not ok $number - $name"; printf '%s\n' "$said" | tail -n 2 | sed 's/^/# /'; return; }
  line=$(python3 - "$T/$number" "$root/results/reference/$2/$1-runs.csv" "${@:3}" <<'PY'
import csv, json, os, sys
folder, stored, arm, seed, *factors = sys.argv[1:]
def number(text):
    try: return float(text)
    except ValueError: return text
asked = {"arm": arm, "seed": float(seed), **{k: number(v) for k, v in (f.split("=") for f in factors)}}
line, = [r for r in csv.DictReader(open(stored)) if all((number(r[k]) if k != "arm" else r[k]) == v for k, v in asked.items())]
runs = [json.load(open(f"{folder}/runs/{name}/record.json")) for name in os.listdir(folder + "/runs") if len(name) == 64]
print("the same" if any((r["id"], r["loss_chain"], r["parameters_hash"]) == (line["id"], line["loss_chain"], line["parameters_hash"])
                        for r in runs) else f"{len(runs)} runs, none of them {line['id'][:12]} with its hashes")
PY
  )
  [ "$line" = "the same" ] && echo "ok $number - $name" || { echo "not ok $number - $name"; echo "# $line"; }
}
if [ "${3:-}" = rest ]; then
  same peri-init own peri 6 init_std=6.32e-2 lr=3e-3
  same peri-decay own pre 5 weight_decay=0.3 lr=3e-3
  same peri-decay-fresh quick peri 179 weight_decay=0.3
  same peri-rates-fresh quick peri 101 lr=1e-1
  same peri-seeds-fresh quick peri-embed 148
  same translate-sgd-fresh quick post 9 lr=1e-1 warmup=320
  same residual-scale-fresh quick rezero 20 lr=1e-3
  same residual-scale own post 8 lr=1e-3 warmup=200
  same residual-scale-grid own pre 8 lr=1e-2 warmup=200
  same residual-scale-grid-fresh quick pre 9 lr=1e-2 warmup=200
  same deep-next quick deepnorm 26
  same mlm own pre 3 lr=1e-3 warmup=0 steps=5000
  echo "1..$number"
  exit
fi
same placements quick admin 2 lr=1e-2
same placements full ngpt 11 lr=3e-2
same placements full attnres-block 7 lr=3e-3
same deep quick deepnorm 8 layers=12
same residual-scale quick gate 3 lr=1e-3
same optimizers own post 4 optimizer=radam warmup=0 lr=1e-1 steps=200
same amplification quick deepnorm 3 lr=5e-3
same peri-fp16 own peri 3 precision=fp16 lr=1e-1
# Trained on an H100 (docs/gpu.md).
if "$program" data verify wikitext-2 --offline >/dev/null 2>&1; then same pre-post-fresh quick pre 50 layers=12
else same residual-scale-fresh quick rezero 20 lr=1e-3; fi
echo "1..$number"
