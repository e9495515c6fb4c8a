#!/usr/bin/env bash
# The smoke experiments against the stored snapshots, bit for bit: on the synthetic source always, on tiny Shakespeare where
# a copy is found without a download; the classes of bf16 in software, and by the instructions where the
# machine has them. TAP.  verify.sh PROGRAM ROOT
set -u
export NORMBENCH_ROOT=$2
experiments="smoke placements"
"$1" data verify tinyshakespeare --offline >/dev/null 2>&1
case $? in
  0) experiments="smoke placements smoke-shakespeare" ;;
  3) echo "# tiny Shakespeare is nowhere on this machine: the synthetic source alone" ;;
  *) experiments="smoke placements smoke-shakespeare" ;; # a wrong copy: let verify say so
esac
number=0
program=$1
holds() { # what to verify, as the command line has it
  number=$((number + 1))
  if out=$("$program" verify "$@" --offline 2>&1); then echo "ok $number - verify $*"; else
    echo "not ok $number - verify $*"
    printf '%s\n' "$out" | grep -v ' valid loss ' | sed 's/^/# /'
  fi
}
refuses() { # what to verify: a plan of which nothing is stored; nothing is trained
  number=$((number + 1))
  out=$("$program" verify "$@" --offline 2>&1)
  [ $? = 2 ] && [[ $out == normbench:*": the plan was changed on the command line; nothing is stored for it" ]] ||
    { echo "not ok $number - refuse to verify $*"; printf '%s\n' "$out" | sed 's/^/# /'; return; }
  echo "ok $number - refuse to verify $*"
}
refuses smoke --seeds 1
refuses smoke --seeds 1 --level statistical
refuses smoke --set lr=1e-5
# A signal ends all that was named, with one line, and leaves nothing. The snapshot is another plan's: it is not reached.
number=$((number + 1)) T=$(mktemp -d) && mkdir -p "$T/bench/experiments" "$T/results/baselines" "$T/tmp"
for name in slow slower; do
  sed "s/^name: .*/name: $name/; s/^steps: .*/steps: 1000000/" "$2/bench/experiments/smoke.yaml" >"$T/bench/experiments/$name.yaml"
  cp "$2/results/baselines/smoke-smoke.json" "$T/results/baselines/$name-smoke.json"
done
TMPDIR=$T/tmp NORMBENCH_ROOT=$T "$program" verify slow slower --threads 1 2>"$T/err" &
for ((i = 0; i < 1000; i++)); do [ -z "$(ls "$T/tmp")" ] || break; sleep 0.02; done
kill -INT $! && wait $!
code=$? what="a signal ends verify"
if [ $code = 130 ] && [ "$(cat "$T/err")" = "normbench: slow: stopped; nothing is kept" ] && [ -z "$(ls "$T/tmp")" ]; then
  echo "ok $number - $what"
else
  echo "not ok $number - $what: exit $code, leaves '$(ls "$T/tmp")'"
  sed 's/^/# /' "$T/err"
fi
rm -rf "$T"
for experiment in $experiments; do holds "$experiment"; done
for backend in soft-dot soft-amx dot amx; do
  why=$("$program" run smoke --dry-run --backend $backend --set precision=bf16 2>&1 >/dev/null)
  case $?,$backend in
    3,dot | 3,amx)
      number=$((number + 1))
      echo "ok $number - verify smoke by $backend # SKIP no bf16 instruction: ${why##*: }" ;;
    *) holds smoke --profile quick --level bit --backend $backend --set precision=bf16 ;;
  esac
done
for precision in fp16 bf16-stored fp16-scaled; do
  holds smoke --profile quick --level bit --set precision=$precision
done
echo "1..$number"
