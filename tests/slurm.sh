#!/usr/bin/env bash
# A real Slurm on this machine: a controller, two nodes of one processor each and one of two with two files in the place
# of GPUs, all on loopback, in a folder of their own. An array is submitted, a node is killed, its task goes on elsewhere; others are preempted and put back into the
# queue; runs and table have the bytes that they have without Slurm. TAP.  slurm.sh PROGRAM ROOT
#   slurm.sh PROGRAM ROOT COMMAND…      the same Slurm for a command of yours, instead of the checks
# Needs Debian's slurm-wlm and munge (bench/machine.sh), and ends what it started.
set -u
export LC_ALL=C PATH=$PATH:/usr/sbin:/sbin
unset NORMBENCH_DATA SLURM_CONF
program=$(realpath "$1") root=$(realpath "$2")
shift 2
export NORMBENCH_ROOT=$root
T=$(mktemp -d "${TMPDIR:-/tmp}/normbench-slurm.XXXXXX") || exit 3
here=$(hostname -s) me=$(id -un)
export SLURM_CONF=$T/slurm.conf

# ---- the cluster ----

# Processes whose environment says what; those that this script started all have its SLURM_CONF.
with_environment() {
  local file
  for file in /proc/[0-9]*/environ; do
    [ "$file" != "/proc/$$/environ" ] && tr '\0' '\n' 2>/dev/null <"$file" | grep -qxF "$1" && basename "${file%/environ}"
  done
}

end_cluster() {
  local pid
  scancel --user="$me" --quiet 2>/dev/null
  for pid in "$T"/*.pid; do [ ! -s "$pid" ] || kill "$(cat "$pid")" 2>/dev/null; done
  sleep 1
  for pid in $(with_environment "SLURM_CONF=$T/slurm.conf"); do
    [ "$pid" = "$BASHPID" ] || [ "$pid" = "$$" ] || kill -9 "$pid" 2>/dev/null
  done
  rm -rf "$T"
}
trap end_cluster EXIT
trap 'exit 130' INT TERM

start_cluster() {
  local ports node
  read -r -a ports < <(python3 -c 'import socket
s = [socket.create_server(("127.0.0.1", 0)) for _ in range(4)]
print(*(x.getsockname()[1] for x in s))')
  chmod 755 "$T" && mkdir "$T/munge" "$T/state" "$T/spool-n1" "$T/spool-n2" "$T/spool-n3" || return 1
  dd if=/dev/urandom of="$T/munge/key" bs=1024 count=1 2>/dev/null && chmod 600 "$T/munge/key"
  munged --force --key-file="$T/munge/key" --socket="$T/munge/socket" --pid-file="$T/munge.pid" \
    --log-file="$T/munge/log" --seed-file="$T/munge/seed" || return 1
  cat >"$SLURM_CONF" <<CONF
ClusterName=normbench
SlurmctldHost=$here(127.0.0.1)
SlurmctldPort=${ports[0]}
AuthType=auth/munge
AuthInfo=socket=$T/munge/socket
SlurmUser=$me
SlurmdUser=$me
StateSaveLocation=$T/state
SlurmdSpoolDir=$T/spool-%n
SlurmctldPidFile=$T/controller.pid
SlurmdPidFile=$T/%n.pid
SlurmctldLogFile=$T/controller.log
SlurmdLogFile=$T/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SlurmctldParameters=preempt_send_user_signal
ReturnToService=2
SlurmdTimeout=10
KillWait=30
NodeName=n1 NodeHostname=$here NodeAddr=127.0.0.1 Port=${ports[1]} CPUs=1 RealMemory=500
NodeName=n2 NodeHostname=$here NodeAddr=127.0.0.1 Port=${ports[2]} CPUs=1 RealMemory=500
GresTypes=gpu
NodeName=n3 NodeHostname=$here NodeAddr=127.0.0.1 Port=${ports[3]} CPUs=2 RealMemory=500 Gres=gpu:2
PartitionName=gpus Nodes=n3 MaxTime=INFINITE State=UP
PartitionName=main Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP PriorityTier=1 GraceTime=30
PartitionName=urgent Nodes=n1,n2 MaxTime=INFINITE State=UP PriorityTier=10
CONF
  : >"$T/gpu0"
  : >"$T/gpu1"
  echo "NodeName=n3 Name=gpu File=$T/gpu[0-1]" >"$T/gres.conf"
  slurmctld -c -f "$SLURM_CONF" || return 1
  for node in n1 n2 n3; do slurmd -N $node -f "$SLURM_CONF" || return 1; done
  until_true 60 both_idle
}
both_idle() { [ "$(sinfo --noheader --Node --partition=main --format=%T 2>/dev/null | grep -c '^idle$')" = 2 ]; }

until_true() { # SECONDS COMMAND…
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    [ $SECONDS -lt $end ] || return 1
    sleep 0.3
  done
}

# ---- the checks ----

number=0
verdict() { # name, what is wrong (empty: nothing)
  number=$((number + 1))
  if [ -z "$2" ]; then echo "ok $number - $1"; else
    echo "not ok $number - $1"
    { printf '%s\n' "$2" && squeue && tail -n 5 "$T"/controller.log "$T"/trial/*/slurm/*/*/*.txt; } 2>&1 | sed 's/^/# /'
  fi
}

