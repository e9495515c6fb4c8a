# Part of e2e.sh: the command line and experiment files.

commands() { # NAME UNDER of every command; "-": it stands alone
  sed -n 's/^COMMAND(\([a-z]*\), [A-Z]*, "\([a-z]*\)".*/\1 \2/p' "$root/bench/cli/commands.def" | sed 's/ $/ -/'
}

check_no_arguments() {
  local command under
  ends 0
  [ "$(wc -l <"$W/out")" -le 24 ] || fail "more than a screen of 24 lines"
  [ "$(wc -L <"$W/out")" -le 80 ] || fail "a line is wider than 80 columns"
  while read -r command under; do
    [ "$under" = - ] && command="  $command " || command="  $under "
    grep -q "^$command" "$W/out" || fail "the command $command is not listed"
  done < <(commands)
  [ ! -s "$W/err" ] || fail "something on stderr"
  ends 0 --help
  while read -r command under; do
    [ "$under" = - ] || command="$under $command"
    grep -qE "^    .*normbench $command( |\$)" "$W/out" || fail "the command $command has no example"
  done < <(commands)
}

check_commands_under_a_word() {
  ends 2 model
  says "name one of its commands"
  ends 2 model exprt
  says "no command 'exprt' under it"
  ends 0 help model
  prints '^normbench model export RUN'
  ends 0 help model bleu
  cp "$W/out" "$W/long"
  ends 0 bleu --help # the short form, for one version
  cmp -s "$W/out" "$W/long" || fail "bleu --help is not the help of model bleu"
}

check_help_of_every_command() {
  local command under
  while read -r command under; do
    [ "$under" = - ] && under=
    ends 0 $under "$command" --help
    prints "^normbench $under *$command"
    prints '^ +--results'
    ! grep -q ' $' "$W/out" || fail "a line of the help of $command ends in a blank"
  done < <(commands)
  ends 0 run --help
  [ "$(wc -l <"$W/out")" -le 24 ] || fail "the help of run is more than a screen"
  prints 'options more'
  ends 0 run --help all
  prints '^layers +4 +1 to 1024'
  cp "$W/out" "$W/long"
  for command in 'run -h all' 'help run all' 'run smoke -h all'; do
    # shellcheck disable=SC2086
    ends 0 $command
    cmp -s "$W/out" "$W/long" || fail "$command: not the help of run"
  done
  ends 0 --help
  ! grep -q ' $' "$W/out" || fail "a line of the list of commands ends in a blank"
  cp "$W/out" "$W/long"
  for command in -h help 'help -h' 'help --help'; do
    # shellcheck disable=SC2086
    ends 0 $command
    cmp -s "$W/out" "$W/long" || fail "$command: not the list of commands"
  done
  refused "unknown command 'rnu'; did you mean 'run'" help rnu
}

check_help_names_every_key() {
  local key line
  ends 0 run --help all
  for key in $(sed -n 's/^FIELD(\([a-z_0-9]*\),.*/\1/p' "$root/bench/plan/spec.def") \
    $(sed -n 's/^EXPERIMENT_KEY(\([a-z]*\),.*/\1/p' "$root/bench/plan/experiment_keys.def"); do
    [ "$(grep -cE "^$key +[^ ]" "$W/out")" = 1 ] || fail "the key $key has not one line"
  done
  for key in seeds table panels probes profiles writeup; do prints "^$key +[^ ]"; done
  for key in $(grep -oE 'C\("[a-z._]*"' "$root/models/variant.c" | cut -d'"' -f2); do
    grep -qE "(^|, )${key/./[.]}(,|:)" "$W/out" || fail "the column $key is not named"
  done
  for key in $(sed -n 's/^NORM(\([a-z]*\),.*/\1/p' "$root/models/norms.def") $(sed -n 's/^RULE(\([a-z_]*\),.*/\1/p' "$root/models/rules.def") \
    $(sed -n 's/^CHOICE([a-z_]*, \([a-z_]*\),.*/\1/p' "$root/models/choices.def"); do
    line=$(grep -E '^    ' "$W/out") # values break over lines
    [[ $line == *" $key"* ]] || fail "$key is not among the values of a column"
  done
}

