# Part of e2e.sh: the folder of a plan, what it remembers, and what is said before and after training.

plan_files() { (cd "$1" && find . -type f ! -name plan.json | sort | xargs sha256sum); }

check_two_plans_have_two_folders() {
  local first second
  cp -r "$T/whole" "$W/r"
  ends 0 table toy.yaml --results "$W/r"
  first=$(dirname "$W"/r/out/*/toy.tex)
  [[ $(basename "$first") =~ ^toy-[0-9a-f]{8}$ ]] || fail "the folder is called $first"
  grep -q "\"plan\": \"$(basename "${first##*-}")" "$first/plan.json" || fail "the folder is not named after the plan"
  says "^$first/$"
  plan_files "$first" >"$W/before"
  ends 0 "${run[@]}" --set steps=4 --results "$W/r"
  ends 0 table toy.yaml --set steps=4 --results "$W/r"
  second=$(ls -d "$W"/r/out/toy-*/ | grep -v "$first/")
  [ -s "$second/toy.tex" ] && grep -q EXPLORATORY "$second/toy.tex" || fail "no table of the changed plan"
  [ -z "$(find "$W/r/out" -name '*exploratory*')" ] || fail "a file is called exploratory"
  plan_files "$first" | cmp -s - "$W/before" || fail "another plan changed the first one's files"
  ends 0 table toy.yaml --set steps=30 --results "$W/r" # what the file says already
  ! grep -q EXPLORATORY "$first/toy.tex" || fail "a plan that is the file's is called exploratory"
}

check_a_table_removes_what_an_earlier_one_left() {
  local out
  cp -r "$T/whole" "$W/r"
  ends 0 table toy.yaml --results "$W/r"
  out=$(dirname "$W"/r/out/*/toy.tex)
  echo mine >"$out/notes.txt" && echo old >"$out/toy-old.tex"
  sed -i 's/"toy.tex"/"toy.tex", "toy-old.tex", "..\/..\/runs", "absent.tex"/' "$out/plan.json"
  ends 0 table toy.yaml --results "$W/r"
  [ ! -e "$out/toy-old.tex" ] || fail "a file of an earlier table is still there"
  [ "$(cat "$out/notes.txt")" = mine ] || fail "a file of the user's was removed"
  [ -d "$W/r/runs" ] && same "$W/r" || fail "something outside of the folder was removed"
  ! grep -q 'toy-old' "$out/plan.json" && grep -q '"toy.tex"' "$out/plan.json" || fail "the list is not that of the files"
}

check_a_table_keeps_what_another_call_made() {
  local out file
  cp -r "$T/whole" "$W/r"
  ends 0 table toy.yaml --paper --target 3.5 --results "$W/r"
  out=$(dirname "$W"/r/out/*/toy.tex)
  : >"$out/toy.pdf" && sed -i 's/"toy.tex"/"toy.tex", "toy.pdf"/' "$out/plan.json" # as --pdf writes it
  plan_files "$out" | grep -e svg -e pdf -e paper >"$W/before"
  ends 0 table toy.yaml --results "$W/r"
  for file in toy-paper.tex toy-target.txt toy-target.json toy.pdf; do
    [ -e "$out/$file" ] && grep -q "\"$file\"" "$out/plan.json" || fail "$file of the first call is gone"
  done
  with=(env PATH=/nonexistent)
  ends 0 table toy.yaml --results "$W/r"
  with=()
  says 'note: no figures'
  (cd "$out" && sha256sum --quiet -c "$W/before") || fail "a call without gnuplot changed the figures of another"
  rm -r "$W/r/runs/$(id_of ours 2 "$W/r")"
  ends 0 table toy.yaml --partial --results "$W/r"
  [ -s "$out/toy-partial.tex" ] && [ -s "$out/toy.tex" ] || fail "the table of some seeds removed the whole one"
}

