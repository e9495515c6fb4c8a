#!/usr/bin/env bash
# ./check and ./reproduce without their work: help, options, the program that they leave, where the tables are. TAP.
#   scripts.sh ROOT
. "$(dirname "$0")/../lib.sh"
export LC_ALL=C
[ $# -eq 1 ] || { echo "usage: scripts.sh ROOT" >&2; exit 2; }
root=$(realpath "$1")

# A checkout in which nothing is installed, and what is built is a script that writes down how it was called.
tree="$T/a tree"
mkdir -p "$tree/bench" && cp "$root/check" "$root/reproduce" "$tree/"
cat >"$tree/bench/machine.sh" <<SH
. "$root/bench/machine.sh"
prepare_machine() { true; }
find_gpu() { gpu= cuda=; return 1; }
build_in() {
  mkdir -p "\$1/bench" && cat >"\$1/bench/normbench" <<'PROGRAM'
#!/bin/sh
echo "\$*" >>"\$CALLS"
[ "\$1" = run ] && [ -n "\${FAILS:-}" ] && exit 3
[ "\$1" = verify ] && { echo "compared"; exit "\${DIFFERS:-0}"; }
[ "\$1" = table ] || exit 0
echo "the table of \$2"
printf 'normbench: note: results/\n%s/out/%s-24252339/\n  %s.tex %s.txt\n' "\${R:-results}" "\$2" "\$2" "\$2" >&2
PROGRAM
  chmod +x "\$1/bench/normbench"
}
SH
export CALLS=$T/calls
called() { # script, arguments...: $T/out, $T/err, code
  : >"$CALLS"
  (cd / && "$tree/$1" "${@:2}") >"$T/out" 2>"$T/err" </dev/null
  code=$?
}

for script in check reproduce; do
  for word in --help -h; do
    called $script $word
    report "$script $word says what it does" "$([ $code = 0 ] || echo "exit $code"
      head -n 1 "$T/out" | grep -q '^From a fresh clone' || head -3 "$T/out"
      grep -q '^set -u' "$T/out" && echo "it prints its program"
      grep -qE '^ +(./check --full|--pdf)' "$T/out" || echo "it does not name its options"
      [ ! -s "$CALLS" ] && [ ! -e "$tree/build-check" ] || echo "it did something")"
  done
  called $script --fulll
  report "$script refuses an option that it does not know" "$([ $code = 2 ] || echo "exit $code"
    grep -qE "unknown option '--fulll' \(--" "$T/err" || cat "$T/err")"
done

for word in --profile --writeup --part --profile= --part=; do
  called reproduce $word
  report "reproduce $word without its value trains nothing" "$([ $code = 2 ] || echo "exit $code"
    [ ! -s "$CALLS" ] || cat "$CALLS"; grep -qx "reproduce: ${word%=} needs a value" "$T/err" || cat "$T/err")"
done

called reproduce --profile full --results r
report "reproduce leaves ./normbench and names the folders of the tables" "$([ $code = 0 ] || echo "exit $code"
  [ "$(readlink "$tree/normbench")" = build/bench/normbench ] || echo "no link: $(ls "$tree")"
  tail -n 3 "$T/err" | head -n 1 | grep -qE '^Done in [0-9]+ s\. The tables are in:$' || tail -n 5 "$T/err"
  diff <(tail -n 2 "$T/err") - <<'SAID'
  results/out/embedding-norm-4-24252339/
  results/out/embedding-norm-24252339/
SAID
  grep -c 'the table of' "$T/out" | grep -vx 2)"
report "reproduce ends with what verify says of the tables" "$(tail -n 1 "$T/out" | grep -x compared >"$T/said" || tail -n 2 "$T/out"
  tail -n 1 "$CALLS" | grep -qx 'verify embedding-norm-4 embedding-norm --tables --profile full --results r' || cat "$CALLS")"
DIFFERS=1 called reproduce --writeup 001 --synthetic
report "reproduce ends with verify's exit code" "$([ $code = 1 ] || echo "exit $code"
  tail -n 1 "$CALLS" | grep -qx 'verify theory residual-scale .* --tables --profile quick --set dataset=synthetic' || cat "$CALLS")"
FAILS=yes called reproduce --profile smoke
report "reproduce stops where its program does" "$([ $code = 3 ] || echo "exit $code"; ! grep -q table "$CALLS" || cat "$CALLS")"

in_tree() { (cd "$tree" && . bench/machine.sh && leave_program "$1") 2>"$T/err"; }
in_tree build-check
report "the last build is the one that ./normbench is" \
  "$([ "$(readlink "$tree/normbench")" = build-check/bench/normbench ] || readlink "$tree/normbench")"
rm "$tree/normbench" && echo mine >"$tree/normbench" && in_tree build
report "a file that is in the way is kept" "$([ "$(cat "$tree/normbench")" = mine ] || echo "it is gone"
  grep -q 'in the way; the program is build/bench/normbench' "$T/err" || cat "$T/err")"
report "check leaves the program too, before its tests" "$(awk '/^leave_program "\$build"$/ {left = 1}
  /^meson test/ && !left {print "it tests first"} END {if (!left) print "it does not"}' "$root/check")"
report "git ignores the link" "$(grep -qx /normbench "$root/.gitignore" || echo "it does not")"
echo "1..$number"
