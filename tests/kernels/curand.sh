#!/usr/bin/env bash
# Our random integers are cuRAND's Philox4_32_10: NVIDIA's header, compiled for this machine, draws the same words. TAP.
# curand.sh ROOT
set -u
root=$1 cxx=${CXX:-g++}
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
found=
for toolkit in "${CUDA_HOME:-}" "$(dirname "$(dirname "$(realpath -m "$nvcc")")")" /usr/local/cuda /usr; do
  [ -n "$toolkit" ] && [ -f "$toolkit/include/curand_philox4x32_x.h" ] && found=$toolkit/include && break
done
[ -n "$found" ] || { echo "1..0 # SKIP no CUDA toolkit: curand_philox4x32_x.h is not installed"; exit 0; }
cd "$root" || exit 3
echo "1..1"
if $cxx -std=gnu++17 -O1 -I. -isystem "$found" tests/kernels/curand_words.cc -o "$work/words" >"$work/log" 2>&1 &&
  "$work/words" >>"$work/log"; then
  echo "ok 1 - cuRAND draws the same words"
else
  echo "not ok 1 - cuRAND draws the same words"
fi
tail -n 20 "$work/log" | sed 's/^\(# \)*/# /'
