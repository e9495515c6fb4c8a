# Part of e2e.sh: what is read of stored runs alone: runs, show, trace, archive, and the names by which runs are called.

id_of() { # ARM SEED RESULTS: the id of a run of toy.yaml
  ends 0 runs toy.yaml "arm=$1" "seed=$2" --format json --results "$3"
  python3 -c 'import json, sys; (g,) = json.load(open(sys.argv[1]))["groups"]; (r,) = g["runs"]; print(r["id"])' "$W/out"
}

no_corpus() { # from here on nothing is where a corpus could be
  rm -f "$W/words.txt" && mkdir -p "$W/empty" "$W/elsewhere" && cd "$W/elsewhere" || fail "no folder"
  with=(env HOME=/nonexistent NORMBENCH_DATA="$W/empty")
}

check_reading_needs_no_corpus_and_trains_nothing() {
  local id r=(--results "$W/r")
  claims_tree
  ends 0 run tiny --profile smoke --offline "${r[@]}"
  no_corpus
  find "$W/r/runs" -exec stat -c '%n %i %Y' {} + | sort >"$W/before"
  ends 0 table tiny --profile smoke "${r[@]}" && prints 'same '
  ends 0 claims "${r[@]}" && prints '^1 reproduced, 1 open, 1 not tested'
  ends 0 report "${r[@]}"
  ends 0 runs "${r[@]}" && prints 'tiny smoke \(plan [0-9a-f]{8}\): 24 of 24 runs stored'
  ends 0 show tiny:pre/width=16/seed=3 "${r[@]}" && prints 'status  ok, 40 steps'
  ends 0 trace 'tiny: same - pre' --profile smoke width=32 "${r[@]}" && prints '^verdict'
  ends 0 archive tiny --profile smoke -o "$W/archive" "${r[@]}"
  ends 0 explain tiny:pre/width=16/seed=3 "${r[@]}"
  find "$W/r/runs" -exec stat -c '%n %i %Y' {} + | sort | diff - "$W/before" >/dev/null || fail "runs were written"
  for id in table report claims runs show trace archive; do
    refused "\-\-data: \`$id\` does not take it" "$id" --data "$W/empty"
    refused "\-\-offline: \`$id\` does not take it" "$id" --offline
  done
}

# Runs on the source that stood in for a corpus are found by what they are, and said to be what they are.
check_stored_runs_are_listed() {
  cp -r "$T/whole" "$W/r"
  ends 0 runs toy.yaml --results "$W/r"
  prints '^toy smoke \(plan [0-9a-f]{8}\): 4 of 4 runs stored$'
  [ "$(grep -cE '^  [0-9a-f]{12}  (plain|ours ) +[12] +[0-9]\.[0-9]{4}  ok$' "$W/out")" = 4 ] || fail "not four lines"
  ends 0 runs toy.yaml arm=ours seed=2 --format json --results "$W/r"
  python3 - "$W/out" "$W/r" <<'PY' || fail "the JSON is not the record's"
import json, sys
(group,) = json.load(open(sys.argv[1]))["groups"]
(run,) = group["runs"]
record = json.load(open(f"{sys.argv[2]}/runs/{run['id']}/record.json"))
assert group["planned"] == group["stored"] == 4 and record["declared"][0] == "plan " + group["plan"]
assert run["valid_loss"] == record["evaluations"][-1]["valid_loss"] and run["step"] == 30 and run["status"] == "ok"
assert record["spec"].endswith("seed = 2\n") and "attn.post = layernorm" in record["spec"]
assert run["keys"]["embed"] == "rmsnorm" and run["keys"]["attn.in"] == "none" and "carry" not in run["keys"]
assert run["records_commit"] == record["provenance"]["commit"]
PY
  # A key that runs of one arm differ in is a column; a plan of the command line is one that results/out remembers. Without
  # it, runs that no file plans go to the one of which they declare a plan.
  ends 0 "${run[@]}" --set steps=7 --set seeds=1 --results "$W/r"
  ends 0 "${run[@]}" --set steps=8 --set seeds=1 --arm '{plain: {variant: pre}}' --results "$W/r"
  ends 0 runs toy.yaml --results "$W/r"
  prints '^toy --profile smoke --set steps=7 --set seeds=1 \(plan [0-9a-f]{8}\): 2 of 2 runs stored$'
  ends 0 "${run[@]}" --set steps=6 --set seeds=1 --arm '{plain: {variant: pre, label: "A label of fifty letters or more, in several words"}}' \
    --arm '{other: {variant: post, label: "Another label of fifty letters or more, in words"}}' --results "$W/r"
  ends 0 runs toy.yaml --format json --results "$W/r" # the command is whole
  grep -qF "or more, in words\\\"}}'\"" "$W/out" || fail "the options are cut"
  ends 0 runs --results "$W/r"
  prints '^toy smoke \(plan [0-9a-f]{8}\): 4 of 4 runs stored$' && ! grep -q 'no experiment' "$W/out" || fail "not all are known"
  rm -r "$W/r/out"
  ends 0 runs toy.yaml --results "$W/r"
  prints '^toy, changed on the command line \(plan [0-9a-f]{8}\): 2 runs stored$'
  prints '^toy, changed on the command line \(plan [0-9a-f]{8}\): 1 run stored$'
  ends 0 runs toy.yaml arm=plain --set 'steps=[7, 8]' --set seeds=1 --results "$W/r"
  prints '^  run +arm +steps +seed' && prints '^  [0-9a-f]{12}  plain +8 +1 '
  ends 0 runs --results "$W/r" # no file of the checkout plans these
  prints '^Of no experiment here \(plan [0-9a-f]{8}\): 4 runs stored$' && prints '  custom  '
  ends 0 runs lr=1e-3 status=ok variant=pre seed=2 --results "$W/r"
  [ "$(grep -cE '^  [0-9a-f]{12} ' "$W/out")" = 1 ] || fail "not one run"
  ends 0 runs --results "$W/none"
  prints 'no run is stored in '
}

