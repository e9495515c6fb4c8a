# Part of e2e.sh: the ledger of claims over real, tiny runs, and the plan in their records.

claims_tree() { # [DATASET]: a checkout with one experiment and one write-up: deeper is worse, an arm equals itself, one never run
  [ $# != 0 ] || cp "$T/text.txt" "$W/words.txt"
  mkdir -p "$W/tree/bench/experiments" "$W/tree/bench/claims"
  cat >"$W/tree/bench/experiments/tiny.yaml" <<YAML
name: tiny
title: Tiny
writeup: "900"
dataset: synthetic
layers: 1
width: [16, 32]
heads: 2
context: 16
batch: 8
steps: 40
lr: 3e-3
evaluate_at: 0,40
curve_every: 20
curve_batches: 1
margin: 0.5
arms:
  pre: {variant: pre}
  same: {variant: pre, clip: 2}
profiles:
  smoke: {seeds: 6}
  quick: {seeds: 7}
YAML
  cat >"$W/tree/bench/claims/900.yaml" <<'YAML'
writeup: "900"
title: A write-up that nobody wrote
source: "these tests"
setups:
  tiny: {keys: {dataset: synthetic, layers: 1}, choices: ["everything"]}
sizes:
  same: {shape: "1 x 32", parameters: "19k", tokens: "5k", corpus: synthetic, seeds: "1", takes: "2 s a run", setup: tiny, keys: {layers: 1}}
reported:
  table: {where: "nowhere", setup: tiny, step: 40, seeds: 1,
          values: {"pre@width=16": {valid_loss: 4.5}, "pre@width=32": {valid_loss: 4.25}}}
claims:
  - id: 900-1
    source: "line 1"
    says: "Wider is better, says the sentence."
    brief: "Wider is better."
    own: same
    setup: tiny
    at: [40]
    family: "900"
    tests:
      - {metric: valid_loss, contrast: {"pre@width=32": 1, "pre@width=16": -1}, expects: lower, test: maxt, margin: 0.02,
         reported: {table: table, of: valid_loss, as: difference}}
  - id: 900-2
    source: "line 2"
    says: "Clipping does not matter."
    note: "The norm never reaches either limit_."
    setup: tiny
    at: [40]
    family: "900"
    tests:
      - {metric: valid_loss, contrast: {same: 1, pre: -1}, expects: equal, test: tost, margin: 0.5}
  - id: 900-3
    source: "line 3"
    says: "It also translates."
    setup: tiny
    family: "900"
    needs: "a translation task"
YAML
  sed -i "s|dataset: synthetic|dataset: \"${1:-text:$W/words.txt}\"|" "$W/tree/bench/experiments/tiny.yaml" "$W/tree/bench/claims/900.yaml"
  export NORMBENCH_ROOT=$W/tree
}

ledger() { ends 0 claims 900 --all --results "$W/r" "$@"; }
short() { ends 0 claims 900 --results "$W/r" "$@"; }
whole() { tr -s ' \n' ' ' <"$W/out"; } # without its line breaks

check_targets_are_counted_and_seeds_decide() {
  claims_tree
  sed -i 's/^margin: 0.5$/&\nhits: true/' "$W/tree/bench/experiments/tiny.yaml"
  sed -i 's/metric: valid_loss, contrast: {same: 1, pre: -1}, expects: equal, test: tost, margin: 0.5/metric: accuracy, contrast: {"pre@width=32": 1, "pre@width=16": -1}, expects: higher, test: mcnemar-targets/' \
    "$W/tree/bench/claims/900.yaml"
  ends 0 run tiny --profile smoke --offline --results "$W/r"
  ledger
  prints 'accuracy: pre@width=32 - pre@width=16 > 0: higher \(better\), margin 0.005 \(mcnemar-targets\)$'
  whole >"$W/line"
  grep -qE 'Of N = [0-9]+ targets, b are right in pre \(width = 32\) alone and c in pre \(width = 16\) alone\. By seed, b, c and the exact McNemar p are: seed 1 [0-9]+,' \
    "$W/line" || fail "no counts of a seed"
  grep -qE 'are not independent .*Always naming the most frequent target would be right 0\.[0-9]{4} of the time: pre' "$W/line" ||
    fail "not said what decides, and beside what"
  ledger --format json
  python3 - "$W/out" "$W/r/runs" <<'PY' || fail "the counts are not those of the files"
import json, sys
verdict = json.load(open(sys.argv[1]))["writeups"][0]["claims"][1]["verdicts"][0]
def run(id):
    hits = json.load(open(f"{sys.argv[2]}/{id}/record.json"))["hits"]
    bits = int.from_bytes(open(f"{sys.argv[2]}/{id}/hits.bin", "rb").read(), "little")
    assert bits.bit_count() == hits["right"] and bits >> hits["targets"] == 0
    return bits, hits
targets, wide, narrow = verdict["targets"], *(t["runs"] for t in verdict["comparison"]["terms"])
assert len(targets["seeds"]) == 6
for one, a, b, d in zip(targets["seeds"], wide, narrow, verdict["comparison"]["d"]):
    (a, hits), (b, _) = run(a), run(b)
    assert one["only_first"] == (a & ~b).bit_count() and one["only_second"] == (b & ~a).bit_count() and 0 <= one["p"] <= 1
    assert abs((one["only_first"] - one["only_second"]) / hits["targets"] - d) < 1e-12
    assert targets["most_frequent"] == hits["most_frequent"] / hits["targets"] and targets["n"] == hits["targets"]
flip = verdict["comparison"]["sign_flip"]
assert verdict["p_decides"] == flip["p"] and verdict["floor"] == flip["floor"] == 2 / 64
for arm in targets["arms"]: assert arm["above_most_frequent"] == (arm["accuracy"] > targets["most_frequent"])
PY
  ends 0 trace 'tiny: same - pre' --profile smoke width=32 metric=accuracy --results "$W/r"
  prints 'McNemar p' && prints '^ +6 +[0-9]+ +[0-9]+ +[-+]?[0-9.]+ '
  ends 0 trace 'tiny: same - pre' --profile smoke width=32 --results "$W/r" # the loss has no targets
  ! grep -q McNemar "$W/out" || fail "targets of a loss"
}

check_a_threshold_is_not_taken_off_the_seeds() {
  claims_tree
  sed -i 's/expects: lower, test: maxt, margin: 0.02,/against: -1, expects: lower, test: maxt,/' "$W/tree/bench/claims/900.yaml"
  ends 0 run tiny --profile smoke --offline --results "$W/r"
  ends 0 claims 900-1 --results "$W/r"
  sed -n '/^Its seeds/,$p' "$W/out" | awk '$1 ~ /^[0-9]+$/ {print $2}' >"$W/seeds"
  ledger --format json
  python3 - "$W/out" "$W/seeds" <<'PY' || fail "the seeds' differences have another mean than the claim"
import json, sys
verdict = json.load(open(sys.argv[1]))["writeups"][0]["claims"][0]["verdicts"][0]
seeds = [float(line) for line in open(sys.argv[2])]
assert len(seeds) == verdict["n"] and abs(sum(seeds) / len(seeds) - verdict["effect"]) < 1e-3, (seeds, verdict["effect"])
assert abs(verdict["comparison"]["t_interval"]["mean"] - verdict["effect"] - 1) < 1e-12
PY
}

check_the_ledger_says_what_holds() {
  claims_tree
  short
  prints '^3 not tested\. A star marks' && whole | grep -qE 'by Holm.s method over the 2 claims that comparisons of runs decide. Its own sizes .parameters on tokens.: A 19k on 5k of synthetic, 1 seed\.' || fail 'no sizes'
  prints '^  900-1 +Wider is better. +A +not tested$'
  prints '^ +.normbench run tiny --profile smoke. would measure it \(24 runs, about 1 min of two cores\)'
  whole | grep -q 'its own size takes 2 s a run' && prints 'needs a translation task'
  ends 0 run tiny --profile smoke --offline --results "$W/r"
  grep -qE '^  "claim 900-1 [0-9a-f]{64}"' "$W"/r/runs/*/record.json || fail "the claim is not in the records"
  [ "$(grep -lE '^  "plan [0-9a-f]{64}"' "$W"/r/runs/*/record.json | wc -l)" = 24 ] || fail "no plan in the records"
  short # a row for each claim, and the sizes of both below it
  prints '^1 reproduced, 1 open, 1 not tested\.'
  prints '^  900-1 +Wider is better. +-0.2500 +-[0-9.]+ +\[-.*\] +A a +reproduced$' && ! grep -qF 'A plus marks' "$W/out" || fail "a plus"
  whole | grep -qE 'Its own sizes .parameters on tokens.: A 19k on 5k of synthetic, 1 seed. Sizes of runs here: a [0-9.]+k on 5.1k of text:[^ ]*words.txt, 6 seeds; b ' || fail "no sizes"
  prints '^  900-2 +Clipping does not matter. .* b +open(: [0-9]+ seeds, .*)?$' && prints '^  900-3 +It also translates. +not tested$'
  [ "$(grep -c '^  900-' "$W/out")" = 3 ] && ! grep -q 'maxt' "$W/out" || fail "more than a row for each claim"
  [ "$(sed -n '/^A claim is reproduced/,$p' "$W/out" | grep -c '')" -le 4 ] || fail "the legend is long"
  cp "$W/out" "$W/first"
  short
  cmp -s "$W/out" "$W/first" || fail "the same runs give another ledger"
  ends 0 claims WIDER --results "$W/r" # those that hold a word
  prints '^ *900-1 ' && ! grep -q '900-[23]' "$W/out" || fail "another claim holds the word"
  refused "claims: 'xyzzy' is no write-up and no claim, and no claim's text holds it" claims xyzzy --results "$W/r"
  refused 'claims: --format json takes a write-up or a claim, not a word' claims wider --format json --results "$W/r"
  ends 0 claims 900-1 --results "$W/r" # one of them whole
  prints 'Says: Wider is better, says the sentence.' && prints 'Verdict: reproduced; p .031; p adjusted by Holm.s method over the 2 claims of 900'
  prints "Write-up's size: 1 x 32, 19k parameters, 5k tokens of synthetic, 1 seed; it takes 2 s a run"
  prints 'Decides: valid_loss: pre@width=32 - pre@width=16 < 0: lower \(better\), margin 0.02 \(maxt\)$'
  prints '^  measured in +n +rep. +ours +\[CI\] +p +floor +verdict$'
  prints '^  tiny smoke, step 40,( width = 32)? +6 +-0.2500 +-[0-9.]+ +\[-.*\] +.031 +.031 +reproduced'
  prints '^ +prediction interval \[-.*\], by our standard error [0-9.]+ \(the write-up.s is not known\)$' && prints 'The intervals are: 95% t\.'
  prints '^ +1 +-[0-9.]+ +o?[.o:|]+ +[0-9a-f]{12} [0-9a-f]{12}$' && prints '^`normbench run tiny --profile smoke` trains these runs'
  prints '^(.* )?valid_loss: nats per token over all whole validation windows\.'
  ! grep -q '900-[23]' "$W/out" || fail "other claims stand beside it"
  ! grep -qi exploratory "$W/out" || fail "declared comparisons are called exploratory"
  ends 0 claims 900-2 --results "$W/r"
  prints 'nothing is called equal' && prints 'Note: The norm never reaches either limit_' && prints '\(tost\)$'
  prints '^  tiny smoke, step 40,( width = 16)? +6 .* open$'
  ends 0 claims 900-2 --results "$W/r" --format json
  python3 -c "import json, sys; w, = json.load(sys.stdin)['writeups']; assert [c['id'] for c in w['claims']] == ['900-2']" <"$W/out" ||
    fail "the JSON of a claim has others"
  ledger --format json
  python3 - "$W/out" <<'PY' || fail "the JSON is not what bench/ledger/ledger.h says"
import json, sys
ledger = json.load(open(sys.argv[1]))
assert ledger["schema"] == 2 and ledger["counts"]["not tested"] == 1 and ledger["counts"]["reproduced"] == 1
one, two, three = ledger["writeups"][0]["claims"]
assert one["verdict"] == "reproduced" and one["p"] == 0.03125 and one["p_holm"] == 0.0625 and not one["survives_holm"]
assert one["own"] == ["1 x 32, 19k parameters, 5k tokens of synthetic, 1 seed"] == [one["own_size"]] and "6 seeds" in one["our_size"]
v = one["verdicts"][0]
assert v["experiment"] == "tiny" and v["n"] == 6 and v["reported_effect"] == -0.25 and not v["exploratory"]
assert v["comparison"]["max_t_step_down"]["total"] == 64 and v["decided_by"] == v["test"]
assert v["contrast"] == "valid_loss: 1 pre@width=32 -1 pre@width=16" and len(v["specs"]) == 2 and v["seeds"] == [1, 2, 3, 4, 5, 6]
assert v["floor"] == 0.03125 and v["comparison"]["sign_flip"]["total"] == 64 and v["lo"] <= v["effect"] <= v["hi"] < 0
assert two["verdict"] == "open" and len(two["verdicts"]) == 2 and two["note"] and two["setups"][0]["choices"] == ["everything"]
assert three["verdicts"] == [{"verdict": "not tested", "why": "needs a translation task"}] and three["verdict"] == "not tested"
PY
  ledger --format tex
  prints 'begin.tabular' && prints 'Clipping' && prints 'maxt stands for step-down max-T' && prints 'tost stands for '
  short --format html
  prints '<table' && prints 'class="verdict v-reproduced"|verdict v-reproduced' && ! grep -q '<html' "$W/out" || fail "no tables in HTML"
  ledger
  ! grep -qF 'too small to matter' "$W/out" || fail "an effect beyond its margin is called small"
  sed -i 's/test: maxt, margin: 0.02/test: maxt, margin: 5/' "$W/tree/bench/claims/900.yaml"
  ledger
  ! grep -qF 'too small to matter' "$W/out" || fail "six seeds call an effect small"
  sed -i 's/test: maxt/test: wilcoxon/; s/id: 900-3/id: 900-translation/' "$W/tree/bench/claims/900.yaml"
  ledger
  prints '^  900-translation +It also'
  ledger --format tex
  prints 'wilcoxon stands for exact signed ranks \(Wilcoxon 1945\)' && prints '(wilcoxon)'
}

