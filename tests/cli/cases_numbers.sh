# Kinds of cases.sh: numbers, names and texts of other programs, and plans that cannot mean what they say.

# Eight seeds of two arms: the seed, pre and post a line.
rows() { awk 'BEGIN { for (i = 1; i <= 8; i++) printf "%d %.3f %.3f\n", i, 3.4 + i * i % 7 / 1000, 3.45 + i * 5 % 11 / 1000 }'; }
long() { echo seed,arm,value && rows | awk '{ print $1 ",pre," $2; print $1 ",post," $3 }'; }
wide() { echo "seed${1:-,}pre${1:-,}post" && rows | awk -v s="${1:-,}" '{ print $1 s $2 s $3 }'; }
plan() { printf 'dataset: synthetic\nlayers: 1\nwidth: 16\nheads: 2\ncontext: 16\nbatch: 4\nsteps: 3\nevaluate_at: "3"\nseeds: 2\n%s\narms: {pre: {variant: pre}, post: {variant: post}}\n' "$1" >"$W/${2:-p}.yaml"; }

kind_runs_of_other_programs_are_read() {
  local word
  wide >"$W/plain.csv"
  same 1 paired compare plain.csv
  wide | sed 's/^\([0-9]\),/\1.0,/' >"$W/floats.csv" && same 1 paired compare floats.csv
  wide | sed '1!s/,3/,+03/' >"$W/plus.csv" && same 1 paired compare plus.csv
  wide ';' >"$W/semicolons.csv" && same 1 paired compare semicolons.csv
  { printf '\357\273\277' && wide; } >"$W/mark.csv" && same 1 paired compare mark.csv
  wide '|' >"$W/bars.csv" && same 1 paired compare bars.csv
  wide '  ' | sed 's/$/ /' >"$W/blanks.csv" && same 1 paired compare blanks.csv
  { echo '# of three machines' && wide; } >"$W/comment.csv" && same 1 paired compare comment.csv
  wide | sed '1s/^/# /' >"$W/numpy.csv" && same 1 paired compare numpy.csv
  wide | sed 's/$/,/' >"$W/behind.csv" && same 1 paired compare behind.csv
  wide $'\302\240,' >"$W/nbsp.csv" && same 1 paired compare nbsp.csv
  wide | tr '\n' '\r' >"$W/mac.csv" && same 1 paired compare mac.csv
  wide | sed 's/$/\r/' >"$W/windows.csv" && same 1 paired compare windows.csv
  wide | iconv -t UTF-16 >"$W/wide16.csv" 2>/dev/null && same 1 paired compare wide16.csv
  long >"$W/long.csv" && same 1 paired compare long.csv
  long | sed 1s/seed/Seed/ >"$W/capital.csv" && same 1 paired compare capital.csv
  {
    printf '{"arms": {"pre": {' && rows | awk '{ printf "%s\"%s\": %s", (NR > 1 ? ", " : ""), $1, $2 }'
    printf '}, "post": {' && rows | awk '{ printf "%s\"%s\": %s", (NR > 1 ? ", " : ""), $1, $3 }' && printf '}}}\n'
  } >"$W/arms.json"
  same 1 paired compare arms.json
  rows | python3 -c 'import json, sys; rows = [line.split() for line in sys.stdin]
print(json.dumps({name: [float(row[i]) for row in rows] for i, name in enumerate(("seed", "pre", "post"))}))' >"$W/columns.json"
  same 1 paired compare columns.json
  sed 's/\("post": {.*"5": \)[0-9.]*/\1NaN/' "$W/arms.json" >"$W/nan.json"
  refuses "seed 5 of arm 'post' diverged: --cap" compare nan.json
  runs 1 compare nan.json --cap 4
  for word in '' NA N/A None null '#N/A' - nan; do
    long | sed "s|^5,post,.*|5,post,$word|" >"$W/one.csv"
    if [ "$word" = nan ]; then
      refuses 'diverged: --cap' compare one.csv
    else
      refuses 'a diverged run is written nan' compare one.csv
      same 1 unpaired compare one.csv --unpaired
    fi
  done
}