# What was declared stays what it was: when its file has grown, is changed, or is gone.
check_a_declared_plan_stays() {
  local word path
  cp "$T/toy.yaml" "$T/text.txt" "$W/" && cd "$W" || fail "no folder"
  ends 0 "${run[@]}" --results r
  word=$(sed -n 's/^Next: .* table \([^ ]*\) .*/\1/p' out) path=r/out/$word/
  ends 0 table "$word" --results r
  mv out first && plan_files "$path" >before
  sed -i 's/{seeds: 2}/{seeds: 3}/' toy.yaml
  ends 0 "${run[@]}" --results r
  ends 0 table toy.yaml --profile smoke --results r
  prints 'EXPLORATORY: 4 of 6 runs were trained before this plan was written down'
  for as in "$word --results r" "toy.yaml --profile smoke --seeds 2 --results r" "$path" "r/out/$word"; do
    ends 0 table $as
    cmp -s out first || fail "table $as is another table than before the file grew"
    plan_files "$path" | grep -v -e cost | cmp -s - <(grep -v -e cost before) || fail "table $as writes other files"
  done
  ! grep -q seeds=2 "$path/plan.json" || fail "the note of a declared plan was overwritten"
  ends 3 table toy.yaml --profile smoke --seeds 4 --results r
  says "note: other plans of toy: .*normbench table $word --results r \(--profile smoke; 4 of 4 runs\)"
  mv toy.yaml gone.yaml
  for as in "table $word" "run $word" "status $word" "runs $word seed=1" "perf $word --dry-run" "archive $word -o a.tar" \
    "archive $word $word -o b.tar"; do
    ends 0 $as --results r
  done
  ends 0 trace "$word: ours - plain" --results r
  ends 0 trace "$path: ours - plain"
  prints '^toy smoke: ours - plain$'
  refused "unknown experiment '$word'" table "$word" --results elsewhere
  refused "seeds: $word is a plan already" table "$path" --seeds 3
  sed -i 's/"yaml": ".*/"yaml": "arms: {pre: {variant: pre}}\\nprofiles: {smoke: {seeds: 2}}",/' "$path/plan.json"
  ends 5 table "$word" --results r
  says "plan.json's text makes another plan than ${word#toy-}"
  sed -i 's/"yaml": ".*/"yaml": "arms: [",/' "$path/plan.json"
  refused "$word: the noted text: .*toy.yaml:1" table "$word" --results r
}

# A file that is sent to somebody else is enough for the same table, and for `trace`.
check_an_archive_is_all_that_a_colleague_needs() {
  local command
  mkdir "$W/here" "$W/there" && cp "$T/toy.yaml" "$T/text.txt" "$W/here" && cd "$W/here" || fail "no folder"
  for more in "" "--set lr=0.002 --seeds 3"; do
    rm -rf ../there/* mine.tar.gz
    ends 0 "${run[@]}" $more --results r
    ends 0 table toy.yaml --profile smoke $more --results r
    sed '/^Cost/,$d' ../out >../table
    ends 0 archive toy.yaml --profile smoke $more -o mine.tar.gz --results r
    command=$(sed -n 's/.*to read them: //p' ../out)
    ! tar -xOf mine.tar.gz | grep -qF "$W" || fail "the archive holds a path of this machine"
    cp mine.tar.gz ../there && (cd ../there && normbench() { "$program" "$@"; } && eval "$command") >../out 2>../err ||
      fail "the printed command does not run: $command"
    sed '/^Cost/,$d' ../out | cmp - ../table || fail "the colleague's table is another"
    set -- ${command#*table }
    (cd ../there && "$program" trace "$1: ours - plain" --results mine) >../out 2>../err || fail "no trace"
  done
}

check_table_remembers_a_plan() {
  local word arm='{plain: {variant: pre, label: "it'"'"'s a $plain one"}}'
  ends 0 "${run[@]}" --set steps=4 --set 'evaluate_at=0,2' --seeds 3 --arm "$arm" --arm '{ours: {variant: post}}' --results "$W/a b"
  word=$(sed -n 's/^Next: .* table \([^ ]*\) .*/\1/p' "$W/out")
  [ -s "$W/a b/out/$word/plan.json" ] || fail "no plan.json of $word"
  (cd / && unset NORMBENCH_ROOT && eval "$(sed -n 's/^Next: //p' "$W/out")") >"$W/said" 2>"$W/err" || fail "the line does not run"
  ends 0 table toy.yaml --set steps=4 --set 'evaluate_at=0,2' --seeds 3 --arm "$arm" --arm '{ours: {variant: post}}' --results "$W/a b"
  cmp "$W/said" "$W/out" || fail "the word and the whole command line make two tables"
  [ "$(ls "$W/a b/out" | wc -l)" = 1 ] || fail "they have two folders"
  ends 0 run "$word" --results "$W/a b" --offline
  says '6 runs, 6 stored'
  refused "set: $word is a plan already" table "$word" --set steps=5 --results "$W/a b"
  refused "seeds: $word is a plan already" table "$word" --seeds 5 --results "$W/a b"
  refused "--target: 'low' is not a number" table "$word" --target low --results "$W/a b"
  refused "unknown experiment '${word%?}'" table "${word%?}" --results "$W/a b"
  rm -r "$W/a b/runs"
  ends 3 table "$word" --results "$W/a b"
  says "6 of 6 runs are missing: normbench run $word --results '$W/a b'$"
}

