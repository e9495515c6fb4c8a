# Part of e2e.sh: corpora in shards, and the experiments at the write-up's size.

# 13 kB of tiny Shakespeare, or of numbers where there is no mirror.
shards_text() {
  local corpus=$root/../shared/datasets/tinyshakespeare/input.txt
  if [ -r "$corpus" ]; then head -c 13000 "$corpus"; else seq 1 2700; fi >"$W/text.txt"
}

made_shards() { # FOLDER: of the text, 13 files
  ends 0 data shards -o "$1" --text "$W/text.txt" --shard-tokens 1000
  prints "^$(basename "$1") +ok +[0-9a-f]{64} "
  [ "$(find "$1" -name '*.tokens' | wc -l)" -ge 13 ] || fail "fewer than 13 shards in $1"
}

hashes() { # RESULTS: what each arm and seed computed
  local record
  for record in "$1"/runs/*/record.json; do
    grep -hE '"(variant|seed|loss_chain|parameters_hash|unigram)":' "$record" | tr -d '\n'
    echo
  done | sort
}

# The write-up's files at a thousandth of their parameters: the same bits from shards and from the text in one piece.
check_the_writeups_sizes_train_at_a_thousandth() {
  local size from count
  shards_text
  made_shards "$W/data/tiny"
  for size in peri-400m peri-1b5 peri-3b2; do
    for from in shards:tiny "text:$W/text.txt"; do
      ends 0 run $size --profile smoke --data "$W/data" --results "$W/$size/${from%%:*}" --set "dataset=$from"
    done
    count=$(hashes "$W/$size/shards" | sort -u | wc -l)
    [ "$count" = 6 ] || fail "$size: $count different runs, not three arms and two seeds"
    diff <(hashes "$W/$size/shards") <(hashes "$W/$size/text") || fail "$size: shards train otherwise than the text"
  done
  # However the stream is cut into files.
  ends 0 data shards -o "$W/data/seven" --text "$W/text.txt" --shard-tokens 77
  ends 0 run peri-400m --profile smoke --data "$W/data" --results "$W/seven" --set dataset=shards:seven
  diff <(hashes "$W/seven") <(hashes "$W/peri-400m/text") || fail "another cut, other bits"
}

# A device shows the same bits: the host brings its batches.
check_shards_train_on_a_device() {
  "$program" list | grep -q '^  simt .*not on this machine' && return
  shards_text
  made_shards "$W/data/tiny"
  for from in shards:tiny "text:$W/text.txt"; do
    ends 0 run "$T/one.yaml" --backend simt --data "$W/data" --results "$W/${from%%:*}" --set "dataset=$from" --set tokenizer=char
  done
  [ "$(hashes "$W/shards" | wc -l)" -gt 0 ] || fail "no runs"
  diff <(hashes "$W/shards") <(hashes "$W/text") || fail "shards train otherwise than the text"
}

shards_damaged() { # NAME PATTERN: running and verifying end with 5, and the line names the file
  local run=(run "$T/one.yaml" --data "$W/data" --results "$W/none" --set dataset=shards:tiny)
  ends 5 "${run[@]}"
  says "^normbench: .*$W/data/tiny/$1:.*$2"
  ends 5 data verify shards:tiny --data "$W/data"
  says "$W/data/tiny/$1:"
  [ ! -e "$W/none/runs" ] || [ -z "$(ls -A "$W/none/runs")" ] || fail "something was trained"
}

check_bad_shards_are_named() {
  local folder=$W/data/tiny
  shards_text
  made_shards "$folder"
  cp -r "$folder" "$W/good"
  again() { rm -rf "$folder" && cp -r "$W/good" "$folder"; }
  rm "$folder/train-00003.tokens"
  shards_damaged train-00003.tokens 'cannot be read: No such file'
  again && printf x | dd of="$folder/train-00004.tokens" bs=1 seek=1001 conv=notrunc 2>/dev/null
  shards_damaged train-00004.tokens 'damaged: SHA-256'
  again && truncate -s -1 "$folder/valid-00000.tokens"
  shards_damaged valid-00000.tokens 'damaged: 3999 bytes, the manifest says 4000'
  again && : >"$folder/train-00000.tokens"
  shards_damaged train-00000.tokens 'damaged: 0 bytes'
  again && rm "$folder/tokenizer.model"
  shards_damaged tokenizer.model ''
  again && sed -i 's/"tokens": 1000,/"tokens": "many",/' "$folder/manifest.json"
  shards_damaged manifest.json "shard 1: 'tokens' is not a whole number"
  again && echo '{"format": "normbench shards 9"}' >"$folder/manifest.json"
  shards_damaged manifest.json "'format' is not"
  again && : >"$folder/manifest.json"
  shards_damaged manifest.json 'no JSON'
  again
  refused "tokenizer char, not of byte" run "$T/one.yaml" --data "$W/data" --results "$W/none" --set dataset=shards:tiny \
    --set tokenizer=byte
  ends 3 run "$T/one.yaml" --data "$W/data" --results "$W/none" --set dataset=shards:absent
  says "corpus 'shards:absent' cannot be had: no shards at $W/data/absent/manifest.json"
  ends 3 run peri-400m --profile full --results "$W/none"
  says "normbench data shards -o DIR/dclm-c4 .*mlfoundations/dclm-baseline"
  ends 0 run "$T/one.yaml" --data "$W/data" --results "$W/trained" --set dataset=shards:tiny
}

# A shard that is cut short under a run ends it with 5; nothing of it is stored.
check_a_shard_that_goes_while_a_run_reads_it() {
  local folder=$W/data/tiny
  shards_text
  made_shards "$folder"
  begin run "$T/one.yaml" --data "$W/data" --results "$W/r" --set dataset=shards:tiny --set steps=200000 \
    --set evaluate_at=200000 --checkpoint-every 0
  until_says 'never run'
  sleep 1
  truncate -s 100 "$folder/train-00002.tokens"
  ended 30
  [ "$rc" = 5 ] || fail "exit $rc instead of 5"
  says "train-00002.tokens: the shard has changed since it was checked"
  [ -z "$(find "$W/r/runs" -name record.json)" ] || fail "a run of zeros was stored"
}

check_shards_are_made_of_what_is_a_text() {
  shards_text
  refused 'data shards: -o FOLDER' data shards --text "$W/text.txt"
  refused 'data shards: --text FILE' data shards -o "$W/x"
  refused 'data: --text is of `data shards`' data verify --text "$W/text.txt"
  refused "unknown verb 'shard'; did you mean 'shards'" data shard
  refused "unknown tokenizer 'chars'; did you mean 'char'" data shards -o "$W/x" --text "$W/text.txt" --tokenizer chars
  refused "absent.txt" data shards -o "$W/x" --text "$W/absent.txt"
  : >"$W/empty.txt"
  refused "empty.txt: the file is empty" data shards -o "$W/x" --text "$W/empty.txt"
  printf 'a\377b' >"$W/bytes.txt"
  refused "bytes.txt: not UTF-8 at byte offset 1" data shards -o "$W/x" --text "$W/bytes.txt"
  refused "2 texts to train on, and none to validate on" data shards -o "$W/x" --text "$W/text.txt" --text "$W/text.txt"
  refused "text.txt stand in it word for word" data shards -o "$W/x" --text "$W/text.txt" --valid "$W/text.txt"
  refused "shard-tokens: '0' is not a number from 1" data shards -o "$W/x" --text "$W/text.txt" --shard-tokens 0
  [ ! -e "$W/x/manifest.json" ] || fail "a manifest of nothing"
  made_shards "$W/made"
  refused "made holds a manifest.json already" data shards -o "$W/made" --text "$W/text.txt"
}

# What the write-up's sizes take, without a corpus, a device or the memory.
check_a_dry_run_of_the_writeups_sizes() {
  local size
  for size in 400m:404773888:2 1b5:1514207232:1 3b2:3245544960:0; do
    IFS=: read -r name parameters fits <<<"$size"
    ends 3 run "peri-$name" --profile full --dry-run --results "$W/none"
    prints "^  parameters   $parameters\$"
    prints '^device: A100, 80 GB; GPU hours at 40% of 19.5 TFLOP/s'
    prints '^  tokens       3e\+10: 14306 steps of 256 x 8192$'
    prints '^all 15 runs: .* FLOPs, .* GPU hours'
    case $fits in
      0) says 'arm post does not fit: one sequence of 8192 tokens needs .* GB, .* the device has 80$' ;;
      *) says "a step of 256 sequences needs .* GB, the device has 80; at once $fits of the sequences fit" ;;
    esac
  done
  # A window after the other, and activations again: 8 partial sums of the gradients are half of what it takes.
  ends 0 run peri-400m --profile full --dry-run --memory micro-batch=1 --memory recompute --results "$W/none"
  prints "^memory: of one device that trains a step in parts; blocks' activations are recomputed; all logits are held"
  prints '^  memory       3[0-9.]* GB: weights .* partial sums of them 16\.2[0-9]*, '
  prints '^  FLOPs        7.626e\+15 a step, '
  ends 0 run peri-400m --profile full --dry-run --memory micro-batch=1 --memory recompute --memory logit-rows=256 --results "$W/none"
  prints '^  memory       2[0-9.]* GB: .* activations 1\.[0-9]*, '
  ends 2 run peri-400m --profile full --dry-run --memory micro-batch=3
  says 'micro-batch: 3 does not divide the batch of 256 sequences'
  ends 0 run peri-400m --profile full --dry-run --set batch=2 --results "$W/none"
  ends 3 run peri-400m --profile full --dry-run --set batch=3 --results "$W/none" # 2^31 logits
  ends 0 run peri-3b2 --profile full --dry-run --set batch=1 --device H200 --results "$W/none"
  ends 3 run peri-3b2 --profile full --dry-run --set batch=1 --device H200 --device memory=120e9 --results "$W/none"
  says 'the device has 120$'
  # Half the peak, twice the hours.
  ends 0 run peri-400m --profile full --dry-run --set batch=1 --device flops=1e12 --device utilization=0.5 --results "$W/none"
  one=$(sed -n 's/^  GPU hours *\([0-9.]*\) a run$/\1/p' "$W/out" | head -1)
  ends 0 run peri-400m --profile full --dry-run --set batch=1 --device flops=1e12 --device utilization=0.25 --results "$W/none"
  two=$(sed -n 's/^  GPU hours *\([0-9.]*\) a run$/\1/p' "$W/out" | head -1)
  awk -v one="$one" -v two="$two" 'BEGIN { exit !(one > 0 && two / one > 1.999 && two / one < 2.001) }' ||
    fail "GPU hours $one and $two"
  refused "device: unknown 'A10'; did you mean 'A100'" run peri-400m --dry-run --device A10
  refused "utilization: '2' is not a share of the peak" run peri-400m --dry-run --device utilization=2
  refused 'device goes with --dry-run' run peri-400m --device A100
  # The transcript that docs/cluster.md shows, of Pre-LN.
  grep '^\$ ' "$root/results/reference/peri-sizes.txt" | while read -r _ _ _ name options; do
    "$program" run "$name" $options --results "$W/none" >"$W/out" 2>/dev/null
    echo "\$ normbench run $name $options"
    awk '/^pre$/ { pre = 1; next } /^[a-z]/ { pre = 0 } pre' "$W/out" | if [[ $options = *micro* ]]; then grep memory; else grep -v "^  tokens"; fi
  done >"$W/sizes"
  diff "$W/sizes" "$root/results/reference/peri-sizes.txt" || fail "peri-sizes.txt is not what dry runs print"
  [ ! -e "$W/none" ] || fail "a dry run left something"
}
