# Part of e2e.sh: what is trained, what is not, and that nothing but the specification decides the bytes.

check_second_run_trains_nothing() {
  cp -r "$T/whole" "$W/r"
  find "$W/r" -type f -exec stat -c '%n %i %Y' {} + | sort >"$W/before"
  ends 0 "${run[@]}" --results "$W/r"
  says '4 runs, 4 stored, 0 to train'
  prints '4 of 4 runs stored'
  find "$W/r" -type f -exec stat -c '%n %i %Y' {} + | sort | diff - "$W/before" >/dev/null ||
    fail "files were written again"
}

check_what_changed_is_trained_and_says_why() {
  cp -r "$T/whole1" "$W/r"
  ends 0 "${one[@]}" --set steps=5 --results "$W/r"
  says '1 runs?, 0 stored, 1 to train'
  says '1 run: never run'
  cp "$T/one.yaml" "$W/" && cp "$T/text.txt" "$W/"
  cd "$W" || fail "no folder"
  sed -i 's/^1 2 3/3 2 1/' text.txt
  ends 0 "${one[@]}" --results "$W/r"
  says "1 run: never run on these bytes of 'text:text.txt': SHA-256 [0-9a-f]{12}, stored are runs on [0-9a-f]{12}\$"
  [ "$(digest "$W/r" | grep -c '"id"')" = 3 ] || fail "not three runs"
  ends 0 "${one[@]}" --results "$W/r"
  says '1 stored, 0 to train'
}