check_a_plan_has_the_name_that_it_was_given() {
  ends 0 "${run[@]}" --set steps=4 --name first --results "$W/r"
  prints " table first --results $W/r$"
  ends 0 table first --results "$W/r"
  says "^$W/r/out/first/$"
  [ -s "$W/r/out/first/toy.tex" ] && [ "$(ls "$W/r/out")" = first ] || fail "there is another folder"
  refused "r/out/first is the folder of another plan \(.*toy.yaml --profile smoke --set steps=4\)" \
    "${run[@]}" --set steps=5 --name first --results "$W/r"
  refused "r/out/first is the folder of another plan" table toy.yaml --name first --results "$W/r"
  mkdir "$W/r/out/mine" && : >"$W/r/out/mine/thesis.tex"
  refused "r/out/mine holds files that are no plan's" "${run[@]}" --name mine --results "$W/r"
  refused "'a/b' is no name of a folder" "${run[@]}" --name a/b --results "$W/r"
  refused "'..' is no name of a folder" "${run[@]}" --name .. --results "$W/r"
  refused "'smoke' is an experiment" "${run[@]}" --name smoke --results "$W/r"
  refused "where .report. writes" "${run[@]}" --name report --results "$W/r"
  refused "name: a word is needed" "${run[@]}" --name '' --results "$W/r"
  cp "$T/toy.yaml" "$W/" && cp "$T/text.txt" "$W/" && cd "$W" || fail "no folder"
  ends 0 "${run[@]}" --name second --results "$W/r"
  sed -i 's/^steps: 30/steps: 31/' toy.yaml
  ends 0 table second --results "$W/r" # the text of the file is noted
  sed -i '/^ "yaml"/d' "$W/r/out/second/plan.json" # a note of schema 1
  refused "second: this was plan [0-9a-f]{8} of .*toy.yaml, which the file makes no more" table second --results "$W/r"
  echo '{' >"$W/r/out/second/plan.json"
  ends 5 table second --results "$W/r"
  says 'second/plan.json: it is damaged'
}

check_plans_that_were_run_are_named() {
  ends 0 "${run[@]}" --set steps=4 --name first --results "$W/r"
  ends 0 "${run[@]}" --set steps=5 --results "$W/r" --part 1/2
  ends 3 table toy.yaml --results "$W/r"
  says '^normbench: 4 of 4 runs are missing: normbench run toy.yaml --profile smoke --results '
  says 'note: other plans of toy: normbench table first --results [^ ]+ \(--profile smoke --set steps=4; 4 of 4 runs\), '
  says 'normbench table toy-[0-9a-f]{8} --results [^ ]+ \(--profile smoke --set steps=5; 2 of 4 runs\)$'
  [ "$(grep -c '' "$W/err")" = 2 ] || fail "more than two lines"
  ends 3 table one.yaml --set steps=6 --results "$W/r"
  [ "$(grep -c '' "$W/err")" = 1 ] || fail "plans of another experiment are named"
}

check_seeds_are_those_of_the_file() {
  ends 0 "${run[@]}" --seeds 3 --results "$W/r"
  says '6 runs, 0 stored'
  ends 0 "${run[@]}" --set seeds=3 --results "$W/r"
  says '6 runs, 6 stored'
  sed 's/{seeds: 2}/{seeds: 3}/' "$T/toy.yaml" >"$W/toy.yaml"
  cp "$T/text.txt" "$W/" && cd "$W" || fail "no folder"
  ends 0 "${run[@]}" --results "$W/r"
  says '6 runs, 6 stored'
  [ "$(ls "$W/r/out" | wc -l)" = 1 ] || fail "three ways to say the seeds make several plans"
  ends 0 table toy.yaml --results "$W/r"
  refused "seeds: '0' is not a number from 1 to 10000" "${run[@]}" --seeds 0 --results "$W/r"
}