check_slips_of_the_command_line() {
  local r=(--results "$W/r" --offline)
  refused "unknown command 'rnu'; did you mean 'run'" rnu
  refused "unknown command 'xyzzy'" xyzzy
  refused "run: name one experiment" run
  refused "run: name one experiment" run smoke smoke "${r[@]}"
  refused "run: name one experiment, not 'smoke' and '3e-3]'; a value with a space needs quotes" run smoke --set 'lr=[1e-3,' '3e-3]'
  refused "explain: name one variant" explain
  refused "list: unknown kind 'varients'; did you mean 'variants'" list varients
  refused "list: unknown kind 'extra'; there are: variants, norms," list extra
  refused "list: of the variants none holds 'nonsuch'" list variants nonsuch
  refused "list: it takes a kind and a word, and 'extra' is a third" list variants peri extra
  refused "table: name one experiment" table
  refused "snapshot: name one experiment" baseline && refused "snapshot: name one experiment" verify baseline
  refused "snapshot: --reason TEXT says why" snapshot smoke
  refused "snapshot: --reason: 'again' is too short, 8 characters at least" verify snapshot smoke --reason again
  refused "export: name one run" export
  refused "export: .* run" export 3f2a -o "$W/none" --results "$W/r"
  refused "import: name one" import
  refused "nowhere: No such file" import "$W/nowhere"
  refused "\-\-bisect takes two" verify --bisect cpu
  refused "unknown experiment 'smke'; did you mean 'smoke'" verify smke
  refused "unknown experiment 'smke'; did you mean 'smoke'" table smke
  refused "unknown experiment 'smkoe'; did you mean 'smoke'" run smkoe "${r[@]}"
  refused "nowhere.yaml: no such file" run nowhere.yaml "${r[@]}"
  refused "unknown option --profle; did you mean --profile" run smoke --profle x "${r[@]}"
  refused "unknown option -p " run smoke -p x "${r[@]}"
  refused "format: .run. does not take it" run smoke --format json "${r[@]}"
  refused "part: .list. does not take it" list --part 1/2
  refused "\-\-results needs a value" list --results
  refused "\-\-results: " run smoke --results '' --offline
  refused "\-\-results: " run smoke --offline --results "$(printf 'd%.0s' {1..700})"
  refused "\-\-offline takes no value" run smoke --offline=yes
  refused "no profile 'smok'; there are: smoke" run smoke --profile smok "${r[@]}"
  refused "unknown variant 'prenorm'; did you mean 'pre'" run smoke --arm '{variant: prenorm}' "${r[@]}"
  refused "unknown variant 'prenorm'; did you mean 'pre'" explain prenorm
  refused "unknown key 'attn.ot'; did you mean 'attn.out'" run smoke --arm '{variant: pre, attn.ot: rmsnorm}' "${r[@]}"
  refused "unknown .*'rmsnrm'; did you mean 'rmsnorm'" run smoke --arm '{variant: pre, attn.out: rmsnrm}' "${r[@]}"
  refused "\-\-set: unknown key 'lyers'; did you mean 'layers'" run smoke --set lyers=3 "${r[@]}"
  refused "\-\-set: layers: '8.5'" run smoke --set layers=8.5 "${r[@]}"
  refused "\-\-set: lr: .*1e9.*0 to 1000000" run smoke --set lr=1e9 "${r[@]}"
  refused "\-\-set: 'lr' is not key=value; write --set lr=VALUE$" run smoke --set lr "${r[@]}"
  refused "\-\-set: 'steps' is not key=value; write --set steps=50$" run smoke --set steps 50 "${r[@]}"
  refused "attn.out: unknown norm 'foo'; valid: none, .*rmsnorm" run smoke --arm '{base: pre, attn.out: foo}' "${r[@]}"
  refused "'rmsnrm'; did you mean 'rmsnorm'\? valid: none, " run smoke --arm '{base: pre, attn.out: rmsnrm}' "${r[@]}"
  refused "gate: 'lerned' is neither a number nor a rule; did you mean 'learned'\? valid: a number, or constant, .*learned_row" \
    run smoke --arm '{base: pre, gate: lerned}' "${r[@]}"
  refused "unknown variant 'xyzzy'; there are: .*pre, post" run smoke --arm '{base: xyzzy}' "${r[@]}"
  refused "\-\-set: .*heads.*width" run smoke --set heads=5 "${r[@]}"
  refused "\-\-set: unknown dataset 'tinyshakespear'; did you mean 'tinyshakespeare'" \
    run smoke --set dataset=tinyshakespear "${r[@]}"
  refused "\-\-arm: unknown dataset 'syntetic'; did you mean 'synthetic'" \
    run smoke --arm '{variant: pre, dataset: syntetic}' "${r[@]}"
  refused "unknown dataset 'tinyshake'; did you mean 'tinyshakespeare'" data verify tinyshake --offline
  refused "data: unknown verb 'verfy'; did you mean 'verify'" data verfy
  refused "unknown backend 'portabel'; did you mean 'portable'" run smoke --backend portabel "${r[@]}"
  refused "tokenizer: unknown value 'chr'; did you mean 'char'" run smoke --tokenizer chr "${r[@]}"
  refused "\-\-threads: '0'" run smoke --threads 0 "${r[@]}"
  refused "\-\-threads: '2x'" run smoke --threads 2x "${r[@]}"
  refused "threads per-run: '0'" run smoke --threads per-run=0 "${r[@]}"
  refused "part: '3/2'" run smoke --part 3/2 "${r[@]}"
  refused "part: '1'" run smoke --part 1 "${r[@]}"
  refused "\-\-checkpoint-every: 'soon'" run smoke --checkpoint-every soon "${r[@]}"
  [ ! -e "$W/r" ] || fail "a refused command left something in the results"
}

