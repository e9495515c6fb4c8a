#!/usr/bin/env bash
# bench/peers/replicas.py: every row trains the seeds that normbench trains. With PyTorch or JAX in $PYTHON, a row of theirs has
# the same losses; a row that does something else is void; without them it is absent. TAP.  replicas.sh PROGRAM ROOT
. "$(dirname "$0")/../lib.sh"
unset NORMBENCH_DATA
program=$(realpath "$1") root=$(realpath "$2")
export NORMBENCH_ROOT=$root
cd "$T" || exit 3
# What torch.compile kept of an earlier test would hide a row that no longer compiles.
export TORCHINDUCTOR_CACHE_DIR=$T/inductor
find_numpy
has() { "$python" -c "import $1" 2>/dev/null; }
peers=$root/bench/peers
replicas() { "$python" "$peers/replicas.py" toy.yaml --program "$program" --seeds 3 --rounds 1 "$@"; }
# status and reason of a row in the JSON on standard input
status_of() { "$python" -c 'import json, sys
print(*[f"{r['"'status'"']}: {r['"'why'"']}" for r in json.load(sys.stdin)["rows"] if r["name"] == sys.argv[1]])' "$1"; }

for i in $(seq 400); do echo "$((i * i % 97)) the $((i % 13)) of see at $((i * 7 % 31))"; done >text
cat >toy.yaml <<'Y'
name: toy
title: Toy
baseline: pre
dataset: text:text
layers: 1
width: 16
heads: 2
context: 16
batch: 4
lr: 1e-2
schedule: cosine
warmup: 3
clip: 0.5
profiles: {smoke: {}}
arms: {pre: {variant: pre}}
Y

replicas --steps 40 --json >all.json 2>err
status=$?
for row in eager compile folded folded-compile func jax; do
  [ $row = jax ] && library=jax || library=torch
  if has $library; then
    report "$row trains what normbench trains" "$("$python" - $row 2>&1 <<'PY'
import json, math, sys
rows = {r["name"]: r for r in json.load(open("all.json"))["rows"]}
ours, r = rows["normbench exact"], rows[sys.argv[1]]
if r["status"] != "ok" or r["difference"] > 2e-5 or abs(r["final_difference"]) > 1e-4:
    print(json.dumps(r))
elif not all(0 < r[key] < math.inf for key in ("wall_seconds", "wall_ratio", "step_seconds", "ratio")):
    print("no time:", json.dumps(r))
elif len(set(r["losses_at_0"])) != 3 or r["final_loss"] > min(r["losses_at_0"]) - .5 or ours["ratio"] != 1:
    print("seeds are alike, or nothing was learned:", json.dumps(r))
PY
tail -n 3 err | grep -v 'for the first time')"
  else
    skip "$row trains what normbench trains" "no $library in $python"
  fi
done
has torch && has jax && want=0 || want=3
report "ends with 0 where every row is measured, 3 where one is not" "$([ $status = $want ] || { echo "$status, not $want"; cat err; })"

# Other ops than Pre-LN's, in the two rows that have code of their own for them.
if has torch && has jax; then
  report "Peri-LN with RoPE, SwiGLU and Adam" "$(replicas --steps 12 --variant peri --set positions=rope --set activation=swiglu \
    --set optimizer=adam --rows folded,jax 2>err >said || cat said err)"
  report "an op that is not folded by hand is said" "$(replicas --steps 4 --variant gemma2 --rows folded --json 2>/dev/null |
    status_of folded | grep -v '^absent: the op softcap of this model')"
else
  skip "other placements" "no torch or no jax in $python"
fi

# A row that trains something else, at once or only at the end.
mutant() { # row, file, what to write over
  cp -r "$peers" mutant && sed -i "$3" "mutant/$2" && ! cmp -s "mutant/$2" "$peers/$2" || { echo "nothing was changed"; return; }
  "$python" mutant/replicas.py toy.yaml --program "$program" --seeds 3 --steps 40 --rounds 1 --rows "$1" --json 2>err >mutant.json
  [ $? = 3 ] || echo "does not end with 3"
  status_of "$1" <mutant.json | grep -v "^void: $4"
  rm -rf mutant
}
if has torch; then
  report "without clipping a row is void" \
    "$(mutant folded replica_torch.py 's/(limit \/ (norm + CLIP_EPS))/(1e9 \/ (norm + CLIP_EPS))/' 'the first losses differ')"
  report "with another seed's batches a row is void" \
    "$(mutant func replica_torch.py 's/self.crops(self.starts\[number\])/self.crops(self.starts[number].flip(0))/' 'the first losses differ')"
  report "one that stops to learn after ten steps is void" \
    "$(mutant eager replica_torch.py 's/= self.job.rates\[number\]/= self.job.rates[number] * (number < 10)/' 'final losses differ')"
else
  skip "what is void in PyTorch" "no torch in $python"
