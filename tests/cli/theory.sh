#!/usr/bin/env bash
# Statements about networks before their first step from the outside: the table prints from the stored file alone, claims and
# report read it, and what is wrong ends with one line. `measure` measures them first, with two threads and with one, and finds
# the numbers of the stored file. TAP.
#   theory.sh NORMBENCH ROOT [measure]
. "$(dirname "$0")/../lib.sh"
NORMBENCH=$1
export NORMBENCH_ROOT=$2
W=$T
# ends CODE ARGS...: output in $W/out and $W/err.
ends() {
  local want=$1
  shift
  "$NORMBENCH" "$@" >"$W/out" 2>"$W/err"
  local code=$?
  [ "$code" = "$want" ] || { echo "exit code $code, not $want: normbench $*"; head -3 "$W/err"; }
}

wrong=$(ends 3 table theory --results "$W/none"; grep -q 'normbench run theory' "$W/err" || echo "does not say what to run")
report "nothing measured is one line" "$wrong"
wrong=$(ends 2 run theory --set steps=4 --results "$W/a"; grep -q -- '--set means nothing' "$W/err" || echo "accepts --set")
report "an option that chooses runs is refused" "$wrong"

if [ "${3:-}" = measure ]; then
  wrong=$(ends 0 run theory --results "$W/a" --threads 2
    cmp "$W/a/out/theory/measured.json" "$NORMBENCH_ROOT/results/reference/theory/measured.json" 2>&1)
  report "theory is measured as it is stored" "$wrong"
  wrong=$(ends 0 run theory --results "$W/b" --threads 1
    cmp "$W/a/out/theory/measured.json" "$W/b/out/theory/measured.json" 2>&1)
  report "two runs give the same bytes, whatever the threads" "$wrong"
else
  "$NORMBENCH" run theory --results "$W/a" >"$W/out" 2>"$W/err" &
  pid=$!
  until grep -q '^theory: ' "$W/err" || ! kill -0 "$pid"; do sleep 0.02; done
  kill -INT "$pid"
  wait "$pid"
  wrong=$([ $? = 130 ] || echo "not exit 130"; grep -qx 'normbench: theory: stopped' "$W/err" || cat "$W/err"; find "$W/a" -type f)
  report "a measurement that is stopped says so and leaves no file" "$wrong"
  cp "$NORMBENCH_ROOT/results/reference/theory/measured.json" "$W/a/out/theory/"
fi
wrong=$(ends 0 table theory --results "$W/a"; cp "$W/out" "$W/first"; cp -r "$W/a/out/theory" "$W/was")
report "the table of the file" "$wrong"
wrong=$(grep -q 'not measured' "$W/first" && grep 'not measured' "$W/first")
report "every statement is measured" "$wrong"
wrong=$(grep -A4 '^  depth_none ' "$W/first" | grep -q 'not finite from x = ' || echo "no word of it")
report "a depth that leaves the doubles is a finding" "$wrong"

wrong=$(ends 0 table theory --results "$W/a"; cmp "$W/out" "$W/first" 2>&1
  for file in txt csv json tex; do
    cmp "$W/a/out/theory/theory.$file" "$W/was/theory.$file" 2>&1 || echo "$file differs"
  done
  python3 -c "import json, sys; assert len(json.load(open(sys.argv[1]))['statements']) > 40" "$W/a/out/theory/theory.json" 2>&1
  script -qec "stty cols 60; '$NORMBENCH' table theory --results '$W/a'" /dev/null | tr -d '\r' >"$W/narrow"
  [ "$(grep '^  ' "$W/narrow" | awk 'length > w {w = length} END {print w + 0}')" -le 60 ] && grep -q '^  lemma1 ' "$W/narrow" ||
    echo "lines of more than 60 columns on a terminal of 60")
report "the table prints again from the file" "$wrong"

wrong=$(ends 0 claims 003 --all --results "$W/a"
  grep -B3 'w003_gpt2' "$W/out" | grep -q 'contradicted' || echo "003-12 is not decided by its dates"
  ends 0 claims 003-2 --results "$W/a"; grep -q 'Verdict: reproduced$' "$W/out" || echo "003-2 has no verdict"
  ends 0 claims 000 --results "$W/a" --own; grep -qE '000-12 .* reproduced \+$' "$W/out" || echo "a start at the write-up's width is not its own size"
  ends 0 claims 004 --results "$W/a" --format json
  python3 - "$W/out" <<'PY' 2>&1
import json, sys
claims = {c["id"]: c for w in json.load(open(sys.argv[1]))["writeups"] for c in w["claims"]}
for v in claims["004-17"]["verdicts"]:
    assert v["verdict"] == "contradicted" and v["statement"]["verdict"] == "does not hold", v
PY
  ends 0 claims --all --results "$W/a" --format tex; grep -q 'lemma2\\_post' "$W/out" || echo "not in the LaTeX ledger")
report "claims get their verdicts from statements" "$wrong"

wrong=$(sed -i 's/"lemma1"/"lemma7"/' "$W/a/out/theory/measured.json"; ends 5 table theory --results "$W/a"
  grep -q "unknown statement 'lemma7'" "$W/err" || echo "does not name the statement"
  ends 5 claims 003 --results "$W/a")
report "a damaged file is refused" "$wrong"
echo "1..$number"