# A line of toy.yaml changed by sed must be refused with its number.
yaml() { # LINE PATTERN SED
  local line=$1 pattern=$2
  sed "$3" "$T/toy.yaml" >"$W/wrong.yaml"
  ! cmp -s "$T/toy.yaml" "$W/wrong.yaml" || fail "the edit '$3' changes nothing"
  refused "wrong\.yaml:$line: .*$pattern" run "$W/wrong.yaml" --results "$W/r" --offline
}

check_mistakes_in_experiment_files() {
  yaml 3 "unknown key 'lyers'; did you mean 'layers'" 's/^layers/lyers/'
  yaml 3 "layers: '8.5'" 's/^layers: 2/layers: 8.5/'
  yaml 3 "layers: '010'" 's/^layers: 2/layers: 010/'
  yaml 3 "layers: 0 " 's/^layers: 2/layers: 0/'
  yaml 3 "layers: .*missing" 's/^layers: 2/layers:/'
  yaml 8 "lr: '3e-4x'" 's/^lr: 1e-3/lr: 3e-4x/'
  yaml 8 "lr: 'nan'" 's/^lr: 1e-3/lr: nan/'
  yaml 8 "lr: '0,5'" 's/^lr: 1e-3/lr: 0,5/'
  yaml 8 "lr: '0x10'" 's/^lr: 1e-3/lr: 0x10/'
  yaml 2 "unknown dataset 'text.txt'; did you mean the file, text:text.txt" 's/^dataset: .*/dataset: text.txt/'
  yaml 2 "unknown dataset 'syntetic'; did you mean 'synthetic'" 's/^dataset: .*/dataset: syntetic/'
  yaml 14 "unknown dataset 'tinyshakespear'; did you mean 'tinyshakespeare'" 's/pre}/pre, dataset: tinyshakespear}/'
  yaml 14 "unknown variant 'prre'; did you mean 'pre'" 's/variant: pre/variant: prre/'
  yaml 15 "unknown key 'embd'; did you mean 'embed'" 's/embed/embd/'
  yaml 15 "unknown .*'rmsnorn'; did you mean 'rmsnorm'" 's/rmsnorm/rmsnorn/'
  yaml 15 "unknown norm 'rms2'; .*valid: none, layernorm" 's/rmsnorm/rms2/'
  yaml 5 "heads" 's/^heads: 4/heads: 5/'
  yaml 4 "duplicate key 'layers'" '3p'
  yaml 1 "baseline: there is no arm 'plane'; did you mean 'plain'" 's/^name: toy/baseline: plane/'
  yaml 17 "unknown key 'stepps'; did you mean 'steps'" 's/{seeds: 2}/{stepps: 2}/'
  yaml 14 "a tab" "s/^  plain/\tplain/"
  yaml '[0-9]+' "not yaml" 's/{seeds: 2}/{seeds: 2/'
  yaml 1 "UTF-8" 's/^name: toy/name: t\xff\xfe/'
  [ ! -e "$W/r" ] || fail "a refused file left something in the results"
}

check_a_model_that_does_not_fit_is_refused_before_it_starts() {
  ends 3 "${run[@]}" --set width=8192 --set layers=256 --results "$W/r"
  says 'out of memory: a run of 256 layers x 8192, batch 4 x 16, needs [0-9]{6,} MB; [0-9]+ MB can be had'
  [ -z "$(ls "$W/r/runs" 2>/dev/null)" ] || fail "something was begun"
  ends 3 "${run[@]}" --set width=8192 --set layers=256 --results "$W/r" --dry-run
  says 'out of memory: a run of 256 layers x 8192, batch 4 x 16, needs [0-9]{6,} MB; [0-9]+ MB can be had'
  prints '^4 of 4 runs to train, .* FLOPs, '
}