# frame FORM: what a data frame writes in JSON, of the rows of `wide`.
frame() {
  wide | FORM=$1 python3 -c 'import json, os, sys
names, *rows = [line.strip().split(",") for line in sys.stdin]
rows = [[int(row[0]), *map(float, row[1:])] for row in rows]
columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
print({"columns": lambda: json.dumps({name: {str(i): x for i, x in enumerate(column)} for name, column in columns.items()}),
       "list": lambda: json.dumps(columns), "split": lambda: json.dumps({"columns": names, "index": list(range(8)), "data": rows}),
       "records": lambda: json.dumps([dict(zip(names, row)) for row in rows]),
       "table": lambda: json.dumps({"schema": {}, "data": [dict(index=i, **dict(zip(names, row))) for i, row in enumerate(rows)]}),
       "lines": lambda: "\n".join(json.dumps(dict(zip(names, row))) for row in rows)}[os.environ["FORM"]]())'
}

kind_data_frames_and_printed_tables() {
  local form text
  wide >"$W/plain.csv" && same 1 paired compare plain.csv
  for form in columns list split records table lines; do frame "$form" >"$W/$form.json" && same 1 paired compare "$form.json"; done
  sed 's/"seed"/"Seed"/' "$W/columns.json" >"$W/capital.json" && same 1 paired compare capital.json
  wide | sed '1!s/,\([0-9.]*\),\([0-9.]*\)/,tensor(\1),np.float64(\2)/' >"$W/printed.csv" && same 1 paired compare printed.csv
  wide | sed '1!s/,\([0-9.]*\)/,"tensor(\1, device='"'cuda:0'"')"/' >"$W/device.csv" && same 1 paired compare device.csv
  wide | sed 's/,/ | /g; s/^/| /; s/$/ |/; 1s/$/\n|---:|---|:--|/' >"$W/table.md" && same 1 paired compare table.md
  wide | sed '5s/^/# by hand\n/' >"$W/comment.csv" && same 1 paired compare comment.csv
  { wide && printf '\032'; } >"$W/dos.csv" && same 1 paired compare dos.csv
  { wide | tr '\n' '\r' && echo; } >"$W/mac.csv" && same 1 paired compare mac.csv
  echo '{"seed": {"0": 1, "1": 2}, "pre": {"0": 3, "5": 3}, "post": {"0": 3, "1": 4}}' >"$W/rows.json"
  refuses "pre: row '1' of the seeds is missing" compare rows.json
  while IFS='|' read -r text message; do
    printf '%s' "$text" >"$W/bad.json" && refuses "bad.json:1: $message" compare bad.json
  done <<'END'
{"arms": {"a": {"1": 2, "1": 3}, "b": {"1": 2}}}|duplicate object key
{"arms": {"a": {"1": 2,}, "b": {"1": 2}}}|string or '}' expected
{'arms': {'a': {'1': 2}, 'b': {'1': 2}}}|string or '}' expected
{"arms": {"a": {"1": nan}, "b": {"1": 2}}}|invalid token near 'nan'
END
}

kind_runs_without_seeds() {
  long | cut -d, -f2- >"$W/noseed.csv"
  runs 1 compare noseed.csv --unpaired
  refuses '--unpaired compares runs without seeds' compare noseed.csv
  echo '{"pre": [3.4, 3.41, 3.42, 3.43], "post": [3.5, 3.51, 3.52, 3.54]}' >"$W/lists.json"
  runs 1 compare lists.json --unpaired
  refuses 'or --unpaired compares runs without them' compare lists.json
  printf '"Step","pre-s1 - val/loss","pre-s1 - val/loss__MIN","pre-s1 - val/loss__MAX","post-s1 - val/loss"\n"0","4","4","4","4"\n"50","3","3","3","3.5"\n"90","2","2","2","3"\n' >"$W/chart.csv"
  runs 4 compare chart.csv --target 3 --unpaired --column step=Step
  has out "Read as one run a column: 'pre-s1 - val/loss' is arm 'pre', seed 1."
}