check_probes_are_asked_for_and_missed() {
  cp -r "$T/whole1" "$W/r"
  ends 3 "${one[@]}" --set 'probes=[usual, weight_norm]' --results "$W/r"
  says '1 stored, 0 to train'
  says "1 of 1 runs were stored without probe 'weight_norm' at every step asked for; move their folders"
  ends 0 "${one[@]}" --set 'probes=[usual, weight_norm]' --results "$W/r2"
  diff <(cd "$W/r/runs" && ls) <(cd "$W/r2/runs" && ls) || fail "another run"
  grep -q ',weight_norm' "$W"/r2/runs/*/curves.csv || fail "no column"
  ends 0 "${one[@]}" --results "$W/r2"
  says '1 stored, 0 to train'
}

check_eight_bits_are_asked_for_and_missed() {
  local id
  cp -r "$T/whole1" "$W/r"
  ends 3 "${one[@]}" --set quantize=true --results "$W/r"
  says "1 of 1 runs were stored without 'quantize', what eight bits cost; move their folders"
  ends 0 "${one[@]}" --set quantize=true --results "$W/r2"
  diff <(cd "$W/r/runs" && ls) <(cd "$W/r2/runs" && ls) || fail "another run"
  ends 0 "${one[@]}" --set quantize=true --results "$W/r2" && says '1 stored, 0 to train'
  id=$(ls "$W/r2/runs")
  for key in int8_cost int8_channel_cost e4m3_cost e5m2_cost; do
    grep -q "\"$key\"" "$W/r2/runs/$id/record.json" || fail "no $key"
    grep -q "\"$key\"" "$W/r/runs/$id/record.json" && fail "$key, which nobody asked for"
  done
  ends 3 "${one[@]}" --set quantize=true --backend simt --results "$W/r3"
  says "quantize: backend 'simt' has no pass in eight bits; --backend cpu has"
  ends 2 "${one[@]}" --set quantize=maybe --results "$W/r3"
}

check_hits_are_asked_for_and_missed() {
  local id
  cp -r "$T/whole1" "$W/r"
  ends 3 "${one[@]}" --set hits=true --results "$W/r"
  says "1 of 1 runs were stored without 'hits', which targets they predict right; move their folders"
  ends 0 "${one[@]}" --set hits=true --results "$W/r2"
  diff <(cd "$W/r/runs" && ls) <(cd "$W/r2/runs" && ls) || fail "another run"
  id=$(ls "$W/r2/runs")
  [ "$(sha256sum <"$W/r2/runs/$id/hits.bin" | cut -c-64)" = \
    "$(sed -n '/"hits": {/,/}/s/.*"sha256": "\(.*\)"/\1/p' "$W/r2/runs/$id/record.json")" ] || fail "not the hash of the file"
  ends 0 show "$id" --results "$W/r2" && prints "^hits: [0-9]+ of [0-9]+ targets" && prints "runs/$id/hits.bin"
  ends 0 archive one.yaml --set hits=true -o "$W/a" --results "$W/r2"
  prints ': 1 runs, 6 files'
  cmp "$W/r2/runs/$id/hits.bin" "$W/a/runs/$id/hits.bin" || fail "not in the archive"
  for edit in 'rm hits.bin' ': >hits.bin' 'truncate -s -1 hits.bin' 'cp curves.csv hits.bin'; do
    rm -rf "$W/r3" && cp -r "$W/r2" "$W/r3" && (cd "$W/r3/runs/$id" && eval "$edit")
    ends 5 "${one[@]}" --results "$W/r3"
    says "$id/hits\.bin: .*move the folder .* away"
  done
}

check_dry_run() {
  ends 0 "${run[@]}" --dry-run --results "$W/r"
  [ ! -e "$W/r" ] || fail "a dry run left something"
  prints '^4 of 4 runs to train, .* FLOPs, '
  prints '^[0-9]+ MB per run'
  cp -r "$T/whole" "$W/r"
  ends 0 "${run[@]}" --dry-run --set steps=31 --results "$W/r"
  prints '^4 of 4 runs to train'
  ends 0 "${run[@]}" --dry-run --results "$W/r"
  prints '^0 of 4 runs to train'
  same "$W/r"
}

check_shards_make_a_whole() {
  local a b
  ends 0 "${run[@]}" --part 1/2 --results "$W/a"
  prints '2 of 4 runs stored'
  ends 0 "${run[@]}" --part 2/2 --results "$W/b"
  prints '2 of 4 runs stored'
  a=$(ls "$W/a/runs") b=$(ls "$W/b/runs")
  [ -z "$(comm -12 <(echo "$a") <(echo "$b"))" ] || fail "both shards trained a run"
  cp -r "$W/b/runs/." "$W/a/runs/"
  same "$W/a"
  ends 0 "${run[@]}" --results "$W/a"
  says '4 stored, 0 to train'
}

check_shards_one_after_another_in_one_folder() {
  ends 0 "${run[@]}" --part 1/3 --results "$W/r"
  ends 0 "${run[@]}" --part 2/3 --results "$W/r"
  ends 0 "${run[@]}" --part 3/3 --results "$W/r"
  same "$W/r"
}

check_threads_do_not_change_bytes() {
  ends 0 "${run[@]}" --threads 3 --results "$W/r" # the reference has one
  same "$W/r"
}

check_threads_that_share_a_run_do_not_change_bytes() {
  ends 0 "${run[@]}" --threads 1 --threads per-run=3 --results "$W/r"
  same "$W/r"
  local id n
  id=$(ls "$W/r/runs" | head -n 1)
  for n in 1 3; do ends 0 export "$id" --threads per-run=$n -o "$W/$n" --results "$W/r"; done
  cmp "$W/1" "$W/3" || fail "three threads export other weights"
}

check_two_processes_in_one_folder() {
  local second
  begin "${run[@]}" --checkpoint-every 0 --results "$W/r"
  second=$pid
  nb "${run[@]}" --checkpoint-every 0 --results "$W/r"
  [ "$rc" = 0 ] || fail "one of two ends with $rc"
  wait "$second" || fail "the other ends with $?"
  same "$W/r"
}

check_backends_give_the_same_bytes() {
  local backend count=0 few=(--set steps=6 --set seeds=1) # the readable kernels take their time
  ends 0 "${run[@]}" "${few[@]}" --results "$W/reference"
  ends 0 list
  for backend in $(sed -n '/^backends/,/^$/p' "$W/out" | sed 1d | grep -v 'not on this machine' | grep -oE '^  [a-z0-9-]+'); do
    case $backend in cpu64 | *-fp32 | *-tf32 | *-bf16 | *-fp16 | *-bf16-stored | *-fp16-scaled | *-fast) continue ;; esac # not of this arithmetic
    ends 0 "${run[@]}" "${few[@]}" --backend "$backend" --results "$W/$backend"
    same "$W/$backend" "$W/reference"
    count=$((count + 1))
  done
  [ "$count" -ge 2 ] || fail "only $count backends: $(cat "$W/out")"
}

# What is computed again, and logits in pieces: less memory, no other byte.
check_less_memory_does_not_change_bytes() {
  ends 0 "${run[@]}" --memory recompute --memory logit-rows=3 --results "$W/r"
  same "$W/r"
  ends 0 "${one[@]}" --backend simt --memory recompute --memory logit-rows=5 --results "$W/device"
  same "$W/device" "$T/whole1"
  ends 0 "${one[@]}" --set quantize=true --set hits=true --results "$W/kept"
  ends 0 "${one[@]}" --set quantize=true --set hits=true --memory recompute --memory logit-rows=7 --results "$W/again"
  same "$W/again" "$W/kept"
  sed 's/variant: pre/variant: ngpt/' one.yaml >ngpt.yaml
  ends 2 run ngpt.yaml --offline --memory logit-rows=3 --results "$W/none"
  says 'a run of this plan needs all logits at once: the scale of its logits is learned'
  ends 2 run ngpt.yaml --offline --dry-run --device H200 --memory logit-rows=3 --results "$W/none"
  says 'a run of this plan needs all logits at once: the scale of its logits is learned'
  ends 2 "${one[@]}" --set precision=bf16 --backend soft-dot --memory logit-rows=3 --results "$W/none"
  says 'needs all logits at once: it is for precision exact'
  refused "logit-rows: '0' is not a number from 1" "${one[@]}" --memory logit-rows=0 --results "$W/none"
  [ ! -e "$W/none" ] || fail "a refused run left something"
}

check_replicas_do_not_change_bytes() {
  ends 0 "${run[@]}" --threads 1 --replicas 2 --results "$W/r"
  same "$W/r"
  grep -q '"replicas": 2' "$W"/r/runs/*/record.json || fail "the records do not say that two runs were trained together"
  ends 0 "${run[@]}" --backend simt --threads 1 --set steps=3 --results "$W/simt" # a device takes all that fit
  ends 0 "${run[@]}" --threads 1 --set steps=3 --results "$W/cpu"
  same "$W/simt" "$W/cpu"
}

