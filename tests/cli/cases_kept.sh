# Kinds of cases.sh: what public bug reports show to go wrong elsewhere and is right here.

kind_seeds_beyond_their_range() {
  plan '' && refuses "--seeds: '0' is not a number from 1 to" run p.yaml --seeds 0
  refuses 'init_seed: 4294967296 is out of range (0 to 1000000000)' run p.yaml --set init_seed=4294967296
  refuses '-1' run p.yaml --seeds -1
  plan 'seeds: [1, -2]' neg && sed -i '/^seeds: 2$/d' "$W/neg.yaml" && refuses 'seeds: -2 is out of range' run neg.yaml
  runs 0 run p.yaml --results r && runs 0 export pre/seed=1 --results r -o w.safetensors
  refuses "'-1'" sample w.safetensors --seed -1
  refuses "is not in the vocabulary" sample w.safetensors --prompt 'Café'
  runs 0 sample w.safetensors --seed 0 --tokens 4
}

# compared WANT ROWS...: a file of these rows is compared with the exit code.
compared() {
  local want=$1
  shift
  printf '%s\n' 'seed,pre,post' "$@" >"$W/few.csv" && runs "$want" compare few.csv "${options[@]}"
}

kind_comparisons_with_ties_and_constants() {
  local options=() word
  printf '%s\n' seed,a,b '1,0.3,0.325' '2,0.5,0.475' '3,0.7,0.7' '4,0.9,0.925' '5,1.1,1.075' '6,1.3,1.3' >"$W/ties.csv"
  runs 4 compare ties.csv --format json && has out '"p": 1.0'
  options=(--margin 0.02) && compared 4 1,2,2.5 2,3,3.5 3,4,4.5 4,5,5.5 && has out 'not decided'
  compared 1 1,2,2.5 2,3,3.5 3,4,4.5 4,5,5.5 5,6,6.5 6,7,7.5 && lacks out nan
  options=(--cap 4.17) && compared 4 1,nan,nan 2,nan,nan 3,nan,nan 4,inf,nan 5,nan,nan 6,nan,inf && has out 'not decided'
  options=()
  for word in nan NaN inf Infinity -nan '"nan"'; do compared 2 1,2,3 "2,2,$word" 3,2,4 && has err '--cap'; done
  options=(--cap 4) && compared 4 1,2,3 2,2,nan 3,2,3.5 && has out 'rank'
}

kind_clocks_that_are_wrong() { # of records three days ahead, and of files two hours behind
  plan '' && runs 0 run p.yaml --results r && runs 0 table p.yaml --results r && cp "$W/out" "$W/before"
  find "$W/r/runs" -type f -exec touch -d '+3 days' {} +
  runs 0 run p.yaml --results r && has err ' 0 to train'
  runs 0 table p.yaml --results r && diff <(sed '/^Cost/,$d' "$W/before") <(sed '/^Cost/,$d' "$W/out") || failed "another table"
  find "$W/r/runs" -type f -exec touch -d '-2 hours' {} +
  runs 0 run p.yaml --results r && has err ' 0 to train'
}

kind_ranks_that_do_not_fit() { # a program without MPI names the package that it needs
  plan '' && (cd "$W" && "$program" run p.yaml --ranks 3) 2>"$W/err"
  if grep -q 'built without MPI' "$W/err"; then
    runs 3 run p.yaml --ranks 3 && has err 'libopenmpi-dev; then build again'
  else
    refuses '--ranks: 3, but 1 process was started; mpirun -n 3 normbench run' run p.yaml --ranks 3
  fi
  refuses "--ranks: 'x' is not" run p.yaml --ranks x
}