# A test that stands in for the primary one does so only where that was not measured; places are in order.
check_one_place_decides_a_claim() {
  claims_tree
  sed -i 's/- {metric: valid_loss, contrast: {same: 1/- {metric: train_loss, primary: ["tiny@width=64"], contrast: {same: 1, pre: -1}, expects: equal, test: tost, margin: 0.5}\n      &/
    s/test: tost, margin: 0.5}$/test: tost, margin: 0.5, otherwise: ["tiny@width=32", tiny]}/' "$W/tree/bench/claims/900.yaml"
  sed -i 's/\(primary: ."tiny@width=64".*margin: 0.5\), otherwise: .*/\1}/' "$W/tree/bench/claims/900.yaml"
  ends 0 run tiny --profile smoke --offline --results "$W/r"
  ends 0 claims 900-2 --results "$W/r"
  prints 'Decides: train_loss: same - pre = 0' && prints 'Decides: valid_loss: same - pre = 0'
  whole >"$W/line"
  grep -qE 'Decides: train_loss.* estimate .* estimate .*Decides: valid_loss.* width = 16 6 .* estimate .* width = 32 6 .* open' "$W/line" ||
    fail "the second place does not decide alone"
  sed -i 's/tiny@width=64/tiny@width=16/' "$W/tree/bench/claims/900.yaml"
  ends 0 claims 900-2 --results "$W/r"
  whole >"$W/line"
  grep -qE 'Decides: train_loss.* width = 16 6 .* open .* estimate .*Decides: valid_loss.* estimate .* estimate' "$W/line" ||
    fail "the primary test does not decide"
}