check_costs_of_unlike_programs_are_marked() {
  local table=(table toy.yaml --profile smoke)
  ends 0 "${run[@]}" --threads 1 --replicas 2 --results "$W/alike"
  ends 0 "${table[@]}" --results "$W/alike"
  ! grep -q '^\*: ' "$W/out" || fail "programs that were alike are marked"
  ends 0 "${run[@]}" --threads 1 --part 1/4 --results "$W/r" # one run alone; those of the other arm together
  ends 0 "${run[@]}" --threads 1 --replicas 2 --results "$W/r"
  ends 0 "${table[@]}" --results "$W/r"
  prints '^  ours \* ' && prints '^\*: the pairs of some seeds ran on different devices'
  ! grep -qE '^  plain \* ' "$W/out" || fail "the baseline is marked against itself"
}

lacks() { # PATTERN ARGUMENTS...: the backend has not this precision: exit 3, one line
  local pattern=$1
  shift
  ends 3 "$@"
  says "$pattern"
  [ "$(grep -c '' "$W/err")" = 1 ] || fail "more than one line: $*"
}

check_a_fast_precision_is_another_run() {
  local precision
  for precision in fp32 tf32 bf16 bf16-stored-fast fp16-scaled-fast; do
    ends 0 "${one[@]}" --results "$W/$precision" --backend simt --set precision=$precision
    grep -q "\"arithmetic_class\": \"simt-$precision\"" "$W/$precision"/runs/*/record.json || fail "the class is not in the record"
    ! diff <(ls "$W/$precision/runs") <(ls "$T/whole1/runs") >/dev/null || fail "exact and $precision share an id"
  done
  lacks "backend 'portable' computes in exact, fp16, bf16-stored and fp16-scaled only; simt and cuda have fp32" \
    "${one[@]}" --backend portable --set precision=fp32 --results "$W/none"
  refused "unknown precision 'fp23'; did you mean 'fp32'" "${one[@]}" --set precision=fp23 --results "$W/none"
}

# A class of bits for each order of sums; where the instruction is missing the program ends and takes no other backend.
check_bf16_is_a_run_of_its_own() {
  local order
  for order in dot amx; do
    ends 0 "${one[@]}" --results "$W/$order" --backend "soft-$order" --set precision=bf16
    grep -q "\"arithmetic_class\": \"bf16-$order\"" "$W/$order"/runs/*/record.json || fail "the class is not in the record"
    ! diff <(ls "$W/$order/runs") <(ls "$T/whole1/runs") >/dev/null || fail "exact and bf16 share an id"
    ends 0 "${one[@]}" --results "$W/$order" --backend "soft-$order-bf16"
    says '1 stored'
  done
  ! diff <(ls "$W/dot/runs") <(ls "$W/amx/runs") >/dev/null || fail "the two orders share an id"
  ends 0 list
  if grep -qE '^  (dot|amx)-bf16 .*not on this machine' "$W/out" && ! grep -E '^  (dot|amx)-bf16 ' "$W/out" | grep -qv 'not on'; then
    ends 3 "${one[@]}" --results "$W/none" --set precision=bf16
    says '^normbench: precision bf16: .*AMX.*; .*AVX512-BF16 \(--backend soft-dot-bf16 computes its bits slowly\)$'
    ends 3 "${one[@]}" --results "$W/none" --backend amx --set precision=bf16
    says "^normbench: backend 'amx-bf16': .*AMX"
    [ "$(grep -c '' "$W/err")" = 1 ] || fail "more than one line"
    [ ! -e "$W/none/runs" ] || fail "something was trained"
  fi
  lacks "backend 'cuda' computes in exact, fp32, bf16, .*fp16-scaled-fast only; cpu and cpu64 have fp64" "${one[@]}" --backend cuda --set precision=fp64
  lacks "backend 'cuda' computes in exact, fp32, bf16, .*fp16-scaled-fast only; cpu and cpu64 have fp64" perf smoke --dry-run --set precision=fp64
  lacks "backend 'portable' computes in exact, fp16, .* only; cpu, amx, dot, .*simt and cuda have bf16" "${one[@]}" --backend portable --set precision=bf16
  lacks "backend 'soft-dot-bf16' computes in bf16 only; simt and cuda have fp32" "${one[@]}" --backend soft-dot-bf16 --set precision=fp32
  refused "unknown backend 'soft-dt'; did you mean 'soft-dot'" "${one[@]}" --backend soft-dt --set precision=bf16
  refused "snapshot: arithmetic class simt-fp32 gives other bits on other machines" \
    verify snapshot smoke --backend simt-fp32 --reason "not to be stored"
}