fi
if has jax; then
  report "with another decay of moments a row is void" \
    "$(mutant jax replica_jax.py 's/(1 - n\["beta2"\]) \* x \* x/(1 - n["beta1"]) * x * x/' 'the first losses differ')"
else
  skip "what is void in JAX" "no jax in $python"
fi
report "noise is over seeds, differences are paired" "$("$python" - "$peers" 2>&1 <<'PY'
import sys
sys.path.insert(0, sys.argv[1])
from replicas import judge
ours = [[4.0, 4.1, 4.2]] * 9 + [[1.0, 1.2, 1.4]]  # last step: a standard deviation of 0.2, a standard error of 0.1155
def said(change, first=0.0):
    theirs = [[x + first for x in ours[0]]] + ours[1:9] + [[x + c for x, c in zip(ours[9], change)]]
    row = judge({"status": "ok"}, theirs, ours, 1e-5)
    return row["status"], row.get("why", "")
for got, want in [(said([.22] * 3), "ok"), (said([-.24] * 3), "void"), (said([.3, -.3, 0]), "ok"), (said([.5, .5, -.1]), "void"),
                  (said([0] * 3, 2e-5), "void"), (said([0] * 3, 5e-6), "ok"), (said([float("nan")] * 3), "void")]:
    if got[0] != want:
        print(got, want)
high = [[60.0, 60.1, 60.2]] * 10  # fifteen times as large, and so is the tolerance
for off, want in [(1.4e-4, "ok"), (1.6e-4, "void")]:
    if judge({"status": "ok"}, [[x + off for x in step] for step in high], high, 1e-5)["status"] != want:
        print(off, want)
PY
)"

report "compare.py's tolerance grows with the loss, and a loss that is not a number is void" "$("$python" - "$peers" 2>&1 <<'PY'
import sys
from types import SimpleNamespace
sys.path.insert(0, sys.argv[1])
from compare import judge
for precision, loss, off, want in [("float", 2.0, 1.9e-5, "ok"), ("float", 2.0, 2.1e-5, "void"), ("float", 120.0, 5.9e-4, "ok"),
                                   ("float", 120.0, 6.1e-4, "void"), ("bf16", 120.0, 0.29, "ok"), ("bf16", 120.0, 0.31, "void"),
                                   ("float", 120.0, float("nan"), "void")]:
    for step in (0, 1):
        side = SimpleNamespace(precision=precision, losses=[loss, loss, 9.9], status="ok")
        side.losses[step] += off
        judge(side, SimpleNamespace(losses=[loss, loss, 1.0]))
        if side.status != want:
            print(precision, loss, off, "at step", step, side.status)
PY
)"

# What is not there.
mkdir lacks
for library in torch jax; do echo "raise ImportError(\"No module named '$library'\")" >lacks/$library.py; done
report "without a library its rows are absent" "$(PYTHONPATH=$T/lacks replicas --steps 4 --rows func,jax >said 2>err
  [ $? = 3 ] || echo "does not end with 3"
  grep -c "absent: No module named '\(torch\|jax\)'$" said | grep -vx 2)"
for library in torch jax; do
  [ $library = jax ] && row=jax || row=eager
  if has $library; then
    report "without a device the row $row is absent" "$(CUDA_VISIBLE_DEVICES='' replicas --steps 4 --device cuda --backend cpu \
      --rows $row --format json 2>err | status_of $row | grep -iv '^absent: no cuda device that')"
  else
    skip "without a device the row $row is absent" "no $library in $python"
  fi
done
refused() { # exit code, pattern, arguments
  local said status
  said=$(CUDA_VISIBLE_DEVICES='' replicas "${@:3}" 2>&1)
  status=$?
  [ $status = "$1" ] || echo "$*: ends with $status"
  printf '%s\n' "$said" | tail -n 1 | grep -qE "^replicas.py: .*$2" || printf '%s\n' "$said" | tail -n 3
  case $said in *Traceback*) echo "$*: a traceback" ;; esac
}
report "mistakes get one line" "$(refused 3 "backend 'cuda': " --device cuda
refused 2 "unknown row 'foldd'; did you mean 'folded'" --rows eager,foldd
refused 2 "unknown row ''; did you mean" --rows eager,
refused 2 "no program './nowhere'" --program ./nowhere
refused 2 "no program 'python-of-nobody'" --python python-of-nobody
refused 2 "invalid choice: 'tpu'" --device tpu
refused 2 'from 2 is needed' --seeds 1
refused 2 'from 4 is needed' --steps 3
refused 2 'is not KEY=VALUE' --set lr
refused 2 "unknown variant 'perl'; did you mean 'peri'" --variant perl
refused 2 'a CPU has none' --set precision=tf32
refused 2 'dropout, whose random numbers' --set dropout=0.1
refused 2 'no file of text' --set dataset=synthetic
refused 2 "no file 'nowhere'" --corpus nowhere
refused 2 'processors' --threads 4096)"
echo "1..$number"