# A grid's metric that one rate cannot vary is refused, not tested.
check_what_cannot_vary_is_refused() {
  claims_tree
  sed -i 's/metric: valid_loss, contrast: {same: 1, pre: -1}, expects: equal, test: tost, margin: 0.5/metric: rate_stable, contrast: {same: 1, pre: -1}, expects: higher, test: maxt/' \
    "$W/tree/bench/claims/900.yaml"
  ends 0 run tiny --profile smoke --offline --results "$W/r"
  short
  prints "^  900-2 .* not tested$" && prints "rate_stable' cannot vary here, as there is one learning rate"
  sed -i 's/metric: rate_stable/metric: int8_cost/' "$W/tree/bench/claims/900.yaml"
  short
  prints "^  900-2 .* not tested$" && whole | grep -q "'int8_cost' is not measured here; it needs quantize: true" || fail "of eight bits"
}

# Two claims of one contrast: what was stored for each says that its runs had declared it.
check_a_shared_contrast_is_declared_for_each_claim() {
  local kept
  claims_tree
  kept=$W/tree/results/reference/claims.json
  mkdir -p "$(dirname "$kept")"
  cat >>"$W/tree/bench/claims/900.yaml" <<'YAML'
  - id: 900-4
    source: "line 4"
    says: "It says so once more."
    setup: tiny
    at: [40]
    family: "900"
    tests:
      - {metric: valid_loss, contrast: {"pre@width=32": 1, "pre@width=16": -1}, expects: lower, test: maxt, margin: 0.02}
      - {metric: valid_loss, contrast: {"pre@width=32": 1, "pre@width=16": -1}, expects: equal, test: tost, margin: 0.5}
YAML
  ends 0 run tiny --profile smoke --offline --results "$W/r"
  ledger --format json --own
  cp "$W/out" "$kept"
  ends 0 claims 900-4 --results "$W/none"
  prints '^  tiny smoke, step 40' && ! grep -qF '(exploratory)' "$W/out" || fail "what was stored for the first claim stands for the second"
  ends 0 claims --results "$W/none" --format json
  python3 - "$W/out" "$kept" <<'PY' || fail "the JSON of one test stands for another's"
import json, sys
now, then = (json.load(open(f))["writeups"][0]["claims"][3]["verdicts"] for f in sys.argv[1:])
assert [v["test"] for v in now] == ["maxt", "tost"], now
for v in now: del v["stored"]
assert now == then
PY
}