# A run in another precision is found by what was run, and its class stands in the table.
check_a_table_names_the_precision_it_found() {
  local exact
  ends 0 "${one[@]}" --backend soft-dot --set precision=bf16 --results "$W/r"
  ends 0 table one.yaml --results "$W/r"
  says 'not all runs are stored in precision exact; this table is of the runs in bf16'
  prints 'arithmetic class bf16-dot\.' && prints '\|class:bf16-dot\|v'
  prints '^one-bf16: .*EXPLORATORY' # a file without profiles declares no other plan than that of the run
  ends 3 table one.yaml --set precision=exact --results "$W/r"
  says '1 of 1 runs are missing'
  ends 0 "${one[@]}" --results "$W/r"
  ends 0 table one.yaml --results "$W/r"
  ls "$W"/r/out/*/one-bf16.tex >/dev/null 2>&1 && fail "the plan's folder still holds the earlier tables"
  exact=$(ls "$W"/r/out/*/one.tex)
  cp "$exact" "$W/exact.tex"
  ends 0 table one.yaml --set precision=bf16 --results "$W/r"
  prints '^one-bf16: .*EXPLORATORY'
  cmp "$exact" "$W/exact.tex" || fail "the table of another precision overwrites that of the exact runs"
  ends 0 table one.yaml --set precision=exact --results "$W/r"
  prints '^one$'
  ends 0 table one.yaml --results "$W/r"
  ! grep -q 'class' "$W/out" || fail "the canonical class is named, or the other one is taken"
}

