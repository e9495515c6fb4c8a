#!/usr/bin/env bash
# Every reader of the program gets files of this program's own and seeded mutations of them: none may crash, hang, end the
# program or break what the reader promises. TAP, and a line "figure: attack | target | tries | failures" for each reader.
#   mutated.sh PROGRAM HOSTILE ROOT TRIES [SEED]     TRIES for each; a failure prints the seed and the number to repeat it by
set -u
export LC_ALL=C
unset NORMBENCH_DATA
program=$(realpath "$1") hostile=$(realpath "$2") root=$(realpath "$3") tries=$4 seed=${5:-1}
export NORMBENCH_ROOT=$root

. "$root/tests/hostile/seeds.sh"
number=0 bad=0
echo "1..$(wc -w <<<"$targets")"
for target in $targets; do
  number=$((number + 1))
  if timeout 600 "$hostile" "$target" "$seed" "$tries" "$target"/* >out 2>err; then
    echo "ok $number - $target takes $(cat out)"
    echo "# figure: mutated bytes | $target | $tries | 0"
  else
    bad=1
    echo "not ok $number - $target: $(grep -a 'at mutation' err | tail -n 1)"
    tail -n 5 err | cut -c1-300 | sed 's/^/# /'
    echo "# figure: mutated bytes | $target | $tries | 1"
  fi
done
exit $bad
