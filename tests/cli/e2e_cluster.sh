# Part of e2e.sh: runs of several machines put together (merge), and runs that Slurm starts.

# $W/one and $W/two: the four runs of $T/whole, two in each.
two_halves() {
  local id number=0
  mkdir -p "$W/one/runs" "$W/two/runs"
  for id in $(ls "$T/whole/runs"); do
    number=$((number + 1))
    cp -r "$T/whole/runs/$id" "$W/$([ $((number % 2)) = 1 ] && echo one || echo two)/runs/"
  done
}

sign() { python3 "$here/sign_record.py" "$@" || fail "a record is signed otherwise"; }

check_merged_shards_give_the_whole() {
  two_halves
  ends 0 merge "$W/one" "$W/two/runs" --results "$W/r" # a results folder, and a folder of runs
  prints "^$W/one: 2 runs: 2 copied\$" && prints "^$W/two/runs: 2 runs: 2 copied\$"
  same "$W/r"
  ends 0 merge "$W/one" "$W/two" --results "$W/r" # once more
  prints "^$W/one: 2 runs: 0 copied, 2 here already\$"
  same "$W/r"
  diff -r "$W/r/runs" "$T/whole/runs" || fail "other bytes than the records that were copied"
  ends 0 table toy.yaml --profile smoke --results "$W/r"
  # What somebody began and did not store is counted, and left.
  begin_and_freeze
  kill -9 "$pid"
  ends 0 merge "$W/r" --results "$W/s"
  prints ': 4 runs: 4 copied; 1 unfinished there$'
}

# The line that is printed after a part merges into the results that its table is made of.
check_a_part_says_where_to_merge() {
  local command
  ends 0 "${run[@]}" --part 1/2 --results "$W/one"
  ends 0 "${run[@]}" --part 2/2 --results "$W/two"
  command=$(sed -n 's/^When all parts are done: normbench \(.*\) (their results folders).*/\1/p' "$W/out")
  [[ $command == *" --results $W/two" ]] || fail "it merges elsewhere: $command"
  ends 0 ${command/DIR.../"$W/one"}
  same "$W/two"
}

# A plan stays reachable by its folder where its runs were merged to, and its folder alone names its runs.
check_merge_takes_plans_along() {
  local word
  cp -r "$T/whole" "$W/one" && cp toy.yaml "$W/toy.yaml"
  ends 0 run "$W/toy.yaml" --profile smoke --seeds 1 --name fewer --results "$W/one"
  word=$(basename "$(ls -d "$W"/one/out/toy-*)")
  ends 0 merge "$W/one/out/fewer" --results "$W/r"
  prints "^$W/one/out/fewer: 2 runs: 2 copied\$"
  [ "$(ls "$W/r/out")" = fewer ] || fail "other plans: $(ls "$W/r/out")"
  rm "$W/toy.yaml"
  ends 0 table fewer --results "$W/r"
  ends 0 merge "$W/one" --results "$W/r"
  prints ': 4 runs: 2 copied, 2 here already$' && [ ! -s "$W/err" ] || fail "a note"
  ends 0 table "$word" --results "$W/r"
  # The same word of another plan stays what it is.
  sed -i 's/"plan": *"[0-9a-f]\{8\}/"plan":"00000000/' "$W/one/out/fewer/plan.json"
  ends 0 merge "$W/one" --results "$W/r"
  says "note: $W/one: 1 plan is not carried: $W/r has another plan of that name\$"
  ends 0 table fewer --results "$W/r"
  rm -r "$W/one/runs/$(ls "$W/one/runs" | head -n 1)"
  ends 3 merge "$W/one/out/$word" --results "$W/s"
  says "1 of 4 runs of this plan are not in $W/one/runs\$"
}

check_merge_refuses_what_is_damaged() {
  local id=$(ls "$T/whole/runs" | sed -n 1p) other=$(ls "$T/whole/runs" | sed -n 3p)
  two_halves
  sed -i '3s/[0-9]/7&/' "$W/one/runs/$id/curves.csv"
  ends 5 merge "$W/one" "$W/two" --results "$W/r"
  prints "^$W/one: 2 runs: 1 copied, 1 refused\$" && prints "^$W/two: 2 runs: 2 copied\$"
  says "^normbench: merge: $W/one/runs/$id/curves.csv: this file and record.json beside it do not have the hash"
  [ "$(grep -c '' "$W/err")" = 1 ] && [ ! -e "$W/r/runs/$id" ] || fail "copied, or more than one line"
  # A record whose own hash is right, under an id that is not its spec's.
  mv "$W/one/runs/$other" "$W/one/runs/${other%?????}00000" && sed -i "s/$other/${other%?????}00000/" "$W/one/runs/"*00000/record.json
  rm -r "$W/r"
  ends 5 merge "$W/one" --results "$W/r"
  says '^normbench: note: .*00000/curves.csv: .*hash' && says '^normbench: merge: 2 runs were not merged; the first: '
  [ ! -e "$W/r/runs" ] || fail "something was copied"
  rm -r "$W/one/runs/$id" # the same with a hash that is right
  python3 - "$here/sign_record.py" "$W/one/runs/"*00000 <<'PY' || fail "not signed"
import runpy, sys
sys.argv = sys.argv[1:]
source = open(sys.argv[0]).read().replace("assert signature", "signature")
exec(compile(source, sys.argv[0], "exec"))
PY
  ends 5 merge "$W/one" --results "$W/r"
  says "00000/record.json: the id is not that of its spec, corpus and arithmetic\$"
}