kind_runs_against_a_number() {
  printf 'arm,value\n' >"$W/r.csv" && seq 3270 3277 | sed 's/^3/new,3./' >>"$W/r.csv"
  runs 0 compare r.csv --against 3.28,sigma=0.0013 && has out 'below 3.28' && has out 'p sigma'
  runs 0 compare r.csv --against 3.28 --format json && has out '"p_flips": 0.00390625'
  runs 4 compare r.csv --against 3.274 && has out 'not shown to be below 3.274'
  runs 4 compare r.csv --against 3.28 --better higher && has out 'not shown to be above 3.28'
  refuses '--against: sigma needs the number too' compare r.csv --against sigma=1
  refuses '--against or --margin, not both' compare r.csv --against 3.28 --margin 1
  refuses "--against: 'x' is not" compare r.csv --against x
}

kind_what_is_unclear_is_refused() {
  printf 'seed,pre,post\n1,"3,412",3.4\n2,3,4\n' >"$W/decimals.csv" && refuses 'decimals take a point' compare decimals.csv
  printf 'seed,pre,post\n1,3,4\n1,3,4\n' >"$W/twice.csv" && refuses 'there twice (first on line 2)' compare twice.csv
  printf 'seed,pre,post\n1,3,4\n2,3,\n' >"$W/missing.csv" && refuses '--unpaired' compare missing.csv
  printf 'seed,pre,post\n01,3,4\n002,4,6\n10,5,7\n' >"$W/padded.csv" && printf 'seed,pre,post\n1,3,4\n2,4,6\n10,5,7\n' >"$W/unpadded.csv"
  same 4 padded compare padded.csv && same 4 padded compare unpadded.csv
  printf 'seed,pre,post\n01,3,4\n1,4,6\n' >"$W/both.csv" && refuses "seed 1 of arm 'pre' is there twice" compare both.csv
  printf 'seed,pre,post\n-1,3,4\n' >"$W/negative.csv" && refuses "'-1' is not a whole number from 0 on" compare negative.csv
  printf 'seed,pre,post\n9223372036854775808,3,4\n' >"$W/big.csv" && refuses 'is not a whole number' compare big.csv
  printf 'seed,pre,post\n1,2,2\n2,2,2\n3,2,2\n' >"$W/constant.csv"
  runs 4 compare constant.csv && has out 'n/a (all values equal)'
  printf 'seed,a&b_1,$x%%\n1,2,3\n2,2,3.5\n3,2,4\n' >"$W/latex.csv"
  runs 4 compare latex.csv --format tex && has out '\$x\%'
  printf 'seed,pre,post\n%s\n' "$(seq 60 | sed 's/.*/&,3,4.&/')" >"$W/n60.csv"
  runs 1 compare n60.csv && has out '<.001'
  wide >"$W/plain.csv" && same 1 german compare plain.csv --format json
  { LC_ALL=de_DE.UTF-8 same 1 german compare plain.csv --format json; } 2>/dev/null
  wide | sed '5s/,[0-9.]*$/,OOM/' >"$W/oom.csv" && refuses "'OOM' is not a number (a diverged run is written nan)" compare oom.csv
  wide | sed 1d >"$W/bare.csv" && refuses 'the first line has numbers, not names: seed,pre,post' compare bare.csv
  wide | gzip >"$W/runs.csv.gz" && runs 1 compare runs.csv.gz
  head -c 40 "$W/runs.csv.gz" >"$W/cut.csv.gz" && refuses 'the gzip file breaks off' compare cut.csv.gz
  tar -C "$W" -czf "$W/runs.tgz" plain.csv && refuses 'a tar archive: unpack it' compare runs.tgz
  printf "BZh91AY" >"$W/runs.csv.bz2" && refuses "a bzip2 archive: unpack it (bunzip2)" compare runs.csv.bz2
  printf 'PK\3\4' >"$W/runs.xlsx" && refuses 'a spreadsheet' compare runs.xlsx
  wide | iconv -t UTF-16LE >"$W/unmarked.csv" 2>/dev/null && refuses 'with a byte order mark' compare unmarked.csv
  echo '{"seed": [1, 2], "pre": [3, 4, 5]}' >"$W/short.json" && refuses '3 values beside 2 seeds' compare short.json
  printf '\377\376s' >"$W/cut.csv" && refuses 'UTF-16 that is cut off' compare cut.csv
}