kind_names_with_marks_of_latex() {
  printf '%s\n' 'seed,a&b_1,"$x%","<c>#{d}~^\"' '1,2,3,4' '2,2,3.5,4' '3,2,4,4.5' >"$W/latex.csv"
  runs 4 compare latex.csv --format tex -o x.svg && has out 'a\&b\_1' && has out '\$x\%'
  python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$W/x.svg" 2>"$W/err" || failed "the SVG does not parse"
  plan '' && sed -i "s/pre: {variant: pre}/pre: {variant: pre, label: 'A\&B_1 #1 \$x% <c>'}/" "$W/p.yaml"
  runs 0 run p.yaml --results r && runs 0 table p.yaml --results r
  grep -qF 'A\&B\_1 \#1 \$x\%' "$W"/r/out/p-*/p.tex || failed "the label is not escaped: $(grep -m1 'B' "$W"/r/out/p-*/p.tex)"
}

kind_runs_that_diverge_at_once() {
  plan '' && runs 0 run p.yaml --set lr=1e6 --set clip=0 --set steps=20 --set evaluate_at=20 --seeds 6 --results r
  runs 0 run p.yaml --set precision=fp16 --set init_std=100 --seeds 6 --results s
  has err 'diverged at step 0'
  runs 0 table p.yaml --set precision=fp16 --set init_std=100 --seeds 6 --results s && has out '6/6' && lacks out 'better than'
  runs 0 run p.yaml --set clip=0 --results t && lacks err diverged
}

kind_file_systems_that_are_read_only() { # a tmpfs in a mount namespace of its own; without one, a folder that another user may not write
  plan '' && mkdir "$W/disk"
  local part="mount -t tmpfs none disk && $program run p.yaml --seeds 1 --results disk/r >/dev/null 2>&1 && mount -o remount,ro disk && $program"
  if ! unshare -Urm sh -c "cd '$W' && mount -t tmpfs none disk" 2>/dev/null; then
    [ "$(id -u)" != 0 ] || { tries=1 && return; }
    chmod 555 "$W/disk" && runs 3 run p.yaml --results disk/r && has err 'nothing can be stored here'
    return
  fi
  tries=$((tries + 3))
  unshare -Urm sh -c "cd '$W' && $part run p.yaml --seeds 4 --results disk/r >out 2>err"
  [ $? = 3 ] && has err 'nothing can be stored here: Read-only file system' && lacks err 'valid loss 2' || failed "run: $(tail -n 2 "$W/err")"
  unshare -Urm sh -c "cd '$W' && $part table p.yaml --seeds 1 --results disk/r >out 2>err"
  [ $? = 3 ] && has err 'Read-only file system' || failed "table: $(tail -n 2 "$W/err")"
  unshare -Urm sh -c "cd '$W' && $part runs p.yaml --seeds 1 --results disk/r >out 2>err" || failed "runs: $(tail -n 2 "$W/err")"
}

kind_options_of_clusters() {
  local option
  plan ''
  while IFS='|' read -r option text; do
    refuses "$text" run p.yaml --slurm --dry-run --results r --sbatch "$option"
  done <<'END'
--mem=8Q|'8Q' is no size
--mem=|'' is no size
--account=|--account has an empty value
--account|--account needs a value
mem=8G|write --mem=8G
--array=1-5|--array is what --job array of `run` decides
--memory=8G|did you mean 'mem'?
--time-min=2h|did you mean 2:00:00?
#SBATCH --mem=8G|leave #SBATCH out
; rm x|';' is no option of sbatch
--comment='a b|a quote does not end
--cpu-per-task=2|did you mean 'cpus-per-task'?
--wrap=ls|--wrap is what `run --slurm` decides itself
END
  refuses "--job time: '2h' is no limit" run p.yaml --slurm --dry-run --results r --job time=2h
  refuses "--job time: '-5' is no limit" run p.yaml --slurm --dry-run --results r --job time=-5
  refuses '--job partition: it is empty' run p.yaml --slurm --dry-run --results r --job partition=''
  runs 0 run p.yaml --slurm --dry-run --results r --sbatch '--mem=8G --account=me' --job time=2:00:00 --job array=5000
}