# A fresh clone shows what the checkout keeps, judged by the same rules; own runs come first.
check_stored_measurements_stand_in_for_runs() {
  local kept
  claims_tree
  kept=$W/tree/results/reference/claims.json
  mkdir -p "$(dirname "$kept")"
  ends 0 run tiny --profile smoke --offline --results "$W/r"
  short
  grep -E '^ +(900|write-up)' "$W/out" >"$W/own"
  ledger --format json --own
  cp "$W/out" "$kept"
  ends 0 claims 900 --results "$W/none"
  prints '^1 reproduced, 1 open, 1 not tested\.' && whole | grep -q 'Stored numbers stand for runs that you lack' || fail "not said what is shown"
  grep -E '^ +(900|write-up)' "$W/out" | diff -w - "$W/own" || fail "not the same lines"
  ends 0 claims 900 --results "$W/none" --open
  prints 'Of 1 open claim a day of two cores or less would decide 1, and more time 0; for 0 no' && prints '^  900-2 ' &&
    ! grep -q '^  900-1' "$W/out" || fail "--open shows other claims"
  ends 0 claims 900-1 --results "$W/none"
  prints '.trained 2[0-9-]{9}, commit' && prints '^  tiny smoke, step 40,( width = 32)? +6 +-0.2500 .* reproduced'
  whole | grep -qF 'They are stored numbers (trained' && ! whole | grep -q 'lists them' || fail "it names records that are not stored"
  local store=results/reference records=results/reference/records archive
  mkdir -p "$W/tree/$store/smoke" && touch "$W/tree/$store/smoke/tiny-runs.csv"
  ends 0 claims 900-1 --results "$W/none"
  whole | grep -qF "of the runs in $store/smoke/tiny-runs.csv; " || fail "it does not name the list of runs"
  archive=$records/smoke/tiny.tar.gz
  mkdir -p "$W/tree/${archive%/*}"
  ends 0 records archive tiny --profile smoke --results "$W/r" -o "$W/tree/$archive"
  ends 0 claims 900-1 --results "$W/none"
  whole | grep -qF "Their records are stored (trained 2" && whole | grep -qF -- "runs tiny --profile smoke --results $archive" ||
    fail "it does not say where the runs are"
  ends 0 runs tiny --profile smoke --results "$W/tree/$archive"
  prints '24 of 24 runs stored'
  ends 0 claims --results "$W/none" --own
  prints '^3 not tested\.' && ! grep -q 'Stored numbers' "$W/out" || fail "--own shows what is stored"
  ends 0 claims --results "$W/none" --profile quick
  prints '^3 not tested\.'
  ends 0 claims --results "$W/none" --format tex
  prints 'Wider is better' && prints 'reproduced'
  ends 0 claims --results "$W/none" --format json
  python3 - "$W/out" "$kept" <<'PY' || fail "the JSON of what is stored is not what was stored"
import json, sys
now, then = (json.load(open(f)) for f in sys.argv[1:])
assert now["counts"] == then["counts"]
for a, b in zip(now["writeups"][0]["claims"], then["writeups"][0]["claims"]):
    assert a["hash"] == b["hash"] and len(a["hash"]) == 64 and a["verdict"] == b["verdict"]
    for v, w in zip(a["verdicts"], b["verdicts"]):
        assert v.pop("stored", None) == (None if v["verdict"] == "not tested" else {"commit": then["commit"]}) and v == w
PY
  ledger # own runs: nothing stored is left to show
  ! grep -qE 'Stored:' "$W/out" || fail "a stored measurement stands beside runs"
  # Another margin and another expectation are asked of the same numbers, after they were there.
  sed -i 's/test: maxt, margin: 0.02/test: maxt, margin: 0.03/; s/expects: lower/expects: higher/' "$W/tree/bench/claims/900.yaml"
  ends 0 claims 900-1 --results "$W/none"
  prints 'Verdict: contradicted; p .031' && grep -qF '(exploratory)' "$W/out" || fail "not judged anew"
  whole | grep -qF '; exploratory: its numbers were seen before its test, or the window of its prediction, was written down' || fail "the verdict does not say it"
  ends 0 claims 900 --results "$W/none"
  prints '^  900-1 .* contradicted \+$' && whole | grep -qF 'A plus marks one whose test, or window, is younger than its runs' || fail "no plus"
  sed -i 's/"contrast": "valid_loss: 1 pre@width=32 -1 pre@width=16"/"contrast": 5/' "$kept"
  ends 5 claims --results "$W/none"
  says '^normbench: .*results/reference/claims.json: claim 900-1: a verdict does not say what was measured$'
  [ "$(grep -c '' "$W/err")" = 1 ] && [ ! -s "$W/out" ] || fail "more than one line"
  ends 5 report --results "$W/r"
  ends 0 claims --results "$W/none" --own
}

