# Part of e2e.sh: processes that die, disks that fail, files that were damaged.

check_ctrl_c_at_real_size() {
  local signal waited worked start before stat shell=$BASHPID where=()
  for signal in INT:130 TERM:143; do # the first in the middle of a validation, the second in a training step
    before=$(children_time)
    begin run embedding-norm --set dataset=synthetic --profile quick --offline --threads 1 \
      "${where[@]}" --results "$W/${signal%:*}"
    where=(--set evaluate_at=150 --set curve_batches=0)
    until_there "$W/${signal%:*}/runs"
    sleep 0.3
    read -r -a stat <"/proc/$pid/stat"
    start=${EPOCHREALTIME/./}
    kill -"${signal%:*}" "$pid"
    ended 30
    waited=$(((${EPOCHREALTIME/./} - start) / 1000))
    worked=$(($(children_time) - before - (stat[13] + stat[14]) * 1000 / $(getconf CLK_TCK)))
    [ "$rc" = "${signal#*:}" ] || fail "exit $rc instead of ${signal#*:}"
    says 'stopped with 0 of 32 runs stored; to resume .* give the same command again'
    [ -n "$(ls "$W/${signal%:*}/runs/.partial")" ] || fail "no checkpoint"
    # On a machine that others keep busy, what counts is the time that the program was given.
    [ "$waited" -lt 2000 ] || { [ "$worked" -lt 1500 ] && [ "$waited" -lt 15000 ]; } ||
      fail "stopped only after $waited ms, $worked ms of them at work"
    rm -r "$W/${signal%:*}"
  done
}

# Milliseconds that the children of this shell have worked.
children_time() {
  local fields
  read -r -a fields <"/proc/$shell/stat"
  echo $(((fields[15] + fields[16]) * 1000 / $(getconf CLK_TCK)))
}

# A run of its own length, so that there is time to stop it.
long=(run one.yaml --offline --threads 1 --set steps=3000)

check_stopped_runs_resume() {
  local signal longer=("${long[@]}" --set steps=12000) # four stops on a busy machine come before its end
  ends 0 "${longer[@]}" --results "$W/reference"
  for signal in INT:130 TERM:143 HUP:143 USR1:143; do
    begin "${longer[@]}" --results "$W/r"
    until_says 'to train' # the signals are taken care of by then
    until_there "$W/r/runs" # training has begun, on a busy machine too
    sleep 0.1
    kill -"${signal%:*}" "$pid"
    ended 20
    [ "$rc" = "${signal#*:}" ] || fail "exit $rc instead of ${signal#*:}"
    says 'give the same command again'
    [ -n "$(ls "$W/r/runs/.partial")" ] || fail "no checkpoint of its own accord"
  done
  ends 0 "${longer[@]}" --threads 3 --results "$W/r" # other threads may go on with it
  same "$W/r" "$W/reference"
}

# What nohup starts does not hear that the terminal is gone; a terminal that closes may say so twice.
check_a_closed_terminal() {
  with=(nohup)
  begin "${long[@]}" --set steps=20000 --results "$W/r"
  until_says 'to train'
  until_there "$W/r/runs"
  kill -HUP "$pid"
  sleep 0.5
  kill -0 "$pid" || fail "nohup did not help"
  kill -USR1 "$pid"
  kill -USR1 "$pid" 2>/dev/null # as a scheduler may
  ended 20
  [ "$rc" = 143 ] && [ -n "$(ls "$W"/r/runs/.partial/*.safetensors)" ] || fail "exit $rc, or no checkpoint"
  with=()
  begin "${long[@]}" --set steps=20000 --results "$W/r"
  until_says 'to train'
  until_there "$W"/r/runs/.partial
  kill -HUP "$pid"
  kill -HUP "$pid"
  kill -TERM "$pid" 2>/dev/null # a machine that shuts down; a busy one may have let it end by then
  ended 20
  [[ $rc = 143 || $rc = 129 ]] && [ -n "$(ls "$W"/r/runs/.partial/*.safetensors)" ] || fail "exit $rc, or no checkpoint"
}