# The weights of such a run are validated in its own arithmetic, and are the record's.
check_an_export_of_bf16_comes_back() {
  ends 0 "${one[@]}" --backend soft-dot --set precision=bf16 --results "$W/r"
  ends 0 export "$(ls "$W/r/runs")" -o "$W/w" --results "$W/r"
  ends 0 import "$W/w" --results "$W/r"
  prints '^record: equal bit for bit$'
  ends 0 import "$W/w" --results "$W/r" --backend portable
  prints "^record: not compared \(the run's arithmetic is 'bf16-dot', this backend's 'canon'\)"
}

check_precision_is_a_factor_and_an_arm() {
  local both=(--set 'precision=[exact, bf16]') arms=(--arm 'a: {variant: pre}' --arm 'b: {variant: pre, precision: bf16}')
  ends 0 "${one[@]}" "${both[@]}" --backend soft-amx --results "$W/r"
  prints '2 of 2 runs stored'
  [ -d "$W/r/runs/$(ls "$T/whole1/runs")" ] || fail "the exact run has another id than without the key"
  ends 0 table one.yaml "${both[@]}" --results "$W/r"
  prints 'precision = exact' && prints 'precision = bf16' && prints '\|class:canon\+bf16-amx\|'
  grep -q 'those of the cells of precision exact' "$W"/*/out/*/*-cost.tex || fail "the cost is not of the cells of precision exact"
  ends 0 "${one[@]}" "${arms[@]}" --backend soft-amx --results "$W/r"
  says '2 stored, 0 to train'
  ends 0 table one.yaml "${arms[@]}" --results "$W/r"
  prints '\|class:canon\+bf16-amx\|'
  lacks "backend 'soft-amx' computes in bf16 only; cpu, .* have exact" "${one[@]}" --backend soft-amx --results "$W/r"
}

# Only `run` needs the corpus.
check_tables_need_no_corpus() {
  cp -r "$T/whole" "$W/r" && cp "$T/toy.yaml" "$W/" && cd "$W" || fail "no folder"
  ends 0 table toy.yaml --profile smoke --results "$W/r"
  mv "$W/r/out" "$W/without"
  cp "$T/text.txt" "$W/"
  ends 0 table toy.yaml --profile smoke --results "$W/r"
  cmp "$W"/without/toy-*/toy.tex "$W"/r/out/toy-*/toy.tex || fail "the corpus changes the table"
  rm "$W/text.txt"
  ends 2 run toy.yaml --profile smoke --offline --results "$W/r"
  says 'text.txt: No such file'
}

# Without a device nothing falls back to the CPU.
check_no_cuda_device() {
  nvidia-smi -L >/dev/null 2>&1 && return 0
  local backend
  for backend in "cuda" "cuda --set precision=fp32" "cuda-fp32"; do
    # shellcheck disable=SC2086
    ends 3 "${one[@]}" --results "$W/r" --backend $backend
    says '^normbench: .*no CUDA device: '
    [ "$(grep -c '' "$W/err")" = 1 ] || fail "more than one line"
    [ ! -e "$W/r/runs" ] || fail "something was trained"
  done
}

check_a_dry_run_of_a_device_that_need_not_be_here() {
  local wide=(run smoke --dry-run --backend cuda --results "$W/none" --set layers=1 --set heads=1)
  ends 0 run smoke --dry-run --backend cuda --results "$W/none"
  ends 0 "${wide[@]}" --set width=1024 --set batch=1 --set context=8192
  ends 3 "${wide[@]}" --set width=8 --set batch=4096 --set context=4096
  says '^normbench: arm pre: A100 cannot train it: kernel linear.forward 128 needs 131072 blocks in y; the most is 65535$'
  [ "$(grep -c '' "$W/err")" = 1 ] || fail "more than one line"
  ends 2 "${wide[@]}" --set width=64 --set batch=4096 --set context=4096
  says "make a tensor of 4294967296 numbers; a device's kernels count fewer than 2.31"
  [ ! -e "$W/none" ] || fail "a dry run left something"
}