digest() { # RESULTS: whatever is not time
  (cd "$1/runs" && sha256sum -- */curves.csv && grep -E '"(id|status|loss_chain|parameters_hash|valid_loss)":' -- */record.json)
}
same() { # RESULTS: the runs, and the table that the job made, are those without Slurm
  [ "$(sed -n '/^toy$/,/^Cost/p' alone.txt | wc -l)" -ge 6 ] || echo "no table without Slurm"
  diff <(digest "$1") <(digest alone) >/dev/null || echo "the runs are not those without Slurm"
  diff <(sed -n '/^toy$/,/^Cost/p' "$1"/slurm/*/1/table.txt | grep -v ^Cost) <(sed -n '/^toy$/,/^Cost/p' alone.txt | grep -v ^Cost) ||
    echo "the table is not the one without Slurm"
  local file
  for file in toy.tex toy.csv; do cmp alone/out/toy-*/$file "$1"/out/toy-*/$file; done 2>&1
}
queue() { squeue --noheader --array --partition=main --format='%F_%K %T %N'; }
empty() { [ -z "$(queue)" ]; }
running() { [ "$(queue | grep -c RUNNING)" -ge "$1" ]; }
checkpoints() { [ "$(ls "$1"/runs/.partial/*.safetensors 2>/dev/null | wc -l)" -ge "$2" ]; }
# What was put back into the queue waits for two minutes by Slurm's own rule, so that its node is done with it. Six
# seconds are enough here.
declare -A back=()
hurry() {
  local job
  for job in $(squeue --noheader --array --states=PENDING --format='%F_%K|%r' | sed -n 's/|BeginTime$//p'); do
    : "${back[$job]:=$SECONDS}"
    [ $((SECONDS - back[$job])) -lt 6 ] || { scontrol update JobId="$job" StartTime=now && unset "back[$job]"; }
  done
}
finished() { hurry; empty; }
restarted() { [ "$(cat "$1"/slurm/*/1/task-*.txt | grep -c ' of them in task ')" -gt 2 ]; }

start_cluster || { echo "Bail out! no Slurm: $(tail -n 3 "$T"/*.log 2>&1 | tr '\n' ' ')"; exit 3; }
mkdir "$T/trial" && cd "$T/trial" || exit 3
seq 1 3000 | tr '\n' ' ' >text.txt
cat >toy.yaml <<'YAML'
name: toy
dataset: text:text.txt
layers: 2
width: 32
heads: 4
context: 16
batch: 4
lr: 1e-3
steps: 20000
evaluate_at: 0,10000
curve_every: 500
curve_batches: 1
arms:
  plain: {variant: pre}
  ours: {variant: post, embed: rmsnorm}
profiles:
  smoke: {seeds: 2}
YAML
if [ $# -gt 0 ]; then
  mkdir "$T/bin" && ln -s "$program" "$T/bin/normbench"
  PATH=$T/bin:$PATH "$@"
  exit
fi
run=("$program" run toy.yaml --offline --checkpoint-every 1)

without_slurm() {
  "$program" run toy.yaml --offline --threads 2 --results alone >/dev/null 2>&1
  "$program" table toy.yaml --results alone >alone.txt 2>&1 || { echo "Bail out! no table without Slurm"; exit 3; }
}
without_slurm

# A node that dies while it trains.
said=$("${run[@]}" --slurm --job nodes=2 --results killed 2>&1) || echo "# $said"
until_true 60 running 2 && until_true 60 checkpoints killed 2
verdict "an array runs on two nodes" "$(queue | grep -q 'RUNNING n1' && queue | grep -q 'RUNNING n2' || echo "$said")"
"$program" status toy.yaml --results killed >status.txt 2>&1
verdict "status shows runs, tasks, nodes and what waits" "$(grep -q '^toy, profile smoke: 4 runs: 0 done, 2 running, 2 waiting' status.txt &&
  grep -qE '^slurm    job [0-9]+: 2 running \((n1, n2|n2, n1)\)$' status.txt &&
  grep -qE '^slurm    job [0-9]+, the tables: 1 pending \(Dependency\)$' status.txt || cat status.txt)"
again=$("${run[@]}" --slurm --results killed 2>&1)
verdict "what is in the queue is not submitted again" "$(printf '%s' "$again" | grep -q '^toy: nothing to submit$' || echo "$again")"
victims=$(with_environment SLURMD_NODENAME=n1)
for pid in $victims; do # and the process of Slurm's that watches over them
  parent=$(sed -n 's/^PPid:\t//p' "/proc/$pid/status")
  ! grep -q '^slurmstepd' "/proc/$parent/cmdline" 2>/dev/null || victims="$victims $parent"
done
# shellcheck disable=SC2086
kill -9 "$(cat "$T/n1.pid")" $victims
verdict "the killed node had a task" "$([ "$(echo "$victims" | wc -w)" -ge 3 ] || echo "only: $victims")"
node_down() { sinfo --noheader --nodes=n1 --partition=main --format=%T | grep -q down; }
verdict "Slurm notices" "$(until_true 90 node_down || sinfo)"
verdict "all is finished on the other node" "$(until_true 300 finished || echo "not after 300 s"; restarted killed || echo "no task began twice")"
verdict "the same runs and the same table" "$(same killed)"
verdict "nothing is left to submit" "$("${run[@]}" --slurm --results killed 2>/dev/null | grep -vx 'toy: nothing to submit')"
verdict "and nothing is left behind" "$(find killed/runs -name '.?*')"

# Another job goes first: Slurm sends the script USR1, the program stores a checkpoint within the grace time, and the
# task goes back into the queue. In its second turn somebody puts it back, which sends SIGTERM at once.
slurmd -N n1 -f "$SLURM_CONF" && until_true 60 both_idle
"${run[@]}" --slurm --job nodes=2 --checkpoint-every 1000 --results preempted >/dev/null 2>&1
until_true 60 running 2
has_begun() { [ "$(ls preempted/runs/.partial/*.curves.csv 2>/dev/null | wc -l)" -ge 2 ]; }
until_true 60 has_begun
sbatch --partition=urgent --array=0-1 --output=/dev/null --wrap='sleep 1' >/dev/null
verdict "a preempted task stores a checkpoint before its grace time is over" "$(until_true 25 checkpoints preempted 2 || ls -a preempted/runs/.partial)"
verdict "it says so" "$(until_true 30 grep -q 'stopped with [0-9] of 4 runs stored' preempted/slurm/*/1/task-0.txt || cat preempted/slurm/*/1/task-0.txt)"
goes_back() { hurry; running 2; }
until_true 60 goes_back
until_true 30 has_begun
checkpoint=$(cd preempted/runs/.partial && sha256sum -- *.safetensors)
sleep 3
scontrol requeue "$(squeue --noheader --array --states=RUNNING --format=%F_%K | paste -sd,)"
further() { [ "$(cd preempted/runs/.partial && sha256sum -- *.safetensors)" != "$checkpoint" ]; }
verdict "a task that is put back stores another one" "$(until_true 30 further || ls -l preempted/runs/.partial)"
verdict "it is finished after its third turn" "$(until_true 300 finished || echo "not after 300 s"
  [ "$(cat preempted/slurm/*/1/task-*.txt | grep -c ' of them in task ')" -ge 5 ] || echo "no task began three times")"