# ID and step of each checkpoint, in order.
standing() {
  local file
  for file in "$1"/runs/.partial/*.safetensors; do
    echo "$(basename "$file" .safetensors) $(head -c 4000 "$file" | grep -a -o '"step":"[0-9]*"' | tr -dc 0-9)"
  done
}

# Runs that are trained together go on where each stands, however they are grouped next time; one of them diverges.
check_groups_resume_where_each_run_stands() {
  local group id step now all=(run one.yaml --offline --threads 1 --set steps=6000 --set clip=0 --set optimizer=sgd
    --set evaluate_at=0 --set curve_every=1000 --set 'lr=[1e-3, 1e6, 1e-4, 1e-5]')
  ends 0 "${all[@]}" --results "$W/reference"
  for group in 2 3 1; do
    begin "${all[@]}" --replicas $group --results "$W/r"
    until_there "$W/r/runs"
    sleep 0.5
    kill -INT "$pid"
    ended 20
    [ "$rc" = 130 ] || fail "exit $rc instead of 130 with groups of $group"
    grep -q 'start over' "$W/err" && fail "a run starts over with groups of $group"
    if [ -e "$W/standing" ]; then
      while read -r id step; do
        now=$(standing "$W/r" | sed -n "s/^$id //p")
        [ -d "$W/r/runs/$id" ] || [ "${now:-0}" -ge "$step" ] || fail "run $id stood at $step and now stands at ${now:-0}"
      done <"$W/standing"
    fi
    standing "$W/r" >"$W/standing"
    [ -s "$W/standing" ] || fail "no checkpoint with groups of $group"
  done
  grep -q '"diverged"' "$W"/r/runs/*/record.json || fail "the diverged run waits for its group"
  ends 0 "${all[@]}" --replicas 4 --results "$W/r"
  same "$W/r" "$W/reference"
}

# timeout(1) signals its child and then the child's process group.
check_a_signal_sent_twice_is_one() {
  local trial
  for trial in 1 2 3 4; do
    begin "${long[@]}" --set steps=1000000 --results "$W/r$trial"
    until_there "$W/r$trial/runs"
    sleep 0.2
    kill -INT "$pid"
    sleep 0.02
    kill -INT "$pid" 2>/dev/null
    ended 20
    [ "$rc" = 130 ] || fail "exit $rc instead of 130"
    grep -q '^normbench: stopped' "$W/err" || { cat "$W/err"; fail "it did not stop in order"; }
  done
}

check_second_ctrl_c_ends_at_once() {
  local start pause
  begin "${long[@]}" --set steps=1000000 --results "$W/r"
  until_there "$W"/r/runs # the plan is noted by then
  kill -9 "$pid" && wait "$pid" 2>/dev/null
  with=(env LD_PRELOAD="$(disk)" FAULT=stall FAULT_LOG="$W/stalled")
  for pause in 0.3 1 3 9; do # on a busy machine it may be stopped before its first step, and then writes no checkpoint
    begin "${long[@]}" --set steps=1000000 --results "$W/r"
    until_says 'to train'
    sleep "$pause"
    kill -INT "$pid"
    while kill -0 "$pid" 2>/dev/null && [ ! -e "$W/stalled" ]; do sleep 0.02; done
    [ ! -e "$W/stalled" ] || break
  done
  until_there "$W/stalled" # it hangs in the checkpoint's fsync
  sleep 0.6 # an earlier signal would count as the first one repeated
  kill -0 "$pid" 2>/dev/null || fail "it did not wait for the disk"
  start=${EPOCHREALTIME/./}
  kill -INT "$pid"
  ended 10
  [ "$rc" = 130 ] || fail "exit $rc instead of 130"
  [ $((${EPOCHREALTIME/./} - start)) -lt 1000000 ] || fail "not at once"
}

