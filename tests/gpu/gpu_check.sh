#!/usr/bin/env bash
# bench/gpu-check and its program without a GPU: on the shim, at toy sizes. TAP.  gpu_check.sh PROGRAM ROOT
set -u
program=$1 root=$2 number=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/results" "$work/out"
check() { # name, 0 = ok, what to show
  number=$((number + 1))
  if [ "$2" = 0 ]; then echo "ok $number - $1"; else
    echo "not ok $number - $1"
    printf '%s\n' "${3-}" | sed 's/^/# /'
  fi
}
made() { # file, line...: a small script
  file=$1
  shift
  printf '%s\n' '#!/bin/sh' "$@" >"$file"
  chmod +x "$file"
}

# The shim takes the device's place; stand-ins for NVIDIA's tools: one finds a race.
made "$work/shim" "exec '$program' --backend simt --quick \"\$@\""
made "$work/bin/compute-sanitizer" '[ "$2" = racecheck ] && { echo "a race"; exit 99; }; exit 0'
made "$work/bin/nvidia-smi" 'case "$*" in *clocks.sm,*) echo "1980, 120"; echo "1755, 650"; exec sleep 60 ;; *) echo "made \"up\"" ;; esac'
again() { # what is asked of gpu-check; leaves $shown and $code
  shown=$(PATH=$work/bin:$PATH OUT=$work/out "$root/bench/gpu-check" "$@" 2>&1)
  code=$?
}
has() { printf '%s\n' "$shown" | grep -qxE "$1"; }
parts() { printf '%s\n' "$shown" | sed -n 's/^gpu-check: part //p' | tr '\n' ' '; } # that were measured
all="hashes replicas agreement ceilings speed products probes profile memcheck racecheck synccheck "
again "$work/shim"
[ $code = 1 ] && has 'verdict: missed' && has 'sanitizer: racecheck: failed' && [ "$(parts)" = "$all" ]
check "every part runs on the shim, hashes first; what the sanitizer finds is exit 1" $? "$shown"
result=$work/out/the-cpu-through-the-simt-shim.json

shown=$(python3 - "$result" "$("$root/bench/gpu-check" --hash)" <<'PY' 2>&1
import json, sys
r = json.load(open(sys.argv[1]))
assert r["kernels"] == sys.argv[2], "built from other kernels than the tree's"
assert r["verdict"] == "missed" and r["quick"] # by racecheck
assert (r["facts"]["memcheck"], r["facts"]["racecheck"], r["facts"]["driver_version"]) == ("passed", "failed", 'made "up"')
assert r["facts"]["sm_clock_mhz_while_running"] == "1755 to 1980 in 2 samples"
assert r["hashes"]["pass"] and len(r["hashes"]["rows"]) > 8 and all(x["equal"] for x in r["hashes"]["rows"])
assert r["replicas"]["pass"] and [x["precision"] for x in r["replicas"]["rows"]] == ["exact"] * 2 + ["fp32"] * 2 and all(x["equal"] for x in r["replicas"]["rows"])
fast = {"fp32": 1e-7, "tf32": 1e-3, "bf16": 1e-2, "bf16-stored-fast": 1e-2, "fp16-scaled-fast": 1e-3} # about what a factor is off by
rows = r["agreement"]["rows"]
assert r["agreement"]["pass"] and [(x["precision"], x["arm"]) for x in rows] == [(p, a) for p in fast for a in ("pre", "post", "embed-norm")]
assert [x["gradients"]["tensors"] for x in rows] == [28, 26, 30] * 5
for row in rows:
    off, bound = row["gradients"]["relative_l2"], row["gradients"]["bound"]
    assert fast[row["precision"]] / 10 < off < bound < 100 * fast[row["precision"]], row
assert r["ceilings"]["fp32_fma_tflops"] > 0 and r["ceilings"]["copy_gb_per_s"] > 0
steps = r["speed"]["steps"]
assert [(s["precision"], s["replicas"]) for s in steps] == [(p, n) for p in ("exact", "fp32") for n in (1, 2)]
assert all(s["ms_per_step"] > 0 and s["gb_per_s"] > 0 for s in steps)
kernels = [s["kernels_per_step"] for s in steps]
# fp32 makes the three products of nine linears one by one, the bias along with them, where exact has two kernels for all that and fuses
# four of them with a GELU.
assert kernels[0] > 50 and kernels == [kernels[0]] * 2 + [kernels[0] + 9 + 4] * 2, kernels
assert r["speed"]["table"][0]["target"]["verdict"] == "not judged"
assert all(p["all"]["tflops"] > 0 and len(p["shapes"]) == 5 for p in r["products"])
assert r["probes"]["kernels_with"] == r["probes"]["kernels_without"] + 2
for p, n in zip(r["profile"], kernels[1::2]): # every launch of a step is timed, and is one that is counted
    assert "host's clock" in p["clock"] and sum(k["launches_per_step"] for k in p["kernels"]) == n, p
    assert abs(sum(k["share"] for k in p["kernels"]) - 1) < 1e-9 and all(k["ms_per_step"] > 0 for k in p["kernels"])
PY
)
check "its JSON is whole" $? "$shown"

