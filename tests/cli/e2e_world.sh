# Part of e2e.sh: corpora, and the machine around the program.

pinned=1115394 # bytes of tiny Shakespeare
corpus=tinyshakespeare/input.txt
shakespeare=(run smoke-shakespeare --profile smoke --offline --set seeds=1 --set steps=1 --set layers=1 --set width=16
  --set heads=1 --set context=128 --set batch=64 --set evaluate_at=1 --set curve_batches=1 --arm '{plain: {variant: pre}}')

check_wrong_corpora_are_never_used() {
  local case how=
  for case in 'empty|it is empty' 'html|it looks like an HTML page' 'short|it looks truncated, 5000 of 1115394 bytes' \
    'other|it has the right length and other contents' 'long|it is 3 bytes too long'; do
    how=${case%%|*}
    mkdir -p "$W/$how/tinyshakespeare"
    case $how in
      empty) : ;;
      html) printf '\n<!DOCTYPE html><html><body>404: Not Found</body></html>\n' ;;
      short) yes 'First Citizen:' | head -c 5000 ;;
      other) yes 'First Citizen:' | head -c $pinned ;;
      long) yes 'First Citizen:' | head -c $((pinned + 3)) ;;
    esac >"$W/$how/$corpus"
    cp "$W/$how/$corpus" "$W/copy"
    for command in run data environment; do
      case $command in
        run) ends 5 "${shakespeare[@]}" --data "$W/$how" --results "$W/r" ;;
        data) ends 5 data verify tinyshakespeare --offline --data "$W/$how" ;;
        environment) NORMBENCH_DATA=$W/$how ends 5 "${shakespeare[@]}" --results "$W/r" ;;
      esac
      says "$how/$corpus: not $corpus as pinned: .*${case#*|}"
      ! grep -q SYNTHETIC "$W/err" || fail "something else was used instead"
    done
    cmp -s "$W/$how/$corpus" "$W/copy" || fail "the user's file was changed"
  done
  [ ! -e "$W/r" ] || fail "something was trained on a wrong corpus"
}

check_wrong_corpus_in_the_cache_is_put_away() {
  copied_tree "$W/tree/checkout"
  export NORMBENCH_ROOT=$W/tree/checkout
  mkdir -p "$NORMBENCH_ROOT/datasets/cache/tinyshakespeare"
  echo '<html>' >"$NORMBENCH_ROOT/datasets/cache/$corpus"
  ends 5 data verify tinyshakespeare --offline
  says 'moved to .*/input\.txt\.rejected-[0-9a-f]{8}'
  [ ! -e "$NORMBENCH_ROOT/datasets/cache/$corpus" ] || fail "it is still in the cache"
  grep -q '<html>' "$NORMBENCH_ROOT/datasets/cache/$corpus".rejected-* || fail "it is not beside the cache's place"
  ends 3 data verify tinyshakespeare --offline
  says 'not found \(tried'
}