check_a_run_that_another_process_has_stored_is_no_failure() {
  local first
  mkdir "$W/r" && cp -r "$T/whole1/out" "$W/r/" # the plan is noted
  with=(env LD_PRELOAD="$(disk)" FAULT=stall FAULT_LOG="$W/stalled" FAULT_GO="$W/go")
  begin "${one[@]}" --results "$W/r"
  first=$pid
  until_there "$W/stalled" # it is writing its record aside
  with=()
  rm "$W"/r/runs/.partial/*.hold || fail "it has no hold of its run" # else the second would wait for it
  ends 0 "${one[@]}" --results "$W/r"
  same "$W/r" "$T/whole1" # the second has swept what the first was writing
  : >"$W/go"
  wait "$first" || fail "the slower process ends with $?"
  same "$W/r" "$T/whole1"
}

check_kill_9_at_random_moments() {
  local hits=0 round=0 seed=$RANDOM
  echo "seed of this check: $seed"
  RANDOM=$seed
  mkdir "$W/r"
  while [ "$hits" -lt 15 ]; do
    round=$((round + 1))
    [ "$round" -le 60 ] || fail "only $hits of 60 kills found a process"
    begin "${run[@]}" --threads 2 --checkpoint-every 0 --results "$W/r"
    sleep "0.$(printf '%03d' $((RANDOM % 300 + 10)))"
    kill -9 "$pid" 2>/dev/null
    wait "$pid"
    [ $? != 137 ] || hits=$((hits + 1))
    folders_whole "$W/r"
    [ "$(find "$W/r/runs" -mindepth 1 -maxdepth 1 -name '[0-9a-f]*' 2>/dev/null | wc -l)" = 4 ] || continue
    ends 0 "${run[@]}" --results "$W/r"
    same "$W/r"
    rm -r "$W/r" && mkdir "$W/r"
  done
  ends 0 "${run[@]}" --results "$W/r"
  ! grep -q 'starts over' "$W/err" || fail "a checkpoint was damaged"
  same "$W/r"
}

# The failing disk of tests/faults, built when it is first needed.
disk() {
  (
    flock 9
    # shellcheck disable=SC2086
    [ -e "$T/disk.so" ] || ${CC:-cc} -shared -fPIC -O1 -D_GNU_SOURCE -DONLY_CHANGES -I"$root" -o "$T/disk.so" \
      "$here"/../faults/{fault,disk,power}.c -ldl >&2
    [ -e "$T/disk.so" ] && echo "$T/disk.so"
  ) 9>"$T/disk.lock"
}

# RESULTS: the power was gone for so long that what a process claimed there is nobody's.
an_hour_later() { find "$1" -exec touch -d '1 hour ago' {} +; }

# FAULT CODES: lets every call in turn that changes the disk fail; an undisturbed run must then end with the right bytes.
each_call() {
  local fault=$1 codes=$2 at untimed=0
  [ -n "$(disk)" ] || fail "cannot build the failing disk"
  for ((at = 1; at < 300; at++)); do
    rm -rf "$W/r" "$W/mark"
    with=(env LD_PRELOAD="$T/disk.so" FAULT="$fault" FAULT_AT="$at" FAULT_LOG="$W/mark")
    nb "${one[@]}" --set steps=2 --checkpoint-every 0 --results "$W/r"
    with=()
    [ -e "$W/mark" ] || break
    [[ " $codes " == *" $rc "* ]] || fail "$fault at call $at: exit $rc"
    [ "$rc" != 3 ] || says '^normbench: .*(No space left|Input/output error)'
    folders_whole "$W/r"
    [ "$fault" != cut ] || an_hour_later "$W/r"
    nb "${one[@]}" --set steps=2 --results "$W/r"
    [ "$rc" = 0 ] || fail "after $fault at call $at: exit $rc"
    ! grep -q 'starts over' "$W/err" || fail "after $fault at call $at a damaged checkpoint was left"
    ! grep -q 'nan' "$W/err" || fail "after $fault at call $at a time of nan is printed"
    untimed=$((untimed + $(grep -c 'valid loss [0-9.]* at step 2$' "$W/err")))
    same "$W/r" "$W/reference"
  done
  [ "$at" -ge 20 ] && [ "$at" -lt 300 ] || fail "$((at - 1)) calls were tried"
  [ "$untimed" -gt 0 ] || fail "no run went on after its last step"
}

check_power_cut_at_every_call() {
  ends 0 "${one[@]}" --set steps=2 --results "$W/reference"
  each_call cut '137'
}

check_io_error_at_every_call() {
  ends 0 "${one[@]}" --set steps=2 --results "$W/reference"
  each_call eio '0 3'
}

check_disk_full_from_every_call_on() {
  ends 0 "${one[@]}" --set steps=2 --results "$W/reference"
  each_call full '0 3'
}

check_interrupted_and_partial_writes_are_repeated() {
  with=(env LD_PRELOAD="$(disk)" FAULT=rough FAULT_AT=1 FAULT_LOG="$W/mark")
  ends 0 "${one[@]}" --checkpoint-every 0 --results "$W/r"
  [ -e "$W/mark" ] || fail "nothing was interrupted"
  same "$W/r" "$T/whole1"
}

check_a_disk_that_lies_is_noticed() {
  with=(env LD_PRELOAD="$(disk)" FAULT=rot FAULT_AT=1 FAULT_LOG="$W/mark")
  ends 3 "${one[@]}" --results "$W/r"
  says 'the bytes that were read back differ'
  with=()
  ends 0 "${one[@]}" --results "$W/r"
  same "$W/r" "$T/whole1"
}

check_file_size_limit() {
  ends 0 "${run[@]}" --part 1/2 --results "$W/r"
  digest "$W/r" >"$W/before"
  with=(bash -c 'ulimit -f 4; exec "$@"' limited)
  "${with[@]}" "$program" "${run[@]}" --threads 1 --checkpoint-every 0 --results "$W/r" </dev/null 2>&1 >/dev/null |
    cat >"$W/err"
  rc=${PIPESTATUS[0]}
  with=()
  [ "$rc" = 3 ] || fail "exit $rc instead of 3"
  says '^normbench: arm [a-z]+, seed [12]: .*: cannot write: File too large'
  ! grep -q 'runs failed' "$W/err" || fail "it went on to train what it cannot store"
  digest "$W/r" | diff - "$W/before" >/dev/null || fail "finished runs changed"
  ends 0 "${run[@]}" --results "$W/r"
  same "$W/r"
}

check_full_file_system() {
  # In a mount namespace of its own, where that is allowed; elsewhere the failing disk and the limit above have to do.
  mkdir "$W/small"
  unshare -m mount -t tmpfs none "$W/small" 2>/dev/null || return 0
  unshare -m bash -c '
    w=$1 && shift
    mount -t tmpfs -o size=2m none "$w/small" || exit
    "$@" --part 1/2 >"$w/out" 2>"$w/err" || { echo "the first part: $?" >"$w/code" && exit; }
    cp -r "$w/small" "$w/before"
    head -c 4000000 /dev/zero >"$w/small/filler" 2>/dev/null
    "$@" >"$w/out" 2>"$w/err"
    echo $? >"$w/code"
    rm "$w/small/filler"
    cp -r "$w/small" "$w/during"
    "$@" >/dev/null 2>&1
    cp -r "$w/small" "$w/after"' full "$W" "$program" "${run[@]}" --checkpoint-every 0 --results "$W/small" </dev/null
  [ "$(cat "$W/code")" = 3 ] || fail "exit $(cat "$W/code") instead of 3"
  says 'arm [a-z]+, seed [12]: .*No space left on device'
  same "$W/during" "$W/before"
  same "$W/after"
}

check_unwritable_results() {
  : >"$W/file"
  ends 3 "${one[@]}" --results "$W/file"
  says "file.*: cannot make folder .*: Not a directory"
  mkdir "$W/r" && : >"$W/r/runs"
  ends 3 "${one[@]}" --results "$W/r"
  says "r/runs: cannot make folder .*: Not a directory"
  ends 3 "${one[@]}" --results /proc/nowhere
  says "/proc/nowhere.*: cannot make folder"
}

check_read_only_results() {
  cp -r "$T/whole1" "$W/r"
  chmod -R a-w "$W/r"
  # To root, permissions mean nothing unless it gives up the right to pass them over.
  local rights='-dac_override,-dac_read_search'
  [ "$(id -u)" != 0 ] || with=(setpriv --bounding-set="$rights" --inh-caps="$rights")
  ends 3 "${one[@]}" --set steps=5 --results "$W/r"
  says 'r/runs: nothing can be stored here: Permission denied'
  ! grep -q 'valid loss' "$W/err" || fail "it trained first"
  ends 0 "${one[@]}" --results "$W/r" # what is there is there
  with=()
  chmod -R u+w "$W/r"
  same "$W/r" "$T/whole1"
}

# One bit of $1 at byte $2 changed.
flip() {
  local byte
  byte=$(od -An -tu1 -j "$2" -N 1 "$1" | tr -d ' ')
  # shellcheck disable=SC2059
  printf "$(printf '\\%03o' $((byte ^ (1 << RANDOM % 8))))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

starts_over() { # what was damaged, REASON
  ends 0 "${one[@]}" --set steps=6 --results "$W/r"
  says "checkpoint not used, this run starts over: .*\.partial/[0-9a-f]{64}\.safetensors: .*$2" || fail "$1"
  same "$W/r" "$W/reference"
}

check_damaged_checkpoints_are_refused() {
  local id size at header seed=$RANDOM
  RANDOM=$seed
  ends 0 "${one[@]}" --set steps=6 --results "$W/reference"
  id=$(ls "$W/reference/runs")
  mkdir "$W/r" && cp -r "$W/reference/out" "$W/r/" # the plan is noted: that takes calls too
  with=(env LD_PRELOAD="$(disk)" FAULT=cut FAULT_AT=30)
  nb "${one[@]}" --set steps=6 --checkpoint-every 0 --results "$W/r"
  [ "$rc" = 137 ] || fail "exit $rc: not killed at call 30"
  with=()
  cp "$W/r/runs/.partial/$id.safetensors" "$W/good" || fail "no checkpoint"
  size=$(stat -c %s "$W/good")
  header=$(od -An -tu4 -N 4 "$W/good" | tr -d ' ')
  damaged() {
    rm -rf "$W/r" && mkdir -p "$W/r/runs/.partial" && cp "$W/good" "$W/r/runs/.partial/$id.safetensors"
    cp -r "$W/reference/out" "$W/r/"
  }
  # The good one is used, and in silence: with a disk that allows 60 calls a run that began anew would not end.
  with=(env LD_PRELOAD="$T/disk.so" FAULT=cut FAULT_AT=60)
  rm -r "$W/r"
  nb "${one[@]}" --set steps=6 --checkpoint-every 0 --results "$W/r"
  [ "$rc" = 137 ] || fail "exit $rc: a run from its beginning needs less than 60 calls"
  damaged
  ends 0 "${one[@]}" --set steps=6 --checkpoint-every 0 --results "$W/r"
  with=()
  ! grep -q 'starts over' "$W/err" || fail "a good checkpoint is refused"
  same "$W/r" "$W/reference"
  for at in 0 1 7 8 9 100 $((header + 7)) $((header + 8)) $((size / 2)) $((size - 1)); do
    damaged
    truncate -s "$at" "$W/r/runs/.partial/$id.safetensors"
    starts_over "truncated to $at bytes" ''
  done
  for at in 0 8 $((header + 8)) $((size - 1)) $(for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
    echo $((RANDOM * 32768 % header + RANDOM % 8)) $(((RANDOM * 32768 + RANDOM) % size)); done); do
    damaged
    flip "$W/r/runs/.partial/$id.safetensors" "$at"
    starts_over "seed $seed: a bit of byte $at of $size changed" ''
  done
  damaged
  echo '<html>404</html>' >"$W/r/runs/.partial/$id.safetensors"
  starts_over "a page of html" 'truncated, or not a safetensors file'
  damaged
  sed -i "s/\"step\":\"[0-9]*\"/\"step\":\"1\"/" "$W/r/runs/.partial/$id.safetensors"
  cmp -s "$W/good" "$W/r/runs/.partial/$id.safetensors" && fail "the edit changes nothing"
  starts_over "another step" 'header'
  # A good checkpoint of another run under this one's name.
  rm -rf "$W/r"
  with=(env LD_PRELOAD="$T/disk.so" FAULT=cut FAULT_AT=45)
  nb "${one[@]}" --set steps=6 --set seeds='[2]' --checkpoint-every 0 --results "$W/r"
  with=()
  mv "$W"/r/runs/.partial/*.safetensors "$W/other" && rm -rf "$W/r"
  mkdir -p "$W/r/runs/.partial" && cp "$W/other" "$W/r/runs/.partial/$id.safetensors"
  starts_over "of another run" 'it is of another run'
}

check_damaged_records_are_never_used() {
  local id other command edit
  id=$(ls "$T/whole/runs" | head -n 1) other=$(ls "$T/whole/runs" | tail -n 1)
  damage() {
    rm -rf "$W/r" && cp -r "$T/whole" "$W/r"
    (cd "$W/r/runs/$id" && eval "$1") || fail "cannot damage: $1"
    ! diff -r "$T/whole" "$W/r" >/dev/null || fail "this damages nothing: $1"
  }
  for edit in 'echo garbage >record.json' ': >record.json' 'truncate -s 900 record.json' 'rm record.json' \
    'rm curves.csv' ': >curves.csv' 'sed -i "\$d" curves.csv' 'sed -i "5s/[0-8]\$/9/" curves.csv' \
    'sed -i "s/\"schema\": [0-9]*/\"schema\": 99/" record.json' 'sed -i "s/\"spikes\": 0.0/\"spikes\": 1.0/" record.json' \
    'sed -i "s/\"diverged_step\": -1/\"diverged_step\": 7/" record.json' \
    'sed -i "s/layers = 2/layers = 3/" record.json' "cp ../$other/record.json ." "cp ../$other/curves.csv ."; do
    damage "$edit"
    cp -r "$W/r" "$W/damaged"
    for command in run table; do
      ends 5 "$command" toy.yaml --profile smoke --results "$W/r"
      says "$id/(record\.json|curves\.csv): .*move the folder .* away"
    done
    diff -r "$W/r" "$W/damaged" >/dev/null || fail "a refusing command changed the results ($edit)"
    rm -r "$W/damaged"
  done
  rm -r "$W/r/runs/$id" # as the line says
  ends 0 "${run[@]}" --results "$W/r"
  same "$W/r"
}