check_a_dry_step_of_a_device() {
  ends 0 perf embedding-norm --dry-run --backend cuda --replicas 15
  prints '^  one step +160 +327\.9'
  prints '^  linear, gelu\.backward 128, dW 64 '
  prints 'H200 .*: floor 6\.[0-9]+ ms'
  prints '^This is arithmetic on counts'
  # A library's products add a bias and sum its gradient along with them.
  ends 0 perf embedding-norm --dry-run --backend cuda-tf32 --replicas 1
  prints '^  one step +209 '
  prints '^  cublasLtMatmul +99 '
  ! grep -q '^  linear' "$W/out" || fail "a kernel of our own for a bias"
  ends 0 perf smoke --dry-run --set precision=fp32 --format json
  prints '"cublasLtMatmul"'
  python3 -c 'import json, sys; s = json.load(open(sys.argv[1]))["steps"][0]; k = s["kernels"]
assert s["launches"] == sum(x["launches"] for x in k) > 50 and s["replicas"] == 5
assert sum(x["flops"] for x in k) > s["model_flops"] * 5 > 0
for on in ("A100", "H200"):
    assert all(x["floor_seconds"][on] >= 0 for x in k)
    assert abs(sum(x["floor_seconds"][on] for x in k) + 1.3e-6 * s["launches"] - s["floor_seconds"][on]) < 1e-9' "$W/out" ||
    fail "the JSON does not add up"
  # Tensor cores: the same products at other peaks.
  ends 0 perf smoke --dry-run --set width=512 --set precision=bf16 --format json
  python3 -c 'import json, sys; x = [k for k in json.load(open(sys.argv[1]))["steps"][0]["kernels"] if k["kernel"] == "cublasLtMatmul"][0]
assert x["floor_seconds"]["H200"] < x["flops"] / 66.9e12' "$W/out" || fail "products in bf16 are at the peak of floats"
  ends 0 perf smoke --dry-run --set layers=1 --set width=1024 --set heads=1 --set batch=1 --set context=8192
  refused "perf --dry-run counts what a device would launch" perf smoke --dry-run --backend portable
  refused "replicas: '0' is not a number from 1 to 1024" perf smoke --dry-run --replicas 0
  refused "replicas goes with --dry-run" perf smoke --replicas 2
  refused "backend 'simt' is measured by bench/gpu-check; --dry-run --backend cuda counts" perf smoke --backend simt
  refused "replicas: 'x' is not a number" "${one[@]}" --replicas x --results "$W/none"
  refused "does not compute on threads of the CPU" "${one[@]}" --backend simt --threads per-run=2 --results "$W/none"
}

check_steps_of_arms_in_turn() {
  ends 0 perf smoke-shakespeare --baseline layernorm --format json -o "$W/pairs.json"
  python3 - "$W/pairs.json" <<'PY' || fail "the JSON does not add up"
import json, sys
steps = json.load(open(sys.argv[1]))["steps"]
assert len(steps) == 3 and all(s["baseline"] == "layernorm" != s["arm"] for s in steps)
for s in steps:
    lo, hi = s["interval"]
    assert s["pairs"] >= 10 and lo <= s["time_ratio"] <= hi and 0.2 < lo, s
    a, b = s["of_arm"], s["of_baseline"]
    assert b["norms"] - a["norms"] == (1 if s["arm"] == "baseline" else 0), s
    assert a["flops"] == b["flops"] > 0 and a["memory"] > 0 and a["seconds"] >= a["seconds_best"] > 0
PY
  refused "baseline: smoke-shakespeare has no arm 'layernrm'; did you mean 'layernorm'" perf smoke-shakespeare --baseline layernrm
  refused "baseline needs an experiment, and does not go with --dry-run" perf --baseline layernorm
  refused "baseline needs an experiment, and does not go with --dry-run" perf smoke-shakespeare --baseline layernorm --dry-run
}