# Runs of another arithmetic say so in every form of the ledger, exact ones in none.
check_claims_name_an_arithmetic_that_is_not_exact() {
  claims_tree synthetic
  sed -i 's/\(width[=:].*\)32/\18/; s/1 x 32/1 x 8/' "$W"/tree/bench/{experiments/tiny,claims/900}.yaml
  ends 0 run tiny --profile smoke --offline --results "$W/r" --backend soft-dot --set precision=bf16
  ledger
  prints '^  tiny smoke, step 40,' && prints 'class bf16-dot'
  says '^normbench: note: tiny smoke: runs of arithmetic class bf16-dot are taken$'
  ledger --format tex
  prints 'width = 16, class bf16-dot &'
  ledger --format json
  [ "$(grep -c '"class": "bf16-dot"' "$W/out")" = 3 ] || fail "not every verdict of the JSON has its class"
  ends 0 run tiny --profile smoke --offline --results "$W/r"
  ledger
  ! grep -q 'class' "$W/out" "$W/err" || fail "exact runs are given a class"
  ledger --format json
  ! grep -q '"class"' "$W/out" || fail "exact runs are given a class in the JSON"
}

# The ledger reads records alone: no corpus, and no program that computes what they hold.
check_claims_need_no_corpus() {
  claims_tree
  ends 0 run tiny --profile smoke --offline --results "$W/r"
  ledger
  cp "$W/out" "$W/with"
  prints '1 not tested\.'
  rm "$W/words.txt"
  ledger
  cmp "$W/out" "$W/with" || fail "the corpus changes the ledger"
}