check_damaged_snapshots_are_never_used() {
  local file
  copied_tree "$W/tree"
  cp "$T/one.yaml" "$W/tree/bench/experiments/"
  export NORMBENCH_ROOT=$W/tree
  ends 0 verify snapshot one --offline --reason 'the first one of all'
  says 'one: trains 1 run by backend .*, about .* at 55% of this machine.s fma peak, and again in double precision by the readable kernels of backend cpu64, about [0-9]+ (s|min) .*by the time of one step'
  says 'one: 1 of 2 done after [0-9]+ s; now backend cpu64, about [0-9]+ (s|min)'
  file=$(ls "$W"/tree/results/baselines/*.json)
  cp "$file" "$W/good"
  ends 0 verify one --offline
  for edit in '0,/"nats": [0-9]/s/\("nats": [0-9]*\.\)./\17/' '0,/"loss_chain": "./s/\("loss_chain": "\)./\1-/' \
    '/"rows"/s/\[/[{"run": "one more"},/' 's/"status": "ok"/"state": "ok"/'; do
    sed "$edit" "$W/good" >"$file"
    ! cmp -s "$W/good" "$file" || fail "the edit '$edit' changes nothing"
    ends 5 verify one --offline
    says "$(basename "$file")"
  done
  rm "$file"
  ends 3 verify one --offline
  says 'no such snapshot'
}
