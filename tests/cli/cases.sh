#!/usr/bin/env bash
# Kinds of fault that public bug reports show: the program on each kind's inputs, a line of TAP and of figures per kind.
#   cases.sh ROOT PROGRAM
# tests/cli/cases_*.sh define kinds: a function kind_NAME each, which calls `reads`, `refuses` or `tries` per input. A new
# kind is a function, a new subject a file.
set -u
root=$(realpath "$1") program=$(realpath "$2")
W=$(mktemp -d) || exit 3
trap 'rm -rf "$W"' EXIT
export NORMBENCH_CACHE=$W/cache
tries=0 failures=0

# The program's exit code must be the first word; out and err are left in $W.
runs() {
  local want=$1 code
  shift
  tries=$((tries + 1))
  (cd "$W" && exec "$program" "$@") >"$W/out" 2>"$W/err" </dev/null
  code=$?
  [ "$code" = "$want" ] && return 0
  failed "exit code $code, not $want: $*: $(head -c 300 "$W/err")"
}

failed() {
  failures=$((failures + 1))
  printf '# %s\n' "$*" | head -c 600
  return 1
}

# has WHERE TEXT: a fixed text in out or err of the command before.
has() { grep -qF -- "$2" "$W/$1" || failed "'$2' is not in $1: $(head -c 300 "$W/$1")"; }
lacks() { ! grep -qF -- "$2" "$W/$1" || failed "'$2' is in $1"; }
# refuses TEXT COMMAND...: exit 2 and one line that holds the text.
refuses() {
  local text=$1
  shift
  runs 2 "$@" && has err "$text" && { [ "$(wc -l <"$W/err")" = 1 ] || failed "more than one line: $*"; }
}
# same CODE FILE COMMAND...: prints the bytes that FILE holds (the first call makes it).
same() {
  local code=$1 file=$W/$2
  shift 2
  runs "$code" "$@" || return
  [ -e "$file" ] || cp "$W/out" "$file"
  cmp -s "$file" "$W/out" || failed "another output: $*"
}

for part in "$root"/tests/cli/cases_*.sh; do
  # shellcheck source=/dev/null
  . "$part"
done
kinds=$(declare -F | sed -n 's/^declare -f kind_//p' | sort)
n=0 bad=0
echo "TAP version 13"
for kind in $kinds; do
  n=$((n + 1)) tries=0 failures=0
  rm -rf "$W"/*
  "kind_$kind"
  if [ "$failures" = 0 ] && [ "$tries" -gt 0 ]; then echo "ok $n - ${kind//_/ }"; else echo "not ok $n - ${kind//_/ }"; fi
  echo "# figure: cases | ${kind//_/ } | $tries | $failures"
  bad=$((bad + (failures > 0)))
done
echo "1..$n"
[ "$bad" = 0 ]