kind_plans_as_others_write_them() {
  local value
  for value in 'lr: .001' 'lr: 1.' 'lr: 1e-3' 'lr: "1e-3"' 'lr: 1E-3' 'lr: 0x1p-10' 'bias: False' 'bias: TRUE' 'bias: no' 'tied: yes' 'warmup: 1.0' 'curve_every: 1e1'; do
    plan "$value" && runs 0 run p.yaml --dry-run --offline --results r
  done
  for value in lr=.001 lr=1. bias=False steps=1e1; do runs 0 run p.yaml --set "$value" --dry-run --offline --results r; done
  printf '\357\273\277' | cat - "$W/p.yaml" >"$W/mark.yaml" && runs 0 run mark.yaml --dry-run --offline --results r
  iconv -t UTF-16 "$W/p.yaml" >"$W/wide.yaml" 2>/dev/null && runs 0 run wide.yaml --dry-run --offline --results r
  tr '\n' '\r' <"$W/p.yaml" >"$W/mac.yaml" && runs 0 run mac.yaml --dry-run --offline --results r
  sed 's/pre: {variant: pre}/no: {variant: pre}/' "$W/p.yaml" >"$W/norway.yaml" && runs 0 run norway.yaml --dry-run --offline --results r
  for value in 'bias: maybe' 'layers: 010' 'layers: 8_000' 'lr: 0,5' 'layers: 1.5'; do
    plan "$value" bad && runs 2 run bad.yaml --dry-run --offline --results r
  done
  printf 'lr: 1e-3\nlr: 2e-3\narms: {a: {variant: pre}}\n' >"$W/twice.yaml" && refuses 'duplicate key' run twice.yaml
  printf 'lr: 1e-3\n\tsteps: 3\n' >"$W/tab.yaml" && refuses 'a tab; yaml is indented with spaces' run tab.yaml
  printf 'base: &a {lr: 1}\narms: {a: {<<: *a}}\n' >"$W/merge.yaml" && refuses 'anchors' run merge.yaml
  plan 'lr: [1e-3, 0.001]' values && refuses 'stands in the list twice' run values.yaml
}

kind_names_as_others_call_them() {
  local theirs
  while read -r theirs ours; do
    plan "$theirs: 1" && refuses "unknown key '$theirs'; did you mean '$ours'?" run p.yaml --results r
  done <<'END'
learning_rate lr
n_layer layers
n_embd width
hidden_size width
batch_size batch
block_size context
max_iters steps
weight_decay_ weight_decay
grad_clip clip
num_attention_heads heads
pre_norm variant
normalize_before variant
device --backend
output_dir --results
num_workers --threads
text dataset
grad_clip_norm clip
optimizer.lr lr
training.steps steps
lr_scheduler.warmup_steps warmup
max_train_steps steps
attn_dropout dropout
attn_qk_norm attn.qk
use_rmsnorm attn.in
n_trials seeds
repeats seeds
END
  for theirs in replication alibi mup; do # no name of ours is near
    runs 2 run smoke --set "$theirs=1" && lacks err 'did you mean'
  done
  refuses "did you mean 'lr'?" run smoke --set learning_rate=1e-3
  refuses "did you mean 'layernorm'?" explain --arm '{base: pre, attn.in: LN}'
  refuses "unknown precision 'fp8'; valid: exact, " run smoke --set precision=fp8
  refuses "did you mean 'cosine'?" run smoke --set schedule=linear_warmup_cosine
  refuses "did you mean --backend?" run smoke --cuda
  refuses "did you mean --arm?" run smoke --variant pre
  refuses "did you mean 'verify'?" validate
  refuses "did you mean 'outnorm'?" explain --arm '{base: swinv2}'
  refuses 'lr is a key: --set lr=VALUE' run smoke --learning-rate 1e-3
  refuses "did you mean 'pre'?" run smoke --arm '{base: norm_first}'
  refuses "did you mean 'pre'?" run smoke --arm '{base: nanogpt}'
  refuses "unknown command 'inference'; did you mean 'sample'?" inference
  refuses "did you mean 'layernorm'?" run smoke --arm '{base: pre, attn.in: nn.LayerNorm}'
  refuses "unknown command 'train'; did you mean 'run'?" train smoke
  plan 'metric: val_loss' && refuses "unknown metric 'val_loss'; did you mean 'valid_loss'?" run p.yaml
}

