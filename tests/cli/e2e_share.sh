# Part of e2e.sh: several processes and machines, and what can be seen while they train.

# A process that begins ($pid), has taken one run, and is stopped there by SIGSTOP: alive, and silent.
begin_and_freeze() {
  begin "${run[@]}" --threads 1 --set steps=3000 --checkpoint-every 0 --results "$W/r"
  until_there "$W"/r/runs/.partial
  local i
  for ((i = 0; i < 1000; i++)); do
    [ "$(cat "$W"/r/runs/.partial/*.curves.csv 2>/dev/null | wc -l)" -lt 2 ] || break
    sleep 0.01
  done
  kill -STOP "$pid"
  compgen -G "$W/r/runs/.partial/*.hold" >/dev/null || fail "no run is held"
}

check_two_at_once_train_each_run_once() {
  local more=(--threads 1 --set steps=1500 --set seeds=4) first all
  ends 0 "${run[@]}" "${more[@]}" --results "$W/alone"
  mkdir "$W/r" && ln -s r "$W/link" # one folder by two paths
  begin "${run[@]}" "${more[@]}" --results "$W/r"
  first=$pid
  "$program" "${run[@]}" "${more[@]}" --results "$W/link" </dev/null >"$W/out2" 2>"$W/err2" || fail "one of two ends with $?"
  wait "$first" || fail "the other ends with $?"
  grep -q '8 of 8 runs stored' "$W/out" && grep -q '8 of 8 runs stored' "$W/out2" || fail "one ends before all is done"
  all=$(cat "$W/err" "$W/err2" | grep 'valid loss' | grep -vc 'another process')
  [ "$all" = 8 ] || fail "8 runs were trained $all times"
  for all in err err2; do
    [ "$(grep 'valid loss' "$W/$all" | grep -vc 'another process')" -ge 1 ] || fail "one of two trained nothing"
    [ "$(grep -c '^ *[1-8]/8 ' "$W/$all")" = 8 ] || fail "not all runs are counted"
  done
  same "$W/r" "$W/alone"
}

check_a_process_killed_leaves_its_runs_to_the_other() {
  local first second
  ends 0 "${run[@]}" --set steps=3000 --results "$W/alone"
  begin_and_freeze
  first=$pid
  "$program" "${run[@]}" --threads 1 --set steps=3000 --results "$W/r" </dev/null >"$W/out2" 2>"$W/err2" &
  second=$! pid=$second
  cp "$W/err" "$W/err1" && mv "$W/err2" "$W/err" # until_says reads this one; it is still being written
  until_says "waiting for 1 run of other processes (pid $first trains "
  [ "$(find "$W/r/runs" -name record.json | wc -l)" = 3 ] || fail "the free ones were not trained first"
  kill -9 "$first"
  wait "$second" || fail "the other ends with $?"
  [ "$(grep 'valid loss' "$W/err" | grep -vc 'another process')" = 4 ] || fail "what the dead one had was not trained"
  same "$W/r" "$W/alone"
}

