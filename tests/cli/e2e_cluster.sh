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
    prints "^$W/one: 2 runs: 0 copied, 1 here already, 1 of other bits than here\$"
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
  refused "merge: 'text.txt' is no folder .of an archive, unpack it first: tar -xf" merge text.txt --results "$W/r"
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
    with=(env LD_PRELOAD="$(disk)" DISK_FAULT=full DISK_AT="$at" DISK_MARK="$W/mark")
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