check_compare_reads_columns_by_name_and_draws() {
  local seed losses=$W/losses.csv
  echo run,method,loss,accuracy >"$losses"
  for seed in 1 2 3 4 5 6; do printf '%d,adam,3.%d,.4\n%d,lion,3.%d,.5\n' $seed $seed $seed $((seed * seed % 7 + 1)) >>"$losses"; done
  refused "losses.csv:1: the header has no column 'seed' \(--column seed=NAME names it\)" compare "$losses"
  refused "losses.csv:1: --metric NAME must say which column it is: loss, accuracy" \
    compare "$losses" --column seed=run --column arm=method
  refused "the header has no column 'los'; is 'loss' meant\?" compare "$losses" --column seed=run --metric los
  local columns=(--column seed=run --column arm=method --metric loss)
  ends 4 compare "$losses" "${columns[@]}" -o "$W/d.svg"
  prints "^Read as one run a line: arm is column 'method', value is column 'loss'\.$"
  prints '^  adam +3\.35  0\.19$'
  grep -q '>lion<' "$W/d.svg" && python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' "$W/d.svg" ||
    fail "the plot is no SVG of lion"
  mkdir -p "$W/bare"
  with=(env PATH="$W/bare")
  ends 3 compare "$losses" "${columns[@]}" -o "$W/bare/d.svg"
  with=()
  says '^normbench: gnuplot: not installed'
  [ ! -e "$W/bare/d.svg" ] || fail "something was drawn without gnuplot"
  refused "output: 'd.png' does not end in .svg" compare "$losses" "${columns[@]}" -o d.png
  ends 3 compare "$losses" "${columns[@]}" -o "$W/none/d.svg"
  says 'none/d.svg: '
  cut -d, -f1-3 "$losses" | sed '1s/run/seed/' >"$W/plain.csv"
  ends 4 compare "$W/plain.csv"
  prints "^Read as one run a line: arm is column 'method', value is column 'loss'\.$"
}

check_compare_gates_by_how_much() {
  local seed gate=$W/gate.csv
  echo seed,base,a >"$gate"
  for seed in 1 2 3 4 5 6 7 8; do printf '%d,3.0%d,3.1%d\n' $seed $seed $((seed * seed % 10)) >>"$gate"; done
  ends 1 compare "$gate"
  ends 1 compare "$gate" --fail-on worse-by:.03
  prints 'FAILS, worse by more: a\.$'
  ends 4 compare "$gate" --fail-on worse-by:.1
  ends 0 compare "$gate" --fail-on=worse-by:0.3 --margin .02
  prints 'passes, not worse by more: a\.$'
  echo seed,base,a >"$W/tie.csv" # exactly 0.02 but for the rounding of the inputs
  for seed in 1 2 3 4 5 6 7 8; do printf '%d,3.0%d,3.0%d\n' $seed $seed $((seed + 2)) >>"$W/tie.csv"; done
  sed -i 's/3.010$/3.1/' "$W/tie.csv"
  for by in 0.02:0 0.0199:1 0.0201:0; do ends "${by#*:}" compare "$W/tie.csv" --fail-on "worse-by:${by%:*}"; done
  sed -i '2,$s/[^,]*$/nan/' "$gate"
  refused "--cap 1: a diverged run would count as good as the best that finished \(3.01, seed 1 of arm 'base'\)" \
    compare "$gate" --cap 1
  ends 1 compare "$gate" --cap 10.8 --stall 4 --format json
  prints '"only_arm": 8'
}

check_bleu_reads_lines() {
  printf 'The cat sat on the mat.\n\n!?\n' >"$W/h"
  printf 'The cat is sitting on the mat.\nA dog.\n...' >"$W/r" # an empty hypothesis, punctuation, no last line's end
  ends 0 bleu "$W/h" "$W/r"
  prints '^BLEU\|nrefs:1\|case:mixed\|eff:no\|tok:13a\|smooth:exp\|version:normbench-.* = 25\.35 66\.7/57\.1/40\.0/25\.0 \(BP = '
  prints 'hyp_len = 9 ref_len = 14\)$'
  prints '^chrF2\|nrefs:1\|case:mixed\|eff:yes\|nc:6\|nw:0\|space:no\|version:normbench-.* = 42\.95$' # as sacrebleu 2.6.0 prints
  refused 'bleu: give two files, translations and references' bleu "$W/h"
  refused 'bleu: .*/none: ' bleu "$W/h" "$W/none"
  echo one >"$W/short"
  refused 'bleu: .*/h has 3 lines and .*/short has 1; both need the same number' bleu "$W/h" "$W/short"
  printf 'one\ntw\xff\n' >"$W/latin"
  refused 'bleu: .*/latin:2: not UTF-8: byte 0xff at offset 6' bleu "$W/latin" "$W/r"
  : >"$W/empty"
  refused 'bleu: .*/empty is empty; it must hold one sentence per line' bleu "$W/h" "$W/empty"
}
