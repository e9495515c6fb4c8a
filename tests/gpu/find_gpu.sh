#!/usr/bin/env bash
# What ./reproduce makes of a GPU: an nvidia-smi and an nvcc of the test's own. TAP.  find_gpu.sh ROOT
set -u
root=$(realpath "$1")
T=$(mktemp -d) || exit 3
trap 'rm -rf "$T"' EXIT
mkdir "$T/smi" "$T/nvcc"
printf '#!/bin/sh\necho "NVIDIA Test 1"\necho "NVIDIA Test 2"\n' >"$T/smi/nvidia-smi"
printf '#!/bin/sh\nexit 9\n' >"$T/silent"
printf '#!/bin/sh\n' >"$T/nvcc/nvcc"
chmod +x "$T/smi/nvidia-smi" "$T/nvcc/nvcc" "$T/silent"
# Nothing of this machine's own CUDA is on the path.
mkdir "$T/bin" && for tool in head sh bash printf cat; do ln -s "$(command -v $tool)" "$T/bin/$tool"; done
number=0

# NAME PATH GPU CUDA PATTERN: what find_gpu sets and says (PATTERN empty: nothing).
expect() {
  local got said
  number=$((number + 1))
  got=$(PATH=$2 CUDA_HOME=$T/none bash -c '. "$0/bench/machine.sh"; find_gpu; printf "%s|%s" "$gpu" "$cuda"' "$root" 2>"$T/err")
  said=$(cat "$T/err")
  if [ "$got" = "$3|$4" ] && { [ -z "$5" ] && [ -z "$said" ] || { [ "$5" ] && [ "$(grep -cE "$5" "$T/err")" = 1 ] &&
    [ "$(grep -c '' "$T/err")" = 1 ]; }; }; then echo "ok $number - $1"; else echo "not ok $number - $1: '$got' and '$said'"; fi
}

expect "no GPU: nothing is said" "$T/bin:$T/nvcc" "" "" ""
expect "a GPU and nvcc: which device, exact mode" "$T/bin:$T/smi:$T/nvcc" "NVIDIA Test 1" yes "^GPU: NVIDIA Test 1\. CUDA is built and trains on it"
expect "a GPU without nvcc: one line, the CPU" "$T/bin:$T/smi" "NVIDIA Test 1" "" "^GPU: NVIDIA Test 1, but no nvcc: .*Going on with the CPU\.$"
rm "$T/smi/nvidia-smi" && mv "$T/silent" "$T/smi/nvidia-smi"
expect "a driver that answers nothing is no GPU" "$T/bin:$T/smi:$T/nvcc" "" "" ""
echo "1..$number"
