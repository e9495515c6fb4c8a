# Part of e2e.sh: seeds that are added until it is decided.

until_file() { # STEPS [SEEDS] [DATASET]: $W/until.yaml; the default is a text whose evaluation costs little
  cat >"$W/until.yaml" <<YAML
title: Two placements until it is decided
dataset: "${3:-text:$T/text.txt}"
layers: 2
width: 16
heads: 2
context: 16
batch: 4
lr: 3e-3
steps: $1
evaluate_at: 0,$1
seeds: ${2:-"{until: decided, most: 24}"}
arms:
  pre: {variant: pre}
  post: {variant: post}
  peri: {variant: peri}
YAML
}

stored() { find "$1/runs" -name record.json | wc -l; }

# Everything that table writes and that is no time, the command aside.
tabled() { # FILE RESULTS
  ends 0 table "$1" --results "$2"
  find "$2/out" -type f ! -name '*-cost.*' ! -name plan.json ! -name '*.pdf' ! -name '*.svg' -exec sha256sum {} + | sed 's: .*/: :' | sort
}

check_seeds_are_added_until_it_is_decided() {
  local seeds
  until_file 20
  ends 0 run "$W/until.yaml" --threads 1 --results "$W/r"
  says '^until: at most 72 runs, 0 stored, at most 72 to train$'
  says '^  Seeds are added until all comparisons are decided at the last step, at most 24: nothing can be decided before 8 seeds'
  says '^normbench: after 3 of at most 24 seeds; open: post \(needs [0-9]+ seeds[^)]*\), peri \(needs '
  seeds=$(sed -n 's/^decided after \([0-9]*\) seeds: no more are needed$/\1/p' "$W/out")
  [ "${seeds:-0}" -ge 8 ] || fail "decided after '$seeds' seeds"
  [ "$(stored "$W/r")" = $((3 * seeds)) ] || fail "$(stored "$W/r") runs are stored, not those of $seeds seeds"
  prints "^until: $((3 * seeds)) of at most 72 runs stored in "
  (cd / && eval "$(sed -n 's/^Next: //p' "$W/out")") >"$W/said" 2>&1 || fail "the line does not run"
  grep -q "decided after $seeds of at most 24" "$W/said" || fail "the table does not say when it was decided"
  # Nothing of a fixed number of seeds is left in what is written.
  python3 - "$W"/r/out/*/until.json "$seeds" <<'PY' || fail "the JSON"
import json, sys
t = json.load(open(sys.argv[1]))
f = t["family"]
assert f["method"] == "anytime" and f["most_seeds"] == 24 and f["comparisons"] == 2 and f["n"] == int(sys.argv[2])
assert max(c["decided_at"] for c in f["at"]) == f["n"] and "signflip" not in t["signature"]
fixed = {"sign_flip", "t_interval", "max_t_step_down", "holm", "bootstrap", "tost", "wilcoxon", "floor", "mcnemar", "fisher"}
def keys(x):
    for v in (x.values() if isinstance(x, dict) else x if isinstance(x, list) else []):
        yield from keys(v)
    if isinstance(x, dict):
        yield from x
assert not fixed & set(keys(f)), fixed & set(keys(f))
PY
  ! grep -qiE 'sign-flip|t interval|smallest possible p|Holm floor|bootstrap' "$W"/r/out/*/until.{txt,tex} || fail "fixed"
  grep -q '\\nbUntilStatus}{anytime}%' "$W"/r/out/*/until-macros.tex || fail "no macro of the status"
  # Nothing is waited for, and a watch ends.
  ends 0 status "$W/until.yaml" --format json --results "$W/r"
  grep -q '"waiting": 0,' "$W/out" && grep -q '"seconds_left": 0.0' "$W/out" || fail "the JSON waits"
  ends 0 status "$W/until.yaml" --watch --results "$W/r"
  prints "^until: 72 runs: $((3 * seeds)) done, 0 running, 0 waiting; decided after $seeds seeds$"
  # Asked again, nothing is trained; by other records nothing else is said.
  ends 0 run "$W/until.yaml" --results "$W/r"
  says "^decided after $seeds seeds: no more are needed$"
  [ "$(stored "$W/r")" = $((3 * seeds)) ] || fail "trained on"
  ends 0 trace "$W/until.yaml: post - pre" --results "$W/r"
  prints 'anytime interval$' && tr '\n' ' ' <"$W/out" | grep -q 'holds at every stop, adjusted by Holm.s method over 2' || fail 'p is not said to hold'
}

check_a_plan_that_was_killed_goes_on_to_the_same_seed() {
  local i
  until_file 200
  ends 0 run "$W/until.yaml" --threads 1 --results "$W/alone"
  tabled "$W/until.yaml" "$W/alone" >"$W/want"
  for i in 1 2 3; do
    begin run "$W/until.yaml" --threads 2 --checkpoint-every 0 --results "$W/r"
    until_says "after $i of at most 24 seeds"
    kill -9 "$pid"
    wait "$pid" 2>/dev/null
  done
  ends 0 run "$W/until.yaml" --threads 2 --results "$W/r"
  tabled "$W/until.yaml" "$W/r" | diff - "$W/want" || fail "another table"
  until_file 200 # the same from two shares of the work beside each other, and seeds beyond the decision change nothing
  begin run "$W/until.yaml" --threads 1 --part 1/2 --results "$W/s"
  "$program" run "$W/until.yaml" --threads 1 --part 2/2 --results "$W/s" </dev/null >"$W/out2" 2>"$W/err2" || fail "shard 2"
  ended 60
  [ "$rc" = 0 ] || fail "shard 1 ends with $rc"
  cat "$W/out" "$W/out2" | grep -q '^decided after' || fail "no share says that it is decided"
  [ "$(stored "$W/s")" -lt 72 ] || fail "all of them were trained"
  tabled "$W/until.yaml" "$W/s" | diff - "$W/want" || fail "another table from shares"
  until_file 200 14
  ends 0 run "$W/until.yaml" --results "$W/s"
  [ "$(stored "$W/s")" -ge 42 ] || fail "no more seeds were trained"
  until_file 200
  tabled "$W/until.yaml" "$W/s" | diff - "$W/want" || fail "another table from more seeds"
}

check_tasks_of_an_array_stop_by_themselves() {
  local folder i
  fake_slurm
  until_file 20
  ends 0 run "$W/until.yaml" --slurm --job nodes=1 --job array=8 --job time=10:00 --results "$W/r"
  folder=$(echo "$W"/r/slurm/until-*/1)
  for i in 0 1 2 3 4 5 6 7; do
    task $i "$folder"
    [ "$rc" = 0 ] || fail "task $i ends with $rc"
    [ $i != 0 ] || [ "$(stored "$W/r")" = 9 ] || fail "a task trained $(stored "$W/r") runs, not its nine"
  done
  says 'no more are needed'
  [ "$(stored "$W/r")" = 24 ] || fail "$(stored "$W/r") runs, not those of eight seeds"
  bash "$folder/table.sh" >"$W/out" 2>"$W/err" || fail "no table"
  prints 'decided after 8 of at most 24'
}