# Another machine's process shows itself by touching its hold.
check_holds_of_other_machines() {
  local hold
  ends 0 "${one[@]}" --results "$W/alone"
  begin_and_freeze
  hold=$(ls "$W"/r/runs/.partial/*.hold)
  kill -9 "$pid"
  python3 - "$hold" "$W/hold" "$(ls "$W/alone/runs")" <<'PY'
import json, os, sys
hold = json.load(open(sys.argv[1]))
hold["id"] = sys.argv[3]
json.dump(dict(hold, host="elsewhere", boot="another"), open(sys.argv[2] + ".far", "w"))
json.dump(dict(hold, pid=os.getppid(), start=1), open(sys.argv[2] + ".reused", "w"))
PY
  rm -r "$W/r"
  mkdir -p "$W/r/runs/.partial"
  hold="$W/r/runs/.partial/$(ls "$W/alone/runs").hold"
  cp "$W/hold.far" "$hold"
  begin "${one[@]}" --results "$W/r"
  until_says 'waiting for 1 run of other processes (pid [0-9]* on elsewhere trains '
  nb status --results "$W/r"
  prints 'running .* on elsewhere\)'
  [ ! -e "$W/r/runs/$(ls "$W/alone/runs")" ] || fail "a run that another machine trains was trained"
  touch -d '6 minutes ago' "$hold"
  ended 20
  [ "$rc" = 0 ] || fail "exit $rc"
  same "$W/r" "$W/alone"
  # The number of a process that is gone may be another's by now.
  rm -r "$W/r" && mkdir -p "$W/r/runs/.partial"
  cp "$W/hold.reused" "$hold"
  ends 0 "${one[@]}" --results "$W/r"
  ! grep -q waiting "$W/err" || fail "a number of a process is taken for the process"
  same "$W/r" "$W/alone"
}

check_shards_are_balanced_by_cost() {
  local i plan=(--set 'layers=[1, 2, 12]' --arm '{variant: pre}') parts=
  for i in 1 2 3; do
    ends 0 "${run[@]}" "${plan[@]}" --dry-run --part $i/3 --results "$W/r"
    prints "^part $i/3: [0-9] of the plan's 6 runs, [0-9.]+% of its cost\$"
    prints '^[0-9] of [0-9] runs to train, .* FLOPs, about .* left|^[0-9] of [0-9] runs to train, .* FLOPs, about '
    parts+=" $(sed -n "s/^part .*: \([0-9]\) of .* \([0-9.]*\)% .*/\1 \2/p" "$W/out")"
  done
  python3 - $parts <<'PY' || fail "runs and share of the cost:$parts"
import sys
x = [float(i) for i in sys.argv[1:]]
runs, cost = x[::2], x[1::2]
assert sum(runs) == 6 and abs(sum(cost) - 100) < .2
assert max(cost) < 45 and min(cost) > 15  # every third run would be 80 % in one of them
PY
  # What is stored does not move the shares.
  ends 0 "${run[@]}" "${plan[@]}" --part 1/3 --results "$W/r"
  prints '^missing: [0-9] runs? of part 2/3: normbench run toy.* --part 2/3$'
  for i in 2 3; do ends 0 "${run[@]}" "${plan[@]}" --part $i/3 --results "$W/r"; done
  prints '^All parts are here: normbench table toy'
  says '6 runs, [0-9] stored, ([0-9]) to train, \1 of them in part 3/3'
  ends 0 "${run[@]}" "${plan[@]}" --results "$W/r"
  says '6 stored, 0 to train'
}

check_counts_survive_a_resume() {
  ends 0 "${run[@]}" --threads 1 --part 1/2 --results "$W/r"
  ends 0 "${run[@]}" --threads 1 --results "$W/r"
  says '^  3/4  ' && says '^  4/4  '
  ! grep -q '^  1/2 ' "$W/err" || fail "counted without those that were stored"
}

check_progress_at_60_columns() {
  script -qec true /dev/null </dev/null >/dev/null 2>&1 || return 0
  # shellcheck disable=SC2016
  NB=$program R=$W/r script -qec 'stty cols 60; "$NB" run toy.yaml --profile smoke --offline --threads 2 \
    --set steps=4000 --set seeds=1 --results "$R" >"$R.out"' /dev/null </dev/null >"$W/err" 2>&1 || fail "exit $?"
  tr '\r' '\n' <"$W/err" | sed 's/\x1b\[K//g' | grep ' left$' >"$W/bars" || fail "no bar"
  [ "$(wc -l <"$W/bars")" -ge 3 ] || fail "only $(wc -l <"$W/bars") bars"
  grep -q '2 running, loss [0-9.]* \.\. [0-9.]*' "$W/bars" || fail "no losses of what runs"
  ! grep -nE '^.{60,}$' "$W/bars" || fail "wider than the terminal"
}

check_a_curve_grows_while_a_run_trains() {
  local curve final
  ends 0 "${run[@]}" --set seeds=1 --set steps=3000 --results "$W/alone"
  begin_and_freeze
  kill -9 "$pid"
  curve=$(ls "$W"/r/runs/.partial/*.curves.csv)
  final=$(basename "$curve" .curves.csv)
  [ "$(wc -l <"$curve")" -ge 2 ] || fail "nothing but a header"
  cmp -n "$(stat -c %s "$curve")" "$curve" "$W/alone/runs/$final/curves.csv" || fail "not the beginning of the final one"
  cp "$curve" "$W/first"
  printf '12,0.00' >>"$curve" # a line that was being written
  ends 0 status --results "$W/r"
  prints '^stopped .* loss [0-9.]+'
  ends 0 "${run[@]}" --set seeds=1 --set steps=3000 --results "$W/r"
  same "$W/r" "$W/alone"
}

check_status() {
  local first at wild='{wild: {variant: none, lr: 1e6, clip: 0, optimizer: sgd}}'
  begin_and_freeze
  first=$pid
  ends 0 status toy.yaml --profile smoke --set steps=3000 --results "$W/r"
  prints '^toy, profile smoke: 4 runs: 0 done, 1 running, 3 waiting'
  prints "^running  plain seed 1  step [0-9]+/3000  loss [0-9.]+.*\(pid $first\)$"
  ends 0 status toy.yaml --profile smoke --set steps=3000 --format json --results "$W/r"
  python3 -c 'import json, os, sys; s = json.load(open(sys.argv[1])); r = s["running"][0]
assert s["runs"] == 4 and s["waiting"] == 3 and r["pid"] == int(sys.argv[2]) and r["steps"] == 3000 and r["train_loss"] > 0
assert os.path.exists(r["curve"])' "$W/out" "$first" || fail "the JSON is another"
  ends 0 status toy.yaml --profile smoke --results "$W/r" # another plan
  prints '4 runs: 0 done, 0 running, 4 waiting'
  kill -9 "$first" && wait "$first"
  ends 0 status toy.yaml --profile smoke --set steps=3000 --results "$W/r"
  prints "^stopped  plain seed 1 .*pid $first ended without finishing it"
  "$program" status --watch --results "$W/r" >"$W/out" 2>"$W/err" &
  pid=$!
  sleep 0.5
  kill -INT "$pid"
  ended 10
  [ "$rc" = 0 ] || fail "Ctrl-C ends it with $rc"
  prints '0 done, 0 running, 1 stopped'
  "$program" status --watch --results "$W/r" >"$W/out" 2>"$W/err" &
  pid=$!
  sleep 0.5
  kill -TERM "$pid"
  ended 10
  [ "$rc" = 143 ] && says '^normbench: stopped$' || fail "SIGTERM ends it with $rc"
  ends 0 "${one[@]}" --arm "$wild" --set steps=40 --results "$W/d"
  ends 0 status one.yaml --arm "$wild" --set steps=40 --watch --results "$W/d" # ends by itself: all is done
  prints '^one: 2 runs: 2 done \(1 diverged\), 0 running, 0 waiting$'
  ends 0 "${one[@]}" --set lr=1e-30 --results "$W/g" # no better than a guess, and no better than it began
  ends 0 status one.yaml --set lr=1e-30 --results "$W/g"
  prints '^one: 1 runs: 1 done \(1 diverged\), 0 running, 0 waiting$'
  ends 0 runs one.yaml status=diverged --set lr=1e-30 --results "$W/g"
  prints '^  [0-9a-f]{12}  plain +1 +[0-9.]+  diverged$'
  # A disk that fails once, wherever that makes a run fail.
  for at in $(seq 5 60); do
    rm -rf "$W/f"
    with=(env LD_PRELOAD="$(disk)" FAULT=eio FAULT_AT="$at")
    nb "${one[@]}" --results "$W/f"
    with=()
    [ "$rc" = 0 ] || { nb status one.yaml --results "$W/f" && grep -q '1 failed' "$W/out" && break; }
  done
  prints '^one: 1 runs: 0 done, 0 running, 1 failed, 0 waiting$' && prints '^failed   plain seed 1 .*Input/output error'
  refused "status: name one experiment" status one.yaml toy.yaml --results "$W/f"
  ends 0 status --results "$W/mistyped"
  says 'mistyped/runs: no such folder yet'
}

check_a_partial_table_is_marked() {
  local gone file
  cp -r "$T/whole" "$W/r"
  ends 0 table toy.yaml --profile smoke --partial --results "$W/r" # nothing is missing: a table like any other
  ! grep -q PARTIAL "$W/out" || fail "a whole table is marked"
  gone=$(grep -l '^ *"spec".*seed = 2' "$W"/r/runs/*/record.json | head -n 1)
  rm -r "$(dirname "$gone")"
  ends 3 table toy.yaml --profile smoke --results "$W/r"
  says '1 of 4 runs are missing: normbench run toy.*; --partial makes'
  ends 0 table toy.yaml --profile smoke --partial --paper --results "$W/r"
  prints '^toy-partial: .*\[PARTIAL: 1 of 2 seeds; missing: 1 of 2 runs of seed 2\]$'
  for file in toy-partial.tex toy-partial.json toy-partial.txt; do
    grep -q PARTIAL "$W"/r/out/*/"$file" || fail "$file does not say so"
  done
  for file in "$W"/r/out/*/toy-partial*.tex; do
    ! grep 'caption{' "$file" | grep -v PARTIAL || fail "a caption of $file does not say so"
  done
  grep -q 'caption{PARTIAL' "$W"/r/out/*/toy-partial.tex || fail "the caption does not say so"
  ! grep -lr PARTIAL "$W/r/out" --include='toy.*' || fail "a partial table stands in the whole one's place"
  ends 4 table toy.yaml --profile smoke --partial --fail-on worse --results "$W/r"
  says '^normbench: --fail-on worse: not decided: a partial table decides nothing$'
  ends 0 table toy.yaml --profile smoke --partial --sentence --results "$W/r"
  prints '^In a partial table of 1 of 2 seeds, it is not decided whether'
  for gone in "$W"/r/runs/*/record.json; do
    ! grep -q '^ *"spec".*seed = 1' "$gone" || { rm -r "$(dirname "$gone")" && break; }
  done
  ends 3 table toy.yaml --profile smoke --partial --results "$W/r"
  says 'no seed has all of its 2 runs yet: 2 of 4 are missing'
}

check_no_claim_is_decided_from_a_part() {
  claims_tree
  ends 0 run tiny --profile smoke --offline --set seeds=1 --results "$W/r"
  ends 0 table tiny --profile smoke --partial --results "$W/r"
  ! ls "$W"/r/out/*/*claims* 2>/dev/null || fail "a partial table has claims"
  ledger
  ! grep -qE '(Verdict:|^ +900-[0-9].*) (reproduced|contradicted|seen here|not seen here)' "$W/out" || fail "the ledger decides from a part"
}

# The scripts' own part: what is built, and with what, is a stub's.
check_reproduce_a_shard() {
  local tree=$W/tree rest=(--profile smoke --synthetic --offline --threads 1 --results "$W/r")
  mkdir -p "$tree/bench" "$tree/build/bench"
  cp "$root/reproduce" "$tree/"
  printf '%s\n' 'say() { printf "%s\n" "$*" >&2; }' 'find_gpu() { false; }' 'prepare_machine() { :; }' 'build_in() { :; }' 'leave_program() { :; }' \
    >"$tree/bench/machine.sh"
  printf '#!/bin/sh\necho "$*" >>"%s"\nexec "%s" "$@"\n' "$W/calls" "$program" >"$tree/build/bench/normbench"
  chmod +x "$tree/build/bench/normbench"
  reproduce() { "$tree/reproduce" "${rest[@]}" "$@" </dev/null >"$W/out" 2>"$W/err"; }
  reproduce --part 1/2 || fail "a part ends with $?"
  ! grep -qE '^(table|report)' "$W/calls" || fail "it tries tables of a part"
  says 'Part 1/2 is done' && says "normbench records merge DIR... --results $W/r\`" && prints 'missing: 6 runs of part 2/2: .* --part 2/2$'
  reproduce --part=2/2 || fail "a part ends with $?"
  : >"$W/calls"
  reproduce || fail "all of it ends with $?"
  says '12 stored, 0 to train' && grep -q '^table .*--set dataset=synthetic' "$W/calls" || fail "no table"
  grep -lr 'SYNTHETIC SOURCE' "$W/r/out" | grep -q '\.tex$' || fail "the table does not say on what"
}