kind_plans_that_cannot_mean_what_they_say() {
  plan 'lr: 0' && runs 0 run p.yaml --dry-run --offline --results r
  has err 'warning: lr: the learning rate is 0 in every step, so nothing is trained'
  plan '' && runs 0 run p.yaml --set lr=1e-3 --set final_lr=1 --set schedule=cosine --dry-run --offline --results r
  has err 'warning: final_lr: the rate rises from lr 1e-3 to 1 at the end'
  runs 0 run p.yaml --set warmup=3 --set schedule=cosine --dry-run --offline --results r
  has err 'warning: warmup: the warm-up ends with the run'
  refuses 'warmup: 4 updates are more than steps (3)' run p.yaml --set warmup=4 --results r
  runs 0 run p.yaml --dry-run --offline --results r && lacks err warning && has out '2 seeds cannot reach p < 0.05'
  runs 0 run p.yaml --arm 'a: {base: pre, label: X}' --arm 'b: {base: post, label: X}' --dry-run --offline --results r
  has err "label: arms a and b are both called 'X'"
  runs 0 run p.yaml --arm 'a: {base: pre, gate: moves 0.5 0.5}' --arm 'b: {base: pre}' --dry-run --offline --results r
  has err "arm 'a': gate: it moves from a number to the same one"
  plan 'summaries: [across]' && runs 0 run p.yaml --dry-run --offline --results r && has err 'across needs one factor'
  plan 'summaries: [across, failures]' && sed -i 's/^layers: 1/layers: [1, 2]/' "$W/p.yaml" && runs 0 run p.yaml --offline --results s
  runs 0 table p.yaml --results s && has out 'layers = 2' && has out 'Runs that diverge or stall' && has out 'across layers'
  plan 'metric: grad_ratio' && runs 0 run p.yaml --dry-run --offline --results r && has err 'metric: grad_ratio cannot vary'
  plan 'metric: rate_stable' && refuses 'made of the runs of a sweep over lr' run p.yaml
  plan '' && runs 0 run p.yaml --set lr=0.02 --set weight_decay=75 --set init_std=0 --dry-run --offline --results r
  has err 'weight_decay: an update multiplies weights by 1 - lr weight_decay = -0.5' && has err 'init_std: it is 0'
  plan 'alpha: 0.95' && runs 0 run p.yaml --dry-run --offline --results r && has err 'warning: alpha: 0.95 is above 0.5; it is the level'
  plan '' && runs 0 run p.yaml --set schedule=linear --set final_lr=1e-3 --set lr=1e-3 --dry-run --offline --results r
  has err 'final_lr: it equals lr, so the schedule (linear) changes nothing'
  runs 0 run p.yaml --arm '{base: pre, tokenizer: byte}' --arm '{base: pre}' --dry-run --offline --results r
  has err 'tokenizer: arms pre+tokenizer=byte and pre differ in it, so their losses are of different tokens'
  refuses 'logit_cap: ramp goes from block to block, and this is outside of them: write 30' explain --arm '{base: pre, logit_cap: ramp 30 5}'
  refuses 'carry: rest takes no number, and 0.5 stands behind it' explain --arm '{base: ngpt, carry: rest 0.5}'
  plan '' && runs 0 run p.yaml --set clip=0 --dry-run --offline --results r && lacks err warning
}

