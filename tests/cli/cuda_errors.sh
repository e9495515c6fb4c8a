#!/usr/bin/env bash
# What the program says where there is no device, no driver, or an old one: a driver of the test's own answers. TAP.
#   cuda_errors.sh PROGRAM ROOT
set -u
program=$(realpath "$1") root=$(realpath "$2")
T=$(mktemp -d) || exit 3
trap 'rm -rf "$T"' EXIT
cd "$root" || exit 3
number=0

# NAME PATTERN [VARIABLE=VALUE...]: one line that matches, exit 3, nothing written.
expect() {
  local name=$1 pattern=$2 lines
  shift 2
  number=$((number + 1))
  env "$@" timeout 30 "$program" run smoke --backend cuda --results "$T/r" >"$T/out" 2>"$T/err"
  local rc=$?
  lines=$(grep -c '' "$T/err")
  if [ $rc = 3 ] && [ "$lines" = 1 ] && grep -qE "$pattern" "$T/err" && [ ! -s "$T/out" ] && [ ! -e "$T/r" ]; then
    echo "ok $number - $name"
  else
    echo "not ok $number - $name: exit $rc"
    sed 's/^/# /' "$T/err" "$T/out"
  fi
}

if "$program" run smoke --backend cuda --results "$T/r" 2>&1 | grep -q 'built without CUDA'; then
  echo "1..0 # SKIP no CUDA device and no CUDA toolkit"
  exit 0
fi
if nvidia-smi -L >/dev/null 2>&1; then
  echo "1..0 # SKIP there is a GPU: its driver would answer; on machines with no CUDA device this test runs"
  exit 0
fi
mkdir "$T/lib"
cc -shared -fPIC -o "$T/lib/libcuda.so.1" tests/cli/fake_driver.c || exit 3
library="LD_LIBRARY_PATH=$T/lib"
expect "no driver" "^normbench: backend 'cuda': no CUDA device: no driver is installed$"
expect "no device" "no CUDA device: no CUDA-capable device is detected" "$library" FAKE_INIT=100
expect "an old driver" "no CUDA device: the driver knows CUDA 11.2, this program needs [1-9][0-9]\.[0-9]$" "$library" FAKE_VERSION=11020
expect "a driver that fails" "no CUDA device: unknown error" "$library" FAKE_INIT=999
expect "a driver without functions" "no CUDA device: .+" "$library"
echo "1..$number"