check_a_claim_changed_after_its_runs_is_exploratory() {
  claims_tree
  ends 0 run tiny --profile smoke --offline --results "$W/r"
  sed -i 's/test: tost, margin: 0.5/test: tost, margin: 0.4/' "$W/tree/bench/claims/900.yaml"
  ledger
  [ "$(grep -c '(exploratory)' "$W/out")" = 2 ] || fail "not the two verdicts of the changed claim"
  sed -i 's/^margin: 0.5/margin: 0.6/' "$W/tree/bench/experiments/tiny.yaml"
  ledger
  [ "$(grep -c '(exploratory)' "$W/out")" = 3 ] || fail "a plan changed after its runs is not exploratory"
  ends 0 table tiny --profile smoke --results "$W/r"
  prints 'EXPLORATORY: 24 of 24 runs were trained before this plan was written down'
  [ "$(ls -d "$W"/r/out/tiny-*/ | wc -l)" = 2 ] && [ -e "$W"/r/out/tiny-*/tiny.tex ] ||
    fail "its files are not apart from the declared ones"
}

check_a_larger_profile_was_declared_with_the_smaller() {
  claims_tree
  ends 0 run tiny --profile smoke --offline --results "$W/r"
  ends 0 run tiny --profile quick --offline --results "$W/r"
  ledger
  prints '^  tiny quick, step 40,( width = 32)? +7 '
  ! grep -qi exploratory "$W/out" || fail "profiles of one file are called exploratory"
  ledger --profile smoke
  prints '^  tiny smoke, step 40,( width = 32)? +6 '
}

