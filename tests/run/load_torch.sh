#!/usr/bin/env bash
# bench/peers/load_torch.py gives the loss and the accuracy of `normbench import` for every variant, every norm in every
# column, every rule and every recipe, from the exported file and the text alone: with numpy, and with PyTorch where it is
# installed. A wrong output or constant of any op must show. TAP.
#   load_torch.sh PROGRAM ROOT [N]    N: of the values in the columns only every Nth, so that each column and each value is tried
. "$(dirname "$0")/../lib.sh"
unset NORMBENCH_DATA NORMBENCH_ROOT
program=$(realpath "$1") root=$(realpath "$2")
export NORMBENCH_ROOT=$root OPENBLAS_NUM_THREADS=1
cd "$T" || exit 3
find_numpy
loader=$root/bench/peers/load_torch.py


# Words with letters of one to four bytes.
for i in $(seq 150); do printf '%s the %s grün ist 水 of %s\n' "$((i * i % 97))" "$((i % 13))" "𝛼$((i * 7 % 31))"; done >text
"$program" list --format json >list.json && "$program" list >list.txt || exit 3
shape="layers: 4
width: 16
heads: 4
context: 16
batch: 4
steps: 8
lr: 3e-2
norm_eps: 1e-2
evaluate_at: 8
curve_every: 4
seeds: [1]
profiles: {smoke: {}}
dataset: text:text"
"$python" - "$program" "$shape" "${3:-1}" <<'PY' || exit 3
import json, re, subprocess, sys
rows = json.load(open("list.json"))
columns = re.search("columns any variant can take: (.*?)\n\n", open("list.txt").read(), re.S).group(1).split()
values = {"norm": [n["name"] for n in rows["norms"]],
          "rule": [f"{r['name']} 0.7{end}" for r in rows["rules"] for end in ("", " 0.3")],
          "choice": [c["name"].split(": ")[1] for c in rows["choices"]]}
ranged = {"attn.out": "{from: 1/2, norm: rmsnorm}", "mlp.in": "{to: 1/2, norm: none}", "gate": "{from: 2/3, rule: learned 0.4}",
          "attn.gate": "[learned_row 0.5, {to: 0, rule: 0.3}]", "x0": "{from: 1/2, rule: learned 0.2}", "mlp.out_strength": "{to: 1, rule: moves 0 1}"}
tries = [{"base": v["name"]} for v in rows["variants"]]
tries += [{"base": "post", c: value.replace("constant ", "")} for i, c in enumerate(columns) for kind in values
          for j, value in enumerate(values[kind]) if (i + j) % int(sys.argv[3]) == 0]
tries += [{"base": "peri", **ranged}]
arms = []
for arm in tries:
    text = "{" + ", ".join(f"{key}: {value}" for key, value in arm.items()) + "}"
    # What the program does not take, such as a norm where a number belongs, is no arm.
    if subprocess.run([sys.argv[1], "explain", "--arm", text], capture_output=True).returncode == 0:
        arms.append(text.replace("base:", "variant:"))
assert len(arms) >= 50, arms
for first in range(0, len(arms), 60):  # an experiment has at most 64 arms
    with open(f"placements-{first}.yaml", "w") as out:
        print(f"name: placements-{first}\ntitle: Every placement\nbaseline: pre\n{sys.argv[2]}\narms:\n  pre: {{variant: pre}}", file=out)
        for i, text in enumerate(arms[first:first + 60]):
            print(f"  a{i}: {text}", file=out)
PY
{ printf 'name: recipes\ntitle: Recipes\nbaseline: pre\n%s\n' "$shape"
  printf 'arms: {pre: {variant: pre}, learned: {variant: peri, attn.qk: rmsnorm, gate: learned_row 0.3}}\n'; } >recipes.yaml

run() { # experiment, --set words
  local words=() word
  for word in "${@:2}"; do words+=(--set "$word"); done
  "$program" run "$1.yaml" --results results "${words[@]}" >>log 2>&1 || { tail -n 3 log | sed 's/^/# /'; echo "Bail out! run $*"; exit 3; }
}
for file in placements-*.yaml; do run "${file%.yaml}"; done
run recipes bias=false
run recipes tied=false
run recipes activation=relu ffn_mult=2
run recipes recipe=llama
run recipes positions=none
run recipes dropout=0.2
run recipes layers=5 width=24 heads=2
run recipes tokenizer=byte
run recipes objective=masked

"$program" run recipes.yaml --results results --set tokenizer=bpe:300 >>log 2>&1 || grep -q 'no sentencepiece' log ||
  { echo "Bail out! run bpe"; exit 3; }
