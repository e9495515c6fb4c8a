#!/usr/bin/env bash
# Every target of target.c as a libFuzzer harness with the address and undefined-behaviour sanitizers. TAP, and a line
# "figure: attack | target | tries | failures" for each.
#   fuzz.sh PROGRAM ROOT BUILD FOLDER SECONDS [TARGET...]     BUILD: Meson's folder; FOLDER: where the harness is built
# What a harness finds stays in FOLDER/found, and `HOSTILE_TARGET=… FOLDER/fuzz FILE` repeats it; what it
# learned stays in FOLDER/learned, where the next call goes on.
set -u
export LC_ALL=C
unset NORMBENCH_DATA
[ $# -ge 5 ] || { echo "usage: fuzz.sh PROGRAM ROOT BUILD FOLDER SECONDS [TARGET...]" >&2; exit 2; }
program=$(realpath "$1") root=$(realpath "$2") build=$(realpath "$3") seconds=$5
mkdir -p "$4" && folder=$(realpath "$4") || exit 3
shift 5
export NORMBENCH_ROOT=$root
[ "${FUZZ_BUILT:-}" ] || python3 "$root/tests/hostile/fuzz_build.py" "$build" "$folder" >"$folder.log" 2>&1 ||
  { echo "1..1"; echo "not ok 1 - the harnesses build"; tail -n 20 "$folder.log" | sed 's/^/# /'; exit 1; }
mkdir -p "$folder/found" "$folder/learned"
. "$root/tests/hostile/seeds.sh"
[ $# = 0 ] || targets=$*
# The words of the program's own tables, for the readers of keys.
cat "$root"/bench/plan/*.def | grep -oE '^[A-Z_]+\([a-z_0-9]+' | sed 's/.*(\(.*\)/"\1"/' | sort -u >words
grep -oE 'C\("[a-z._]*"' "$root/models/variant.c" | sed 's/C(//' | sort -u >>words
export ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1

number=0 bad=0
echo "1..$(wc -w <<<"$targets")"
for target in $targets; do
  number=$((number + 1)) failures=0
  mkdir -p "$folder/learned/$target"
  HOSTILE_TARGET=$target timeout $((seconds + 120)) "$folder/fuzz" "$folder/learned/$target" "$target" \
    -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=65536 -dict=words -print_final_stats=1 \
    -artifact_prefix="$folder/found/$target-" >out 2>&1 </dev/null || failures=1 bad=1
  tries=$(sed -n 's/^stat::number_of_executed_units: *//p' out)
  covered=$(grep -oE 'cov: [0-9]+' out | tail -n 1)
  [ "${tries:-0}" -gt 0 ] || failures=1 bad=1
  [ $failures = 0 ] && echo "ok $number - $target: $seconds s, ${covered/cov:/edges}" || {
    echo "not ok $number - $target"
    grep -aE 'ERROR|Assertion|runtime error|SUMMARY|^    #[0-9] |Test unit written' out | head -n 20 | cut -c1-300 | sed 's/^/# /'
  }
  echo "# figure: libFuzzer | $target | ${tries:-0} | $failures"
done
exit $bad
