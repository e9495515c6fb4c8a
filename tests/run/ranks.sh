#!/usr/bin/env bash
# Processes that train each run together, under mpirun, and batches in parts: the records of one process. TAP.
# ranks.sh PROGRAM ROOT [NCCL]: a library that stands for NCCL
set -u
NORMBENCH_ROOT=$(realpath "$2")
export NORMBENCH_ROOT LC_ALL=C OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
program=$(realpath "$1") nccl=$(realpath "${3:-/nowhere}")
T=$(mktemp -d "${TMPDIR:-/tmp}/normbench-ranks.XXXXXX") || exit 3
trap 'rm -rf "$T"' EXIT
cd "$T" || exit 3
seq -s ' ' 1 30000 >text.txt
cat >toy.yaml <<'YAML'
name: toy
dataset: text:text.txt
layers: 2
width: 16
heads: 2
context: 16
batch: 1024
dropout: 0.1
lr: 1e-2
steps: 6
evaluate_at: 3,6
curve_batches: 1
seeds: 1
arms:
  pre: {base: pre}
  post: {base: post}
YAML
number=0
check() { # TEXT COMMAND...
  number=$((number + 1))
  local text=$1
  shift
  if "$@" >"$T/said" 2>&1; then echo "ok $number - $text"; else
    echo "not ok $number - $text"
    tail -n 6 "$T/said" "$T/err" 2>/dev/null | sed 's/^/# /'
  fi
}
# What of all records is not time or machine.
bits() { cat "$1"/runs/*/record.json | grep -E '"(id|status|loss_chain|parameters_hash|valid_loss|accuracy)":'; }
plan=toy.yaml
run() { "$program" run "$plan" --offline --results "$@" >out 2>err; }
ranks() { local n=$1; shift; mpirun -n "$n" "$program" run "$plan" --offline --ranks "$n" --results "$@" >out 2>err; }
same() { [ "$(bits one)" = "$(bits "$1")" ]; }
two() { ranks 2 two && same two; }
four() { ranks 4 four && same four; }
parts() { run parts --memory micro-batch=256 && same parts; }
again() {
  run again --memory micro-batch=256 --memory recompute --memory logit-rows=1000 && same again &&
    ranks 2 again2 --memory recompute --memory logit-rows=300 && same again2
}
both() { ranks 2 both --memory micro-batch=256 --threads per-run=2 && same both; }
eight() {
  local more=(--set batch=2048 --set steps=2 --set evaluate_at=2)
  run wide "${more[@]}" && ranks 8 eight "${more[@]}" --memory moments && [ "$(bits wide)" = "$(bits eight)" ]
}
# Each rank keeps a part of the moments; a checkpoint has all of them, and serves one process too.
shared_out() {
  for n in 2 4; do ranks $n moments$n --memory moments --checkpoint-every 0 && same moments$n || return 1; done
}
other_optimizers() { # ngpt: rows and columns of length 1 after each update
  local name plan short=(--set steps=2 --set evaluate_at=2)
  sed 's/base: post/base: ngpt/' toy.yaml >ngpt.yaml
  for name in sgd radam ngpt; do
    local more=(--set optimizer=$name)
    plan=toy.yaml
    [ $name = ngpt ] && plan=ngpt.yaml more=()
    run "whole-$name" "${short[@]}" "${more[@]}" && ranks 2 "parts-$name" "${short[@]}" "${more[@]}" --memory moments &&
      [ "$(bits "whole-$name")" = "$(bits "parts-$name")" ] || return 1
  done
}
goes_on() {
  mpirun -n 2 "$program" run toy.yaml --offline --ranks 2 --set steps=65 --checkpoint-every 1000 --results "$1" "${@:3}" >out 2>err &
  local at=$!
  waits "$1/runs/.partial/*.curves.csv" && rank_gets TERM || return 1
  wait $at && return 1
  waits "$1/runs/.partial/*.safetensors" && $2 && [ "$(bits "$1")" = "$(bits sixty)" ] && ! grep 'starts over' err
}
shared_then_alone() { run sixty --set steps=65 && goes_on left "run left --set steps=65" --memory moments; }
whole_then_shared() { goes_on right "ranks 2 right --set steps=65 --memory moments"; }
tables() { # a table names its command, so both are made by the same one
  for results in one two; do
    ln -sfn "$results" now
    "$program" table toy.yaml --results now >/dev/null 2>err || return 1
  done
  for file in one/out/*/toy.{tex,csv} one/out/*/toy-curves.{csv,svg}; do cmp "$file" "two${file#one}" || return 1; done
}
# Signal one rank; mpirun itself would pass SIGTERM on a second later, and a fast processor has ended the runs by then.
rank_gets() { pkill "-$1" -n -P "$at"; } # SIGNAL: the younger of the two that mpirun, process $at, has started
waits() { local i; for ((i = 0; i < 300; i++)); do compgen -G "$1" >/dev/null && return 0; sleep 0.1; done; return 1; }
# One of the ranks is lost in the middle; what was checkpointed serves the next run.
lost() {
  mpirun -n 2 "$program" run toy.yaml --offline --ranks 2 --set steps=65 --checkpoint-every 0 --results lost >out 2>err &
  local at=$! rc
  waits 'lost/runs/.partial/*.safetensors' && rank_gets KILL || return 1
  wait $at
  rc=$?
  [ $rc != 0 ] && run lost --set steps=65 && [ "$(bits lost)" = "$(bits sixty)" ]
}
stopped() {
  mpirun -n 2 "$program" run toy.yaml --offline --ranks 2 --set steps=65 --checkpoint-every 1000 --results stopped >out 2>err &
  local at=$!
  waits 'stopped/runs/.partial/*.curves.csv' && rank_gets TERM || return 1
  wait $at && return 1
  waits 'stopped/runs/.partial/*.safetensors' && ranks 2 stopped --set steps=65 &&
    [ "$(bits stopped)" = "$(bits sixty)" ]
}
# A signal reaches one rank while both wait for a corpus, from a proxy that never answers: it ends the other too.
early() {
  rm -rf port asked root
  python3 - port asked <<'PY' &
import os, socket, sys, time
proxy = socket.create_server(("127.0.0.1", 0))
with open("port.part", "w") as file:
    file.write(str(proxy.getsockname()[1]))
os.rename("port.part", sys.argv[1])
asking = [proxy.accept() for _ in range(2)]
open(sys.argv[2], "w").close()
time.sleep(60)
PY
  local proxy=$! at rc
  waits port || return 1
  mkdir root && ln -s "$NORMBENCH_ROOT/bench" root/bench # that has no mirror beside it
  env -u NORMBENCH_DATA NORMBENCH_ROOT="$T/root" XDG_CACHE_HOME="$T/none" https_proxy="http://127.0.0.1:$(cat port)" mpirun -n 2 "$program" run toy.yaml \
    --set dataset=tinyshakespeare --ranks 2 --results early >out 2>err &
  at=$!
  waits asked && rank_gets TERM
  wait $at
  rc=$?
  kill $proxy
  [ $rc = 130 ] && grep 'rank 1: .*download stopped' err
}
stopped_early() { early || { grep libpmix err && early; }; } # as in lost_device
# The CUDA kernels, on the CPU: a plan as small as four ranks can have. Two ranks exchange through MPI, four through calls of
# NCCL.
shim() {
  seq -s ' ' 1 4500 >small.txt
  sed -e 's/text.txt/small.txt/' -e 's/layers: 2/layers: 1/' -e 's/width: 16/width: 4/' -e 's/heads: 2/heads: 1/' \
    -e 's/steps: 6/steps: 1/' -e 's/^evaluate_at:.*/evaluate_at: 1/' -e '/^  post:/d' toy.yaml >small.yaml
  "$program" run small.yaml --offline --results host >out 2>err || return 1
  mpirun -n 2 "$program" run small.yaml --offline --ranks 2 --backend simt --results shim2 >out 2>err &&
    [ "$(bits host)" = "$(bits shim2)" ] &&
    NORMBENCH_SIMT_NCCL=$nccl mpirun -n 4 "$program" run small.yaml --offline --ranks 4 --backend simt --results shim4 >out 2>err &&
    [ "$(bits host)" = "$(bits shim4)" ]
}
no_library() {
  NORMBENCH_SIMT_NCCL=/nowhere mpirun -n 2 "$program" run small.yaml --offline --ranks 2 --backend simt --results none >out 2>err
  [ $? = 3 ] && grep 'exchange gradients by NCCL, which cannot be loaded: /nowhere' err && ! grep MPI_ABORT err
}
# NCCL fails on one rank in the middle of a step, while the other waits for it: all end at once, with one line. After
# MPI_Abort OpenMPI 4.1's mpirun itself crashes now and then, in its PMIx server, with whatever it was to print: then
# again.
lost_device() {
  local began rc try
  for try in 1 2 3 4 5; do
    began=$SECONDS
    NORMBENCH_SIMT_NCCL=$nccl FAKE_NCCL_FAIL=1:ncclSend mpirun -n 2 "$program" run small.yaml --offline --ranks 2 --backend simt \
      --results failed >out 2>err
    rc=$?
    grep libpmix err || break
  done
  [ $rc = 3 ] && [ "$(grep -c "rank 1: the shim's NCCL failed: ncclSend" err)" = 1 ] && ! compgen -G 'failed/runs/*/record.json' &&
    [ $((SECONDS - began)) -lt 50 ]
}
replicas() {
  run apart --set seeds=2 && ranks 2 together --set seeds=2 --replicas 2 && [ "$(bits apart)" = "$(bits together)" ]
}
# In fp32 the library adds, in an order of its own: the class names parts and ranks, so that each number of them has ids
# of its own; the losses are nearly those of one process.
by_library() {
  "$program" run small.yaml --offline --backend simt --set precision=fp32 --results fast1 >out 2>err &&
    NORMBENCH_SIMT_NCCL=$nccl mpirun -n 2 "$program" run small.yaml --offline --ranks 2 --backend simt --set precision=fp32 \
      --results fast2 >out 2>err &&
    "$program" table small.yaml --set precision=fp32 --results fast2 >out 2>err && grep 'simt-fp32 2 parts 2 ranks' out || return 1
  python3 - fast{1,2}/runs/*/record.json <<'PY'
import json, sys
one, two = [json.load(open(path)) for path in sys.argv[1:]]
assert one["id"] != two["id"], "one id for two classes"
loss = [r["evaluations"][-1]["valid_loss"] for r in (one, two)]
assert loss[0] != loss[1] and abs(loss[0] - loss[1]) < 1e-4 * loss[0], loss
PY
}
refuses() { # CODE TEXT RANKS OPTIONS...
  local code=$1 text=$2 n=$3
  shift 3
  mpirun -n "$n" "$program" run toy.yaml --offline --results refused "$@" >out 2>err
  [ $? = "$code" ] && grep -F -- "$text" err
}
echo "1..28"
check "one process" run one
check "two ranks have its bits" two
check "four ranks have them" four
check "so have four parts of a batch" parts
check "so have activations and logits that are computed again, in parts and on ranks" again
check "two ranks of two parts, two threads each" both
check "two and four ranks on a device, the shim, by MPI and by calls of NCCL" shim
check "without it all ranks end, with one line" no_library
check "a device that fails on one rank ends all with one line" lost_device
check "two replicas of each rank" replicas
check "in fp32 the library adds, and the class says so" by_library
check "so have ranks that share out the moments, with a checkpoint after every step" shared_out
check "eight ranks of a batch twice as large" eight
check "under other optimizers" other_optimizers
check "one process goes on from shared moments" shared_then_alone
check "ranks that share them go on from whole ones" whole_then_shared
check "the tables are equal byte for byte" tables
check "a lost rank costs what was done since the checkpoint" lost
check "a signal stops all ranks at one step" stopped
check "a signal to one rank that waits for its corpus ends all" stopped_early
check "ranks that do not divide the batch" refuses 2 "4 parts are possible" 8 --ranks 8
check "three ranks" refuses 2 "3 is no power of two" 3 --ranks 3
check "more ranks than processes" refuses 2 "--ranks: 4, but 2 processes were started" 2 --ranks 4
check "parts that do not divide the batch" refuses 2 "100 does not divide the batch" 1 --memory micro-batch=100
check "parts too small for a block" refuses 2 "4 parts are possible" 1 --memory micro-batch=64
check "what a part cannot compute" refuses 2 "for precision exact and for a device's fp32, tf32 and bf16" 2 --ranks 2 --set precision=fp16
check "moments shared out among one" refuses 2 "--memory moments: is for several processes" 1 --memory moments
check "different plans" bash -c 'mpirun -n 1 "$0" run toy.yaml --offline --ranks 2 --results r : -n 1 "$0" run toy.yaml \
  --offline --ranks 2 --results r --set lr=1e-3 >out 2>err; [ $? = 2 ] && grep "have different plans\|would not compute" err' "$program"