for record in results/runs/*/record.json; do
  id=$(basename "$(dirname "$record")")
  batches=--batches
  grep -q 'objective = masked' "$record" && batches= # its crops are not all that it reads
  "$program" export "$id" --results results $batches -o "$id.safetensors" >>log 2>&1 &&
    "$program" import "$id.safetensors" --results results --format json >"$id.json" 2>>log ||
    { tail -n 3 log | sed 's/^/# /'; echo "Bail out! export $id"; exit 3; }
done

cat >check.py <<'PY'
"""check.py numpy|torch: every file against what import says."""
import glob, json, os, sys
sys.path.insert(0, os.path.join(os.environ["NORMBENCH_ROOT"], "bench/peers"))
import load_torch as lt
TOLERANCE = 3e-7  # nats: float32 sums in another order
FILES = 40
if lt.torch:
    lt.torch.set_grad_enabled(False)
valid, worst, kinds, tokenizers, weak, tried = lt.parts("text")[1], 0, set(), set(), {}, {}
files = sorted(glob.glob("*.safetensors"))
for path in files:
    ops = lt.Numpy() if sys.argv[1] == "numpy" else lt.Torch()
    file, want = lt.File(path, ops), json.load(open(path.replace(".safetensors", ".json")))
    ids, context = file.vocabulary.encode(valid), file.graph["context"]
    assert file.vocabulary.decode(ids) == valid, path
    def loss_now():
        hidden = file.graph["vocabulary"] if file.spec.get("objective") == "masked" else 0
        return lt.validate(lambda x: lt.forward(ops, file.graph, file.weights, x), ops, ids, context, hidden)
    loss, accuracy, targets = loss_now()
    off = abs(loss - want["valid_loss"])
    worst = max(worst, off)
    if off > TOLERANCE * max(1, abs(want["valid_loss"])) or targets != want["targets"] or abs(accuracy - want["accuracy"]) > 1.5 / targets:
        print(path, file.spec["tokenizer"], loss, accuracy, targets, "import:", want["valid_loss"], want["accuracy"], want["targets"])
    kinds |= {op["op"] for op in file.graph["ops"]}
    tokenizers.add(file.vocabulary.kind)
    if sys.argv[1] != "numpy":
        model = lt.load(path)
        names = {n for n in file.weights}
        assert set(model.state_dict()) == names, path
        x = ops.ids([ids[:context]])
        y, seen = model(x, want=[file.graph["ops"][0]["out"]])
        assert lt.torch.equal(y, lt.forward(ops, file.graph, file.weights, x)) and len(seen) == 1, path
        continue
    # Would an error be seen? Each kind of op with every second column off, each constant off, in the first FILES that have it.
    for kind in sorted({op["op"] for op in file.graph["ops"]} - {"dropout"}):
        if tried.get(kind, 0) == FILES:
            continue
        def wrong(op, x, *rest, right=getattr(ops, kind)):
            y = right(op, x, *rest).copy()
            y[..., ::2] += 0.5
            return y
        setattr(ops, kind, wrong)
        tried[kind] = tried.get(kind, 0) + 1
        if abs(loss_now()[0] - want["valid_loss"]) <= TOLERANCE:
            weak.setdefault(kind, []).append(path)
        delattr(ops, kind)
    for key, change in {"alpha": lambda v: v * 1.1, "beta": lambda v: v * 1.1, "eps": lambda v: v * 2, "heads": lambda v: v // 2}.items():
        old = [(op, op[key]) for op in file.graph["ops"] if key in op and tried.get(key, 0) < FILES]
        for op, value in old:
            op[key] = change(value)
        tried[key] = tried.get(key, 0) + bool(old)
        if old and abs(loss_now()[0] - want["valid_loss"]) <= TOLERANCE:
            weak.setdefault(key, []).append(path)
        for op, value in old:
            op[key] = value
# In a model whose attention has stayed uniform the number of heads does not matter: not every file shows every error.
for what, paths in weak.items():
    if len(paths) * 20 > tried[what]:
        print(f"an error of {what} would not show in {len(paths)} of {tried[what]} files: {paths[0]}")
print(f"{len(files)} files, the largest difference {worst:.1e} nats; ops {sorted(kinds)}; {sorted(tokenizers)}", file=sys.stderr)
PY
backends=numpy
"$python" -c 'import torch' 2>/dev/null && backends="numpy torch"
for backend in $backends; do
  said=$("$python" check.py "$backend" 2>"$backend.err") || said="$said $(tail -n 2 "$backend.err")"
  report "every placement and recipe has import's loss ($backend)" "$said"
  tail -n 1 "$backend.err" | sed 's/^/# /'
done

# Encoder-decoders, whose sentences the peer reads one at a time.
for i in $(seq 120); do
  echo "das $((i * i % 17)) haus $((i % 5)) am see" >>"$T/a"
  echo "the house $((i * i % 17)) by $((i % 5)) lake $((i % 3))" >>"$T/b"
done
tail -n 12 a >a.valid && tail -n 12 b >b.valid
{ printf 'name: pairs\ntitle: Pairs\nbaseline: pre\n%s\n' "$shape" | sed 's/^dataset: .*/dataset: text:a,b/; s/^context: 16/context: 40/'
  printf 'objective: translate\nlabel_smoothing: 0.1\narms: {pre: {variant: pre}, peri: {variant: peri, attn.qk: rmsnorm, attn.v: rmsnorm},'
  printf ' deep: {variant: deepnorm, embed_scale: width_root}, streams: {variant: hyper}, free: {variant: post, attn.qk: rmsnorm, attn.qk_over: width}}\n'; } >pairs.yaml
