#!/usr/bin/env bash
# normbench from the outside: what it says to bad input, and what is left of a run when the machine fails it. TAP.
#   e2e.sh PROGRAM ROOT [[but] CHECK…]  the checks are the functions check_* in e2e_*.sh beside this file; but: all others
#
# Every check has a folder of its own ($W) and a shell of its own; four run at once, those named in `alone` before them
# and one by one. $T/whole is what an undisturbed run of toy.yaml leaves: whatever else happens to a run, it has to end
# with these bytes.
set -u
export LC_ALL=C
unset HOME NORMBENCH_DATA NORMBENCH_ROOT LD_PRELOAD

[ $# -ge 2 ] || { echo "usage: e2e.sh PROGRAM ROOT [[but] CHECK...]" >&2; exit 2; }
program=$(realpath "$1") root=$(realpath "$2") here=$(dirname "$(realpath "$0")")
[ -x "$program" ] && [ -d "$root/bench/experiments" ] || { echo "Bail out! no program or no checkout"; exit 3; }
shift 2
export NORMBENCH_ROOT=$root

T=$(mktemp -d "${TMPDIR:-/tmp}/normbench-e2e.XXXXXX") || exit 3
trap 'rm -rf "$T"' EXIT
trap 'exit 130' INT TERM
export TMPDIR=$T
# A program built with the address sanitizer is content to come after the failing disk.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
cd "$T" || exit 3

with=() # a command in front of the program: with=(env LC_ALL=…)

fail() { # reason: ends the check
  echo "$*"
  for stream in out err; do
    [ -s "$W/$stream" ] || continue
    echo "--- std$stream of the last command:"
    tr '\r' '\n' <"$W/$stream" | cut -c1-300 | tail -n 20
  done
  exit 1
}

nb() { # runs the program: rc, $W/out, $W/err
  timeout -k 5 300 "${with[@]}" "$program" "$@" </dev/null >"$W/out" 2>"$W/err"
  rc=$?
}

ends() { # CODE ARGUMENTS...: the program must end with this code
  local code=$1
  shift
  nb "$@"
  [ "$rc" = "$code" ] || fail "exit $rc instead of $code: $*"
}

says() { grep -qE -- "$1" "$W/err" || fail "stderr does not say: $1"; }
prints() { grep -qE -- "$1" "$W/out" || fail "stdout does not say: $1"; }

refused() { # PATTERN ARGUMENTS...: a mistake of the user's: exit 2, one line that says what is right
  local pattern=$1
  shift
  ends 2 "$@"
  says "$pattern"
  [ "$(grep -c '' "$W/err")" = 1 ] || fail "more than one line: $*"
  grep -q '^normbench: ' "$W/err" || fail "the line does not begin with the program's name: $*"
  [ ! -s "$W/out" ] || fail "something on stdout: $*"
}

digest() { # RESULTS: ids, curves and hashes of all runs, whatever is not time
  (cd "$1/runs" 2>/dev/null && sha256sum -- */curves.csv &&
    grep -E '"(id|status|diverged_step|loss_chain|parameters_hash|valid_loss|dataset_sha256)":' -- */record.json)
}

same() { # RESULTS [REFERENCE]: these bytes, and nothing besides
  local reference=${2:-$T/whole} other
  other=$(diff <(digest "$1") <(digest "$reference")) || fail "runs differ from those of $(basename "$reference"): $other"
  [ -n "$(digest "$1")" ] || fail "no runs in $1"
  other=$(find "$1" \( -name '.?*' -o -name '*.tmp.*' \) -print)
  [ -z "$other" ] || fail "left behind: $other"
}

folders_whole() { # RESULTS: each run that is there is all there
  local run
  for run in "$1"/runs/*/; do
    [ ! -d "$run" ] || { [ -s "$run/record.json" ] && [ -s "$run/curves.csv" ]; } || fail "half a run: $run"
  done
}

begin() { # starts the program in the background: pid
  "${with[@]}" "$program" "$@" </dev/null >"$W/out" 2>"$W/err" &
  pid=$!
}

until_there() { # PATH...: waits up to 20 s for one of the files
  local i path
  for ((i = 0; i < 1000; i++)); do
    for path; do [ ! -e "$path" ] || return 0; done
    kill -0 "$pid" 2>/dev/null || fail "the program ended before $1 was there"
    sleep 0.02
  done
  fail "$1 is not there after 20 s"
}

until_says() { # PATTERN: waits up to 20 s for it on the program's stderr
  local i
  for ((i = 0; i < 1000; i++)); do
    ! grep -q "$1" "$W/err" || return 0
    kill -0 "$pid" 2>/dev/null || fail "the program ended before it said '$1'"
    sleep 0.02
  done
  fail "'$1' is not said after 20 s"
}

ended() { # SECONDS: waits for pid to end by itself: rc
  timeout "$1" tail -s 0.02 --pid="$pid" -f /dev/null || kill -9 "$pid"
  wait "$pid"
  rc=$?
  [ "$rc" != 137 ] || fail "still running after $1 s"
}

copied_tree() { # DIR: a checkout of its own, with nothing beside it
  mkdir -p "$1/bench" && cp -r "$root/bench/experiments" "$1/bench/" && chmod -R u+w "$1" ||
    fail "cannot copy the checkout"
}

. "$here/e2e_input.sh"
. "$here/e2e_runs.sh"
. "$here/e2e_share.sh"
. "$here/e2e_faults.sh"
. "$here/e2e_split.sh"
. "$here/e2e_world.sh"
. "$here/e2e_claims.sh"
. "$here/e2e_read.sh"
. "$here/e2e_plans.sh"
. "$here/e2e_score.sh"
. "$here/e2e_shards.sh"
. "$here/e2e_translate.sh"
. "$here/e2e_cluster.sh"
. "$here/e2e_ids.sh"
. "$here/e2e_until.sh"

# What all checks train: four runs of 30 steps, or one of 4, on a text of the script's own.
seq 1 3000 | tr '\n' ' ' >text.txt
for shape in toy one; do
  cat >$shape.yaml <<YAML
name: $shape
dataset: text:text.txt
layers: 2
width: 32
heads: 4
context: 16
batch: 4
lr: 1e-3
steps: $([ $shape = toy ] && echo 30 || echo 4)
evaluate_at: 0,15
curve_every: 5
curve_batches: 1
arms:
  plain: {variant: pre}
YAML
done
cat >>toy.yaml <<'YAML'
  ours: {variant: post, embed: rmsnorm}
profiles:
  smoke: {seeds: 2}
YAML
run=(run toy.yaml --profile smoke --offline) # what most checks do
one=(run one.yaml --offline --threads 1)
W=$T/before && mkdir "$W"
nb "${run[@]}" --threads 1 --results "$T/whole"
[ "$rc" = 0 ] || { echo "Bail out! an undisturbed run ends with $rc: $(tail -n 1 "$W/err")"; exit 3; }
nb "${one[@]}" --results "$T/whole1"
[ "$rc" = 0 ] || { echo "Bail out! an undisturbed run ends with $rc: $(tail -n 1 "$W/err")"; exit 3; }

perform() {
  W=$T/$1
  mkdir -p "$W"
  ("$1") >"$T/$1.log" 2>&1
  echo $? >"$T/$1.code"
}

alone="check_start_up check_ctrl_c_at_real_size"
mapfile -t all < <(sed -n 's/^\(check_[a-z0-9_]*\)().*/\1/p' "$here"/e2e_{until,input,runs,share,faults,split,world,claims,read,plans,score,shards,translate,cluster,ids}.sh)
checks=("$@")
if [ "${1:-but}" = but ]; then
  checks=()
  for check in "${all[@]}"; do [[ " $* " == *" $check "* ]] || checks+=("$check"); done
fi
echo "1..${#checks[@]}"
for check in "${checks[@]}"; do [[ " $alone " != *" $check "* ]] || perform "$check"; done
for check in "${checks[@]}"; do
  [[ " $alone " != *" $check "* ]] || continue
  while [ "$(jobs -rp | wc -l)" -ge 4 ]; do wait -n; done
  perform "$check" &
done
wait

number=0
for check in "${checks[@]}"; do
  number=$((number + 1)) name=${check#check_}
  if [ "$(cat "$T/$check.code" 2>/dev/null)" = 0 ]; then echo "ok $number - ${name//_/ }"; else
    echo "not ok $number - ${name//_/ }"
    sed 's/^/# /' "$T/$check.log"
  fi
done
! grep -qvx 0 "$T"/*.code