check_what_a_plan_can_decide_is_said_first() {
  local line number
  ends 0 "${run[@]}" --seeds 5 --dry-run --results "$W/r"
  prints '^  5 seeds cannot reach p < 0\.05: the smallest p of the sign flips is 2/32 = 0\.0625\. 6 seeds can \(2/64 = 0\.0312\)\.$'
  prints '^10 of 10 runs to train, .* at 55% of this machine'
  [ ! -e "$W/r" ] || fail "a dry run left something"
  ends 0 "${run[@]}" --set steps=4 --results "$W/r"
  says '^  2 seeds cannot reach p < 0\.05: .* 2/4 = 0\.5\. 6 seeds can'
  says '^4 of 4 runs to train' && says '^[0-9]+ MB per run'
  line=$(grep -n 'cannot reach' "$W/err" | cut -d: -f1) number=$(grep -n 'valid loss' "$W/err" | head -n 1 | cut -d: -f1)
  [ "$line" -lt "$number" ] || fail "it is said after the training"
  ends 0 "${run[@]}" --set steps=4 --results "$W/r"
  ! grep -q 'reach' "$W/err" || fail "it is said where nothing is to be trained"
  cp -r "$T/whole" "$W/s"
  ends 0 "${run[@]}" --seeds 6 --dry-run --results "$W/s"
  prints '^  6 seeds can reach' && prints 'One comparison alone finds a difference of 1\.8 SD in 80% of cases'
  prints '^8 of 12 runs to train, .* by the time of 4 stored runs of these arms,$'
  python3 - "$W/s/runs" "$W/out" <<'PY' || fail "the SD is not that of the stored seeds"
import glob, json, re, statistics, sys
loss = {}
for path in glob.glob(sys.argv[1] + "/*/record.json"):
    r = json.load(open(path))
    text = "\n".join(r["spec"]) if isinstance(r["spec"], list) else r["spec"]
    seed = re.search(r"seed = (\d+)", text).group(1)
    loss["embed = rmsnorm" in text, seed] = r["evaluations"][-1]["valid_loss"]
sd = statistics.stdev(loss[True, s] - loss[False, s] for s in "12")
found = re.search(r"2 seeds that are stored, ([0-9.]+) SD of valid_loss are: ours ([0-9.e-]+)\.$", open(sys.argv[2]).read(), re.M)
assert abs(float(found.group(2)) / sd / float(found.group(1)) - 1) < .05, (found.groups(), sd)
PY
}

# A plan is as old as the first commit whose file makes it; without a history nobody knows.
check_plans_have_the_dates_of_commits() {
  local r=(--results "$W/r" --profile smoke) tree=$W/tree from commit
  commit() { # DATE: everything in the tree
    git -C "$tree" add -A && GIT_COMMITTER_DATE=$1 git -C "$tree" -c user.name=n -c user.email=n@n commit -q -m m --date "$1"
  }
  type git >/dev/null || { echo "no git"; return 0; }
  export GIT_CONFIG_NOSYSTEM=1
  claims_tree
  ends 0 run tiny --offline "${r[@]}"
  from=(trace 'tiny: same - pre' width=32 "${r[@]}")
  ends 0 "${from[@]}"
  prints '^  plan [0-9a-f]{8}: the date is not known, as there is no git history here$'
  ends 0 show "tiny:pre/width=16/seed=3" --results "$W/r" && prints 'plan [0-9a-f]{8}: the date is not known'
  # The first commit has another plan, the second this one, the third another title: the second counts, and of the
  # claim, whose file never changed, the first.
  git -C "$tree" init -q || fail "git init"
  ends 0 "${from[@]}"
  prints '^  plan [0-9a-f]{8}: the date is not known, as tiny.yaml is in no commit$'
  sed -i 's/^margin: 0.5/margin: 0.25/' "$tree/bench/experiments/tiny.yaml"
  commit '2020-02-01T10:00:00Z'
  sed -i 's/^margin: 0.25/margin: 0.5/' "$tree/bench/experiments/tiny.yaml"
  ends 0 "${from[@]}" && prints '^  plan [0-9a-f]{8}: in no commit: '
  commit '2020-02-02T11:30:00Z'
  commit=$(git -C "$tree" rev-parse --short=12 HEAD)
  sed -i 's/^title: Tiny/title: Tinier/' "$tree/bench/experiments/tiny.yaml"
  commit '2020-02-03T10:00:00Z'
  ends 0 "${from[@]}"
  prints "^  plan [0-9a-f]{8}: first in commit $commit of 2020-02-02 11:30 UTC, before the first run ended\$"
  prints '^  claim 900-2: first in commit [0-9a-f]{12} of 2020-02-01 10:00 UTC, before the first run ended$'
  prints "^  This proves no order: a commit's date can be set, a history rewritten, and runs made elsewhere before\.\$"
  ends 0 "${from[@]}" --format json
  python3 -c 'import json, sys; w = json.load(open(sys.argv[1]))["written"]
assert [x["date"] for x in w] == ["2020-02-02 11:30 UTC", "2020-02-01 10:00 UTC"] and w[0]["commit"][:12] == sys.argv[2], w' \
    "$W/out" "$commit" || fail "the JSON has other dates"
  ends 0 show "tiny:pre/width=16/seed=3" --results "$W/r" && prints "first in commit $commit of 2020-02-02 11:30 UTC, before"
  # A plan that was committed behind its runs, and one that only the command line makes.
  rm -rf "$tree/.git" && git -C "$tree" init -q && commit '2099-01-01T00:00:00Z'
  ends 0 "${from[@]}" && prints 'of 2099-01-01 00:00 UTC, after the first run ended$'
  ends 0 "${from[@]}" --set seeds=5 && prints 'in no commit: made on the command line, or not committed'
}