check_bad_claims_are_refused() {
  claims_tree
  refused "claims: unknown write-up '901'; did you mean '900'\?" claims 901
  refused "claims: unknown claim '900-9' of write-up 900; did you mean '900-[123]'\?" claims 900-9
  refused 'one --format, not several' claims --format json --format tex
  sed -i 's/expects: equal/expects: equl/' "$W/tree/bench/claims/900.yaml"
  refused "900.yaml:31: .*unknown 'equl'; did you mean 'equal'\?" claims
  ends 2 claims 900 902
}

check_the_gate_has_three_levels() {
  local gate
  claims_tree
  sed -i 's/width: \[16, 32\]/width: 16/; s/seeds: 6/seeds: 5/; s/margin: 0.5/margin: 0.02/; s/^lr: 3e-3/lr: 3e-4/' "$W/tree/bench/experiments/tiny.yaml"
  gate=(verify tiny --profile smoke --offline)
  refused "--level: unknown 'numerc'; did you mean 'numeric'\?" verify tiny --level numerc
  ends 3 "${gate[@]}"
  says 'no such snapshot'
  ends 0 verify snapshot tiny --profile smoke --offline --reason "the first one of this test"
  ends 0 "${gate[@]}"
  prints 'level bit: 10 runs, as stored'
  ends 0 "${gate[@]}" --backend cpu64
  prints 'level numeric: 10 runs, as stored'
  sed -i 's/^dataset:/precision: fp64\n&/' "$W/tree/bench/experiments/tiny.yaml"
  ends 0 "${gate[@]}" # the precision is the file's, not the command line's
  prints 'level numeric: 10 runs, as stored'
  sed -i '/^precision: fp64/d' "$W/tree/bench/experiments/tiny.yaml"
  ends 3 "${gate[@]}" --backend cpu64 --level bit
  says "stored in arithmetic class 'canon', measured in 'fp64'"
  ends 0 "${gate[@]}" --level statistical
  prints 'pre +n = 5 .*equivalent'
  refused 'tiny smoke: the plan was changed on the command line; nothing is stored for it' "${gate[@]}" --set lr=3e-5
  for lr in 3e-5 3e-3; do # worse, and better: neither is what was stored
    sed -i "s/^lr: .*/lr: $lr/" "$W/tree/bench/experiments/tiny.yaml"
    for level in numeric statistical; do ends 1 "${gate[@]}" --level $level; done
    prints 'pre .*DIFFERENT'
  done
  sed -i 's/^margin: 0.02/margin: 0.001/; s/^lr: .*/lr: 3.3e-4/; s/^steps: .*/steps: 36/; s/^evaluate_at: .*/evaluate_at: 0,36/' \
    "$W/tree/bench/experiments/tiny.yaml"
  ends 4 "${gate[@]}" --level statistical
  says 'more seeds'
  sed -i '0,/"nats": 2/s//"nats": 3/' "$W/tree/results/baselines/tiny-smoke.json"
  ends 5 "${gate[@]}"
  says 'its rows changed without a reason'
}