verdict "the same runs and the same table again" "$(same preempted)"

# A process for each of a task's GPUs: they share its runs. Nothing is to be met in the middle of these, so that they are short.
sed -i 's/^steps: .*/steps: 3000/; s/^evaluate_at: .*/evaluate_at: 0,1500/' toy.yaml
rm -r alone && without_slurm
"${run[@]}" --slurm --job gpus=2 --job partition=gpus --results gpus >/dev/null 2>&1
all_gone() { [ -z "$(squeue --noheader)" ]; }
verdict "two processes of a task share its runs" "$(until_true 300 all_gone || squeue
  [ "$(cat gpus/slurm/*/1/task-0.txt | grep 'valid loss' | grep -vc 'another process')" = 4 ] || echo "not each run is trained once"
  [ "$(grep -c '4 of 4 runs stored' gpus/slurm/*/1/task-0.txt)" = 2 ] || echo "not two processes"
  same gpus)"

# What Slurm refuses, in its own words, once.
"${run[@]}" --slurm --job partition=nosuch --results refused >out.txt 2>err.txt
verdict "a partition that does not exist" "$([ $? = 2 ] || echo "not exit 2"
  [ "$(tail -n 1 err.txt)" = 'normbench: sbatch: error: invalid partition specified: nosuch' ] || cat err.txt
  [ "$(grep -c sbatch err.txt)" = 1 ] || echo "said more than once"
  [ ! -e refused ] || find refused)"
echo "1..$number"
