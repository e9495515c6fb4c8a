# Part of e2e.sh: what weights know of tasks.

tasks_here() { # files of each form in $W
  cat >"$W/piqa.jsonl" <<'J'
{"goal": "1 2 3", "sol1": "4 5", "sol2": "9 9 9"}
{"goal": "7 8", "sol1": "1 1", "sol2": "9 10"}
{"goal": "10 11 12 13 14 15 16 17 18 19 20 21 22", "sol1": "23 24 25 26 27 28 29 30 31", "sol2": "5"}
J
  printf '0\n1\n0\n' >"$W/labels"
  printf '%s\n' '{"sentence": "20 _ 22 23", "option1": "21", "option2": "5", "answer": "1"}' >"$W/wino.jsonl"
  printf '%s\n' '{"context": "1 2", "question": "3", "answerA": "4", "answerB": "5", "answerC": "6", "label": "1"}' >"$W/siqa.jsonl"
  printf '%s\n' '{"ctx": "7 8 9", "endings": ["10", "11", "12", "13"], "label": 0}' >"$W/hella.jsonl"
  # The prompts' letters stand in no text of numbers, so the model has bytes for tokens.
  ends 0 run toy.yaml --set tokenizer=byte --arm '{plain: {variant: pre}}' --seeds 1 --offline --results "$W/r"
  id=$(ls "$W/r/runs")
  ends 0 export "$id" --results "$W/r" -o "$W/w.safetensors"
  own=(--tasks piqa,winogrande,siqa,hellaswag --file "piqa=$W/piqa.jsonl" --file labels:"piqa=$W/labels"
    --file "winogrande=$W/wino.jsonl" --file "siqa=$W/siqa.jsonl" --file "hellaswag=$W/hella.jsonl")
}

# The file, the stored run it came from, several threads: the same numbers; a dump has every choice.
check_weights_are_scored() {
  tasks_here
  ends 0 score "$W/w.safetensors" "${own[@]}" --format json -o "$W/dump" && cp "$W/out" "$W/file"
  [ "$(wc -l <"$W/dump")" = 15 ] || fail "not 6 + 2 + 3 + 4 choices"
  ends 0 score "$id" --results "$W/r" --offline --threads per-run=2 "${own[@]}" --format json -o "$W/again"
  diff <(grep -Ev '"(model|group)":' "$W/file") <(grep -Ev '"(model|group)":' "$W/out") >&2 || fail "the stored run has other scores"
  diff <(sed 's/"model":"[^"]*"//' "$W/dump") <(sed 's/"model":"[^"]*"//' "$W/again") >/dev/null || fail "other likelihoods"
  python3 - "$W/file" "$W/dump" <<'PY' || fail "the scores are not those of the dump"
import json, math, sys
scores = json.load(open(sys.argv[1]))["scores"]
rows = [json.loads(line) for line in open(sys.argv[2])]
for name in dict.fromkeys(s["task"] for s in scores if s["items"]):
    task = {s["metric"]: s for s in scores if s["task"] == name}
    items = {}
    for row in rows:
        if row["task"] == name:
            items.setdefault(row["line"], []).append(row)
    n, right = len(items), {"acc": 0, "acc_norm": 0}
    for choices in items.values():
        ll = [c["loglikelihood"] for c in choices]
        norm = [c["loglikelihood"] / len(c["continuation"][1:]) for c in choices]
        right["acc"] += ll.index(max(ll)) == choices[0]["label"]
        right["acc_norm"] += norm.index(max(norm)) == choices[0]["label"]
    for metric in right:
        p, s = right[metric] / n, task[metric]
        assert s["items"] == n and s["pinned"] == "no" and s["left_out"] == 0
        assert abs(s["share"] - p) < 1e-12 and s["share_lo"] <= p <= s["share_hi"]
        assert n == 1 or abs(s["stderr"] - math.sqrt(p * (1 - p) / (n - 1))) < 1e-12
        assert abs(s["chance"] - sum(1 / len(c) for c in items.values()) / n) < 1e-12
assert [s["truncated"] for s in scores][:1] == [3] and rows[0]["context"] == "Question: 1 2 3\nAnswer:"
assert rows[4]["windows"] == 4 and rows[4]["tokens"] == 27  # context 16: windows of 8
PY
  ends 0 score "$W/w.safetensors" "$id" --results "$W/r" --offline "${own[@]}" --tasks items=2
  prints '^  piqa +2  acc  ' && prints 'piqa: 2 of 2 items were truncated' && prints 'rules: lm_eval 0.4'
  prints "^  $id.* piqa +acc +0 +0 +2 +1\$"
  ends 0 score "$W/w.safetensors" "${own[@]}" --format tex && prints 'begin\{tabular\}'
}

