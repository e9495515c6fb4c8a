# Kinds of cases.sh: stored runs that were changed, their names and addresses, and what is written of them.

kind_records_that_were_changed() {
  local record
  plan '' && sed -i 's/^evaluate_at: .*/evaluate_at: "0,3"/' "$W/p.yaml" && runs 0 run p.yaml --results r
  record=$(ls "$W"/r/runs/*/record.json | head -n 1)
  sed -i 's/"valid_loss": [0-9]/"valid_loss": 9/' "$record"
  runs 0 runs p.yaml --results r --format csv && has err 'do not have the hash that record.json names' && lacks out ',9.'
  [ "$(wc -l <"$W/out")" = 4 ] || failed 'not the three other runs'
}

kind_archives_that_were_changed() {
  local command
  plan '' && runs 0 run p.yaml --results r && runs 0 archive p.yaml --results r -o a.tar
  sed 's/"valid_loss": [0-9]/"valid_loss": 9/' "$W/a.tar" >"$W/bad.tar"
  for command in runs status; do runs 5 "$command" --results bad.tar && has err 'bad.tar: it is damaged: its runs/'; done
  mkdir "$W/x" && tar -C "$W/x" -xf "$W/a.tar" && rm "$(ls "$W"/x/a/runs/*/record.json | head -n 1)" && tar -C "$W/x" -cf "$W/less.tar" a
  runs 5 runs --results less.tar && has err 'less.tar: it is damaged: SHA256SUMS lists 10 files, and there are 9'
}

kind_names_with_two_dots_in_archives() {
  plan 'name: v1..2' && runs 0 run p.yaml --results r && runs 0 archive p.yaml --results r -o a.tar
  runs 0 runs p.yaml --results a.tar && has out '4 of 4 runs stored'
}

kind_archives_on_a_full_disk() { # a limit on a file's size stands in for it
  local folder
  tries=$((tries + 2))
  plan '' && runs 0 run p.yaml --results r && mkdir "$W/empty"
  for folder in new empty; do
    (cd "$W" && ulimit -f 2 && trap '' XFSZ && exec "$program" archive p.yaml --results r -o $folder) >"$W/out" 2>"$W/err"
    [ $? = 3 ] && has err 'cannot write' || failed "$folder: $(cat "$W/err")"
  done
  [ ! -e "$W/new" ] && [ -d "$W/empty" ] && [ -z "$(ls -A "$W/empty")" ] || failed "half an archive: $(ls "$W/new" "$W/empty")"
}

kind_paths_that_are_long() {
  local deep=$W part
  plan ''
  part=$(printf 'd%.0s' $(seq 150))
  mkdir -p "$W/$part/$part" && cp "$W/p.yaml" "$W/$part/$part/"
  runs 0 run "$part/$part/p.yaml" --results r && grep -qF "$part/$part/p.yaml\"" "$W"/r/out/p-*/plan.json || failed 'a cut path is noted'
  for _ in 1 2 3 4 5 6 7; do deep=$deep/$part; done
  mkdir -p "$deep" && cp "$W/p.yaml" "$deep/"
  refuses "is too long" run "$deep/p.yaml" --results r
}

kind_seeds_that_no_double_holds() {
  plan '' && sed -i 's/^seeds: 2$/seeds: [9007199254740992, 9007199254740993]/' "$W/p.yaml"
  runs 0 run p.yaml --results r && runs 0 runs p.yaml --results r --format json
  has out '"seed": 9007199254740992,' && has out '"seed": 9007199254740993,'
  runs 0 trace 'p.yaml: post - pre' --results r --format json && has out '"seed": 9007199254740993,'
  sed -i 's/^seeds: .*/seeds: [9223372036854775806]/' "$W/p.yaml"
  refuses 'seeds: 9 more than 9223372036854775806 would go beyond the largest' run p.yaml --set 'seeds={until: decided, most: 10}'
  runs 0 run p.yaml --set 'seeds={until: decided, most: 2}' --dry-run --results r
}

kind_addresses_that_name_an_experiment() {
  plan '' && runs 0 run p.yaml --results r && runs 0 runs show p:pre/seed=1 --results r
  runs 0 runs show p:pre/seed=1 --format json --results r && has out '"experiment": "p"'
}