check_a_filter_that_fits_nothing_names_what_there_is() {
  local r=(--results "$T/whole")
  refused "runs: no stored run has seed=9 \(of 4\); there are: 1, 2$" runs toy.yaml seed=9 "${r[@]}"
  refused "runs: no stored run has seed=9 \(of 2\); there are: 1, 2$" runs toy.yaml arm=ours seed=9 "${r[@]}"
  refused "runs: no stored run has arm=his \(of 4\); there are: plain, ours$" runs toy.yaml arm=his "${r[@]}"
  refused "runs: no stored run has lr=1e-2 \(of 4\); there is: 1e-3$" runs toy.yaml lr=1e-2 "${r[@]}"
  refused "runs: unknown key 'lrr'; did you mean 'lr'\?" runs toy.yaml lrr=1 "${r[@]}"
  refused "runs: unknown key 'statu'; did you mean 'status'\?" runs toy.yaml statu=ok "${r[@]}"
  refused "runs: lr: 'fast' is not a number" runs toy.yaml lr=fast "${r[@]}"
  refused "runs: unknown variant 'preri'; did you mean 'peri'\?" runs toy.yaml variant=preri "${r[@]}"
  refused "runs: 'ours' is no key=value, such as arm=" runs toy.yaml ours "${r[@]}"
  refused "unknown experiment 'smke'; did you mean 'smoke'\?" runs smke "${r[@]}"
  refused "name the experiment too" runs --profile smoke "${r[@]}"
}

