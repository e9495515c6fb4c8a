# Part of e2e.sh: what a run's id stands for. Whatever asks for one id twice gets one training.

# plan.yaml of two seeds with these arms or keys, five short steps.
small_plan() { # LINES...
  printf '%s\n' 'name: small' 'dataset: synthetic' 'layers: 2' 'width: 32' 'heads: 4' 'context: 16' 'batch: 4' 'steps: 5' \
    'evaluate_at: 5' 'seeds: 6' "$@" >"$W/plan.yaml"
}

trained_lines() { grep -c 'valid loss' "$W/err" | cat; }

once() { # TRAINED OF MORE...: the plan of $W trains so many runs, in each of several tries, with two threads or more
  local trained=$1 all=$2 try
  shift 2
  for try in 1 2 3 4; do
    rm -rf "$W/r"
    ends 0 run "$W/plan.yaml" "$@" --threads $((try + 1)) --results "$W/r"
    [ "$(trained_lines)" = "$trained" ] && ! grep -q 'another process' "$W/err" || fail "not $trained trainings"
    prints "$all of $all runs stored"
    folders_whole "$W/r"
    [ "$(ls "$W/r/runs" | wc -l)" = "$trained" ] || fail "not $trained folders"
    [ -z "$(find "$W/r" -name '.?*')" ] || fail "left behind: $(find "$W/r" -name '.?*')"
    says "$all runs, 0 stored, $trained to train \($((all - trained)) more are the same runs\)"
  done
  ends 0 run "$W/plan.yaml" "$@" --results "$W/r" # nothing is left to do
  [ "$(trained_lines)" = 0 ] && says "$all runs, $all stored, 0 to train\$" || fail "trained again"
}

check_arms_that_are_one_network_are_trained_once() {
  small_plan 'arms:' '  pre: {variant: pre}' '  again: {variant: pre}' '  third: {base: pre, lr: 0.0003}'
  once 6 18
  ends 0 run "$W/plan.yaml" --dry-run --results "$W/s"
  says 'Arms pre, again and third are one network: their runs are trained once and are not compared' && prints '^6 of 6 runs to train'
  ends 0 table "$W/plan.yaml" --results "$W/r"
  prints '^  again +n/a \(both sides are the same runs\)$' && prints '^third are one network: their runs'
  ! grep -qE 'same within|better|worse' "$W/out" || fail "the comparison decides something"
  grep -q 'both sides are the same runs' "$W"/r/out/*/*.json && grep -q 'one network' "$W"/r/out/*/small.tex ||
    fail "not in the files"
  ends 0 explain --arm '{base: peri}' --arm '{base: sandwich}'
  prints '^{base: peri} and {base: sandwich} are one network' && prints '^  one network with: sandwich$'
  ends 0 explain pre --arm '{base: post}'
  ! grep -q 'one network' "$W/out" || fail "pre and post are no network"
}

check_arms_and_cells_that_meet_are_trained_once() {
  ends 0 run smoke --arm '{base: peri}' --arm '{base: sandwich}' --seeds 6 --set steps=5 --set evaluate_at=5 --threads 4 --results "$W/r"
  [ "$(trained_lines)" = 6 ] || fail "not six trainings"
  # An arm with a rate of its own in every cell, which is another arm's in one of them.
  small_plan 'lr: [1e-3, 3e-3]' 'arms:' '  pre: {variant: pre}' '  keeps: {variant: pre, lr: 0.001}'
  once 12 24
  says 'Arms pre and keeps are one network where lr = 0.001'
  ends 0 table "$W/plan.yaml" --results "$W/r"
  [ "$(grep -c 'both sides are the same runs' "$W/out")" = 1 ] || fail "not in one cell of two"
  # A share has what it trains, and the others know that it is whole.
  rm -r "$W/r"
  for share in 1/2 2/2; do ends 0 run "$W/plan.yaml" --shard $share --results "$W/r"; done
  prints '24 of 24 runs stored' && prints '^All shards are here'
  [ "$(ls "$W/r/runs" | wc -l)" = 12 ] || fail "not 12 folders"
}

# Two processes whose plans share an id: profiles of one file, and an arm of the command line.
check_plans_that_meet_train_once() {
  small_plan 'arms:' '  pre: {variant: pre}' '  again: {variant: pre}' 'profiles:' '  smoke: {seeds: 6}' '  quick: {seeds: 8}'
  local try first
  for try in 1 2 3; do
    rm -rf "$W/r"
    begin run "$W/plan.yaml" --profile smoke --results "$W/r"
    first=$pid
    "$program" run "$W/plan.yaml" --profile quick --arm 'x: {base: pre}' --arm 'y: {base: pre}' --results "$W/r" \
      </dev/null >"$W/out2" 2>"$W/err2" || fail "one of two ends with $?"
    wait "$first" || fail "the other ends with $?"
    [ "$(cat "$W/err" "$W/err2" | grep 'valid loss' | grep -vc 'another process')" = 8 ] || fail "8 runs were not trained once"
    folders_whole "$W/r"
  done
}