check_nothing_stands_in_for_a_missing_corpus() {
  local more
  copied_tree "$W/tree/checkout"
  mkdir "$W/nothing"
  export NORMBENCH_ROOT=$W/tree/checkout NORMBENCH_DATA=$W/nothing
  for more in '' '--part 1/2' '--dry-run'; do
    # shellcheck disable=SC2086
    CI=1 ends 3 "${shakespeare[@]}" $more
    says "^normbench: corpus 'tinyshakespeare' cannot be had: .*--data DIR .*--set dataset=synthetic"
    [ "$(grep -c '' "$W/err")" = 1 ] || fail "more than one line"
  done
  [ ! -e "$NORMBENCH_ROOT/results/runs" ] || fail "something was trained"
  ends 0 "${shakespeare[@]}" --set dataset=synthetic # unless it is asked for
  grep -q '"dataset": "synthetic"' "$NORMBENCH_ROOT"/results/runs/*/record.json || fail "the record does not say so"
  grep -q 'dataset = synthetic' "$NORMBENCH_ROOT"/results/runs/*/record.json || fail "the specification does not say so"
  grep -q '"entropy_rate": [0-9]' "$NORMBENCH_ROOT"/results/runs/*/record.json || fail "no entropy rate"
  ends 3 verify smoke-shakespeare --offline # nothing stands in for a snapshot's corpus
  says 'not found \(tried'
  ends 2 "${shakespeare[@]}" --data "$W/nowhere"
  says 'nowhere: no such folder'
}

check_no_home_and_odd_paths() {
  local odd="$W/a b/ü €'\"\$x"$'\n''line'
  mkdir -p "$odd"
  cp "$T/text.txt" "$T/toy.yaml" "$odd/"
  cd "$odd" || fail "no such folder"
  ends 0 "${run[@]}" --results "$odd/re sults"
  same "$odd/re sults"
  cp "$T/text.txt" "$W/a b/ünï cödé.txt"
  ends 0 "${one[@]/one.yaml/$T/one.yaml}" --text "$W/a b/ünï cödé.txt" --results "$W/r"
  grep -q '"dataset": "ünï cödé.txt"' "$W"/r/runs/*/record.json || fail "the record does not name the text"
  with=(env -i)
  ends 0 "${run[@]}" --offline --results "$W/bare"
  same "$W/bare"
}

