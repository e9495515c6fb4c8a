# Sourced by mutated.sh and fuzz.sh, with $program and $root: goes into an empty folder that ends with them, and makes there a
# folder for each target of target.c, and in it what this program itself writes or reads, small. inputs/ holds what mutations
# and libFuzzer found before.
T=$(mktemp -d "${TMPDIR:-/tmp}/normbench-hostile.XXXXXX") || exit 3
trap 'rm -rf "$T"' EXIT
trap 'exit 130' INT TERM
export TMPDIR=$T
cd "$T" || exit 3
targets="compare logs spec experiment arm claims record archive curves translations weights manifest snapshot task tokenizer model escape bleu"
for target in $targets; do mkdir "$target"; done
seq 1 400 | tr '\n' ' ' >text.txt
"$program" run smoke --text text.txt --tokenizer byte --set seeds=1 --set steps=2 --set evaluate_at=2 --set layers=1 --set width=8 \
  --set heads=1 --set context=8 --set batch=2 --set curve_batches=1 --arm '{plain: {variant: pre}}' --offline --results r >said 2>&1 &&
  "$program" export "$(ls r/runs)" -o weights/one --results r --offline >>said 2>&1 ||
  { echo "Bail out! a tiny run fails: $(tail -n 1 said)"; exit 3; }
"$program" archive r/out/smoke-* -o archive/one.tar --results r >>said 2>&1 && gzip -n <archive/one.tar >archive/two ||
  { echo "Bail out! no archive: $(tail -n 1 said)"; exit 3; }
cp r/runs/*/record.json record/one && cp r/runs/*/curves.csv curves/one
python3 -c 'import json; print(json.load(open("record/one"))["spec"], end="")' >spec/one
cp "$root"/bench/experiments/smoke*.yaml "$root/bench/experiments/peri-seeds.yaml" experiment
cp "$root"/bench/claims/00[24].yaml claims
cp "$root/results/baselines/smoke-smoke.json" snapshot
printf '{base: pre, attn.out: {from: 2/3, norm: rmsnorm}, gate: learned 0, lr: 1e-3}' >arm/one
printf '\0seed,pre,post\n1,3.25,3.5\n2,3.125,3.75\n3,nan,3.5\n' >compare/wide
printf '\4arm,seed,value\npre,1,3.25\npost,1,3.5\npre,2,inf\npost,2,3.75\n' >compare/long
printf '\0[{"seed": 1, "arm": "a", "value": 3}, {"seed": 1, "arm": "b", "value": 2.5}]' >compare/list
printf '\0{"arms": {"a": {"1": 3, "2": 4}, "b": {"1": 3.5, "2": "nan"}}}' >compare/arms
printf '\2{"seed": 1, "arm": "a", "value": 2, "step": 1}\n{"seed": 1, "arm": "b", "value": 4, "step": 2}\n' >compare/lines
printf '\0Step,pre-s1 - loss,pre-s1 - loss__MIN,post-s1 - loss\n0,4,4,5\n10,3,3,3.5\n' >logs/chart
printf '\0{"_meta": {"seed": 1}}\n{"step": 0, "loss": 3.5}\n{"step": 10, "loss": NaN}\n' >logs/lines
printf '\0{"log_history": [{"step": 1, "eval_loss": 2.5}], "results": {"t": {"acc,none": 0.5}}, "config": {}}' >logs/json
printf '\0step:0/9 val_loss:10.5\nstep 200: train loss 2.5, val loss 2.75\ns:5 tel:3\n1717312614000 0.5 0\n' >logs/text
printf '\0\x93NUMPY\x01\0\x46\0%-69s\n12345678' "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }" >logs/npy
{ printf '\1' && python3 "$root/tests/hostile/events.py"; } >logs/events
{ printf '\1' && sed -n '/^const char translations_heading/,/;/p' "$root/bench/store/sentences.c" | grep -o '"[^"]*"' | tr -d '"\n' |
  sed 's/\\t/\t/g; s/\\n/\n/g' && printf '2\t2\t1\t0\t0\t0\t2\t1\t0\t0\tein Haus\ta house\ta hut\n%.0s' 1 2; } >translations/one
hash=$(printf x | sha256sum | cut -c1-64)
printf '{"format": "normbench shards 1", "name": "n", "tokenizer": "bpe:300", "vocabulary": "%s", "model": {"file": "m", "sha256": "%s"},
 "unigram_train": 5.5, "unigram_valid": 5.5, "shards": [{"file": "a", "part": "train", "tokens": 9, "bytes": 18, "sha256": "%s"},
 {"file": "b", "part": "valid", "tokens": 9, "bytes": 18, "sha256": "%s"}]}' $hash $hash $hash $hash >manifest/one
for i in 0 1 2 3 4; do
  printf "\\$i"'{"goal": "to sew", "sol1": "a needle", "sol2": "a nail", "question": "q", "choices": {"text": ["a", "b"], "label": ["A", "B"]}, "answerKey": "A", "label": 0, "ctx": "c", "endings": ["d", "e"]}\n' >task/$i
done
printf '\0naïve “text”, 3.5%%\n' >tokenizer/characters
printf '\1any bytes \377' >tokenizer/bytes
printf '\2byte\n' >tokenizer/vocabulary
printf '\n\007\n\001a\025\0\0\0\0\030\001\022\004\010\001 \002' >model/one
printf '<b onload="x">\\write18{rm} \\input{a} $x^^41$ & %% # "; system("x") α \357\277\277 \177\n' >escape/one
printf 'The cat sat, 3.5%% of it.\nA cat sat "there".\n' >bleu/one
for target in $targets; do [ ! -d "$root/tests/hostile/inputs/$target" ] || cp "$root/tests/hostile/inputs/$target"/* "$target"; done