mkdir pairs
for set in positions=learned positions=sinusoidal shared_embeddings=false; do
  "$program" run pairs.yaml --results pairs --set "$set" >>log 2>&1 || { tail -n 3 log | sed 's/^/# /'; echo "Bail out! run pairs"; exit 3; }
done
said=
for record in pairs/runs/*/record.json; do
  id=$(basename "$(dirname "$record")")
  "$program" export "$id" --results pairs -o "pairs/$id.safetensors" >>log 2>&1 &&
    "$program" import "pairs/$id.safetensors" --results pairs --format json >pairs/import.json 2>>log &&
    "$program" translate "pairs/$id.safetensors" --beam 1 <a.valid >pairs/ours 2>>log || said="$said $(tail -n 1 log)"
  for backend in $backends; do
    [ "$backend" = numpy ] && flag=--numpy || flag=
    "$python" "$root/bench/peers/translate_torch.py" $flag "pairs/$id.safetensors" --pairs a.valid b.valid >pairs/theirs.loss 2>&1
    "$python" - <<'PY' >>pairs/wrong 2>&1
import json, re
want, said = json.load(open("pairs/import.json")), open("pairs/theirs.loss").read()
found = re.match(r"validation loss (\S+), (\d+) targets", said)
if not found or abs(float(found[1]) - want["valid_loss"]) > 1e-6 or int(found[2]) != want["targets"]:
    print(said, "import:", want["valid_loss"], want["targets"])
PY
    "$python" "$root/bench/peers/translate_torch.py" $flag "pairs/$id.safetensors" <a.valid >pairs/theirs 2>&1
    cmp -s pairs/ours pairs/theirs || said="$said $id: other translations: $(diff pairs/ours pairs/theirs | head -n 3 | tr '\n' ' ')"
  done
done
[ "$(ls pairs/runs | wc -l)" = 15 ] || said="$said $(ls pairs/runs | wc -l) runs, not 15"
report "encoder-decoders have import's loss and translate's sentences" "$said$(cat pairs/wrong)"

# A row of ops.def that a model could contain is one that the loader knows.
report "the loader knows every op" "$(sed -n 's/^OP(\([a-z]*\),.*/\1/p' "$root/kernels/ops.def" | grep -vxE 'xent|mean|rownorm' |
  while read -r op; do grep -q "    def $op(self, op" "$root/bench/peers/tape_ops.py" || echo "$op"; done)"

# By hand, what no placement above has.
cat >formulas.py <<'PY'
import math, os, sys
sys.path.insert(0, os.path.join(os.environ["NORMBENCH_ROOT"], "bench/peers"))
import load_torch as lt
ops = lt.Numpy() if sys.argv[1] == "numpy" else lt.Torch()
array = (lambda x: ops.np.array(x, "f8")) if sys.argv[1] == "numpy" else (lambda x: lt.torch.tensor(x, dtype=lt.torch.float64))
x, n, eight = array([[-2, -.5, .25, 3]]), array([[1, 2, 3, 4]]), array([[1, 2, 3, 4, 5, 6, 7, 8]])
ops.progress = .25
moved = {"alpha": .75, "beta": -1.25}  # at a quarter of the steps: 1/4
for name, got, want in [
        ("fade", ops.fade(moved, x), [-.5, -.125, .0625, .75]),
        ("blend", ops.blend(moved, x, n), [-1.25, .125, .9375, 3.25]),
        ("gate", ops.gate({}, eight, array([-1, .5])), [-1, -2, -3, -4, 2.5, 3, 3.5, 4]),
        ("damp", ops.damp({}, x, array([math.log(3)])), [(1 - .75 * math.log(3)) * v for v in [-2, -.5, .25, 3]]),
        ("softcap", ops.softcap({"alpha": 2}, x), [2 * math.tanh(v / 2) for v in [-2, -.5, .25, 3]]),
        ("vrms", ops.vrms({"eps": 0, "group": 2}, array([[5, 1, -2, 7, 0, 9, 8, -3, 3, 4, 6, 8]]), array([1, 3])),
         [5, 1, -2, 7, 0, 9, 8, -3, 3 / 12.5 ** .5, 12 / 12.5 ** .5, 6 / 50 ** .5, 24 / 50 ** .5]),
        ("attend", ops.attend({"heads": 1}, array([[1], [1], [1]]), array([[0], [math.log(3)]]), array([[4], [8]]),
                              array([0, 2, 1, 2, 0, 0])).reshape(1, -1), [7, 8, 0])]:
    got = [float(v) for v in got[0]]
    if len(got) != len(want) or max(abs(a - b) for a, b in zip(got, want)) > 1e-12:
        print(name, got, "by hand:", want)