check_other_locales() {
  local locale count=0
  mkdir "$W/locales"
  localedef -c -i de_DE -f UTF-8 "$W/locales/de_DE.UTF-8" 2>/dev/null
  for locale in de_DE.UTF-8 $(locale -a | grep -v -e '^C' -e POSIX | head -n 2); do
    with=(env LOCPATH="$W/locales" LC_ALL="$locale" LC_NUMERIC="$locale" LANG="$locale" LANGUAGE=de
      ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0") # libc keeps what it has read below LOCPATH
    ends 0 "${run[@]}" --set lr=0.001 --results "$W/$locale"
    same "$W/$locale"
    refused "lr: '0,5'" "${run[@]}" --set lr=0,5 --results "$W/r"
    count=$((count + 1))
  done
  [ "$count" -gt 0 ] || fail "no locale was tried"
}

check_closed_streams() {
  local stream
  "$program" "${run[@]}" --results "$W/in" <&- >"$W/out" 2>"$W/err" || fail "stdin closed: exit $?"
  same "$W/in"
  "$program" "${run[@]}" --results "$W/out-closed" </dev/null >&- 2>"$W/err"
  [ $? = 3 ] || fail "stdout closed: not exit 3"
  says 'stdout: cannot write'
  same "$W/out-closed"
  "$program" "${run[@]}" --checkpoint-every 0 --results "$W/err-closed" </dev/null >"$W/out" 2>&- ||
    fail "stderr closed: exit $?"
  same "$W/err-closed"
  "$program" "${run[@]}" --checkpoint-every 0 --results "$W/all-closed" <&- >&- 2>&-
  [ $? = 3 ] || fail "all streams closed: not exit 3"
  same "$W/all-closed"
  for stream in in out err; do : >"$W/$stream"; done
}

check_output_that_cannot_be_written() {
  "$program" list >/dev/full 2>"$W/err"
  [ $? = 3 ] || fail "list to a full device: not exit 3"
  says 'stdout: cannot write'
  "$program" "${run[@]}" --results "$W/full" >/dev/full 2>"$W/err"
  [ $? = 3 ] || fail "run to a full device: not exit 3"
  says 'stdout: cannot write'
  same "$W/full" # what was trained is kept
  "$program" "${run[@]}" --results "$W/both" >"$W/out" 2>/dev/full || fail "messages to a full device: exit $?"
  same "$W/both"
  { "$program" "${run[@]}" --results "$W/pipe" 2>&1 >"$W/out"; echo $? >"$W/code"; } | true
  [ "$(cat "$W/code")" = 0 ] || fail "a reader of stderr that leaves stops the run: exit $(cat "$W/code")"
  same "$W/pipe"
}

check_plain_lines_without_a_terminal() {
  ends 0 "${run[@]}" --results "$W/r"
  ! grep -q "[$(printf '\r\033')]" "$W/err" || fail "control characters on stderr"
  says '^ +4/4 +(plain|ours) seed [12] +valid loss [0-9.]+ at step 30'
  [ "$(grep -c 'valid loss' "$W/err")" = 4 ] || fail "not one line per run"
}

check_bar_on_a_terminal() {
  # A machine without /dev/pts (a bare chroot) has no terminals, so nobody there can see a bar either.
  script -qec true /dev/null </dev/null >/dev/null 2>&1 || return 0
  # shellcheck disable=SC2016
  NB=$program R=$W/r script -qec '"$NB" run toy.yaml --profile smoke --offline --results "$R" >"$R.out"' /dev/null \
    </dev/null >"$W/err" 2>&1 || fail "exit $? on a terminal"
  grep -q "$(printf '\r')\[[#.]*\] .*[0-4]/4 runs .* left" "$W/err" || fail "no bar"
  tr '\r' '\n' <"$W/err" | grep -q 'valid loss' || fail "no line per run"
  [ -z "$(tail -c 1 "$W/err" | tr -d '\n\rK')" ] || fail "the bar is left on the screen"
  grep -q '4 of 4 runs stored' "$W/r.out" || fail "the result is not on stdout"
  same "$W/r"
}

check_start_up() {
  local arguments best spent start i limit
  for arguments in --version list; do
    best=1000000 limit=50000
    [ $arguments = --version ] || limit=100000 # list reads every experiment and claim there is
    ! grep -qa __asan_init "$program" || limit=$((limit * 10))
    for ((i = 0; i < 20; i++)); do
      start=${EPOCHREALTIME/./}
      "$program" $arguments >/dev/null || fail "$arguments: exit $?"
      spent=$((${EPOCHREALTIME/./} - start))
      [ $spent -ge $best ] || best=$spent
    done
    [ $best -lt $limit ] || fail "$arguments takes $((best / 1000)) ms at best"
  done
}

on_terminal() { # TERM ARGUMENTS...: what the program writes to a terminal of this kind, in $W/screen ("": TERM is not set)
  python3 - "$W/screen" "$program" "$@" <<'PY'
import os, pty, sys
screen, program, kind, *arguments = sys.argv[1:]
pid, fd = pty.fork()
if not pid:
    os.environ.pop("TERM", None)
    if kind:
        os.environ["TERM"] = kind
    os.execv(program, [program, *arguments])
with open(screen, "wb") as out:
    while True:
        try:
            out.write(os.read(fd, 4096) or exit("nothing more"))
        except OSError:
            break
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PY
}

# A terminal that cannot go back to the start of a line gets plain lines.
check_dumb_terminals_get_plain_lines() {
  local kind
  for kind in dumb ''; do
    rm -rf "$W/r"
    on_terminal "$kind" "${run[@]}" --results "$W/r" || fail "exit $? with TERM=$kind"
    ! sed 's/\r$//' "$W/screen" | grep -q $'[\r\033]' || fail "TERM=$kind: a carriage return or an escape"
    grep -q '4/4  .*valid loss' "$W/screen" || fail "TERM=$kind: no line per run"
    on_terminal "$kind" status toy.yaml --profile smoke --watch --results "$W/r" || fail "exit $? with TERM=$kind"
    ! grep -q $'\033' "$W/screen" && grep -q '4 runs: 4 done' "$W/screen" || fail "TERM=$kind: status draws"
  done
  rm -rf "$W/r"
  on_terminal xterm "${run[@]}" --results "$W/r" && grep -q $'\033\\[K' "$W/screen" || fail "xterm gets no bar"
}
