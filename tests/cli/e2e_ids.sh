# Part of e2e.sh: what a run's id stands for. Whatever asks for one id twice gets one training; a run belongs to the bytes
# that it was trained on.

# plan.yaml of two seeds with these arms or keys, five short steps.
small_plan() { # LINES...
  printf '%s\n' 'name: small' "dataset: \"text:$T/text.txt\"" 'layers: 2' 'width: 32' 'heads: 4' 'context: 16' 'batch: 4' 'steps: 5' \
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
  tr '\n' ' ' <"$W/out" | tr -s ' ' | grep -q 'again: not decided: both sides are the same runs; third:' || fail "a number of no comparison"
  ends 0 run "$W/plan.yaml" --dry-run --results "$W/s"
  says 'Arms pre, again and third are one network: their runs are trained once and are not compared' && prints '^6 of 6 runs to train'
  ends 0 status "$W/plan.yaml" --results "$W/r" && prints ': 6 runs: 6 done \(1 diverged\), 0 running, 0 waiting$'
  ends 0 table "$W/plan.yaml" --results "$W/r"
  prints '^  again.* n/a \(both sides are the same runs' && tr '\n' ' ' <"$W/out" | grep -q 'third are one network: their runs'
  ! grep -qE 'same within|better than|worse than' "$W/out" || fail "the comparison decides something"
  grep -q 'both sides are the same runs' "$W"/r/out/*/*.json && grep -q 'one network' "$W"/r/out/*/small.tex ||
    fail "not in the files"
  ends 0 explain "$W/plan.yaml"
  prints '^Arms pre, again and third are one network: their runs are trained once' && prints '^pre$' && prints '^again$' && prints '^third$'
  refused 'no such file' explain "$W/none.yaml"
  refused '--output draws one arm, and small has 3' explain "$W/plan.yaml" -o "$W/x.svg"
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
  says 'Arms pre and keeps are one network where lr = 1e-3'
  ends 0 table "$W/plan.yaml" --results "$W/r"
  grep -q 'both sides are the same runs' "$W/out" && grep -qE '^  keeps.* [-+][0-9]' "$W/out" || fail "not in one cell of two"
  # A share has what it trains, and the others know that it is whole.
  rm -r "$W/r"
  for share in 1/2 2/2; do ends 0 run "$W/plan.yaml" --part $share --results "$W/r"; done
  prints '24 of 24 runs stored' && prints '^All parts are here'
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

# Keys and columns that change nothing do not tell two arms apart.
check_arms_that_differ_in_nothing_are_trained_once() {
  small_plan 'momentum: [0.9, 0.5]' 'arms:' '  pre: {variant: pre}' '  again: {base: pre, momentum: 0.3, attn.qk_over: width}'
  once 6 24
  says "warning: arm 'again', momentum = 0.9 and 1 more: attn.qk_over: it changes nothing"
  says 'Arms pre and again are one network: their runs'
  ends 0 table "$W/plan.yaml" --results "$W/r"
  [ "$(grep -c 'both sides are the same runs' "$W/out")" -ge 2 ] || fail "not in both cells"
  prints '(^| )Doubtful:' && tr '\n' ' ' <"$W/out" | grep -q "attn.qk_over: it changes nothing" || fail "the table has no doubts"
  ends 0 explain --arm '{base: pre, momentum: 0.3}' --arm '{base: pre, out_strength: 0.5}'
  prints 'are one network: a plan trains their runs once'
}

# Arms that older builds trained otherwise than their equations say: their runs are nobody's numbers.
check_runs_of_wrong_arithmetic_are_not_taken() {
  local id right
  small_plan 'arms:' '  pre: {variant: pre}' '  fading: {base: pre, in_strength: ramp 0.9 0.3}'
  ends 0 run "$W/plan.yaml" --results "$W/r" && ends 0 table "$W/plan.yaml" --results "$W/r"
  right=$(losses)
  for id in "$W"/r/runs/*; do
    ! grep -q 'mended = true' "$id/record.json" || python3 "$here/sign_record.py" "$id" schema=6 "arithmetic=$(printf %064d 7)" >"$W/old" || fail "not signed"
  done
  ! grep -q mended "$W"/r/runs/*/record.json || fail "the records are no older ones"
  ends 3 table "$W/plan.yaml" --results "$W/r" && says '6 of 12 runs are missing'
  ends 0 show "$(cut -c1-12 "$W/old")" --results "$W/r"
  ends 0 run "$W/plan.yaml" --results "$W/r"
  says '12 runs, 6 stored, 6 to train' && says 'an older build trained run [0-9a-f]{12} otherwise than the equation of this arm says'
  ends 0 table "$W/plan.yaml" --results "$W/r"
  [ "$(losses)" = "$right" ] && [ "$(ls "$W/r/runs" | wc -l)" = 18 ] || fail "not the mended runs beside the older ones"
}

# ---- texts of one's own ----

# $W/a.txt and $W/b.txt: two texts; $W/own.yaml trains on $W/mine.txt.
two_texts() {
  seq 1 4000 | tr '\n' ' ' >"$W/a.txt"
  seq 4000 -1 1 | tr '\n' ';' >"$W/b.txt"
  a=$(sha256sum "$W/a.txt" | cut -c1-12) b=$(sha256sum "$W/b.txt" | cut -c1-12)
  own_plan "dataset: \"text:$W/mine.txt\"" 'tokenizer: byte'
  own=(run "$W/own.yaml" --results "$W/r")
}

own_plan() { # LINES...
  printf '%s\n' 'name: own' 'layers: 2' 'width: 32' 'heads: 4' 'context: 16' 'batch: 4' 'steps: 3' 'evaluate_at: 3' 'seeds: 2' \
    'arms:' '  pre: {variant: pre}' '  post: {variant: post}' "$@" >"$W/own.yaml"
}

losses() { grep '^  validation loss' "$W/out"; }

own_table() { # the losses of the table of the text that stands there
  ends 0 table "$W/own.yaml" --results "${1:-$W/r}"
  losses
}

check_a_run_belongs_to_the_bytes_of_its_text() {
  local of_a of_b of_c
  two_texts
  cp "$W/a.txt" "$W/mine.txt" && ends 0 "${own[@]}" && of_a=$(own_table)
  cp "$W/b.txt" "$W/mine.txt"
  ends 3 table "$W/own.yaml" --results "$W/r"
  says "4 of 4 runs are missing: normbench run .*; 4 runs stored under the name 'text:$W/mine.txt' were trained on other bytes: SHA-256 $a, not $b"
  ends 0 "${own[@]}"
  says '4 runs, 0 stored, 4 to train' && says "4 runs: never run on these bytes of 'text:.*: SHA-256 $b, stored are runs on $a\$"
  of_b=$(own_table)
  [ "$of_a" != "$of_b" ] || fail "two texts have one table"
  cp "$W/a.txt" "$W/mine.txt"
  ends 0 "${own[@]}"
  says '4 runs, 4 stored, 0 to train'
  [ "$(own_table)" = "$of_a" ] || fail "not the table of the text that was put back"
  tr '\n' ' ' <"$W/out" | grep -q "4 runs stored under the name .* were trained on other bytes: SHA-256 $b, not $a" || fail "the other runs are not named"
  [ "$(ls "$W/r/runs" | wc -l)" = 8 ] || fail "not eight runs side by side"
  # A third text trained for one arm alone, then the first again.
  seq 1 7 7000 | tr '\n' ',' >"$W/mine.txt"
  ends 0 "${own[@]}" --arm '{base: post}'
  cp "$W/a.txt" "$W/mine.txt"
  ends 0 "${own[@]}" && says '0 to train' && [ "$(own_table)" = "$of_a" ] || fail "a third text stands in the way"
  ends 0 run "$W/own.yaml" --results "$W/alone" && [ "$(own_table "$W/alone")" = "$of_a" ] || fail "another table than alone"
}

# What a run trains on is what was read when it began, and that is what its record names.
check_a_text_that_changes_while_it_trains() {
  local longer
  two_texts
  longer=("${own[@]}" --set steps=2000 --set evaluate_at=2000)
  cp "$W/a.txt" "$W/mine.txt"
  ends 0 "${longer[@]}" --results "$W/alone"
  begin "${longer[@]}" --threads 1
  until_there "$W"/r/runs/.partial
  cp "$W/b.txt" "$W/mine.txt"
  kill -0 "$pid" || fail "the runs ended before the text changed"
  wait "$pid" || fail "exit $?"
  [ "$(grep -l "\"dataset_sha256\": \"$a" "$W"/r/runs/*/record.json | wc -l)" = 4 ] || fail "not all records name what they were trained on"
  same "$W/r" "$W/alone"
  ends 0 "${longer[@]}" --dry-run
  says '4 runs, 0 stored, 4 to train'
  # A checkpoint of one text is not gone on with on another one.
  rm -r "$W/r" && cp "$W/a.txt" "$W/mine.txt"
  begin "${longer[@]}" --threads 1
  until_there "$W"/r/runs/.partial
  kill -TERM "$pid"
  ended 20
  cp "$W/b.txt" "$W/mine.txt" && ends 0 "${longer[@]}"
  cp "$W/a.txt" "$W/mine.txt" && ends 0 "${longer[@]}"
  [ "$(ls "$W/r/runs" | wc -l)" = 8 ] || fail "not eight runs side by side"
  ls "$W/alone/runs" | sed "s|^|$W/r/runs/|" | xargs rm -r
  ends 0 "${longer[@]}" --dry-run
  says '4 runs, 0 stored, 4 to train' # what is left was trained on the other text
}

check_runs_name_the_bytes_they_were_trained_on() {
  local id
  two_texts
  for text in a b; do cp "$W/$text.txt" "$W/mine.txt" && ends 0 "${own[@]}" && sleep 1.1; done # which is newer is known
  ends 0 runs "$W/own.yaml" --results "$W/r"
  prints '^own \(plan [0-9a-f]*\): 4 of 4 runs stored$'
  tr '\n' ' ' <"$W/out" | grep -qE " own on other bytes of text:.* \(SHA-256 $a\) \(plan [0-9a-f]*\): 4 runs stored " || fail "not named"
  ends 0 runs "$W/own.yaml" "text_sha256=$(sha256sum "$W/a.txt" | cut -d' ' -f1)" --format json --results "$W/r"
  id=$(grep -m 1 -o '"id": "[0-9a-f]*"' "$W/out" | cut -d'"' -f4)
  ends 0 show "$id" --results "$W/r"
  says "^normbench: note: run ${id:0:12} was trained on other bytes than 'text:.*mine.txt' holds now: SHA-256 $a, not $b\$"
  ends 5 export "$id" -o "$W/weights.safetensors" --results "$W/r" # it trains the run again
  says "has other bytes now \(SHA-256 $b\) than in run ${id:0:12} \($a\)"
  ends 0 status "$W/own.yaml" --results "$W/r" && prints '4 runs: 4 done'
  # Where the text is not, its stored runs are read: of several texts those of the last one.
  rm "$W/mine.txt"
  ends 0 table "$W/own.yaml" --results "$W/r"
  says "cannot be read here, and runs of 2 texts are stored under this name; those of SHA-256 $b are taken"
  ends 0 status "$W/own.yaml" --results "$W/r" && prints '4 runs: 4 done'
  refused 'mine.txt: No such file' "${own[@]}"
}

# The key can be given: the experiment is then of these bytes alone.
check_a_text_can_be_pinned() {
  two_texts
  cp "$W/a.txt" "$W/mine.txt"
  own_plan "dataset: \"text:$W/mine.txt\"" 'tokenizer: byte' "text_sha256: $(sha256sum "$W/a.txt" | cut -d' ' -f1)"
  ends 0 "${own[@]}"
  cp "$W/b.txt" "$W/mine.txt"
  ends 5 "${own[@]}"
  says "^normbench: 'text:.*mine.txt' has other bytes: SHA-256 $b[0-9a-f]*, not $a[0-9a-f]*\$"
  ends 0 table "$W/own.yaml" --results "$W/r"
  refused "text_sha256: '12' is neither any nor 64 digits from 0 to f" "${own[@]}" --set text_sha256=12
  refused "text_sha256: it goes with a text of one's own .text:, shards:., not with 'synthetic'" "${own[@]}" --set dataset=synthetic
}

# The same bytes under another name are the same runs.
check_a_text_goes_by_its_bytes() {
  local of_a folder id
  two_texts
  cp "$W/a.txt" "$W/mine.txt" && ends 0 "${own[@]}" && of_a=$(own_table)
  sed 's/mine.txt/other.txt/' "$W/own.yaml" >"$W/other.yaml" && cp "$W/a.txt" "$W/other.txt"
  ends 0 run "$W/other.yaml" --results "$W/r" && says '4 runs, 4 stored, 0 to train'
  ends 0 runs "$W/other.yaml" --results "$W/r" && prints '4 of 4 runs stored'
  ends 0 status "$W/other.yaml" --results "$W/r" && prints '4 runs: 4 done'
  ends 0 table "$W/other.yaml" --results "$W/r"
  ends 0 run "$W/other.yaml" --results "$W/alone"
  diff <(ls "$W/r/runs") <(ls "$W/alone/runs") || fail "the name of a text enters the id"
  ends 0 merge "$W/alone" --results "$W/r" && prints '4 runs: 0 copied, 4 here already'
  # Those that a program stored whose ids knew the name are found too.
  for folder in "$W"/r/runs/*; do
    python3 "$here/sign_record.py" "$folder" arithmetic="$(sed -n 's/.*"arithmetic": "\([0-9a-f]*\)".*/\1/p' "$folder/record.json")" >/dev/null ||
      fail "not signed"
  done
  [ -z "$(ls "$W/r/runs" | grep -F "$(ls "$W/alone/runs")")" ] || fail "the ids are not older ones"
  ends 0 "${own[@]}" && says '4 runs, 4 stored, 0 to train'
  ends 0 table "$W/other.yaml" --results "$W/r" && [ "$(own_table)" = "$of_a" ] || fail "another table"
  echo >>"$W/other.txt"
  ends 3 table "$W/other.yaml" --results "$W/r" && says '4 of 4 runs are missing'
}

# Runs that a program stored before specs knew the bytes are those of the bytes that their records name.
check_older_runs_of_a_text_are_found() {
  local of_a id
  two_texts
  cp "$W/a.txt" "$W/mine.txt" && ends 0 "${own[@]}" && of_a=$(own_table)
  for id in "$W"/r/runs/*; do python3 "$here/sign_record.py" "$id" schema=6 >/dev/null || fail "not signed"; done
  ! grep -q text_sha256 "$W"/r/runs/*/record.json || fail "the records are no older ones"
  ls "$W/r/runs" >"$W/ids"
  ends 0 "${own[@]}" && says '4 runs, 4 stored, 0 to train'
  [ "$(own_table)" = "$of_a" ] || fail "another table"
  cp "$W/b.txt" "$W/mine.txt" && ends 0 "${own[@]}" && says '4 runs, 0 stored, 4 to train'
  cp "$W/a.txt" "$W/mine.txt" && ends 0 "${own[@]}" && says '0 to train' && [ "$(own_table)" = "$of_a" ] || fail "another table with a second text"
  ends 0 merge "$W/r" --results "$W/s" && prints ': 8 runs: 8 copied'
  ends 0 runs "$W/own.yaml" --results "$W/s" && prints '4 of 4 runs stored'
  diff <(ls "$W/r/runs") <(ls "$W/s/runs") && [ "$(ls "$W/r/runs" | grep -cFf "$W/ids")" = 4 ] || fail "an older run has another id"
}

# Sentence pairs, shards and a trained tokenizer are known by their bytes too.
check_pairs_and_shards_belong_to_their_bytes() {
  local of_a file
  two_texts
  for file in de en en2; do for line in $(seq 1 400); do echo "${file#en} $line ${file:0:1}"; done >"$W/p.$file"; done
  cd "$W" && own_plan 'dataset: "text:p.de,p.en"' 'tokenizer: byte' 'objective: translate'
  ends 0 "${own[@]}" && of_a=$(own_table)
  cp "$W/p.en" "$W/kept" && cp "$W/p.en2" "$W/p.en"
  ends 0 "${own[@]}" && says '4 runs, 0 stored, 4 to train' && says 'stored are runs on '
  cp "$W/kept" "$W/p.en"
  ends 0 "${own[@]}" && says '4 runs, 4 stored' && [ "$(own_table)" = "$of_a" ] || fail "pairs: another table"
  for text in a b; do ends 0 data shards -o "$W/$text" --text "$W/$text.txt" --shard-tokens 1000 --tokenizer bpe:300; done
  own_plan 'dataset: "shards:./mine"' 'tokenizer: bpe:300'
  cp -r "$W/a" "$W/mine" && ends 0 "${own[@]}" && of_a=$(own_table)
  rm -r "$W/mine" && cp -r "$W/b" "$W/mine" && ends 0 "${own[@]}" && says '4 runs, 0 stored, 4 to train' && own_table >/dev/null
  rm -r "$W/mine" && cp -r "$W/a" "$W/mine" && ends 0 "${own[@]}" && says '0 to train' && [ "$(own_table)" = "$of_a" ] || fail "shards: another table"
}