# A library's products, as a device has them, beside the CPU's baseline: not its bits, but its losses over seeds.
check_fast_precisions_are_compared_over_seeds() {
  local precision gate=(verify brief --profile smoke --offline --data "$W/data")
  claims_tree
  mkdir -p "$W/data"
  seq 1 400 | tr '\n' ' ' >"$W/data/brief.txt"
  cat >"$W/tree/bench/experiments/brief.yaml" <<YAML
name: brief
dataset: text:$W/data/brief.txt
layers: 1
width: 16
heads: 2
context: 16
batch: 4
steps: 10
lr: 3e-3
evaluate_at: 0,10
margin: 0.02
arms:
  pre: {variant: pre}
profiles:
  smoke: {seeds: 3}
YAML
  ends 0 verify snapshot brief --profile smoke --offline --reason "the first one of this test"
  for precision in tf32 bf16 bf16-stored-fast fp16-scaled-fast; do
    ends 0 "${gate[@]}" --backend simt --set precision=$precision
    prints 'level statistical: 3 runs, as stored'
    prints 'pre +n = 3 .*equivalent'
    ends 3 "${gate[@]}" --backend simt --set precision=$precision --level bit
    says "stored in arithmetic class 'canon', measured in 'simt-$precision'"
  done
  sed -i 's/^lr: .*/lr: 1e-5/' "$W/tree/bench/experiments/brief.yaml"
  ends 4 "${gate[@]}" --backend simt --set precision=bf16
  prints 'pre .*inconclusive'
}

# Plans in a precision that no CPU computes in: the machine stands beside the command, and time on it, not on two cores.
check_plans_for_a_device_say_so() {
  ends 0 claims 000 --own --results "$W/r"
  whole | grep -qE 'run pre-post --profile own.* \(48 runs, about [0-9]+ min of an H100; no CPU computes in bf16-stored-fast\)' ||
    fail 'time on two cores of what no CPU trains'
  ends 0 claims 000-8 --results "$W/r"
  whole | grep -qE 'run pre-post --profile own. trains these runs; it takes an NVIDIA GPU, as no CPU computes in bf16' ||
    fail 'a command that ends with 3 here'
  ends 0 claims 000-15 --results "$W/r"
  whole | grep -qE 'run heads --profile own. trains these runs\. ' || fail 'a device for what a CPU trains'
}

# What a run of a write-up's size takes is what its dry run prints, to the digits shown; BERT has no experiment of its own size.
check_hours_of_a_size_are_those_of_its_dry_run() {
  local hours precision command bert=(mlm --profile own --seeds 1 --set lr=3e-4 --set warmup=0 --set layers=12 --set width=768 --set heads=12
    --set tokenizer=bpe:30522 --set context=128 --set batch=256 --set steps=500000 --set evaluate_at=500000 --dry-run --device A100)
  grep -hoE 'takes: "about .* hours of one A100 a run in [a-z0-9]+( \(normbench [^)]*)?' "$root"/bench/claims/*.yaml |
    sed -E 's/takes: "about ([0-9.,]+) .* run in ([a-z0-9]+)( \(normbench run )?/\1 \2 /; s/,//' >"$W/takes"
  [ "$(grep -c '' "$W/takes")" = 5 ] || fail "not five sizes: $(cat "$W/takes")"
  while read -r hours precision command; do
    read -ra command <<<"${command:-${bert[*]}}"
    nb run "${command[@]}" --results "$W/r" # some do not fit in its memory
    python3 - "$hours" "$precision" "$W/out" <<'PY' || fail "${command[0]}: not $hours hours in $precision"
import re, sys
shown, precision, text = sys.argv[1], sys.argv[2], open(sys.argv[3]).read()
for float_hours, tensor_hours in re.findall(r"GPU hours +([\d.]+) a run \(([\d.]+)\)", text):
    hours = float(tensor_hours if precision == "bf16" else float_hours)
    if abs(hours - float(shown)) <= (0.005 * hours if hours > 100 else 0.5 if hours > 1 else 0.05): sys.exit(0)
sys.exit(1)
PY
  done <"$W/takes"
}
