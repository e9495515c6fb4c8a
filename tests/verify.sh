#!/usr/bin/env bash
# The smoke experiments against the stored baselines, bit for bit: on the synthetic source always, on tiny Shakespeare where
# a copy is found without a download. TAP.  verify.sh PROGRAM ROOT
set -u
export NORMBENCH_ROOT=$2
experiments=smoke
"$1" data verify tinyshakespeare --offline >/dev/null 2>&1
case $? in
  0) experiments="smoke smoke-shakespeare" ;;
  3) echo "# tiny Shakespeare is nowhere on this machine: the synthetic source alone" ;;
  *) experiments="smoke smoke-shakespeare" ;; # a wrong copy: let verify say so
esac
number=0
for experiment in $experiments; do
  number=$((number + 1))
  if out=$("$1" verify "$experiment" --offline 2>&1); then echo "ok $number - verify $experiment"; else
    echo "not ok $number - verify $experiment"
    printf '%s\n' "$out" | grep -v ' valid loss ' | sed 's/^/# /'
  fi
done
echo "1..$number"