check_merge_keeps_both_of_a_conflict() {
  local id=$(ls "$T/whole/runs" | sed -n 1p) bad=$(printf 'ab%.0s' {1..32})
  two_halves
  cp -r "$T/whole" "$W/r"
  sign "$W/one/runs/$id" "parameters_hash=$bad" >"$W/signed"
  for again in 1 2; do
    ends 5 merge "$W/one" --results "$W/r"
    prints "^$W/one: 2 runs: 0 copied, 1 here already, 1 with other bits than the run stored here\$"
    says "^normbench: merge: $W/one: run ${id:0:12} has other bits than the one in $W/r/runs; both are kept, this one in $W/r/conflicts\$"
    [ "$(ls "$W/r/conflicts" | wc -l)" = 1 ] || fail "kept $again times"
  done
  diff -r "$W/r/runs" "$T/whole/runs" || fail "what was there has changed"
  diff -r "$W/r/conflicts/$id".* "$W/one/runs/$id" || fail "the other one is not kept"
  ends 0 table toy.yaml --profile smoke --results "$W/r"
  # A run that is damaged where it is merged to is never overwritten.
  : >"$W/r/runs/$id/curves.csv"
  ends 5 merge "$W/one" --results "$W/r"
  says "move the folder $W/r/runs/$id away" && [ ! -s "$W/r/runs/$id/curves.csv" ] || fail "overwritten"
}

