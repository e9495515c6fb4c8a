#!/usr/bin/env bash
# Trying an idea without C: explain and draw an arm, train it beside its base, ranges of blocks, a file by `new`, a file of
# six lines. TAP.  arms.sh PROGRAM ROOT
set -u
export LC_ALL=C
unset NORMBENCH_DATA
program=$(realpath "$1") root=$(realpath "$2")
export NORMBENCH_ROOT=$root
T=$(mktemp -d "${TMPDIR:-/tmp}/normbench-arms.XXXXXX") || exit 3
trap 'rm -rf "$T"' EXIT
trap 'exit 130' INT TERM
cd "$T" || exit 3

number=0
report() { # name; the rest is a command that must succeed and says why not
  number=$((number + 1))
  local name=$1
  shift
  if "$@" >why 2>&1; then echo "ok $number - $name"; else
    echo "not ok $number - $name"
    { tail -n 20 why; tail -n 5 err; } | cut -c1-300 | sed 's/^/# /'
  fi
}
ends() { # CODE ARGUMENTS…: out, err
  local code=$1
  shift
  timeout 120 "$program" "$@" >out 2>err </dev/null
  local rc=$?
  [ $rc = "$code" ] || { echo "exit $rc instead of $code: $*"; return 1; }
}
has() { grep -qF -- "$1" "$2" || { echo "$2 does not say: $1"; return 1; }; }
lacks() { ! grep -qF -- "$1" "$2" || { echo "$2 says: $1"; return 1; }; }
refused() { # TEXT ARGUMENTS…: exit 2 and one line
  local text=$1
  shift
  ends 2 "$@" && has "$text" err && [ "$(grep -c '' err)" = 1 ] && [ ! -s out ]
}
count() { [ "$(ls "$1/runs" | wc -l)" = "$2" ] || { echo "$(ls "$1/runs" | wc -l) runs instead of $2"; return 1; }; }
tiny=(--set seeds=2 --set steps=4 --set evaluate_at=4)

# Every row's explanation, its tape's ops included, is stored: NORMBENCH_WRITE_GOLDEN=1 writes it anew.
rows_are_explained() {
  local name equation
  ends 0 list --format json || return 1
  python3 -c 'import json; [print(row["name"], row["what"]) for row in json.load(open("out"))["variants"]]' >rows
  [ "$(grep -c '' rows)" -ge 30 ] || { echo "too few rows"; return 1; }
  : >explained
  while read -r name equation; do
    ends 0 explain "$name" || return 1
    [ "$(sed '1d; /^  shown for /,$d; /^  source: /,$d; s/^  //' out | paste -sd';' | sed 's/;/; /g; s/;  /; /g')" = "$equation" ] ||
      { echo "$name: list says $equation"; return 1; }
    has "source: " out && lacks "changed from" out || return 1
    cat out >>explained
  done <rows
  [ -z "${NORMBENCH_WRITE_GOLDEN-}" ] || cp explained "$root/tests/golden/explain.txt"
  "$program" list | sed -n '/^variants/,/^$/p' >listed
  [ -z "${NORMBENCH_WRITE_GOLDEN-}" ] || cp listed "$root/results/reference/rows.txt"
  cmp listed "$root/results/reference/rows.txt" || { echo "results/reference/rows.txt, which docs/placements.md shows, is not what list prints"; return 1; }
  cmp explained "$root/tests/golden/explain.txt" || { diff explained "$root/tests/golden/explain.txt" | head -20; return 1; }
}