kind_arms_that_the_program_names() {
  plan '' && runs 0 run p.yaml --arm '{base: pre, attn.out: rmsnorm}' --results r
  runs 0 runs show 'pre+attn.out=rmsnorm/seed=1' --results r && has out 'pre+attn.out=rmsnorm'
}

kind_names_that_are_long_or_begin_with_a_dash() {
  local name
  name=$(printf 'n%.0s' $(seq 63))
  plan "name: $name" && runs 0 run p.yaml --results r
  runs 0 table "$(ls "$W/r/out")" --results r && has out "$name"
  plan 'name: -n' && refuses "name: the name '-n' begins with a '-'" run p.yaml --results s
  plan '' && cp "$W/p.yaml" "$W/-p.yaml" && runs 0 run ./-p.yaml --results t && runs 0 table "$(ls "$W/t/out")" --results t
}

kind_files_whose_names_are_not_utf_8() {
  local bad=$'w\377.safetensors'
  plan '' && runs 0 run p.yaml --results r && runs 0 export pre/seed=1 --results r -o w.safetensors
  cp "$W/w.safetensors" "$W/$bad" && runs 0 import "$bad" --results r --format json && has out '"file": "w?.safetensors"'
}

kind_folders_whose_names_are_not_utf_8() {
  plan '' && sed -i '/^steps: 3$/d; s/^evaluate_at: "3"/steps: 400000\nevaluate_at: "400000"/; s/^seeds: 2/seeds: 1/' "$W/p.yaml"
  (cd "$W" && exec "$program" run p.yaml --threads 1 --results $'s\377') >"$W/out" 2>"$W/err" </dev/null &
  for _ in $(seq 100); do [ -n "$(ls "$W"/$'s\377'/runs/.partial/*.curves.csv 2>/dev/null)" ] && break; sleep 0.1; done
  sleep 0.3 && kill -TERM $! && wait $!
  runs 0 status --results $'s\377' --format json && has out '"what": "pre seed 1"' && has out '"curve": "s?/runs/'
}

kind_hash_logs() {
  plan '' && echo no >"$W/no.txt" && : >"$W/empty.txt" && runs 0 verify p.yaml -o log.txt
  runs 0 verify p.yaml --bisect log.txt log.txt && has out 'agree in every op of the first 3 steps'
  refuses 'no.txt:1: no line of a hash log' verify p.yaml --bisect no.txt no.txt
  refuses 'empty.txt:1: no line of a hash log' verify p.yaml --bisect log.txt empty.txt
  head -c 300 "$W/log.txt" >"$W/cut.txt" && refuses 'no line of a hash log' verify p.yaml --bisect cut.txt cut.txt
}

kind_runs_as_csv_with_quotes() {
  local i name='q"u,o.txt'
  for i in $(seq 300); do printf '%s words\n' "$i"; done >"$W/a.txt" && sed 's/words/lines/' "$W/a.txt" >"$W/$name"
  plan '' && sed -i "s/^dataset: .*/dataset: ['text:a.txt', 'text:$name']/" "$W/p.yaml" && runs 0 run p.yaml --results r
  runs 0 runs p.yaml --results r --format csv
  python3 -c 'import csv, sys; rows = list(csv.DictReader(open(sys.argv[1])))
assert len(rows) == 8 and {row["dataset"] for row in rows} == {"text:a.txt", sys.argv[2]} and {row["seed"] for row in rows} == {"1", "2"}' \
    "$W/out" "text:$name" 2>"$W/err" || failed "no CSV: $(tail -n 1 "$W/err") $(head -n 3 "$W/out")"
}

kind_plans_that_nothing_can_decide() {
  plan 'compare: [post - pre]' && sed -i 's/^seeds: 2/seeds: {until: decided, most: 10}/; s/variant: post/variant: pre/' "$W/p.yaml"
  runs 0 run p.yaml --results r && has out 'no comparison can ever be decided: no more seeds are needed' && lacks out 'decided after'
  runs 0 status p.yaml --results r && has out '0 waiting; no comparison can ever be decided' && lacks out 'decided after'
}

kind_plans_that_were_damaged() {
  plan '' && runs 0 run p.yaml --results r && truncate -s 100 "$W"/r/out/p-*/plan.json
  runs 0 runs --results r && has err 'note: ' && has err 'plan.json: it is damaged; remove the folder'
  [ "$(wc -l <"$W/err")" = 1 ] || failed 'not one note'
}