kind_paths_with_blanks_and_quotes() {
  plan '' "my plan's" && mkdir -p "$W/dir with ü's"
  runs 0 run "my plan's.yaml" --results "dir with ü's" && has out "--results 'dir with ü'\\''s'"
  runs 0 run "my plan's.yaml" --results "other ü's" --slurm --dry-run && has out "other ü'\\''s"
  for i in $(seq 300); do printf '%s words\n' "$i"; done >"$W/mein text (1).txt"
  plan '' && runs 0 run p.yaml --text 'mein text (1).txt' --results r
}

kind_tokenizers_and_texts() {
  yes 'one line of a few words' | head -n 60 >"$W/few.txt"
  refuses 'the largest is' run smoke --text few.txt --tokenizer bpe:3000 --results r
  for i in $(seq 400); do printf '%s 😀 été\r\n' "$i"; done >"$W/emoji.txt"
  plan '' && runs 0 run p.yaml --text emoji.txt --tokenizer bpe:300 --results r
  runs 0 run p.yaml --text emoji.txt --tokenizer char --results r
  head -c 2000 "$W/emoji.txt" >"$W/nul.txt" && printf '\0\0' >>"$W/nul.txt" && cat "$W/emoji.txt" >>"$W/nul.txt"
  runs 0 run p.yaml --text nul.txt --tokenizer byte --results r
  head -c 4 "$W/emoji.txt" >"$W/cut.txt"
  refuses 'not UTF-8 at byte offset 2' run p.yaml --text cut.txt --tokenizer char --results r
}

kind_weights_that_are_damaged() {
  local header
  while IFS='|' read -r header bytes text; do
    tensors "$header" "$bytes" >"$W/x.safetensors" && runs 5 import x.safetensors && has err "$text" || failed "$header"
  done <<'END'
{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}|4|duplicate
{"__metadata__":{"format":1},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}|4|__metadata__
{"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}|0|format_version
{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}|4|bytes
{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}|4|inside the file
{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}|8|a
{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}}|12|b
{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}}|6|b
END
  printf 'PK\3\4 archive/data.pkl' >"$W/w.pt" && runs 5 import w.pt && has err 'a zip archive, as PyTorch'
  printf '\200\2}q\0.' >"$W/old.pt" && runs 5 import old.pt && has err 'a pickle, as PyTorch'
  printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n' >"$W/lfs.safetensors"
  runs 5 import lfs.safetensors && has err 'not a safetensors file'
  printf '\377\377\377\377\0\0\0\0{}' >"$W/huge.safetensors" && runs 5 import huge.safetensors
}

# on_terminal NAME=VALUE... -- COMMAND...: stdout and stderr are a terminal; what it shows is in out.
on_terminal() {
  tries=$((tries + 1))
  (cd "$W" && python3 - "$program" "$@" >"$W/out" 2>"$W/err" <<'PY'
import os, pty, sys
at = sys.argv.index("--")
os.environ.update(pair.split("=", 1) for pair in sys.argv[2:at])
sys.exit(os.waitstatus_to_exitcode(pty.spawn([sys.argv[1], *sys.argv[at + 1:]], lambda fd: os.read(fd, 1024))))
PY
  ) || failed "a terminal: exit code $?: $*"
}

# fits COLUMNS: no line of out is wider, and a title is bold or a verdict has a colour.
fits() {
  has out $'\033['
  ! sed 's/\x1b\[[0-9;]*m//g; s/\r//' "$W/out" | LC_ALL=C.UTF-8 grep -E ".{$(($1 + 1))}" || failed "lines wider than $1"
}

