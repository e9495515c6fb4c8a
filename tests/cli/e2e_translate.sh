# Part of e2e.sh: encoder-decoders, from two files of sentences to translations.

pairs_here() { # 60 pairs that are easy to learn: $W/a and $W/b, or $near/a and $near/b, and pairs.yaml on them
  local i
  near=${W##*/} # a shorter path
  for i in $(seq 60); do
    echo "ein $((i * i % 7)) haus $((i % 5))" >>"$W/a"
    echo "one $((i * i % 7)) house $((i % 5))" >>"$W/b"
  done
  cat >"$W/pairs.yaml" <<YAML
name: pairs
dataset: text:$near/a,$near/b
objective: translate
positions: sinusoidal
label_smoothing: 0.1
layers: 1
width: 32
heads: 4
context: 20
batch: 6
lr: 1e-2
steps: 60
evaluate_at: 0,30
curve_every: 10
curve_batches: 1
arms:
  plain: {variant: pre}
YAML
}

# A run, its file of weights, two threads: the same sentences; a record holds what the run wrote of its validation part,
# and a run that was stopped ends with the same bytes.
check_sentences_are_translated() {
  pairs_here
  ends 0 run "$W/pairs.yaml" --offline --results "$W/r" --threads 1
  id=$(ls "$W/r/runs")
  record=$W/r/runs/$id/record.json lines=$W/r/runs/$id/translations.tsv
  [ "$(wc -l <"$lines")" = 7 ] && grep -q '"translations": {' "$record" || fail "not six sentences"
  grep -q "\"sha256\": \"$(sha256sum "$lines" | cut -c1-64)\"" "$record" || fail "the record names another file"
  [ "$(grep -c '"bleu": [0-9]' "$record")" = 2 ] || fail "BLEU is not that of steps 30 and 60"
  cut -f 13 "$lines" | tail -n +2 >"$W/wrote" && cut -f 12 "$lines" | tail -n +2 >"$W/wanted"
  ends 0 bleu "$W/wrote" "$W/wanted"
  score=$(sed -n 's/^BLEU|.* = \([0-9.]*\) .*BP.*/\1/p' "$W/out")
  [ "$(sed -n 's/.*"bleu": \([0-9.]*\).*/\1/p' "$record" | tail -n 1 | xargs printf %.2f)" = "$score" ] ||
    fail "the record's BLEU is not that of its sentences"
  ends 0 export "$id" --results "$W/r" --offline -o "$W/w.safetensors"
  ends 0 export "$id" --results "$W/r" --offline --batches --at 0 -o "$W/b.safetensors"
  ends 0 import "$W/b.safetensors" --offline
  python3 - "$W/b.safetensors" <<'PY' || fail "no numbers of pairs"
import json, struct, sys
path = sys.argv[1]
data = open(path, "rb").read()
end = 8 + struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8:end])
at, to = (end + offset for offset in header["batches"]["data_offsets"])
numbers = [n for (n,) in struct.iter_unpack("<q", data[at:to])]
assert header["batches"]["shape"][0] == 60 and -1 <= min(numbers) and max(numbers) == 53, header["batches"]
first = next(i for i, n in enumerate(numbers) if n >= 0)
header["__metadata__"].pop("sha256", None)
other = json.dumps(header).encode()
open(path, "wb").write(struct.pack("<Q", len(other)) + other + data[end:at] + struct.pack("<q", numbers[first] ^ 1) + data[at + 8:])
PY
  ends 5 import "$W/b.safetensors" --offline
  says "'batches': step 0 holds other batches than this run trains on"
  tail -n 6 "$W/a" >"$W/a6"
  "$program" translate "$W/w.safetensors" --beam 1 <"$W/a6" >"$W/greedy" 2>"$W/err" || fail "translate ends with $?"
  cmp -s "$W/greedy" "$W/wrote" || fail "another text than at the last validation"
  "$program" translate "$id" --results "$W/r" --offline --threads per-run=2 --beam 1 <"$W/a6" >"$W/again" 2>"$W/err"
  cmp -s "$W/greedy" "$W/again" || fail "the stored run writes another text than its file"
  "$program" translate "$W/w.safetensors" <"$W/a6" >"$W/beam" 2>"$W/err" && [ "$(wc -l <"$W/beam")" = 6 ] ||
    fail "five beams"
  printf '\nein 1 haus 2 ein 3 haus 4 ein 4 haus 1\n' | "$program" translate "$W/w.safetensors" >"$W/out" 2>"$W/err"
  says '1 of 2 lines have more than 19 tokens'
  [ "$(wc -l <"$W/out")" = 2 ] && [ -z "$(head -n 1 "$W/out")" ] || fail "an empty line was translated"
  ends 0 table "$W/pairs.yaml" --results "$W/r"
  prints '^  BLEU ↑? *[0-9]'
  prints "What the first seed's runs write" && prints '^  reference +one'
  begin run "$W/pairs.yaml" --offline --results "$W/stopped" --threads 1
  until_there "$W/stopped/runs/.partial"
  kill -INT "$pid"
  ended 20
  ends 0 run "$W/pairs.yaml" --offline --results "$W/stopped" --threads 1
  same "$W/stopped" "$W/r"
  cmp -s "$lines" "$W/stopped/runs/$id/translations.tsv" || fail "a stopped run wrote other sentences"
  sed -i '2s/haus/maus/' "$lines"
  ends 5 table "$W/pairs.yaml" --results "$W/r"
  says 'translations.tsv: its bytes do not have the hash'
}

check_what_is_no_translation_is_refused() {
  pairs_here
  refused "needs sentence pairs, and 'text.txt' is one text" run toy.yaml --set objective=translate --results "$W/r" --offline
  refused 'rope is not possible in an encoder-decoder' run "$W/pairs.yaml" --set positions=rope --results "$W/r" --offline
  refused 'sinusoidal is of encoder-decoders' run toy.yaml --set positions=sinusoidal --results "$W/r" --offline
  refused 'every one of the 54 training pairs has a sentence of more than context - 1 = 5 tokens' \
    run "$W/pairs.yaml" --set context=6 --results "$W/r" --offline
  head -n 59 "$W/b" >"$W/short"
  refused 'a: 60 lines, and .*short 59: they are no pairs' run "$W/pairs.yaml" --text "$near/a,$near/short" --results "$W/r" --offline
  printf 'x\xff\n' | cat - "$W/a" | head -n 60 >"$W/odd"
  refused 'UTF-8' run "$W/pairs.yaml" --text "$near/odd,$near/b" --results "$W/r" --offline
  refused '--beam' translate "$W/pairs.yaml" --beam 0
  ends 0 run "$W/pairs.yaml" --set steps=4 --set evaluate_at=4 --offline --results "$W/r"
  id=$(ls "$W/r/runs")
  ends 0 export "$id" --results "$W/r" --offline -o "$W/w.safetensors"
  refused 'standard input is empty' translate "$W/w.safetensors"
  refused 'a language model|an encoder-decoder, which translates' sample "$W/w.safetensors"
  refused 'an encoder-decoder, which translates' score "$W/w.safetensors" --tasks piqa
  refused 'a language model, which goes on from a text' translate "$(ls "$T/whole/runs" | head -n 1)" --results "$T/whole"
  printf 'ein \xff haus\n' >"$W/bytes"
  "$program" translate "$W/w.safetensors" <"$W/bytes" >"$W/out" 2>"$W/err"
  [ $? = 2 ] && says 'translate: line 1: ' || fail "bytes that are not UTF-8 were translated"
}