an_arm_is_explained() {
  ends 0 explain '{base: pre, attn.out: rmsnorm}' && cp out plain || return 1
  has "Pre-LN + attn.out rmsnorm" plain && has "  attention: x <- x + RMS(A(LN(x)))" plain &&
    has "  MLP: x <- x + F(LN(x))" plain && has "  changed from pre: attn.out none -> rmsnorm" plain &&
    has "  base: Pre-LN, Baevski" plain && lacks "source:" plain || return 1
  ends 0 explain --arm '{base: pre, attn.out: rmsnorm}' && cmp out plain || return 1
  ends 0 explain '{base: pre, attn.out: {from: 2/3, norm: rms}, layers: 12}' &&
    has "  blocks 0 to 7: x <- x + f(LN(x))" out && has "  blocks 8 to 11, attention: x <- x + RMS(A(LN(x)))" out &&
    has "  shown for 12 blocks, 0 to 11" out || return 1
  refused "needs 10 blocks; layers is 4" explain '{base: pre, attn.out: {from: 9, norm: rms}, layers: 4}' &&
    refused "explain: name one variant" explain && refused "unknown variant 'prenorm'" explain prenorm
}

wild='{base: post, gate: learned 0, carry: deep_carry 1, depth_scale: layer_root 1, attn.qk: rms, attn.mid: ln, embed: ln}'
many='{base: pre, layers: 16, mlp.out: [{to: 1, norm: ln}, {from: 4, to: 5, norm: rms}, {from: 8, to: 9, norm: center}]}'
blocks_are_drawn() {
  local n=0 what
  for what in pre post peri prepost none '{base: pre, attn.out: {from: 2/3, norm: rms}}' "$wild" "$many" \
    "{base: pre, label: 'a < b & \"c\"', embed: ln}"; do
    n=$((n + 1))
    ends 0 explain "$what" -o "$n.svg" || return 1
    awk '/^one sublayer/ { exit } /^$/ { on = 1 } on && length > 80 { print "too wide: " $0; bad = 1 } END { exit bad }' out || return 1
    awk '/^one sublayer/ { exit } on; /^$/ { on = 1 }' out >"$n.txt"
    python3 - "$n.svg" "$n.txt" "$what" <<'PY' || return 1
import re, sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
text, plain = open(sys.argv[1]).read(), open(sys.argv[2]).read()
width, height = float(root.get("width")), float(root.get("height"))
space = "{http://www.w3.org/2000/svg}"
bad = []
if root.get("viewBox") != "0 0 %d %d" % (width, height): bad.append("viewBox")
for wanted in ("prefers-color-scheme:dark", "currentColor", "nb-paper"):
    if wanted not in text: bad.append("no " + wanted)
if re.search(r"href|url\((?!#)|<script|nan", text.replace("http://www.w3.org/2000/svg", "")): bad.append("points outside")
for r in root.iter(space + "rect"):
    x, y, w, h = (float(r.get(k, 0)) for k in ("x", "y", "width", "height"))
    if x < 0 or y < 0 or x + w > width or y + h > height: bad.append("a box outside: %s" % r.attrib)
for t in root.iter(space + "text"):
    x, y = float(t.get("x")), float(t.get("y"))
    if not 0 <= x <= width or not 0 <= y <= height: bad.append("words outside: " + t.text)
# The boxes of the SVG are those of the plain drawing.
svg = sorted(t.text.replace("\u00d7 ", "* ") for t in root.iter(space + "text") if t.get("class") == "nb-in")
drawn = sorted(a or b for a, b in re.findall(r"\[([^\]]+)\]|\((\* [^)]+)\)", plain))
if svg != drawn: bad.append("boxes differ: %s and %s" % (svg, drawn))
if not svg and "none" != sys.argv[3]: bad.append("no box")
print(*bad, sep="\n")
sys.exit(bool(bad))
PY
  done
  [ "$(grep -c 'marker-end' 1.svg)" -ge 3 ] || { echo "no arrows"; return 1; }
  has '>a &lt; b &amp; &quot;c&quot;<' 9.svg && has "blocks 10 to 15" 8.svg || return 1
  ends 0 explain '{base: pre, attn.qk: rms, attn.mid: ln, attn.out: rms, gate: 0.25, depth_scale: 0.5}' || return 1
  [ "$(grep -cF '(* 0.25)' out)" = 2 ] || { echo "a full branch lost its last box"; return 1; }
  ends 3 explain pre -o no/where.svg && has "no/where.svg" err &&
    refused "draws one variant, not 2" explain pre --arm '{base: post}' -o two.svg && [ ! -e two.svg ]
}