PY
for backend in $backends; do report "formulas have their values by hand ($backend)" "$("$python" formulas.py "$backend" 2>&1)"; done

id=$(grep -l 'layers = 5' ./*.json | head -n 1 | xargs basename -s .json)
last=$id.safetensors
said=$("$python" "$loader" "$last" --numpy --text text --steps 0,7 2>&1)
first=$("$program" export "$id" --results results --at 0 --batches -o first.safetensors >/dev/null &&
  "$python" "$loader" first.safetensors --numpy --text text --steps 0 | sed -n 's/^step 0: loss //p')
report "the loss of a step is the curve's" "$("$python" - "$first" "results/runs/$id/curves.csv" 2>&1 <<'PY'
import csv, sys
want = float(next(csv.DictReader(open(sys.argv[2])))["train_loss"])
if abs(float(sys.argv[1]) - want) > 2e-6:
    print(sys.argv[1], want)
PY
printf '%s\n' "$said" | grep -c '^validation loss [0-9.]*, accuracy [0-9.]*, [0-9]* targets$\|^step [07]: loss [0-9]' | grep -vx 3)"
one=$("$python" "$loader" "$last" --numpy --sample 'the ' --tokens 12 --seed 3)
two=$("$python" "$loader" "$last" --numpy --sample 'the ' --tokens 12 --seed 3)
greedy=$("$program" sample "$last" --prompt 'the ' --tokens 30 --temperature 0 2>&1)
report "the likeliest text is the program's" "$([ "$greedy" = "$("$python" "$loader" "$last" --numpy --sample 'the ' --tokens 30 --temperature 0)" ] || echo "'$greedy'")"
report "a sample goes on from its text" "$([ "$one" = "$two" ] && [ "${one#the }" != "$one" ] && [ ${#one} -gt 8 ] || echo "'$one' '$two'")"
report "without arguments it says what is in the file" "$("$python" "$loader" "$last" --numpy | grep -cE '^[0-9]+ layers x|^vocabulary: [0-9]+ of kind' | grep -vx 2)"

refused() { # pattern, arguments
  local said
  said=$("$python" "$loader" --numpy "${@:2}" 2>&1) && { echo "$* ends with 0"; return; }
  [ "$(printf '%s\n' "$said" | grep -c '')" = 1 ] && printf '%s' "$said" | grep -qE "^load_torch.py: .*$1" || printf '%s\n' "$said" | tail -n 3
}
"$python" - "$last" <<'PY'
import json, struct, sys
data = open(sys.argv[1], "rb").read()
(n,) = struct.unpack("<Q", data[:8])
def save(name, change):
    header = json.loads(data[8:8 + n])
    change(header["__metadata__"])
    text = json.dumps(header).encode()
    open(name, "wb").write(struct.pack("<Q", len(text)) + text + data[8 + n:])
save("no-model", lambda m: m.pop("model"))
save("no-vocabulary", lambda m: m.pop("vocabulary"))
save("false-vocabulary", lambda m: m.update(vocabulary=m["vocabulary"] + "7\n"))
save("new-op", lambda m: m.update(model=m["model"].replace('"op":"linear"', '"op":"rotate"')))
PY
"$program" export "$id" --results results -o bare >/dev/null
report "mistakes get one line" "$(refused 'no .model.' no-model --text text
refused 'no vocabulary in it' no-vocabulary --text text
refused 'not the one that tokenizer_sha256 names' false-vocabulary --text text
refused 'the op rotate' new-op --text text
refused 'export with --batches' bare --text text --steps 0
refused '99. is no step of this run .0 to 7.' "$last" --text text --steps 0,99
refused 'x. is no step' "$last" --text text --steps x
refused 'an empty text' bare --sample ''
refused '.Q. is not in the vocabulary' bare --sample 'Q'
printf 'the' >short
refused '3 tokens of validation text' bare --valid short
refused 'No such file' nowhere)"
echo "1..$number"