check_seeds_go_on_from_those_of_the_file() {
  until_file 20 6 synthetic
  ends 0 run "$W/until.yaml" --results "$W/r"
  ends 0 table "$W/until.yaml" --results "$W/r"
  cp "$W"/r/out/*/until-macros.tex "$W/before"
  ends 0 run "$W/until.yaml" --until-decided --most-seeds 10 --results "$W/r"
  says '^until: at most 30 runs, 18 stored, at most 12 to train$'
  says '^after 6 of at most 10 seeds'
  ends 0 table "$W/until.yaml" --until-decided --most-seeds 10 --results "$W/r" # of which six were not declared so
  prints '^until: .*EXPLORATORY: 18 of 24 runs were trained before this plan was written down'
  grep -v '^%' "$W"/r/out/*/until-macros.tex | grep -q 'Status}{exploratory}' || fail "not said in the macros"
  diff <(sed -n 's/^.newcommand{\([^}]*\).*/\1/p' "$W/before" | sort) \
    <(cat "$W"/r/out/*/until-macros.tex | sed -n 's/^.newcommand{\([^}]*\).*/\1/p' | sort -u) || fail "other macros"
  # What confirms it is printed, and does.
  prints "^To confirm: normbench run .*--set seeds=11-20 --results "
  for i in 'To confirm: ' 'and then:   '; do
    (cd / && eval "$(sed -n "s/^${i}normbench/\"\$program\"/p" "$W/out")") >"$W/said" 2>&1 || fail "$i does not run: $(tail -n 1 "$W/said")"
  done
  ! grep -q EXPLORATORY "$W/said" && grep -q 'decided after 8 of at most 10' "$W/said" || fail "not confirmed"
}

same_ps() { # the last lines of `run` in $W/found have the p's of the table in $W/out
  local p all
  all=$(sed -n '/^  minus pre .*verdict$/,/^$/s/^  \(post\|peri\) .*\] *\(\.[0-9]*\) .*/\2/p' "$W/out")
  [ "$(echo "$all" | wc -w)" = 2 ] || fail "no two p's: $all"
  for p in $all; do
    grep -q "p_adj $p)" "$W/found" || fail "run says another p than the table's $p: $(cat "$W/found")"
  done
}

# Somebody looked at the seeds and fixes their number afterwards: no p of a fixed number is shown.
check_stopped_seeds_have_no_fixed_p() {
  until_file 20
  ends 0 run "$W/until.yaml" --results "$W/r"
  ends 0 table "$W/until.yaml" --seeds 9 --results "$W/r"
  prints 'decided after 8 of at most 9'
  until_file 20 8 && mv "$W/until.yaml" "$W/fixed.yaml"
  ends 0 run "$W/fixed.yaml" --results "$W/r"
  cp "$W/out" "$W/found"
  ends 0 table "$W/fixed.yaml" --results "$W/r"
  prints '^fixed: .*EXPLORATORY' && prints 'ci:anytime95\|p:anytime-signs'
  ! grep -q 'sign-flip' "$W/out" || fail "a p of a fixed number"
  prints '^To confirm: normbench run .* --set seeds=9-16 '
  same_ps
  # Looks that are planned afterwards are no way around it.
  sed 's/^seeds: .*/looks: [8, 12]/' "$W/fixed.yaml" >"$W/looks.yaml"
  ends 0 table "$W/looks.yaml" --results "$W/r"
  prints '^looks: .*EXPLORATORY' && prints 'p:anytime-signs' && prints 'after 8 of at most 12'
  ! grep -q 'sign-flip\|look [12]' "$W/out" || fail "a p of a fixed number at a look"
  same_ps
}

check_the_rule_is_read_strictly() {
  local line
  while IFS='|' read -r seeds line; do
    until_file 20 "$seeds"
    refused "until.yaml:[0-9]+: $line" run "$W/until.yaml" --dry-run
  done <<'LIST'
{until: tomorrow}|seeds: until 'tomorrow' is not known; until: decided$
{until: decided, moist: 8}|seeds: unknown key 'moist'; did you mean 'most'
{most: 8}|seeds: \{until: decided, most: 64\} is needed
{until: decided, most: 1}|seeds: 1 is out of range \(2 to 2000\)$
{until: decided, most: 2001}|seeds: 2001 is out of range
{until: decided, most: many}|seeds: 'many' is not a whole number$
{until: [decided]}|until: one value is needed
5-3|seeds: 3 is out of range \(5 to
1-20000|seeds: a list of 1 to 10000 seeds is needed$
LIST
  until_file 20
  echo 'summaries: [failures]' >>"$W/until.yaml"
  refused "summaries: 'failures' has p's of a fixed number of seeds" table "$W/until.yaml"
  # Of a file whose seeds are a number the option leaves the summaries out.
  until_file 20 6 && echo 'summaries: [failures]' >>"$W/until.yaml"
  ends 0 run "$W/until.yaml" --until-decided --most-seeds 5 --dry-run
  until_file 20
  sed -i '/post\|peri/d' "$W/until.yaml"
  refused "seeds: until it is decided takes two arms; there is 'pre' alone" run "$W/until.yaml"
  until_file 20 6
  refused "seeds is a fixed number of seeds; with --until-decided, --most-seeds 5 gives the largest one" run "$W/until.yaml" --until-decided --seeds 5
  refused "{until: decided, most: 64} is needed" run "$W/until.yaml" --most-seeds 5
  until_file 20
  ends 0 run "$W/until.yaml" --seeds 2 --results "$W/r"
  refused "target: its test is for a fixed number of seeds" table "$W/until.yaml" --target 2 --results "$W/r"
}

check_the_example_stops_killed_or_not() {
  begin run smoke-until --checkpoint-every 0 --results "$W/r"
  until_says 'after 2 of at most 24 seeds'
  kill -9 "$pid"
  wait "$pid" 2>/dev/null
  ends 0 run smoke-until --results "$W/r"
  prints '^decided after 8 seeds: no more are needed$'
  [ "$(stored "$W/r")" -lt 40 ] || fail "$(stored "$W/r") runs are stored"
  ends 0 table smoke-until --results "$W/r"
  prints '^  post † .* 8 .* worse than pre$' && prints '^  center ‡ .*the same within 0.02$'
}

check_claims_are_judged_at_every_stop() {
  claims_tree
  sed -i 's/^  smoke: .*/  smoke: {seeds: {until: decided, most: 12}}/; /^  quick:/d' "$W/tree/bench/experiments/tiny.yaml"
  ends 0 run tiny --profile smoke --offline --results "$W/r"
  prints '^decided after 8 seeds: no more are needed$'
  short
  prints '^  900-1 +Wider is better. .* reproduced \*$' && prints '^  900-2 +Clipping does not matter. .* seen here \*$'
  ends 0 claims 900-1 --results "$W/r"
  prints 'The intervals are: 95% anytime\.' && prints ', 8 seeds$|step 40,( width = 32)? +8 '
  ! grep -qE '95% t\b|sign flips' "$W/out" || fail "something of a fixed number of seeds"
  # A test that has no such p is not made.
  sed -i 's/test: maxt/test: t/' "$W/tree/bench/claims/900.yaml"
  ends 0 claims 900-1 --results "$W/r"
  whole | grep -q 'seeds were added until it was decided, and this test is of a fixed number' || fail "a t test of stopped seeds"
}

forget() { # SEED: removes its runs from $W/s
  python3 - "$W" "$1" <<'PY' || fail "no run of seed $1"
import glob, json, os, shutil, sys
found = [f for f in glob.glob(sys.argv[1] + "/s/runs/*/record.json") if f"\nseed = {sys.argv[2]}\n" in json.load(open(f))["spec"]]
assert found
for f in found: shutil.rmtree(os.path.dirname(f))
PY
}

# Looks are planned: the first that decides is the last, and what was seen at it stays however the runs go on.
check_looks_are_planned_and_share_the_level() {
  until_file 20
  sed -i 's/^seeds: .*/looks: [10, 14]/; /^  peri:/d' "$W/until.yaml"
  ends 0 run "$W/until.yaml" --threads 1 --results "$W/r"
  says '^  The plan looks at 10 and 14 seeds, .* spending of 0.05 gives it: 0.02, 0.029\.$'
  says '^normbench: look 1 of 2, at 10 of 14 seeds \(level 0.02\); decided: post \(the same within 0.02\)'
  [ "$(stored "$W/r")" = 20 ] || fail "$(stored "$W/r") runs are stored, not those of 10 seeds"
  ends 0 status "$W/until.yaml" --results "$W/r"
  prints '^until: 28 runs: 20 done, 0 running, 0 waiting; decided after 10 seeds$'
  ends 0 table "$W/until.yaml" --results "$W/r"
  prints '\[98% t interval\]' && prints '^.*at level 0.02; with 10 seeds' && prints '\|look:1/2\|' && prints 'This is look 1 of 2, at'
  grep -q '\\nbUntilStatus}{group-sequential}%' "$W"/r/out/*/until-macros.tex || fail "no macro of the status"
  # Arms that differ in nothing but their start: nothing is decided at the first look, and the second ends it.
  sed -i 's/^  post: .*/  post: {variant: pre, init_seed: 77, label: same}/; s/^layers/margin: 1e-6\nlayers/' "$W/until.yaml"
  ends 0 run "$W/until.yaml" --threads 1 --results "$W/s"
  says '^normbench: look 1 of 2, at 10 of 14 seeds \(level 0.02\); open: post$'
  says '^normbench: look 2 of 2, at 14 of 14 seeds \(level 0.029\); open: post$'
  prints '^all 14 seeds are stored, and 1 of 1 comparisons is not decided$'
  # With seeds between the looks the table is that of the first; with fewer than its seeds there is a partial one alone.
  forget 13
  ends 0 table "$W/until.yaml" --results "$W/s"
  prints '^n10\|'
  forget 9
  ends 3 table "$W/until.yaml" --results "$W/s"
  says 'runs are missing: .*; --partial makes the table'
  ends 0 table "$W/until.yaml" --partial --results "$W/s"
  prints '\[PARTIAL: 9 of 10 seeds; missing: 2 of 2 runs of seed 9[];]' && prints '^n9\|.*\|PARTIAL$'
  grep -q '\\nbUntilStatus}{partial}%' "$W"/s/out/*/until-partial-macros.tex || fail "not said in the macros"
}

check_looks_are_read_strictly() {
  local looks said
  until_file 20
  while IFS=: read -r looks said; do
    sed "s/^seeds: .*/looks: ${looks/{colon\}/:}/" "$W/until.yaml" >"$W/bad.yaml"
    refused "bad.yaml:11: looks: $said" run "$W/bad.yaml" --dry-run --results "$W/r"
  done <<'LIST'
[6, 12]:after 6 seeds no p of the sign flips can be below 0.0055, the level of that look; after 8 it can$
[6, 7]:after 7 seeds no p of the sign flips can be below 0.015, the level of that look; after 8 it can$
[10, 10]:numbers of seeds have to rise, from 2 to 2000$
[1, 10]:numbers of seeds have to rise, from 2 to 2000$
12:a list of 1 to 8 numbers of seeds is needed, such as \[10, 20\]$
[10, many]:a whole number of seeds is needed$
[6]\nseeds{colon} 8:the last is at 6 seeds, and the plan has 8$
LIST
}