a_lone_arm_is_compared() {
  ends 0 run smoke --arm '{base: pre, attn.out: rmsnorm}' "${tiny[@]}" --offline --results r || return 1
  has "--arm alone is compared with its base: arm pre (Pre-LN) is trained too" err && count r 4 || return 1
  [ "$(grep -n 'is trained too' err | cut -d: -f1)" -lt "$(grep -n 'valid loss' err | head -n 1 | cut -d: -f1)" ] ||
    { echo "it is not said before training"; return 1; }
  ends 0 table smoke --arm '{base: pre, attn.out: rmsnorm}' "${tiny[@]}" --results r &&
    has "Pre-LN + attn.out rmsnorm" out && has "minus Pre-LN" out || return 1
  # The base's runs are those of the file's own arm: nothing is trained twice.
  ends 0 run smoke --arm 'pre: {variant: pre}' "${tiny[@]}" --offline --results r && has "2 runs, 2 stored, 0 to train" err &&
    lacks "is trained too" err && count r 4 || return 1
  ends 0 run smoke --arm '{base: pre}' --arm '{base: pre, attn.out: rmsnorm}' "${tiny[@]}" --offline --results r &&
    has "4 runs, 4 stored, 0 to train" err && lacks "is trained too" err
}

ranges_train() {
  local arm='late: {base: pre, attn.out: {from: 2/3, norm: rmsnorm}, mlp.in: [none, {to: 1, norm: rms}]}' id
  ends 0 run smoke --arm "$arm" "${tiny[@]}" --offline --set layers=6 --results q && count q 4 || return 1
  id=$(basename "$(dirname "$(grep -l 'attn.out = none; rmsnorm from 2/3' q/runs/*/record.json | head -n 1)")")
  [ -n "$id" ] || { echo "no record has the range"; return 1; }
  ends 0 export "$id" --at final -o late.safetensors --results q --offline || return 1
  python3 - late.safetensors <<'PY' || return 1
import json, struct, sys
f = open(sys.argv[1], "rb")
names = json.loads(f.read(struct.unpack("<Q", f.read(8))[0])).keys()
for stem, blocks in (("ln_1_out.weight", [4, 5]), ("ln_2.weight", [0, 1]), ("ln_1.weight", [0, 1, 2, 3, 4, 5])):
    found = sorted(int(n.split(".")[1]) for n in names if n.endswith("." + stem))
    if found != blocks: sys.exit("%s in blocks %s instead of %s" % (stem, found, blocks))
if any(n.endswith(".ln_2.bias") for n in names): sys.exit("the base's norm is still there")
PY
  ends 0 import late.safetensors --results q --offline || return 1
  ends 0 explain "${id:0:12}" -o run.svg --results q && has "blocks 4 to 5, attention: x <- x + RMS(A(LN(x)))" out &&
    has "changed from pre: attn.out none -> rmsnorm from 2/3, mlp.in layernorm -> none; rmsnorm to 1" out && has "blocks 2 to 3" run.svg
}

bad_ranges_are_refused() {
  local r=(--offline --results none)
  refused "attn.out: from: '5/0' is neither a block" run smoke --arm '{base: pre, attn.out: {from: 5/0, norm: rms}}' "${r[@]}" &&
    refused "'from 3 to 2' holds no block" run smoke --arm '{base: pre, attn.out: {from: 3, to: 2, norm: rms}}' "${r[@]}" &&
    refused "unknown key 'form'; a range has" run smoke --arm '{base: pre, attn.out: {form: 1, norm: rms}}' "${r[@]}" &&
    refused "'norm' is missing" run smoke --arm '{base: pre, attn.out: {from: 1}}' "${r[@]}" &&
    refused "needs 3 blocks; layers is 2" run smoke --arm '{base: pre, attn.out: {from: 2, norm: rms}}' "${r[@]}" &&
    refused "only norms and rules inside the blocks take a range" run smoke --arm '{base: pre, embed: {to: 1, norm: rms}}' "${r[@]}" &&
    [ ! -e none ]
}

a_new_file_runs() {
  ends 0 new mine.yaml && has "normbench run mine.yaml" out && cp mine.yaml kept || return 1
  refused "mine.yaml is there already" new mine.yaml && cmp mine.yaml kept || return 1
  refused "must end in .yaml" new mine && refused "name one file" new && ends 3 new no/mine.yaml && has "no/mine.yaml" err || return 1
  refused "unknown experiment 'mine'; did you mean the file mine.yaml" table mine || return 1
  [ "$(grep -c '#' mine.yaml)" -ge 40 ] || { echo "too few comments"; return 1; }
  for key in $(sed -n 's/^FIELD(\([a-z0-9_]*\),.*/\1/p' "$root/bench/plan/spec.def" | grep -v '^mended$'); do
    grep -qE "^(# )?$key: " mine.yaml || { echo "no key $key"; return 1; }
  done
  ends 3 table mine.yaml --results n && has "12 of 12 runs are missing: normbench run mine.yaml" err || return 1
  ends 0 run mine.yaml --offline --results n && count n 12 || return 1
  ends 0 table mine.yaml --results n && has "Late RMSNorm" out && has "mine: My first experiment" out || return 1
  # Every comment that is a key is one: the file with all of them runs too.
  sed -E 's/^# (baseline|metric|alpha|margin|table|panels|probes|profiles|compare):/\1:/; s/^#   (quick|full):/  \1:/; s/^    # (mlp.out|embed|gate|lr):/    \1:/' \
    mine.yaml | sed -E "s/^# ($(sed -n 's/^FIELD(\([a-z0-9_]*\),.*/\1/p' "$root/bench/plan/spec.def" | paste -sd'|')):/\1:/" >all.yaml
  # Summaries over rates do not go with an arm that sets its own.
  grep -E "^# [a-z_]+:" all.yaml | grep -v "^# summaries:" && return 1
  ends 0 run all.yaml --profile full --dry-run --offline --results n && has "16 runs" err
}

six_lines_are_an_experiment() {
  cat >six.yaml <<'YAML'
dataset: synthetic
steps: 2
seeds: 2
arms:
  pre: {variant: pre}
  mine: {base: pre, attn.out: {from: 2/3, norm: rmsnorm}}
YAML
  ends 0 run six.yaml --offline --results s && count s 4 && ends 0 table six.yaml --results s && has "minus pre" out
}

help_is_whole() {
  ends 0 run --help all || return 1
  local word
  for word in attn.in attn.qk attn.mid attn.out attn.post mlp.in mlp.mid mlp.out mlp.post embed final carry gate depth_scale \
    layernorm rmsnorm center deep_carry learned_row from to '{from: 2/3, norm: rmsnorm}'; do
    has "$word" out || return 1
  done
}

report "every row is explained by the equation that list prints" rows_are_explained
report "an arm is explained by its columns, its base only as base" an_arm_is_explained
report "blocks are drawn, in SVG and in plain text alike" blocks_are_drawn
report "one --arm alone is compared with its base" a_lone_arm_is_compared
report "ranges of blocks train, and only those blocks have the norm" ranges_train
report "bad ranges are refused in one line" bad_ranges_are_refused
report "a new experiment file runs as it is" a_new_file_runs
report "six lines are an experiment" six_lines_are_an_experiment
report "run --help has every column and the keys of a range" help_is_whole
echo "1..$number"