# A file and the run it came from write the same text; seeds and temperatures tell texts apart; mistakes get one line.
check_models_write() {
  tasks_here
  ends 0 sample "$W/w.safetensors" --prompt '1 2' --tokens 40 && cp "$W/out" "$W/one"
  grep -q '^1 2' "$W/one" || fail "the text does not begin with its prompt"
  ends 0 sample "$id" --results "$W/r" --offline --prompt '1 2' --tokens 40 && cmp -s "$W/one" "$W/out" || fail "the run writes another text"
  ends 0 sample "$W/w.safetensors" --prompt '1 2' --tokens 40 --seed 2
  ! cmp -s "$W/one" "$W/out" || fail "another seed, the same text"
  ends 0 sample "$W/w.safetensors" --prompt '1 2' --tokens 40 --samples 2 && prints '^--- 2$'
  ends 0 sample "$W/w.safetensors" --prompt '1 2' --tokens 40 --temperature top-k=1 && cp "$W/out" "$W/one"
  ends 0 sample "$W/w.safetensors" --prompt '1 2' --tokens 40 --temperature 0 && cmp -s "$W/one" "$W/out" || fail "one likeliest is greedy"
  ends 2 sample && says '^normbench: sample: name weights'
  ends 2 sample "$W/w.safetensors" --prompt '' && says '^normbench: --prompt: an empty text'
  ends 2 sample "$W/w.safetensors" --temperature -1 && says "^normbench: --temperature: '-1' is not a number from 0 to 100"
  ends 2 sample plain/seed=1 --results "$T/whole" --offline --prompt Q && says '^normbench: --prompt: code point U[+]0051 at byte offset 0'
}

# The pinned files, where they can be had: a small model is at chance, and the table says so.
check_small_models_score_at_chance() {
  tasks_here
  "$program" data verify arc-easy --offline >/dev/null 2>&1 || return 0
  ends 0 score "$W/w.safetensors" --offline --tasks items=200
  prints '^  arc-easy +200  acc .* 0\.2[45][0-9]*  (at|above) chance ' && prints '^  piqa +200  acc .* 0\.5000  (at|above) chance '
  prints 'arc-easy 1.0, sha256 1d47e4156035, piqa 1.0, sha256 93503cc97c67'
}

check_bad_tasks_get_one_line() {
  local w=("$W/w.safetensors")
  tasks_here
  refused 'score: name weights' score
  refused "unknown task 'piq'; did you mean 'piqa'" score "${w[@]}" --tasks piq
  refused "unknown task 'zzz'; there are: arc-easy, hellaswag" score "${w[@]}" --tasks zzz
  refused "'piqa' stands twice" score "${w[@]}" --tasks piqa,piqa
  refused "'siqa' is not among the --tasks" score "${w[@]}" --tasks piqa --file "siqa=$W/siqa.jsonl"
  refused "unknown task 'piq'; did you mean 'piqa'" score "${w[@]}" --file "piq=$W/piqa.jsonl"
  refused "'piqa' is not key=value" score "${w[@]}" --file piqa
  refused 'hellaswag: not pinned here; --file hellaswag=FILE' score "${w[@]}" --tasks hellaswag
  refused "$W/nowhere" score "${w[@]}" --tasks siqa --file "siqa=$W/nowhere"
  : >"$W/nothing"
  refused 'nothing: the file is empty' score "${w[@]}" --tasks siqa --file "siqa=$W/nothing"
  refused "siqa.jsonl:1: no 'goal'; an item of piqa has goal" score "${w[@]}" --tasks piqa --file "piqa=$W/siqa.jsonl"
  refused 'piqa.jsonl:1: it has no label' score "${w[@]}" --tasks piqa --file "piqa=$W/piqa.jsonl"
  printf '0\n' >"$W/short"
  refused 'short: 1 label for 3 items of piqa' score "${w[@]}" --tasks piqa --file "piqa=$W/piqa.jsonl" --file labels:"piqa=$W/short"
  printf '%s\n' '{"goal": "g", "sol1": "a", "sol2": "a", "label": 0}' >"$W/equal"
  ends 0 score "${w[@]}" --tasks piqa --file "piqa=$W/equal"
  prints 'piqa: two choices of 1 of 1 items are equal: the first of them counts, as in lm_eval'
  refused "unknown 'keep'; there are: refuse, drop" score "${w[@]}" --tasks unknown=keep
  refused '--tasks items: .0. is not a number' score "${w[@]}" --tasks items=0
  refused 'piqa.: questions to score weights on' run toy.yaml --set dataset=piqa --offline --results "$W/r"
  ends 3 score "${w[@]}" --tasks siqa --file "siqa=$W/siqa.jsonl" -o "$W/nowhere/dump" && says 'nowhere/dump: cannot write'
  ends 5 score "$W/piqa.jsonl" --tasks siqa --file "siqa=$W/siqa.jsonl"
  ends 2 score "$W/nowhere.safetensors" --tasks siqa --file "siqa=$W/siqa.jsonl" && says 'nowhere.safetensors'
  ends 0 run toy.yaml --set tokenizer=byte --set objective=masked --arm "{plain: {variant: pre}}" --seeds 1 --offline --results "$W/masked"
  ends 2 score "$(ls "$W/masked/runs")" --results "$W/masked" --tasks siqa --file "siqa=$W/siqa.jsonl" --offline
  says "gives a text no likelihood"
  # A text of numbers has no letters.
  refused "siqa: every item has characters that the tokenizer 'char' does not have .line 1: code point U\+0051" \
    score plain/seed=1 --results "$T/whole" --offline --tasks siqa --file "siqa=$W/siqa.jsonl" --tasks unknown=drop
}