# A part that crashes and one that never ends; then what is missing, and a part of other kernels. Each time the result is what a
# reader may believe.
made "$work/broken" 'case "$*" in *products*) kill -SEGV $$ ;; *agreement*) exec sleep 60 ;; esac' "exec '$work/shim' \"\$@\""
rm "$work/out"/*.parts/products.json "$work/out"/*.parts/agreement.json
GPU_CHECK_SECONDS=1 again "$work/broken"
[ $code = 1 ] && has 'verdict: not finished' && [ "$(parts)" = "agreement products " ] && python3 - "$result" <<'PY'
import json, sys
r = json.load(open(sys.argv[1]))
assert r["verdict"] == "not finished" and "products" not in r and "agreement" not in r and r["hashes"]["pass"]
assert r["facts"]["agreement"] == "not finished in 1 s" and r["facts"]["products"] == "not finished: exit code 139", r["facts"]
PY
check "a part that crashes or does not end costs itself alone" $? "$shown"
shown=$("$root/bench/gpu-check" --table "$work/out" 2>&1)
[ $? = 0 ] && printf '%s\n' "$shown" | grep -q 'not finished .* - '
check "and what is not finished is a row of the table" $? "$shown"
sed -i 's/"kernels": "[0-9a-f]*"/"kernels": "0123"/' "$work/out"/*.parts/probes.json
again "$work/shim"
[ $code = 1 ] && [ "$(parts)" = "agreement products probes " ] && has 'verdict: missed' &&
  [ "$(grep -c '"not_measured"\|not finished\|"0123"' "$result")" = 0 ]
check "run again it measures what is missing, or of other kernels, and nothing else" $? "$shown"
again "$work/shim"
[ $code = 1 ] && [ -z "$(parts)" ] && has 'verdict: missed'
check "and then nothing" $? "$shown"

# Without cuBLASLt: what is exact stands.
made "$work/exact" "exec '$work/shim' --exact \"\$@\""
rm "$work/out"/*.parts/{replicas,agreement,products,racecheck}.json
made "$work/bin/compute-sanitizer" 'exit 0'
again "$work/exact"
[ $code = 3 ] && has 'verdict: not all measured' && python3 - "$result" <<'PY'
import json, sys
r = json.load(open(sys.argv[1]))
why = "it was left out by --exact"
assert r["verdict"] == "not all measured" and r["agreement"]["not_measured"] == why and r["agreement"]["rows"] == []
rows = r["replicas"]["rows"]
assert r["replicas"]["not_measured"] == why and len(rows) == 2 and all(x["equal"] for x in rows)
exact, fp32 = r["products"]
assert fp32["not_measured"] == why and "not_measured" not in exact and exact["all"]["tflops"] > 0
PY
check "fp32 is not measured where its library is missing: exit 3 with the reason, exact mode stands" $? "$shown"
again "$work/shim"
[ $code = 0 ] && [ "$(parts)" = "replicas agreement products " ] && has 'verdict: pass'
check "what was not measured is tried once more" $? "$shown"
shown=$("$work/exact" --part speed --out "$work/speed.json" 2>&1)
[ $? = 3 ] && python3 - "$work/speed.json" <<'PY'
import json, sys
s = json.load(open(sys.argv[1]))["speed"]
assert [(x["precision"], x["replicas"]) for x in s["steps"]] == [("exact", 1), ("exact", 2)] and "--exact" in s["not_measured"]
PY
check "nor is the speed of fp32" $? "$shown"
GPU_CHECK_SECONDS=2 again --anew "$work/broken"
[ $code = 3 ] && has 'verdict: not finished' && [ "$(parts)" = "$all" ] && ! grep -q '"not_measured"\|"agreement": {' "$result"
check "--anew forgets what was measured" $? "$shown"
GPU_CHECK_SECONDS=5m again "$work/shim"
[ $code = 2 ] && has "gpu-check: GPU_CHECK_SECONDS is a number of seconds, not '5m'"
check "a limit that is no number is refused" $? "$shown"

if "$program" --present >/dev/null 2>&1; then echo "# there is a CUDA device here: its absence was not tested"; else
  shown=$("$program" --part hashes --out "$work/none.json" 2>&1)
  [ $? = 3 ] && [ ! -e "$work/none.json" ] && printf '%s' "$shown" | grep -q 'no CUDA device'
  check "without a device the program says so, exit 3" $? "$shown"
  shown=$(OUT=$work/none "$root/bench/gpu-check" "$program" 2>&1)
  [ $? = 3 ] && [ ! -e "$work/none" ] && printf '%s' "$shown" | grep -q 'no CUDA device'
  check "and so does bench/gpu-check" $? "$shown"
fi

shown=$("$root/bench/gpu-check" --stale "$work/results")
[ $? = 3 ] && printf '%s' "$shown" | grep -q 'nothing was measured yet'
check "an empty folder: nothing was measured yet" $? "$shown"
cp "$result" "$work/results/new.json"
shown=$("$root/bench/gpu-check" --stale "$work/results")
[ $? = 0 ] && [ "$shown" = "new.json: measured on these kernels" ]
check "a result of these kernels is not stale" $? "$shown"
sed 's/"kernels": "[0-9a-f]*"/"kernels": "0123"/' "$result" >"$work/results/old.json"
shown=$("$root/bench/gpu-check" --stale "$work/results")
[ $? = 1 ] && [ "$(printf '%s\n' "$shown" | grep -c stale)" = 1 ] &&
  printf '%s\n' "$shown" | grep -qx 'old.json: measured on older kernels: stale'
check "a result of older kernels is marked" $? "$shown"
shown=$("$root/bench/gpu-check" --table "$work/results")
[ "$(printf '%s\n' "$shown" | grep -c ' older: stale$')" = 1 ] && [ "$(printf '%s\n' "$shown" | grep -c ' these$')" = 1 ]
check "in the table too" $? "$shown"
shown=$("$root/bench/gpu-check" --table | diff - "$root/results/gpu/table.txt" 2>&1)
check "results/gpu/table.txt says what the results and these kernels say (bench/gpu-check --table makes it)" $? "$shown"

shown=$("$program" --bakend simt 2>&1)
[ $? = 2 ] && printf '%s' "$shown" | grep -q "did you mean '--backend'"
check "a wrong option is named" $? "$shown"
shown=$("$program" --backend simt --part hashs 2>&1)
[ $? = 2 ] && printf '%s' "$shown" | grep -q "unknown part 'hashs'; did you mean 'hashes'?"
check "a wrong part is named" $? "$shown"
for sizes in "0 1" "16 1" "1 1001" "1 x" "1" ""; do
  shown=$("$program" --backend simt --steps $sizes 2>&1)
  [ $? = 2 ] && [ "$(printf '%s\n' "$shown" | grep -c '')" = 1 ] && printf '%s' "$shown" | grep -q -- '--steps'
  check "--steps $sizes is refused" $? "$shown"
done
shown=$("$program" --backend simt --quick --exact --steps 1 2 2>&1)
[ $? = 3 ] && printf '%s\n' "$shown" | grep -q '^attention.forward  *2 ' && printf '%s\n' "$shown" | grep -q '^all '
check "--steps prints a row for each kernel" $? "$shown"
shown=$("$program" --backend readable --count 2>&1)
[ $? = 2 ] && printf '%s' "$shown" | grep -q 'is no device'
check "a backend of the host is refused" $? "$shown"
echo "1..$number"