kind_terminals() {
  local width seed
  plan 'steps: 40' && sed -i '/^steps: 3$/d' "$W/p.yaml" && sed -i 's/evaluate_at: "3"/evaluate_at: "40"/' "$W/p.yaml"
  on_terminal TERM=dumb -- run p.yaml --results dumb
  lacks out $'\033' && ! sed 's/\r$//' "$W/out" | grep -q $'\r' || failed 'a line is written over'
  on_terminal TERM=xterm NO_COLOR=1 -- run p.yaml --results plain && lacks out $'\033[3' && lacks out $'\033[1m'
  on_terminal TERM=dumb COLUMNS=40 -- run p.yaml --results narrow && has out 'valid loss'
  ! sed 's/\r//' "$W/out" | grep 'valid loss' | grep -E '.{41}' || failed 'a finished run is wider than 40'
  on_terminal TERM= -- run p.yaml --results none && lacks out $'\033'
  on_terminal TERM=xterm COLUMNS=20 -- table p.yaml --results plain
  echo arm,seed,loss >"$W/losses.csv"
  for seed in 1 2 3 4 5 6; do printf '%s\n' "a,$seed,1.$seed" "b,$seed,1.$seed$seed"; done >>"$W/losses.csv"
  for width in 60 80; do
    on_terminal TERM=xterm COLUMNS=$width -- compare losses.csv --baseline b
    fits $width
    on_terminal TERM=xterm COLUMNS=$width -- claims 000
    fits $width
    on_terminal TERM=xterm COLUMNS=$width -- list metrics loss
    fits $width
  done
  on_terminal TERM=xterm -- list metrics --format json && lacks out $'\033'
}

kind_other_preemption_signals() {
  local signal code
  plan 'steps: 400000' && sed -i '/^steps: 3$/d; s/evaluate_at: "3"/evaluate_at: "400000"/; s/^seeds: 2/seeds: 1/' "$W/p.yaml"
  for signal in HUP USR1 TERM; do
    tries=$((tries + 1))
    (cd "$W" && exec "$program" run p.yaml --threads 1 --results "$signal") >"$W/out" 2>"$W/err" </dev/null &
    for _ in $(seq 100); do [ -n "$(ls "$W/$signal"/runs/.partial/*.curves.csv 2>/dev/null)" ] && break; sleep 0.1; done
    sleep 0.3
    kill -"$signal" $!
    wait $!
    code=$?
    [ "$code" = 143 ] || failed "$signal: exit code $code"
    [ -n "$(ls "$W/$signal"/runs/.partial/*.safetensors 2>/dev/null)" ] || failed "$signal stores no checkpoint: $(tail -n 2 "$W/err")"
  done
}

kind_equations_of_encoder_decoders() {
  runs 0 explain --arm '{base: deepnorm, objective: translate}' && has out 'an encoder and a decoder: 4 blocks each'
  tr -s ' \n' ' ' <"$W/out" >"$W/flat" && grep -qF 'carry: value (2L)^(1/4), DeepNorm' "$W/flat" && grep -qF 'of one that reads an encoder (3L)^(1/4)' "$W/flat" &&
    grep -qF 'of one that reads an encoder (12L)^(-1/4)' "$W/flat" || failed 'the stacks have no numbers of their own'
  runs 0 explain deepnorm && lacks out 'an encoder and a decoder:'
}

kind_arms_that_are_one_network_in_other_words() {
  local plain='plain: {base: pre, attn.out: ln}' where
  plan '' && sed -i 's/^layers: 1/layers: 2/' "$W/p.yaml"
  runs 0 run p.yaml --arm 'all: {base: pre, attn.out: {from: 0, norm: ln}}' --arm "$plain" --dry-run --results r
  has err 'are one network: their runs are trained once'
  runs 0 run p.yaml --arm 'all: {base: pre, attn.out: {to: 1, norm: ln}}' --arm "$plain" --results r && cp "$W/err" "$W/run"
  runs 0 table p.yaml --arm 'all: {base: pre, attn.out: {to: 1, norm: ln}}' --arm "$plain" --results r && cp "$W/out" "$W/table"
  for where in run table; do
    tr -s ' \n' ' ' <"$W/$where" | grep -qF 'Arms all and plain run the same operations: they are one network in other words, and every difference between them is 0.' ||
      failed "$where does not say it"
  done
}