# Two nodes with two versions of the program: arm `ours` of seed 2 has another arithmetic than that of seed 1.
check_merge_names_two_versions_of_the_program() {
  local bad=$(printf 'ab%.0s' {1..32}) id new
  mkdir -p "$W/one/runs" "$W/two/runs"
  for id in $(ls "$T/whole/runs"); do
    if grep -q 'seed = 2' "$T/whole/runs/$id/record.json"; then cp -r "$T/whole/runs/$id" "$W/two/runs/"; else
      cp -r "$T/whole/runs/$id" "$W/one/runs/"
    fi
  done
  id=$(cd "$W/two/runs" && grep -l '= rmsnorm' -- */record.json | head -n 1) id=${id%/*}
  new=$(sign "$W/two/runs/$id" "arithmetic=$bad" commit=feedbeef0000)
  ends 5 merge "$W/one" "$W/two" --results "$W/r"
  prints "^$W/two: 2 runs: 1 copied, 1 refused\$"
  says "^normbench: merge: $W/two: run ${new:0:12} was computed by another version of the program: arithmetic abababababab of commit feedbeef0000 here, [0-9a-f]{12} of commit [^ ]+ in $W/one; its arm is not merged"
  [ "$(grep -c '' "$W/err")" = 1 ] && [ ! -e "$W/r/runs/$new" ] || fail "merged, or more than one line"
  ends 5 merge "$W/two" --results "$W/one" # the target counts as the first
  says "in $W/one/runs; its arm is not merged"
  ends 0 merge "$W/two" --results "$W/alone" # alone it is an arm like another
  cp -r "$W/one/runs/"* "$W/two/runs/"       # a folder with both is the history of one place
  ends 0 merge "$W/two" --results "$W/both"
}

check_merge_says_what_is_no_results_folder() {
  refused 'merge: name one results folder or more; they are merged into ' merge --results "$W/r"
  refused "merge: '$W/absent': no such folder" merge "$W/absent" --results "$W/r"
  refused "merge: 'text.txt' is not a folder; unpack an archive first .tar -xf" merge text.txt --results "$W/r"
  mkdir "$W/empty"
  refused "merge: '$W/empty' holds no runs: neither a folder runs/ nor a run's own folder" merge "$W/empty" --results "$W/r"
  refused "merge: '$T/whole' is the folder that is merged into" merge "$T/whole" --results "$T/whole"
  [ ! -e "$W/r" ] || fail "something was made"
}

# Whatever call fails, each run is there whole or not at all, and merging again completes it.
check_merge_on_a_disk_that_fails() {
  local at
  for at in $(seq 1 4 60); do
    rm -rf "$W/r" "$W/mark"
    with=(env LD_PRELOAD="$(disk)" FAULT=full FAULT_AT="$at" FAULT_LOG="$W/mark")
    nb merge "$T/whole" --results "$W/r"
    with=()
    [ -e "$W/mark" ] || break
    [ "$rc" = 3 ] || fail "exit $rc on a disk that is full from call $at on"
    says 'No space left on device'
    [ ! -d "$W/r" ] || folders_whole "$W/r"
    ends 0 merge "$T/whole" --results "$W/r"
    same "$W/r"
  done
  [ "$at" -gt 20 ] || fail "only $at calls"
}

# Another machine's hold is alive when its file was touched lately by the file system's clock, whatever this machine's
# own clock says; and what it began is not hours old.
check_clocks_that_differ_by_hours() {
  local hold ahead id
  ${CC:-cc} -shared -fPIC -O1 -D_GNU_SOURCE -o "$W/clock.so" "$here/../hostile/clock.c" -ldl >&2 || fail "cannot build clock.c"
  ends 0 "${one[@]}" --results "$W/alone"
  id=$(ls "$W/alone/runs")
  begin_and_freeze
  hold=$(ls "$W"/r/runs/.partial/*.hold)
  kill -9 "$pid"
  for ahead in +18000 -18000; do
    rm -rf "$W/s" && mkdir -p "$W/s/runs/.partial"
    python3 - "$hold" "$W/s/runs/.partial/$id.hold" "$id" <<'PY'
import json, sys, time
json.dump(dict(json.load(open(sys.argv[1])), id=sys.argv[3], host="elsewhere", boot="another", since=int(time.time()) - 100,
               **{"from": 0, "steps": 400}), open(sys.argv[2], "w"))
PY
    printf 'step,train_loss,valid_loss\n100,2.5,\n' >"$W/s/runs/.partial/$id.curves.csv"
    with=(env LD_PRELOAD="$W/clock.so" CLOCK="$ahead")
    nb status --results "$W/s"
    prints '0 done, 1 running' && prints '^running .* step 101/400 .* (5 min|4 min [0-9]+ s) left  .pid [0-9]+ on elsewhere.$'
    begin "${one[@]}" --results "$W/s"
    with=()
    until_says 'waiting for 1 run of other processes (pid [0-9]* on elsewhere trains '
    touch -d '6 minutes ago' "$W/s/runs/.partial/$id.hold"
    ended 30
    [ "$rc" = 0 ] || fail "exit $rc"
    same "$W/s" "$W/alone"
  done
}

# ---- Slurm, played by scripts: what is written, submitted and said ----

# sbatch keeps what it is given and counts jobs; squeue, sacct and `scontrol show config` print $W/queue, $W/accounts and
# $W/config.
fake_slurm() {
  submits=("${run[@]}" --slurm --job nodes=2 --job array=3 --job partition=gpu --job time=2:00:00 --sbatch '--mem=8G --account=me')
  mkdir -p "$W/bin"
  cat >"$W/bin/sbatch" <<SH
#!/bin/sh
[ ! -e "$W/refusal" ] || { cat "$W/refusal" >&2; exit 1; }
echo "\$*" >>"$W/submitted"
wc -l <"$W/submitted"
SH
  printf '#!/bin/sh\n[ ! -e "%s" ] || { cat "%s" >&2; exit 1; }\ncat "%s" 2>/dev/null || :\n' "$W/down" "$W/down" "$W/queue" >"$W/bin/squeue"
  printf '#!/bin/sh\ncat "%s" 2>/dev/null || exit 1\n' "$W/accounts" >"$W/bin/sacct"
  printf '#!/bin/sh\n[ "$*" != "show config" ] || { cat "%s"; exit; }\necho "$*" >>"%s"\n' "$W/config" "$W/requeued" >"$W/bin/scontrol"
  chmod +x "$W/bin/"*
  with=(env PATH="$W/bin:$PATH")
}

task() { # INDEX FOLDER: runs a task of the array as Slurm would; its exit code
  PATH=$W/bin:$PATH SLURM_ARRAY_JOB_ID=1 SLURM_ARRAY_TASK_ID=$1 bash "$2/run.sh" </dev/null >"$W/out" 2>"$W/err"
  rc=$?
}

check_a_batch_script_is_printed_and_nothing_submitted() {
  local i
  fake_slurm
  ends 0 "${submits[@]}" --dry-run --results "$W/r"
  for i in '#!/bin/bash' '#SBATCH --array=0-2%2' '#SBATCH --time=2:00:00' '#SBATCH --partition=gpu' \
    '#SBATCH --mem=8G --account=me' '#SBATCH --nodes=1 --ntasks=1 --cpus-per-task=1' "#SBATCH --chdir=\"$T\"" \
    '#SBATCH --requeue --signal=B:USR1@120'; do
    grep -qxF -- "$i" "$W/out" || fail "not in the script: $i"
  done
  prints "^# 4 runs of toy, profile smoke as 3 tasks;" && prints '^# task 0: 2 runs, about [0-9]+ s: ' && prints '^# task 2: 1 run, about [0-9]+ s: '
  bash -n "$W/out" || fail "bash does not read it"
  [ ! -e "$W/submitted" ] && [ ! -e "$W/r" ] || fail "a dry run left something"
  ends 0 "${submits[@]}" --dry-run --job gpus=2 --threads 3 --threads per-run=2 --results "$W/r"
  prints '^#SBATCH --nodes=1 --ntasks=2 --cpus-per-task=6$' && prints '^#SBATCH --gpus-per-task=1$' && prints '^srun .* --threads per-run=2 --threads 3 '
}

# Tasks take the seeds in turn, so that half of an array has whole seeds; each says how long it takes, and all of it can be
# written for a site's own way to submit.
check_an_array_is_written_by_seed() {
  fake_slurm
  ends 0 "${run[@]}" --seeds 6 --slurm --job array=3 --job nodes=2 -o "$W/to" --results "$W/r"
  says '^  3 tasks of [0-9]+ s( to [0-9]+ s)?, at 55% of this machine.s fma peak, as no stored run tells the time$'
  [ "$(cat "$W/out")" = "sbatch $W/to/run.sh
sbatch --dependency=afterany:JOB $W/to/table.sh" ] || fail "not the commands that submit it"
  [ ! -e "$W/submitted" ] && [ ! -e "$W/r/slurm" ] || fail "something was submitted"
  python3 - "$W/to/tasks.json" <<'PY' || fail "a task has half of a seed"
import json, re, sys
tasks = json.load(open(sys.argv[1]))["tasks"]
seeds = [sorted(re.search(r"seed (\d+)", r["what"])[1] for r in t["runs"]) for t in tasks]
assert seeds == [["1", "1", "2", "2"], ["3", "3", "4", "4"], ["5", "5", "6", "6"]] and all(t["seconds"] > 0 for t in tasks), seeds
PY
  bash -n "$W/to/run.sh" && bash -n "$W/to/table.sh" || fail "bash does not read them"
  task 0 "$W/to"
  [ "$rc" = 0 ] && says '4 of them in task 0$' || fail "the task that was written ends with $rc"
  ends 0 table toy.yaml --profile smoke --seeds 6 --partial --results "$W/r"
  prints 'PARTIAL: 2 of 6 seeds'
  ends 2 "${run[@]}" --seeds 6 --slurm -o "$W/to" --results "$W/r"
  says "^normbench: --output: $W/to is not empty; name a new folder\$"
  refused 'run: --output goes with --slurm' "${run[@]}" -o "$W/new"
}

check_an_array_trains_what_is_missing() {
  local folder i
  fake_slurm
  ends 0 "${submits[@]}" --results "$W/r"
  prints "^submitted: job 1, 4 runs in 3 tasks; job 2 makes the tables. Scripts and output: $W/r/slurm/toy-[0-9a-f]{8}/1\$"
  folder=$(echo "$W"/r/slurm/toy-*/1)
  [ "$(cat "$W/submitted")" = "--parsable $folder/run.sh
--parsable --dependency=afterany:1 $folder/table.sh" ] || fail "sbatch got: $(cat "$W/submitted")"
  # All of it waits: nothing is submitted twice, whoever asks.
  printf '1|%d|PENDING||Resources\n' 0 1 2 >"$W/queue" && echo '2|N/A|PENDING||Dependency' >>"$W/queue"
  ends 0 "${submits[@]}" --results "$W/r"
  prints '^toy: nothing to submit$' && says "^  4 runs are in Slurm's queue already\$"
  ends 0 status toy.yaml --profile smoke --results "$W/r"
  prints '^slurm    job 1: 3 pending \(Resources\)$' && prints '^slurm    job 2, the tables: 1 pending \(Dependency\)$'
  task 0 "$folder"
  [ "$rc" = 0 ] || fail "task 0 ends with $rc"
  [ "$(ls "$W/r/runs" | wc -l)" = 2 ] && says '2 of them in task 0$' || fail "not the runs of task 0 alone"
  # A task that fails: what it had is submitted again, and nothing else.
  printf '1|1|RUNNING|n1|None\n' >"$W/queue"
  printf '1_0|COMPLETED|n1\n1_2|NODE_FAIL|n2\n' >"$W/accounts"
  ends 0 status toy.yaml --profile smoke --results "$W/r"
  prints '^slurm    job 1: 1 running \(n1\)$'
  prints '^slurm    job 1 is over, 1 of its 4 runs is not stored: task 2 NODE_FAIL; `run --slurm` submits them again$'
  ends 0 status toy.yaml --profile smoke --format json --results "$W/r"
  python3 -c 'import json, sys; s, = json.load(open(sys.argv[1]))["slurm"]
assert s["job"] == "1" and s["missing"] == 1 and s["tasks"] == [{"task": 1, "state": "RUNNING", "node": "n1", "why": "None"}]' \
    "$W/out" || fail "the JSON is another"
  ends 0 "${submits[@]}" --results "$W/r"
  prints '^submitted: job 3, 1 run in 1 task;' && says "^  1 run is in Slurm's queue already\$"
  task 0 "${folder%1}2" && task 1 "$folder"
  same_runs || fail "other runs than without Slurm"
  : >"$W/queue"
  ends 0 status toy.yaml --profile smoke --results "$W/r"
  ! grep -q slurm "$W/out" || fail "all is done, and Slurm is spoken of"
  bash "$folder/table.sh" >"$W/table" 2>"$W/err" || fail "table.sh ends with $?"
  ends 0 table toy.yaml --profile smoke --results "$T/whole"
  diff <(sed '/^Cost/,$d' "$W/table") <(sed '/^Cost/,$d' "$W/out") || fail "another table than without Slurm"
  ends 0 "${submits[@]}" --results "$W/r"
  prints '^toy: nothing to submit$'
}

same_runs() { diff <(digest "$W/r") <(digest "$T/whole"); }

# Where Slurm takes fewer tasks to an array than there are, several arrays are submitted, one after the other where fewer
# run at once.
check_arrays_are_cut_to_what_slurm_takes() {
  local i word
  fake_slurm
  printf 'MaxArraySize            = 3\nMaxJobCount             = 10000\n' >"$W/config"
  submits=("${run[@]}" --seeds 4 --slurm --job nodes=2 --job array=8)
  ends 0 "${submits[@]}" --dry-run --results "$W/r"
  says '^  3 arrays, one after the other: Slurm takes 3 tasks to one$'
  [ "$(grep '^#SBATCH --array' "$W/out" | paste -sd' ')" = '#SBATCH --array=0-2%2 #SBATCH --array=0-2%2 #SBATCH --array=0-1' ] || fail "other arrays"
  ends 0 "${submits[@]}" --results "$W/r"
  prints "^submitted: jobs 1, 2 and 3, 8 runs in 8 tasks; job 4 makes the tables. Scripts and output: $W/r/slurm/toy-[0-9a-f]{8}/1 to 3\$"
  word=$(echo "$W"/r/slurm/toy-*)
  [ "$(cat "$W/submitted")" = "--parsable $word/1/run.sh
--parsable --dependency=afterany:1 $word/2/run.sh
--parsable --dependency=afterany:2 $word/3/run.sh
--parsable --dependency=afterany:1:2:3 $word/3/table.sh" ] || fail "sbatch got: $(cat "$W/submitted")"
  printf '%d|0|PENDING||Resources\n' 1 2 3 >"$W/queue"
  ends 0 "${submits[@]}" --dry-run --results "$W/r"
  says "^  3 runs are in Slurm's queue already\$"
  for i in 1:0 1:1 1:2 2:0 2:1 2:2 3:0 3:1; do task "${i#*:}" "$word/${i%:*}" && [ "$rc" = 0 ] || fail "task $i ends with $rc"; done
  : >"$W/queue"
  ends 0 "${submits[@]}" --results "$W/r"
  prints '^toy: nothing to submit$' && [ "$(ls "$W/r/runs" | wc -l)" = 8 ] || fail "not all was trained"
  # All at once, a cluster that takes no arrays, and one that says nothing.
  ends 0 "${run[@]}" --seeds 4 --slurm --job nodes=8 --results "$W/s"
  says '^  3 arrays: Slurm takes 3 tasks to one$' && ! grep -q 'afterany:5 ' "$W/submitted" || fail "in turn"
  echo 'MaxArraySize = 0' >"$W/config"
  ends 3 "${submits[@]}" --results "$W/t"
  says '^normbench: --slurm: this Slurm takes no arrays .MaxArraySize 0.' && [ ! -e "$W/t" ] || fail "something is left"
  rm "$W/bin/scontrol"
  ends 0 "${run[@]}" --seeds 600 --set steps=1 --set evaluate_at=1 --slurm --job array=1200 --dry-run --results "$W/t"
  [ "$(grep '^#SBATCH --array' "$W/out" | paste -sd' ')" = '#SBATCH --array=0-599%1 #SBATCH --array=0-599%1' ] || fail "not cut to 1000"
}

# The second of three arrays is refused: the first stays, and the line says so.
check_an_array_that_slurm_refuses_among_others() {
  fake_slurm
  echo 'MaxArraySize = 2' >"$W/config"
  sed -i "2i [ \"\$(cat '$W/submitted' 2>/dev/null | wc -l)\" -lt 1 ] || { echo 'sbatch: error: Batch job submission failed: Job violates accounting/QOS policy' >&2; exit 1; }" "$W/bin/sbatch"
  ends 3 "${run[@]}" --slurm --job array=4 --results "$W/r"
  says '^normbench: job 1 is submitted, the other arrays and the tables are not: sbatch: error: Batch job .*QOS policy'
  [ "$(ls "$W"/r/slurm/toy-*)" = 1 ] && grep -q '"array": "1"' "$W"/r/slurm/toy-*/1/jobs.json || fail "not the first alone is kept"
}

check_tasks_take_the_same_time() {
  local parts
  fake_slurm
  cp -r "$T/whole" "$W/r"
  ends 0 "${run[@]}" --slurm --seeds 5 --job array=3 --dry-run --results "$W/r"
  says '^  3 tasks of .*, by the time of stored runs$' && prints '^# task 0: 2 runs, about .*: (plain|ours) seed [345], '
  ends 0 "${run[@]}" --seeds 6 --arm '{variant: pre}' --slurm --job array=2 --dry-run --results "$W/r" # two tasks of one time
  ! grep -E 'tasks of (.+) to \1, ' "$W/err" || fail "a range from a time to the same"
  # Layers cost what they cost, as operations where nothing is stored: 12 + 2 + 1 would be 80 % in one of three.
  ends 0 "${run[@]}" --set 'layers=[1, 2, 12]' --seeds 3 --arm '{variant: pre}' --slurm --job array=3 --results "$W/s"
  parts=$(python3 -c 'import json, re, sys
for t in json.load(open(sys.argv[1]))["tasks"]:
    print(sum(int(re.search("layers = ([0-9]+)", r["what"])[1]) for r in t["runs"]))' "$W"/s/slurm/toy-*/1/tasks.json | paste -sd+)
  [ $((parts)) = 45 ] && [ -z "$(printf '%s\n' "$parts" | tr + '\n' | awk '$1 < 12 || $1 > 18')" ] || fail "layers of the tasks: $parts"
  # Replicas of one shape stay together, so that a program trains them at once.
  ends 0 "${run[@]}" --set 'width=[16, 32]' --seeds 4 --arm '{variant: pre}' --replicas 8 --slurm --job array=4 --results "$W/t"
  parts=$(python3 -c 'import json, sys
tasks = json.load(open(sys.argv[1]))["tasks"]
shapes = [[r["what"].split("  ")[0] for r in t["runs"]] for t in tasks]
flat = [s for t in shapes for s in t]
assert len(flat) == 8 and sum(a != b for a, b in zip(flat, flat[1:])) == 1 and sum(len(set(t)) > 1 for t in shapes) <= 1' \
    "$W"/t/slurm/toy-*/1/tasks.json 2>&1) || fail "shapes are mixed: $parts"
}

# The time is nearly up (USR1 to the script), or Slurm ends the task (TERM to the script and to the program).
check_a_task_that_is_stopped_goes_on() {
  local folder how shell child
  fake_slurm
  ends 0 "${run[@]}" --set steps=4000 --results "$W/reference"
  ends 0 "${run[@]}" --set steps=4000 --checkpoint-every 1000 --slurm --results "$W/r"
  folder=$(echo "$W"/r/slurm/toy-*/1)
  for how in USR1 TERM both; do # both: USR1 to the script and to the program (scancel --full)
    PATH=$W/bin:$PATH SLURM_ARRAY_JOB_ID=1 SLURM_ARRAY_TASK_ID=0 bash "$folder/run.sh" </dev/null >"$W/out" 2>"$W/err" &
    shell=$! pid=$!
    until_there "$W"/r/runs/.partial
    sleep 0.2
    child=$(pgrep -P "$shell" normbench)
    [ $how != both ] || kill -USR1 "$child"
    kill -"${how/both/USR1}" "$shell"
    [ $how != TERM ] || kill -TERM "$child"
    ended 20
    [ "$rc" = 143 ] || fail "exit $rc after $how"
    compgen -G "$W/r/runs/.partial/*.safetensors" >/dev/null || fail "no checkpoint after $how"
    [ "$(sort -u "$W/requeued")" = 'requeue 1_0' ] && [ "$(grep -c '' "$W/requeued")" = $([ $how = both ] && echo 2 || echo 1) ] ||
      fail "scontrol got: $(cat "$W/requeued")"
  done
  task 0 "$folder"
  [ "$rc" = 0 ] || fail "exit $rc"
  diff <(digest "$W/r") <(digest "$W/reference") || fail "other bytes than without a stop"
}

# Two nodes with two versions of the program, and two corpora.
check_a_task_refuses_another_version() {
  local folder
  fake_slurm
  ends 0 "${run[@]}" --slurm --results "$W/r"
  folder=$(echo "$W"/r/slurm/toy-*/1)
  cp "$folder/tasks.json" "$W/tasks.json"
  python3 - "$folder/tasks.json" <<'PY'
import json, sys
t = json.load(open(sys.argv[1]))
t["commit"], t["host"] = "feedbeef0000", "login7"
for r in t["tasks"][0]["runs"]:
    r["arithmetic"], r["id"] = "ab" * 32, "cd" * 32
json.dump(t, open(sys.argv[1], "w"))
PY
  task 0 "$folder"
  [ "$rc" = 5 ] || fail "exit $rc instead of 5"
  says '^normbench: plain seed 1: two versions of the program: arithmetic canon [0-9a-f]{12} of commit [^ ]+ on [^ ]+, canon abababababab of commit feedbeef0000 on login7, which submitted; nothing was trained$'
  sed -i "s/$(printf 'ab%.0s' {1..32})/$(sed -n 's/.*"arithmetic": "\(.*\)",/\1/p' "$W/tasks.json" | head -n 1)/" "$folder/tasks.json"
  task 0 "$folder"
  [ "$rc" = 5 ] && says '^normbench: plain seed 1: the corpus has other bytes on [^ ]+ than on login7, which submitted$'
  [ -z "$(ls "$W/r/runs" 2>/dev/null)" ] || fail "something was trained"
}

check_what_slurm_refuses() {
  fake_slurm
  printf 'sbatch: error: invalid partition specified: gpu\nsbatch: error: Batch job submission failed: Invalid partition name specified\n' >"$W/refusal"
  ends 2 "${submits[@]}" --results "$W/r"
  [ "$(tail -n 1 "$W/err")" = 'normbench: sbatch: error: invalid partition specified: gpu' ] || fail "not Slurm's own line"
  [ "$(grep -c 'sbatch' "$W/err")" = 1 ] && [ ! -e "$W/r" ] || fail "said twice, or something is left"
  echo 'sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)' >"$W/refusal"
  ends 3 "${submits[@]}" --results "$W/r"
  says '^normbench: sbatch: error: .*Unable to contact'
  rm "$W/refusal"
  ends 0 "${submits[@]}" --results "$W/r"
  echo 'slurm_load_jobs error: Unable to contact slurm controller (connect failure)' >"$W/down"
  ends 3 "${submits[@]}" --results "$W/r" # what waits is not known, so nothing is submitted
  says '^normbench: slurm_load_jobs error: Unable to contact' && [ "$(grep -c '' "$W/submitted")" = 2 ] || fail "submitted twice"
  ends 0 status toy.yaml --profile smoke --results "$W/r"
  prints '^slurm    not known what is in the queue: slurm_load_jobs error: '
  rm "$W/bin/sbatch" "$W/bin/squeue"
  with=(env PATH="$W/bin")
  ends 0 status toy.yaml --profile smoke --results "$W/r" # a machine without Slurm that has the folder
  prints '^toy, profile smoke: 4 runs: 0 done' && prints '^slurm    not known what is in the queue: squeue is not on \$PATH$'
  ends 3 "${submits[@]}" --results "$W/s"
  [ "$(tail -n 1 "$W/err" | cut -c1-45)" = 'normbench: --slurm: sbatch is not on $PATH; o' ] && [ ! -e "$W/s" ] || fail "not said, or something is left"
}

check_options_of_slurm() {
  fake_slurm
  refused 'run: --job partition goes with --slurm' "${run[@]}" --job partition=gpu
  refused 'run: --sbatch goes with --slurm' "${run[@]}" --sbatch '--mem=1G'
  refused 'run: --part does not go with --slurm, which deals the runs itself' "${run[@]}" --slurm --part 1/2
  refused 'run: --ranks does not go with --slurm' "${run[@]}" --slurm --ranks 2
  refused "partition: 'a b' cannot stand in a batch script: it holds a blank" "${run[@]}" --slurm --job partition='a b'
  refused "sbatch: .* cannot stand in a batch script: it holds a line break" "${run[@]}" --slurm --sbatch $'--mem=1G\nrm -r x'
  for time in 30 90:00 2:00:00 1-0 1-12:30 0-1:0:0 UNLIMITED; do
    ends 0 "${run[@]}" --slurm --job time="$time" --dry-run --results "$W/s"
    prints "^#SBATCH --time=$time\$"
  done
  for time in -5 '' 2x 1:2:3:4 1- 1-2-3 :5 '2:00:00 ' 1.5; do
    refused "time: '$time' is no limit as Slurm takes it: minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes or days-hours:minutes:seconds\$" "${run[@]}" --slurm --job time="$time"
  done
  refused "time: '2h' .*; did you mean 2:00:00.\$" "${run[@]}" --slurm --job time=2h
  refused "time: '90m' .*; did you mean 90.\$" "${run[@]}" --slurm --job time=90m
  refused "time: '3 days' .*; did you mean 3-0.\$" "${run[@]}" --slurm --job time='3 days'
  for more in '--mem=8G -A me' '--mem 8G' '--comment="a b" -Cgpu' '--exclusi' '--gres=gpu:1'; do
    ends 0 "${run[@]}" --slurm --sbatch "$more" --dry-run --results "$W/s"
    grep -qxF -- "#SBATCH $more" "$W/out" || fail "not in the script: $more"
  done
  refused "sbatch: 'mem=8G' is no option of sbatch; write --mem=8G\$" "${run[@]}" --slurm --sbatch 'mem=8G'
  refused "sbatch: an option is needed, such as --mem=8G\$" "${run[@]}" --slurm --sbatch ' '
  refused "sbatch: sbatch has no option '--memory'; did you mean 'mem'.\$" "${run[@]}" --slurm --sbatch '--qos=x --memory=8G'
  for more in '--mem=8gb' '--exclusive=user --hold' '--mem "8G" --time-min 30'; do ends 0 "${run[@]}" --slurm --sbatch "$more" --dry-run --results "$W/s"; done
  refused "sbatch: --mem: '8Q' is no size as Slurm takes it: a whole number and K, M, G or T\$" "${run[@]}" --slurm --sbatch '--mem=8Q'
  refused "sbatch: --mem-per-cpu: '1.5G' is no size" "${run[@]}" --slurm --sbatch '--mem-per-cpu 1.5G'
  refused "sbatch: --time-min: '2h' is no limit .*; did you mean 2:00:00.\$" "${run[@]}" --slurm --sbatch '--time-min=2h'
  refused "sbatch: --account has an empty value\$" "${run[@]}" --slurm --sbatch '--account='
  refused "sbatch: --account has an empty value\$" "${run[@]}" --slurm --sbatch '--account=""'
  refused "sbatch: -A needs a value\$" "${run[@]}" --slurm --sbatch '-A --qos=x'
  refused "sbatch: --qos needs a value\$" "${run[@]}" --slurm --sbatch '--mem=8G --qos'
  refused "sbatch: --hold takes no value, not '1'\$" "${run[@]}" --slurm --sbatch '--hold=1'
  refused "partition: it is empty\$" "${run[@]}" --slurm --job partition=''
  refused "sbatch: sbatch has no option '-Z'\$" "${run[@]}" --slurm --sbatch '-Z3'
  refused "sbatch: --array is what --job array of .run. decides\$" "${run[@]}" --slurm --sbatch '--array=1-5'
  refused "sbatch: -t is what --job time of .run. decides\$" "${run[@]}" --slurm --sbatch '-t5'
  refused "sbatch: --no-requeue is what .run --slurm. decides itself\$" "${run[@]}" --slurm --sbatch '--no-requeue'
  refused "results: .* cannot stand in a batch script: it holds %" "${run[@]}" --slurm --results "$W/%j"
  refused "nodes: '0' is not a number from 1" "${run[@]}" --slurm --job nodes=0
  refused "part: 'x' is not I/N with 1 <= I <= N" "${run[@]}" --part x --results "$W/r"
  ends 0 "${run[@]}" --slurm --results "$W/r"
  tasks=$(echo "$W"/r/slurm/toy-*/1/tasks.json)
  refused 'tasks.json has tasks 0 to 0, not 7' "${run[@]}" --part "$tasks:7" --results "$W/r"
  refused 'tasks.json is of plan [0-9a-f]{8} of toy, not of plan [0-9a-f]{8} of toy' "${run[@]}" --set steps=9 --part "$tasks:0" --results "$W/r"
  echo '{}' >"$tasks"
  ends 5 "${run[@]}" --part "$tasks:0" --results "$W/r"
  says 'tasks.json: not what `run --slurm` writes'
  refused "tasks.json" "${run[@]}" --part "$W/absent/tasks.json:0" --results "$W/r"
}

# A disk that is full from any call on: either all was submitted, or nothing is left of it; a task ends with 3.
check_slurm_on_a_full_disk() {
  local at done=0
  fake_slurm
  for at in $(seq 1 3 60); do
    rm -rf "$W/r" "$W/mark" "$W/submitted"
    with=(env PATH="$W/bin:$PATH" LD_PRELOAD="$(disk)" FAULT=full FAULT_AT="$at" FAULT_LOG="$W/mark")
    nb "${run[@]}" --slurm --results "$W/r"
    [ "$rc" = 3 ] || [ "$rc" = 0 ] || fail "exit $rc on a disk that is full from call $at on"
    [ "$rc" = 3 ] || { done=1 && break; }
    [ -e "$W/submitted" ] || [ -z "$(find "$W/r" -name tasks.json 2>/dev/null)" ] || fail "call $at: not submitted, and left"
  done
  [ $done = 1 ] && [ "$at" -gt 6 ] || fail "ended at call $at"
  with=(env PATH="$W/bin:$PATH")
  rm -rf "$W/r" "$W/mark" && ends 0 "${run[@]}" --slurm --results "$W/r"
  with=(env PATH="$W/bin:$PATH" LD_PRELOAD="$(disk)" FAULT=full FAULT_AT=30)
  ends 3 "${run[@]}" --part "$(echo "$W"/r/slurm/toy-*/1/tasks.json):0" --threads 1 --results "$W/r"
  says 'No space left on device'
  with=(env PATH="$W/bin:$PATH")
  ends 0 "${run[@]}" --part "$(echo "$W"/r/slurm/toy-*/1/tasks.json):0" --threads 1 --results "$W/r"
  same_runs || fail "other runs after the disk was full"
}