check_a_run_is_called_by_what_it_was() {
  local id other r=(--results "$W/r")
  cp -r "$T/whole" "$W/r"
  id=$(id_of ours 2 "$W/r") other=$(id_of plain 1 "$W/r")
  [ ${#id} = 64 ] || fail "no id: $id"
  for name in "$id" "${id:0:10}" toy.yaml:ours/seed=2 toy.yaml:seed=2/arm=ours/lr=1e-3 ours/seed=2 embed=rmsnorm/seed=2; do
    ends 0 show "$name" "${r[@]}"
    prints "^run $id$"
  done
  refused "show: 'toy.yaml:ours' is 2 stored runs, which differ in seed \(1, 2\); one of them: toy.yaml:ours/seed=1$" \
    show toy.yaml:ours "${r[@]}"
  refused "show: 'toy.yaml:seed=1' is 2 stored runs, which differ in arm \(plain, ours\); one of them: toy.yaml:seed=1/arm=plain$" \
    show toy.yaml:seed=1 "${r[@]}"
  refused "show: no stored run has arm=theirs \(of 4\); there are: plain, ours$" show toy.yaml:theirs/seed=1 "${r[@]}"
  refused "show: no stored run begins with '0000ffff0000'; nearest: [0-9a-f]{12} \(" show 0000ffff0000 "${r[@]}"
  refused "show: no run is stored in " show 00 --results "$W/none"
  refused "show: name one run" show "${r[@]}"
  ends 0 export toy.yaml:plain/seed=1 --at 0 -o "$W/a" "${r[@]}"
  ends 0 export "${id:0:9}" --at 0 -o "$W/c" "${r[@]}"
  prints "of run ${id:0:12} \(ours, seed 2\)"
  ends 0 export "${other:0:9}" --at 0 -o "$W/b" "${r[@]}"
  cmp "$W/a" "$W/b" || fail "the two names are not of one run"
  refused "export: 'toy.yaml:plain' is 2 stored runs" export toy.yaml:plain -o "$W/a" "${r[@]}"
  ends 0 explain toy.yaml:ours/seed=1 "${r[@]}"
  prints '^  attn.post +layernorm$' && prints '^  embed +rmsnorm$'
  refused "explain: no stored run has arm=theirs" explain toy.yaml:theirs/seed=1 "${r[@]}"
  refused "unknown variant 'perry'; did you mean 'peri'\?" explain perry "${r[@]}"
}

# One spec in two classes: the class tells the runs apart.
check_a_class_is_part_of_a_name() {
  local r=(--results "$W/r")
  ends 0 "${one[@]}" "${r[@]}" --backend soft-dot --set precision=bf16
  ends 0 "${one[@]}" "${r[@]}" --backend soft-amx --set precision=bf16
  ends 0 runs one.yaml "${r[@]}"
  prints 'bf16-dot' && prints 'bf16-amx'
  refused "is 2 stored runs, which differ in class \(bf16-(dot|amx), bf16-(dot|amx)\); one of them: one.yaml:plain/class=bf16-" \
    show one.yaml:plain "${r[@]}"
  ends 0 show one.yaml:plain/class=bf16-dot "${r[@]}"
  prints 'class bf16-dot'
}

check_a_run_is_shown_whole() {
  local id r=(--results "$W/r") wild='{wild: {variant: none, lr: 1e6, clip: 0, optimizer: sgd}}'
  cp -r "$T/whole" "$W/r"
  id=$(id_of ours 1 "$W/r")
  ends 0 show "$id" "${r[@]}"
  prints '^  toy smoke: arm ours, plan [0-9a-f]{8}$'
  rm -r "$W/r/out"
  ends 0 show "$id" "${r[@]}"
  prints '^  of no experiment here: arm custom, plan [0-9a-f]{8}$'
  ends 0 show toy.yaml:ours/seed=1 "${r[@]}"
  prints '^  toy smoke: arm ours, plan [0-9a-f]{8}$'
  prints '^  status  ok, 30 steps$' && prints '^  steps +30 +\(default 300\)$' && prints '^  embed +rmsnorm +\(default none\)$'
  prints "commit $(sed -n 's/^  "commit": "\(.*\)",$/\1/p' "$W/r/runs/$id/record.json"), finished 20" && prints 'runs/.*/curves.csv$'
  prints '^  after step +0 +15 +30$' && prints '^ +[0-9.]+ \|[o*]'
  [ "$(grep -n 'steps  *30  *(default' "$W/out" | cut -d: -f1)" -lt "$(grep -n 'weight_decay 0.1' "$W/out" | cut -d: -f1)" ] ||
    fail "what is at its default does not stand last"
  ends 0 show "$id" --format json "${r[@]}"
  python3 - "$W/out" "$W/r/runs/$id" <<'PY' || fail "the JSON is not the record's"
import csv, json, sys
run, record = json.load(open(sys.argv[1])), json.load(open(sys.argv[2] + "/record.json"))
rows = list(csv.DictReader(open(sys.argv[2] + "/curves.csv")))
assert run["id"] == record["id"] and run["provenance"] == record["provenance"] and run["status"] == "ok"
assert "".join(f"{k} = {v}\n" for k, v in run["spec"].items() if f"\n{k} = " in "\n" + record["spec"]) + "seed = 1\n" == record["spec"]
assert run["curve"]["train_loss"][:30] == [float(r["train_loss"]) for r in rows[:30]]
for mine, theirs in zip(run["evaluations"], record["evaluations"], strict=True):
    assert mine["valid_loss"] == theirs["valid_loss"] and mine["step"] == theirs["step"]
PY
  ends 0 "${run[@]}" --arm "$wild" --set seeds=1 "${r[@]}"
  ends 0 runs status=diverged "${r[@]}"
  prints ' +-  diverged at step [0-9]+$'
  ends 0 show status=diverged "${r[@]}"
  prints '^  status  diverged at step [0-9]+ of 30, first in [a-z]+ [a-z0-9._]+$'
  # A digit that is not the record's is noticed.
  sed -i 's/"wall_seconds": /&1/' "$W/r/runs/$id/record.json"
  ends 5 show "$id" "${r[@]}"
  says 'do not have the hash'
}

# Every number of a trace is the table's; both p's come out of the differences that it prints, counted anew.
check_a_number_is_traced_to_its_runs() {
  local id r=(--results "$W/r" --profile smoke)
  claims_tree
  ends 0 run tiny --offline "${r[@]}"
  ends 0 table tiny "${r[@]}"
  find "$W/r/out" -name tiny.json -exec cp {} "$W/table.json" \;
  ends 0 trace 'tiny: same - pre' width=32 "${r[@]}"
  cp "$W/out" "$W/text"
  ends 0 trace tiny: same - pre width=32 --format json "${r[@]}"
  python3 - "$W/out" "$W/table.json" "$W/r/runs" "$W/text" <<'PY' || fail "the trace is not the table's"
import itertools, json, re, sys
trace, table, text = json.load(open(sys.argv[1])), json.load(open(sys.argv[2])), open(sys.argv[4]).read()
(mine,) = [c for c in table["family"]["at"] if c["cell"] == 1 and c["terms"][0]["arm"] == "same"]
assert trace["comparison"] == mine and trace["of"] == "table" and trace["comparisons"] == table["family"]["comparisons"] == 2
assert trace["results"] == table["results"] and trace["plan"] == table["plan"] and trace["records"] == table["records"]
assert trace["commit"] == table["commit"] and trace["factors"] == "width = 32"
for row in trace["runs"]:
    values = []
    for side in ("first", "second"):
        run, value = row[side + "_run"], row[side + "_value"]
        record = json.load(open(f"{sys.argv[3]}/{run}/record.json"))
        assert record["spec"].endswith(f"seed = {row['seed']}\n")
        assert row[side + "_records_commit"] == record["provenance"]["commit"]
        assert record["evaluations"][-1]["valid_loss"] == value
        assert run[:12] in text
        values.append(value)
    assert row["difference"] == values[0] - values[1]
def statistic(d):
    return sum(d) ** 2 / sum(x * x for x in d) if any(d) else 0
d = [row["difference"] for row in trace["runs"]]
family = [c["d"] for c in table["family"]["at"]]
assert d == family[1] == mine["d"]
signs = list(itertools.product([1, -1], repeat=6))
def flip(d, s): return [x * y for x, y in zip(d, s)]
count = sum(abs(sum(flip(d, s))) >= abs(sum(d)) * (1 - 1e-12) for s in signs)
assert count == mine["sign_flip"]["count"] and len(signs) == mine["sign_flip"]["total"] == 64
order = sorted(range(2), key=lambda i: -statistic(family[i]))
adjusted, before = {}, 0
for k, i in enumerate(order):
    hits = sum(max(statistic(flip(family[j], s)) for j in order[k:]) >= statistic(family[i]) * (1 - 1e-12) for s in signs)
    adjusted[i] = before = max(before, hits)
assert adjusted[1] == mine["max_t_step_down"]["count"]
said = [int(x) for x in re.findall(r"p =\s+(\d+)/64", text)]
assert said == [count, adjusted[1]], (said, count, adjusted)
assert f"commit {trace['records'][0]['commit']}: 12 runs" in text
tost = trace["comparison"]["tost"]
assert ("lies between" in text) == tost["equivalent"] and "Two one-sided t tests give p" in text, tost
shown = [float(x.split()[-1]) for x in text.splitlines() if re.match(r" +[1-6]  [0-9a-f]{12} ", x)]
assert len(shown) == 6 and all(abs(a - b) < 1e-6 and (a == 0) == (b == 0) for a, b in zip(shown, d)), shown
PY
  for id in "$W"/r/out/*/*.json; do
    grep -qE '"commit": "[^"]+"' "$id" || fail "$id does not name the commit"
  done
  # The other way round it is the same; a contrast of the claims is adjusted among them, any other stands alone.
  ends 0 trace 'tiny: pre - same' width=32 "${r[@]}"
  prints 'shown as the lines of the table compare it: same - pre\.'
  diff <(grep -E '^(mean|verdict|  +[1-6] )' "$W/text") <(grep -E '^(mean|verdict|  +[1-6] )' "$W/out") || fail "other numbers"
  prints "^One of the runs in full: normbench runs show [0-9a-f]{12} --results $W/r"
  ends 0 trace 'tiny: same - pre' width=32 metric=ppl "${r[@]}"
  prints 'perplexity|PPL' && prints 'adjusted for nothing'
  refused "trace: tiny has 2 cells like this; say which, such as width=16; there are: width = 16; width = 32" \
    trace 'tiny: same - pre' "${r[@]}"
  refused "trace: width: tiny has no cell with 64; there are: 16, 32" trace 'tiny: same - pre' width=64 "${r[@]}"
  refused "trace: tiny has no arm 'sam'; did you mean 'same'\?" trace 'tiny: sam - pre' "${r[@]}"
  refused "trace: 'lr=1' is not KEY=VALUE with a key of this plan; there are: step, metric, width" trace 'tiny: same - pre' lr=1 "${r[@]}"
  refused "trace: no validation after step 7; there are: 40" trace 'tiny: same - pre' width=16 step=7 "${r[@]}"
  refused "is an arm minus itself" trace 'tiny: pre - pre' "${r[@]}"
  ends 0 trace 'tiny@width=32, metric=ppl: same - pre' "${r[@]}" && prints 'width = 32'
  refused "'tiny@width=32 same - pre' does not have the form" trace 'tiny@width=32 same - pre' "${r[@]}"
  refused "does not have the form 'EXPERIMENT: ARM - ARM'" trace same - pre "${r[@]}"
  refused "unknown metric 'zzz'; there are: valid_loss, perplexity, " trace 'tiny: same - pre' width=16 metric=zzz "${r[@]}"
  ends 3 trace 'tiny: same - pre' width=16 --results "$W/r" --profile smoke --seeds 7
  says "runs are missing: normbench run tiny --profile smoke --set .*seeds.* --results $W/r\$"
  ends 3 trace 'tiny: same - pre' width=16 --results "$W/r" --profile quick
  says '4 of 28 runs are missing: normbench run tiny --profile quick'
}

check_an_archive_reprints_the_table() {
  local toy=(toy.yaml --profile smoke) file
  cp -r "$T/whole" "$W/r"
  ends 0 table "${toy[@]}" --results "$W/r"
  sed '/^Cost/,$d' "$W/out" >"$W/printed"
  ends 0 archive "${toy[@]}" -o "$W/a.tar.gz" --results "$W/r"
  prints 'a.tar.gz: 4 runs, 11 files, '
  ends 0 archive "${toy[@]}" -o "$W/a.tar" --results "$W/r"
  ends 0 archive "${toy[@]}" toy.yaml -o "$W/folder/a" --results "$W/r" # a run of two plans stands once
  touch "$W"/r/runs/*/record.json
  mkdir "$W/again" && ends 0 archive "${toy[@]}" -o "$W/again/a.tar.gz" --results "$W/r"
  cmp "$W/a.tar.gz" "$W/again/a.tar.gz" || fail "the same records give other bytes"
  mkdir "$W/unpacked" "$W/plain" && tar -C "$W/unpacked" -xzf "$W/a.tar.gz" && tar -C "$W/plain" -xf "$W/a.tar" || fail "no tar file"
  diff -r "$W/unpacked/a" "$W/plain/a" || fail "the two tar files hold different things"
  diff -r "$W/unpacked/a/runs" "$W/folder/a/runs" || fail "the folder is not what is in the tar file"
  diff -r "$W/unpacked/a/runs" "$W/r/runs" || fail "these are not the records"
  (cd "$W/unpacked/a" && sha256sum --quiet -c SHA256SUMS) || fail "the sums are wrong"
  python3 - "$W/unpacked/a" <<'PY' || fail "the manifest is not that of the files"
import hashlib, json, os, sys
manifest = json.load(open(sys.argv[1] + "/MANIFEST.json"))
for f in manifest["files"]:
    data = open(f"{sys.argv[1]}/{f['path']}", "rb").read()
    assert len(data) == f["bytes"] and hashlib.sha256(data).hexdigest() == f["sha256"]
assert len(manifest["files"]) == 9 and manifest["plans"][0]["runs"] == 4
record = json.load(open(f"{sys.argv[1]}/{manifest['files'][2]['path']}"))
assert manifest["records"] == [{"commit": record["provenance"]["commit"], "runs": 4}] and manifest["commit"]
PY
  ends 0 table "${toy[@]}" --results "$W/unpacked/a"
  sed '/^Cost/,$d' "$W/out" | cmp - "$W/printed" || fail "the table on the terminal is another"
  for file in toy.txt toy.tex toy.json toy.csv toy-macros.tex toy-curves.csv; do
    cmp "$(find "$W/r/out" -name $file)" "$(find "$W/unpacked/a/out" -name $file)" || fail "$file is another"
  done
  ends 0 archive "${toy[@]}" --without-curves -o "$W/thin" --results "$W/r"
  (cd "$W/thin" && sha256sum --quiet -c SHA256SUMS) || fail "the sums without curves are wrong"
  grep -q '"curves": false' "$W/thin/MANIFEST.json" || fail "the manifest does not say that there are no curves"
  [ "$(cat "$W"/thin/runs/*/curves.csv | grep -vc '^step,')" = 4 ] || fail "not the first step alone of 4 runs"
  ends 0 table "${toy[@]}" --results "$W/thin"
  for file in toy.txt toy.tex toy.json toy.csv toy-macros.tex; do
    cmp "$(find "$W/r/out" -name $file)" "$(find "$W/thin/out" -name $file)" || fail "without curves $file is another"
  done
  ! find "$W/thin/out" -name 'toy-curves*' -o -name 'toy-blocks*' | grep -q . || fail "a figure of curves that are not there"
  cp "$W"/r/runs/"$(ls "$W/thin/runs" | head -n 1)"/curves.csv "$W/thin/runs/$(ls "$W/thin/runs" | head -n 1)/"
  ends 5 table "${toy[@]}" --results "$W/thin" # curves that are not the record's
  refused 'something is in it; name a new folder' archive "${toy[@]}" -o "$W/folder/a" --results "$W/r"
  refused 'archive: -o PATH says where to write' archive "${toy[@]}" --results "$W/r"
  refused 'archive: name one experiment' archive -o "$W/b" --results "$W/r"
  ends 0 archive "${toy[@]}" -o "$W/mytar" --results "$W/r" # a folder whose name only sounds like a tar
  prints "to read them: normbench table .* --results $W/mytar\$"
  rm -r "$W/r/runs/$(id_of ours 2 "$W/r")"
  ends 3 archive "${toy[@]}" -o "$W/b.tar" --results "$W/r"
  says 'toy: 1 of 4 runs are missing'
  [ ! -e "$W/b.tar" ] || fail "half an archive"
}

# Runs go from one half of the program to the other, and a table is a gate of its own.
check_stored_runs_are_compared() {
  cp "$T/toy.yaml" "$T/text.txt" "$W/" && cd "$W" || fail "no folder"
  ends 0 "${run[@]}" --seeds 6 --set steps=20 --name six --results r
  ends 0 table six --results r
  sed -n '/^After 20/,$p' out | grep -A 1 'loss, nats' | awk 'END {print $2}' >table
  [ -s table ] || fail "no difference"
  ends 0 runs six --format csv --results r
  [ "$(head -n 1 out)" = arm,seed,status,valid_loss,loss_chain,parameters_hash,id ] && [ "$(grep -c '' out)" = 13 ] || fail "not the runs"
  cp out runs.csv
  "$program" compare - <runs.csv >out 2>err
  prints "^Read as one run a line: arm is column 'arm', value is column 'valid_loss'"
  grep -A 1 'minus plain  *Δ' out | awk 'END {print $2}' | cmp - table || fail "another difference than the table's"
  ends 0 "${run[@]}" --seeds 6 --set steps=3 --results r
  refused 'runs: --format csv lists the runs of one plan; name one, such as plan=[0-9a-f]{8}' runs toy.yaml --format csv --results r
  ends 3 runs toy.yaml --format csv --results elsewhere
  says 'runs: none is stored'
  ends 0 runs six status=ok --format csv --results r
  ends 1 table six --fail-on worse --results r
  prints 'worse than plain' && says '^normbench: --fail-on worse: fails$'
  ends 4 table toy.yaml --profile smoke --set steps=3 --seeds 6 --fail-on worse-by:0.0001 --results r
  says '^normbench: --fail-on worse-by:0.0001: not decided$'
  ends 0 table six --fail-on worse-by:9 --results r
  says '--fail-on worse-by:9: passes'
  refused "--fail-on: 'better' is neither worse nor worse-by:D" table six --fail-on better --results r
  sed -i 's/^name: toy/name: toy\nmetric: embedding_norm/' toy.yaml
  ends 0 "${run[@]}" --results r
  refused '--fail-on: embedding_norm is neither better lower nor higher' table toy.yaml --profile smoke --fail-on worse --results r
}

# Commands that write nothing beside the records read an archive; what is none, or is cut, or leads elsewhere is refused.
check_an_archive_is_read_as_it_is() {
  local toy=(toy.yaml --profile smoke) command file id
  export TMPDIR=$W/scratch && mkdir "$TMPDIR"
  ends 0 archive "${toy[@]}" -o "$W/a.tar.gz" --results "$T/whole"
  ends 0 archive "${toy[@]}" -o "$W/a.tar" --results "$T/whole"
  mkdir "$W/other" && tar -C "$W/other" -xf "$W/a.tar" && tar -C "$W/other" -czf "$W/packed-anew.tgz" a
  id=$(id_of ours 2 "$T/whole")
  for command in "runs toy.yaml --profile smoke" "runs show $id" "status toy.yaml --profile smoke" "claims 004" \
    "trace toy.yaml:ours-plain --profile smoke"; do
    ends 0 $command --results "$W/other/a"
    cp "$W/out" "$W/unpacked"
    for file in a.tar.gz a.tar packed-anew.tgz; do
      ends 0 $command --results "$W/$file"
      sed "s|$W/$file|$W/other/a|g" "$W/out" | diff - "$W/unpacked" || fail "$command reads another thing in $file"
    done
  done
  ends 0 status --results "$W/a.tar.gz"
  prints "^$W/a.tar.gz: 4 done, 0 running$"
  refused "--results: $W/a.tar.gz is an archive, beside whose records table cannot write; unpack it first: tar -xf" table "${toy[@]}" --results "$W/a.tar.gz"
  [ -z "$(ls -A "$TMPDIR")" ] || fail "a temporary folder is left"
  head -c 3000 "$W/a.tar.gz" >"$W/cut.tar.gz" && head -c 9000 "$W/a.tar" >"$W/cut.tar" && echo hello >"$W/text.tar"
  sed 's/loss_chain/lost_chain/' "$W/a.tar" | gzip >"$W/named.tar.gz" # its records do not have their hashes
  python3 - "$W" <<'PY'
import io, sys, tarfile
for name, member in (("up", "a/../../x"), ("root", "/x"), ("twice", "a/MANIFEST.json"), ("strange", "a/x"), ("link", "a/runs/x")):
    with tarfile.open(f"{sys.argv[1]}/{name}.tar", "w", format=tarfile.USTAR_FORMAT) as tar:
        for path in ("a/MANIFEST.json", member):
            info = tarfile.TarInfo(path)
            info.size = 0 if name == "link" and path == member else 2
            info.type = tarfile.SYMTYPE if info.size == 0 else tarfile.REGTYPE
            tar.addfile(info, io.BytesIO(b"{}"))
PY
  for file in cut.tar text.tar up.tar root.tar twice.tar strange.tar link.tar; do
    ends 5 runs --results "$W/$file"
    says "$file: it breaks off, or .normbench records archive. did not write it"
  done
  ends 5 runs --results "$W/cut.tar.gz"
  says 'cut.tar.gz: the gzip file breaks off'
  ends 5 runs show "$id" --results "$W/named.tar.gz"
  ends 2 runs --results "$W/absent.tar.gz"
  [ -z "$(ls -A "$TMPDIR")" ] || fail "a temporary folder is left"
  [ ! -e "$W/x" ] && [ ! -e /x ] || fail "a file was written elsewhere"
}

# Where the records of a stored table are not, its list of runs is read: by trace, runs show and table.
check_stored_lists_stand_in_for_records() {
  local list=results/reference/quick/amplification-runs.csv id
  mkdir -p "$W/tree/bench" "$W/tree/results/reference" && cd "$W/tree" || fail "no folder"
  ln -s "$root/bench/experiments" "$root/bench/claims" bench/
  cp -r "$root/results/reference/quick" results/reference/
  mkdir -p results/reference/records/quick && ln -s "$root"/results/reference/records/quick/peri-seeds.tar.gz results/reference/records/quick/
  chmod -R u+w results/reference/quick
  export NORMBENCH_ROOT=$W/tree
  ends 0 trace 'peri-seeds: peri - pre' # as docs/doubt.md says
  says 'those stored in results/reference/records/quick/peri-seeds.tar.gz are read' && says 'note: this is profile quick: no --profile is given'
  prints '^mean difference  \+0\.449 \[0\.390, 0\.508\]'
  ends 0 trace 'amplification: deepnorm - post' lr=1e-3
  says "these runs are not in results/; their losses are those of $list"
  python3 - $list ../out <<'PY' || fail "not the list's numbers"
import csv, re, sys
rows = [r for r in csv.DictReader(open(sys.argv[1])) if r["lr"] == "0.001"]
loss = {(r["arm"], int(r["seed"])): float(r["valid_loss"]) for r in rows}
d = [loss["deepnorm", s] - loss["post", s] for s in range(1, 9)]
text = open(sys.argv[2]).read()
assert abs(float(re.search(r"^mean difference  ([-+.0-9]+) ", text, re.M)[1]) - sum(d) / 8) < 1e-3
assert all(r["id"][:12] in text for r in rows if r["arm"] in ("deepnorm", "post"))
PY
  prints '^All of them again: normbench run amplification --profile quick$'
  id=$(sed -n 's/^One of the runs: normbench runs show //p' ../out)
  ends 0 show "$id" && prints "^A run of $list; its record is not stored" && prints "^  id  *$id"
  refused 'show: no run is stored' show "${id%?}x"
  ends 3 trace 'amplification: deepnorm - post' lr=1e-3 metric=accuracy
  says "trace: $list has the losses of these runs alone, not accuracy"
  ends 3 table amplification
  says '^normbench: 24 of 24 runs are missing: normbench run amplification --profile smoke; shown is the stored table results/reference/quick/amplification.txt$'
  cmp ../out results/reference/quick/amplification.txt || fail "not the stored table"
  ends 3 table amplification --profile smoke && [ ! -s ../out ] || fail "the table of another profile than was asked for"
  ends 3 trace 'amplification: deepnorm - post' --results elsewhere lr=1e-3
  sed -i 's/^deepnorm,0.001,2,ok,[0-9.]*/deepnorm,0.001,2,ok,low/' $list
  ends 5 trace 'amplification: deepnorm - post' lr=1e-3
  says "$list: run '[0-9a-f]{12}': no number or no id"
  sed -i '/^deepnorm,0.001,2,ok/d' $list
  ends 3 trace 'amplification: deepnorm - post' lr=1e-3
  sed -i 's/|plan:22af694b|/|plan:00000000|/' results/reference/quick/amplification.txt
  ends 3 trace 'amplification: deepnorm - post' lr=1e-3 # the table beside the list is of another plan
}

# A stored verdict of a test that its differences do not give still says what its interval is.
check_a_stored_interval_has_a_kind() {
  ends 0 claims 000-11 --results "$W/none" # of theory: no p
  prints '^ +Verdict: contradicted; exploratory: its numbers' || fail "a p of theory"
  ends 0 claims 003-14 --results "$W/none"
  prints 'Size here: 3 \+ 3 x 64, ' || fail "no encoder beside the decoder"
  ends 0 claims 002-5 --results "$W/none" # mcnemar-targets has Student's
  tr -s ' \n' ' ' <"$W/out" >"$W/words"
  grep -q 'mcnemar-targets stands for' "$W/words" && grep -q 'The intervals are: 95% t\. ' "$W/words" || fail "not its kind"
}

# A reader that is gone before the first byte, as `head` may be: the files are written, and nothing is said of it.
check_a_reader_that_leaves() {
  cp -r "$T/whole" "$W/r"
  ends 0 table toy.yaml --profile smoke --results "$W/r"
  (cd "$W/r/out" && ls -R) >"$W/files"
  rm -r "$W/r/out"
  python3 - "$program" table toy.yaml --profile smoke --results "$W/r" 2>"$W/err" <<'PY' || fail "not exit 141"
import os, socket, subprocess, sys
unread, out = os.pipe()
os.close(unread)
reader, peer = socket.socketpair()
reader.close()
sys.exit(any(subprocess.run(sys.argv[1:], stdout=to).returncode != 141 for to in (out, peer)))
PY
  (cd "$W/r/out" && ls -R) | diff - "$W/files" || fail "not the files of a table that is read"
  ! grep -q stdout "$W/err" || fail "something is said of the reader"
}

# Nothing is wider than the terminal, colours are for terminals without NO_COLOR, and a run ends with what it found.
check_what_a_terminal_shows() {
  local columns command
  type script >/dev/null || { echo "no script(1)"; return 0; }
  cp -r "$T/whole" "$W/r"
  shown() { # COMMAND: as a terminal of $columns shows it
    script -qec "stty cols $columns rows 50; '$program' $1" /dev/null </dev/null 2>&1 | tr -d '\r'
  }
  export TERM=xterm
  unset COLUMNS NO_COLOR
  for columns in 60 80 120; do
    for command in "list" "list variants peri" "list metrics" "table toy.yaml --profile smoke --results $W/r 2>/dev/null" "run --help" \
      help --help "explain pre" "perf peri-lr --dry-run" "run toy.yaml --profile smoke --dry-run --results $W/r 2>/dev/null" \
      "trace 'toy.yaml: ours - plain' --profile smoke --results $W/r 2>/dev/null" "run --help all" "table --help" "compare --help" "runs toy.yaml --profile smoke --results $W/r | head -n 8" "claims 002-1" \
      "explain mhc" "explain '{base: pre, attn.out: {from: 2/3, norm: rmsnorm}}'" "list nothing" "runs show plain/seed=1 --results $W/r" \
      "table peri-seeds --profile quick"; do
      shown "$command" | sed 's/\x1b\[[0-9;]*m//g' | python3 -c 'import sys
wide = [l for l in sys.stdin.buffer.read().decode().split("\n") if len(l) > int(sys.argv[1])]
sys.exit(wide[0] if wide else 0)' $columns || fail "$command is wider than $columns"
    done
  done
  columns=100
  shown "table toy.yaml --profile smoke --results $W/r" >"$W/out"
  grep -q $'\x1b\\[1mAfter 15 steps' "$W/out" || fail "no title in bold"
  NO_COLOR=1 shown "table toy.yaml --profile smoke --results $W/r" | grep -q $'\x1b' && fail "NO_COLOR is not kept"
  ends 0 table toy.yaml --profile smoke --results "$W/r"
  ! grep -q $'\x1b' "$W/out" || fail "colours in a pipe"
  ends 0 "${run[@]}" --results "$W/r"
  prints '^After 30 steps, 2 paired seeds: ours: not decided: 2 seeds cannot reach p < 0.05 \([-+][0-9.]+ \['
  ends 0 "${run[@]}" --set 'width=[16, 32]' --name widths --results "$W/r"
  tr '\n' ' ' <"$W/out" | grep -qE 'After the last step, 2 paired seeds: ours: not decided.* at +width = 16 \([-+][0-9.]+,.*not decided at +any \(exploratory\)\.' ||
    fail "no word on both widths"
  ends 0 "${run[@]}" --set 'width=[16, 32]' --set 'lr=[1e-3, 2e-3]' --name grid --results "$W/r"
  prints '^Of 4 comparisons after the last step, 2 paired seeds: 0 better, 0 worse, 4 not decided'
  ends 0 list variants peri
  [ "$(grep -c '^  [a-z]' "$W/out")" -lt 6 ] && prints '^  peri ' && prints '^variants \(' || fail "not the rows that hold the word"
  ends 0 list grid-metrics
  prints '^grid metrics'
  ends 0 list norms --format json
  python3 -c 'import json, sys; assert list(json.load(open(sys.argv[1]))) == ["norms"]' "$W/out" || fail "more than the norms"
}

# Every command that the program prints is one that runs, as it is printed; what would train is only planned.
check_printed_commands_run() {
  local line command count=0
  cp "$T/toy.yaml" "$T/text.txt" "$W/" && cd "$W" || fail "no folder"
  normbench() { "$program" "$@"; }
  collect() { # ARGUMENTS...: the program's lines, of both streams
    nb "$@"
    cat out err >>said
  }
  : >said
  collect new mine.yaml
  collect "${run[@]}" --part 1/2 --results half
  collect table toy.yaml --profile smoke --results half
  collect "${run[@]}" --results r
  collect table toy.yaml --profile smoke --paper --results r
  collect "${run[@]}" --set lr=2e-3 --seeds 3 --name it\'s --results r
  collect "${run[@]}" --set lr=2e-3 --seeds 3 --name faster --results 'r'
  collect table faster --results r
  collect table toy.yaml --profile smoke --seeds 4 --results r
  collect runs toy.yaml --results r
  collect trace 'toy.yaml: ours - plain' --profile smoke --results r
  collect archive faster -o sent.tar.gz --results r
  collect trace 'amplification: deepnorm - post' lr=1e-3
  collect explain pre
  collect claims 002-8
  collect claims --open
  collect status toy.yaml --profile smoke --results half
  collect list variants
  sed -n 's/^% command: //p' r/out/*/*.tex | sort -u | sed 's/$/ --results r/' >>said # a file names no folder of this machine
  grep -oE '(tar -xf [^ ]+ && )?normbench [a-z][^;(`]*' said | sed -E 's/\. .*//; s/[ .,)]+$//' | sort -u >commands
  while read -r line; do
    [[ $line =~ normbench\ [0-9] ]] && continue # a version
    command=$line
    case $line in
    "normbench run theory" | *DIR | *FOLDER* | *EXPERIMENT* | *" ID" | *" NAME" | "normbench table "*" and"*) continue ;; # minutes of measuring; places of names
    "normbench run "*) command="$line --dry-run" ;;
    esac
    (cd "$W" && eval "$command") >../ran 2>../ran.err </dev/null
    rc=$?
    # half a plan has no table yet: that it says so is right
    [ "$rc" = 0 ] || { [ "$rc" = 3 ] && grep -q 'runs are missing' ../ran.err && [[ $line == *half* || $line == *"seeds 4"* ]]; } ||
      fail "a printed command ends with $rc: $line: $(tail -n 1 ../ran.err)"
    count=$((count + 1))
  done <commands
  [ "$count" -ge 12 ] || fail "only $count commands were printed: $(cat commands)"
}
