#!/usr/bin/env bash
# tests/numbers_in_text.py: the numbers in documents and notes are the stored ones, and what is not so is found. TAP.
#   numbers_in_text.sh ROOT
. "$(dirname "$0")/lib.sh"
root=$(realpath "$1")
copy() { # a fresh copy of what is read
  rm -rf "$T/copy" && mkdir -p "$T/copy/tests" "$T/copy/bench" && ln -s "$root/results" "$T/copy/results" &&
    ln -s "$root/bench/experiments" "$T/copy/bench/experiments" && cp -r "$root/bench/claims" "$T/copy/bench/" &&
    cp "$root"/{README,REPRODUCE}.md "$T/copy/" && cp -r "$root/docs" "$T/copy/" &&
    cp "$root"/tests/numbers_in_*.def "$T/copy/tests/"
}
check() { python3 "$root/tests/numbers_in_text.py" "$T/copy" 2>&1; }
finds() { # pattern, file, sed's program: what the check says after the change
  copy && sed -i "$3" "$T/copy/$2" && ! cmp -s "$T/copy/$2" "$root/$2" || { echo "nothing was changed: $3"; return; }
  check >"$T/said"
  grep -qE "$1" "$T/said" || { echo "$3: not found: $1"; head -n 3 "$T/said"; }
}

report "the documents and the notes say what results/ holds" "$(copy && check)"
report "a changed digit is found" "$(
  finds 'README.md does not say: .*here is 2.94 nats' README.md 's/is 2.94 nats/is 2.95 nats/'
  finds 'README.md:[0-9]+: 2.95 is neither' README.md 's/is 2.94 nats/is 2.95 nats/'
  finds 'findings.md does not say: [0-9]+ hold, [0-9]+ do not' docs/findings.md 's/ hold, \([0-9]*\) do not/ hold, \10 do not/'
  finds 'findings.md does not say: .*91 runs diverge' docs/findings.md 's/91 runs diverge/90 runs diverge/')"
notes=bench/claims/000.yaml
report "a changed digit of a note is found" "$(
  finds '000-2:[0-9]+: 6.8 is neither' $notes 's/is 6.7 decades/is 6.8 decades/'
  finds '000-3 does not say: so 116 other' $notes 's/so 116 other/so 117 other/'
  finds '000-14 does not say: .*ten times' $notes 's/more than ten times/more than twenty times/')"
report "a digit more of a note is found" "$(finds '000-2:[0-9]+: 6.79 is' $notes 's/is 6.7 decades/is 6.79 decades/')"
report "a claim that a note names and that is none is found" \
  "$(finds '000-15: there is no claim 000-77' $notes 's|test of 000-7 asks|test of 000-77 asks|')"
report "what the notes take for a setting is none in a document" "$(
  finds 'README.md:[0-9]+: 65,504 is neither' README.md '$a It is 65,504.')"
report "a digit more is found" "$(finds '0.221 is neither' docs/findings.md 's/to 0.22 nats at 12/to 0.221 nats at 12/'
  finds '0.023' README.md 's/the same within 0.02 |/the same within 0.023 |/')"
report "a changed verdict is found" \
  "$(finds 'findings.md does not say: .*\(002-8: contradicted' docs/findings.md 's/(002-8: contradicted/(002-8: reproduced/')"
for said in 'It is better by 0.3 nats.' 'It wins in 7 of 8 seeds.' 'Then p is .04.' 'It gains 12 %.' 'It is 3 times as fast.' \
  'It is twelve times as fast.' 'It is off by 2e-5.' 'It takes 41 minutes.' 'It takes 3 to 5 hours.' '| a table | 0.31 |'; do
  report "a number of nowhere is found: $said" "$(
    finds 'README.md:[0-9]+: .* is neither recomputed nor a setting' README.md "\$a $said"
    finds '000-1:[0-9]+: .* is neither recomputed nor a setting' $notes "0,/    note: \"/s//&$said /")"
done
report "numbers in code, links, blocks and names are no results" "$(copy && cat >>"$T/copy/README.md" <<'Y'
`run 12.5` and [a table](99.txt), in fp16 on AVX-512 by sm_90; write-up 003; with 8 seeds, 4 x 128, N(0, 0.02).
```sh
./reproduce                                   # 7 to 12 minutes
```
<!-- from results/perf/steps.txt -->
1.95 times
<!-- end -->
Y
check)"
report "a document under docs/ is read too" "$(copy && echo 'It is better by 0.3 nats.' >"$T/copy/docs/"new.md
check | grep -q '^docs.new.md:1: 0.3 is neither' || echo "not found")"
list=tests/numbers_in_text.def
report "a row of the list that is wrong is named" "$(finds 'def:[0-9]+: no document .NEWS.md' $list '$a NEWS.md: it is {}\n  = 1'
  finds 'def:[0-9]+: .*No such file' $list '$a README.md: it is {}\n  = len(runs("nowhere"))'
  finds 'def:[0-9]+: 0 lines of .* match' $list '$a README.md: it is {}\n  = at("perf/8x128.txt", "nothing (x)")'
  finds 'def:[0-9]+: .* is not true' $list '$a README.md: it is {}\n  = holds(1 > 2, 1)'
  finds 'def:[0-9]+: 2 numbers in the sentence, 1 in' $list '$a README.md: it is {} or {}\n  = 1'
  finds 'text.def:[0-9]+: no text has such a setting' $list '$a setting 12 monkeys'
  finds 'text.def:[0-9]+: no text has such a setting' $list '$a setting 307,200 tokens, 0.31 of an epoch'
  finds 'notes.def:[0-9]+: no text has such a setting' tests/numbers_in_notes.def '$a setting 12 monkeys'
  finds 'notes.def:[0-9]+: no document .README.md' tests/numbers_in_notes.def '$a README.md: it is {}\n  = 1'
  finds 'def:[0-9]+: no expression' $list '$a README.md: it is {}')"
echo "1..$number"