# A header and so many bytes of data behind it.
tensors() { printf "\\x$(printf %02x ${#1})\\0\\0\\0\\0\\0\\0\\0%s" "$1" && head -c "$2" /dev/zero; }

kind_weights_of_other_programs() {
  tensors '{"a":{"dtype":"BF16","shape":[4],"data_offsets":[0,8]}}' 8 >"$W/bf16.safetensors"
  runs 5 import bf16.safetensors && has err "__metadata__ has no 'format_version'"
  tensors '{"a":{"dtype":"F16","shape":[],"data_offsets":[0,2]}}' 2 >"$W/scalar.safetensors"
  runs 5 import scalar.safetensors && has err "__metadata__ has no 'format_version'"
  tensors '{"a":{"dtype":"F4","shape":[4],"data_offsets":[0,2]}}' 2 >"$W/f4.safetensors"
  runs 5 import f4.safetensors && has err "dtype 'F4' (shape [4]) is not known"
  tensors '{"a":{"dtype":"F32","shape":[1,1,2],"data_offsets":[0,8]}}' 8 >"$W/three.safetensors"
  runs 5 import three.safetensors && has err 'F32 of shape [1,1,2]'
  tensors '{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}' 4 >"$W/short.safetensors"
  runs 5 import short.safetensors && has err 'its bytes do not lie inside the file'
  printf '<html><body>Not found</body></html>' >"$W/html.safetensors"
  runs 5 import html.safetensors && has err 'not a safetensors file'
}

kind_weights_of_wrapped_models() { # torch.compile, DataParallel and a model inside another put a prefix before every name
  local prefix
  plan '' && runs 0 run p.yaml --results r && runs 0 export pre/seed=1 --results r -o w.safetensors
  for prefix in module. _orig_mod. transformer. model.transformer.; do
    PREFIX=$prefix python3 - "$W" <<'PY'
import json, os, struct, sys
data = open(sys.argv[1] + "/w.safetensors", "rb").read()
n = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8:8 + n])
header = json.dumps({key if key == "__metadata__" else os.environ["PREFIX"] + key: value for key, value in header.items()}).encode()
open(sys.argv[1] + "/x.safetensors", "wb").write(struct.pack("<Q", len(header)) + header + data[8 + n:])
PY
    runs 5 import x.safetensors && has err "is missing; the file calls it '${prefix}wte.weight': take '$prefix' off its names"
  done
}

kind_texts_that_no_tokenizer_takes() {
  head -c 20000 /dev/zero | tr '\0' '\n' >"$W/newlines.txt"
  refuses 'holds nothing to make pieces of' run smoke --text newlines.txt --tokenizer bpe:300 --results r
  printf 'a short text\n' >"$W/tiny.txt" && refuses 'tokens to train on' run smoke --text tiny.txt --results r
  head -c 3000 /dev/zero | tr '\0' 'a' >"$W/one.txt" && refuses 'there is nothing to predict' run smoke --text one.txt --results r
  gzip -c "$W/newlines.txt" >"$W/text.gz" && refuses 'a gzip archive: unpack it' run smoke --text text.gz --results r
  mkfifo "$W/pipe" && refuses 'a pipe, not a file' run smoke --text pipe --results r
  head -c 3000 /dev/zero | tr '\0' '\351' >"$W/latin1.txt" && refuses 'UTF-8' run smoke --text latin1.txt --results r
}

kind_sentences_of_other_programs() {
  printf 'the cat sat on the mat\n' >"$W/ref.txt" && cp "$W/ref.txt" "$W/hyp.txt"
  runs 0 bleu hyp.txt ref.txt && has out '= 100.00' && lacks err mark
  printf '\357\273\277the cat sat on the mat\n' >"$W/mark.txt"
  runs 0 bleu mark.txt ref.txt && has err 'begins with a byte order mark' && lacks out '= 100.00'
  printf 'a\nb\n' >"$W/two.txt" && refuses 'both need the same number' bleu two.txt ref.txt
}