check_the_oracle_is_another_run() {
  ends 0 "${one[@]}" --backend cpu64 --results "$W/r"
  ! diff <(ls "$W/r/runs") <(ls "$T/whole1/runs") >/dev/null || fail "float and double share an id"
  grep -q '"arithmetic_class": "canon"' "$W"/r/runs/*/record.json && fail "doubles pass for the canonical floats"
  ends 0 "${one[@]}" --results "$W/r"
  says '1 run: never run' # double is a precision, and that a key of the specification
}

check_checkpoint_after_every_step() {
  ends 0 "${run[@]}" --checkpoint-every 0 --results "$W/r"
  same "$W/r"
}

check_divergence_is_a_result() {
  local wild='{wild: {variant: none, lr: 1e6, clip: 0, optimizer: sgd}}'
  ends 0 "${run[@]}" --arm "$wild" --arm '{plain: {variant: pre}}' --results "$W/r"
  says 'wild seed 1 +diverged at step [0-9]+ \([a-z0-9]+ [a-z0-9._]+\)'
  says 'plain seed 2 +valid loss'
  prints '4 of 4 runs stored'
  [ "$(grep -l '"status": "diverged"' "$W"/r/runs/*/record.json | wc -l)" = 2 ] || fail "not two diverged runs"
  grep -h -A1 '"status": "diverged"' "$W"/r/runs/*/record.json | grep '"culprit": ""' && fail "no tensor is named"
  grep -l '"diverged_step": -1' "$W"/r/runs/*/record.json | xargs grep -L '"status": "ok"' | grep . &&
    fail "no step is named"
  ends 0 "${run[@]}" --arm "$wild" --arm '{plain: {variant: pre}}' --results "$W/r"
  says '4 stored, 0 to train'
  # What diverged is the same bytes too, and the arm beside it is what it is without it.
  ends 0 "${run[@]}" --arm "$wild" --arm '{plain: {variant: pre}}' --backend portable --threads 1 --checkpoint-every 0 \
    --results "$W/again"
  local ok
  for ok in $(grep -l '"status": "ok"' "$W"/r/runs/*/record.json); do
    ok=$(dirname "$ok")
    cmp -s "$ok/curves.csv" "$T/whole/runs/$(basename "$ok")/curves.csv" || fail "$ok was disturbed"
  done
  same "$W/again" "$W/r"
}

check_tables() {
  local file wild='{wild: {variant: none, lr: 1e6, clip: 0, optimizer: sgd}}'
  with=(timeout -s KILL 0.12) # a run that was stopped anywhere makes the tables of one that was not
  nb "${run[@]}" --checkpoint-every 0 --results "$W/r"
  with=()
  nb table toy.yaml --results "$W/r"
  [ "$rc" = 0 ] || { [ "$rc" = 3 ] && says '[1-4] of 4 runs are missing: normbench run toy'; }
  ends 0 "${run[@]}" --results "$W/r"
  ends 0 table toy.yaml --results "$W/r"
  cp "$W/out" "$W/first"
  cp -r "$T/whole" "$W/s"
  ends 0 table toy.yaml --results "$W/s"
  diff <(sed '/^Cost/,$d' "$W/first") <(sed '/^Cost/,$d' "$W/out") >/dev/null || fail "the tables on the terminal differ"
  for file in toy.tex toy.csv toy.json toy-macros.tex toy-curves.csv; do
    cmp "$W"/r/out/toy-*/"$file" "$W"/s/out/toy-*/"$file" || fail "$file is not the same"
  done
  rm -r "$W/s/out" && : >"$W/s/out"
  ends 3 table toy.yaml --results "$W/s"
  says 's/out.*Not a directory'
  "$program" table toy.yaml --results "$W/r" >/dev/full 2>"$W/err"
  [ $? = 3 ] || fail "a table to a full device: not exit 3"
  # Runs that diverge are counted, not dropped.
  ends 0 "${run[@]}" --arm '{plain: {variant: pre}}' --arm "$wild" --results "$W/s2"
  ends 0 table toy.yaml --arm '{plain: {variant: pre}}' --arm "$wild" --results "$W/s2"
  prints 'runs diverged +0 of 2 +2 of 2'
}

check_all_arms_diverge() {
  ends 0 "${one[@]}" --set lr=1e6 --set clip=0 --set optimizer=sgd --set steps=40 --results "$W/r"
  grep -q '"status": "diverged"' "$W"/r/runs/*/record.json || fail "nothing diverged"
  says 'diverged at step'
}

# fp16 whose first forward pass overflows: a result of step 0 that names the site, not a failure.
check_fp16_overflows_at_step_0() {
  ends 0 "${run[@]}" --arm '{far: {variant: post, precision: fp16, init_std: 100, token_std: 100}}' --results "$W/r"
  says 'far seed 1 +diverged at step 0 \(act h\.0\.attn\.c_attn\)'
  [ "$(grep -l '"diverged_step": 0,' "$W"/r/runs/*/record.json | wc -l)" = 2 ] || fail "not two runs of step 0"
  grep -A2 '"first_overflow": {' "$W"/r/runs/*/record.json | grep -q '"step": 0' || fail "no first overflow"
  ends 0 table toy.yaml --arm '{far: {variant: post, precision: fp16, init_std: 100, token_std: 100}}' --results "$W/r"
  prints '^  runs diverged .* 2 of 2'
}

check_own_text() {
  ends 0 "${one[@]}" --set dataset=synthetic --text text.txt --tokenizer char --results "$W/r"
  same "$W/r" "$T/whole1"
  ends 0 "${one[@]}" --text text.txt --tokenizer byte --results "$W/b"
  grep -q '"vocab": 256' "$W"/b/runs/*/record.json || fail "bytes are not 256 tokens"
  grep -q '"dataset": "text.txt"' "$W"/b/runs/*/record.json || fail "the record does not name the text"
  printf 'naïve café über straße \xe2\x82\xac ' >"$W/utf8.txt"
  for _ in 1 2 3 4 5 6; do cat "$W/utf8.txt" "$W/utf8.txt" >"$W/more" && mv "$W/more" "$W/utf8.txt"; done
  ends 0 "${one[@]}" --text "$W/utf8.txt" --results "$W/u"
  grep -q '"vocab": 16' "$W"/u/runs/*/record.json || fail "code points are not counted"
}

check_bad_text() {
  local r=(--results "$W/r")
  : >"$W/empty"
  printf 'abc\xff\xfe' >"$W/bytes" && cat "$T/text.txt" >>"$W/bytes"
  printf 'to be or not to be' >"$W/short"
  refused "empty: the file is empty" "${one[@]}" --text "$W/empty" "${r[@]}"
  refused "bytes: not UTF-8 .*\b3\b" "${one[@]}" --text "$W/bytes" "${r[@]}"
  refused "too short for one batch" "${one[@]}" --text "$W/short" "${r[@]}"
  refused "a folder, not a file" "${one[@]}" --text "$W" "${r[@]}"
  refused "nowhere: No such file" "${one[@]}" --text "$W/nowhere" "${r[@]}"
  refused "a path of more than" "${one[@]}" --text "$(printf 'd%.0s' {1..200})" "${r[@]}"
  refused "line break" "${one[@]}" --text $'a\nb' "${r[@]}"
  [ ! -e "$W/r" ] || fail "a refused text left something in the results"
  ends 0 "${one[@]}" --text "$W/bytes" --tokenizer byte "${r[@]}"
}

# A record whose head alone can be read is left out with a note, as one of which nothing can be read.
check_a_damaged_record_hides_no_other() {
  local id other
  cp -r "$T/whole" "$W/r"
  id=$(ls "$W/r/runs" | head -n 1) other=$(ls "$W/r/runs" | tail -n 1)
  sed -i 's/"valid_loss": [0-9.]*/"valid_loss": "x"/' "$W/r/runs/$id/record.json"
  ends 0 runs toy.yaml --results "$W/r"
  prints '^toy smoke .*: 3 of 4 runs stored$' && ! grep -q "${id:0:12}" "$W/out" || fail "not the three others"
  says "^normbench: note: 1 folder of $W/r/runs does not read, the first: .*valid_loss is not a number; move the folder .*$id away"
  truncate -s 300 "$W/r/runs/$id/record.json"
  ends 0 runs show "${other:0:12}" --results "$W/r"
  [ "$(grep -c 'does not read' "$W/err")" = 1 ] || fail "the note does not stand once"
  ends 5 runs show "${id:0:12}" --results "$W/r"
  says 'premature end of input'
}
