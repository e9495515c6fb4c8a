#!/usr/bin/env bash
# What kernels/cuda/nccl_calls.h says of NCCL, held to NCCL itself: its header at compile time, its library linked and
# opened. TAP. No part of the suites, which need no NCCL; no device is needed. Once after a change of that list:
#   pip download --no-deps -d /tmp/nccl nvidia-nccl-cu12 && python3 -m zipfile -e /tmp/nccl/nvidia_nccl*.whl /tmp/nccl
#   nccl_real.sh /tmp/nccl/nvidia/nccl       the folder of include/nccl.h and lib/libnccl.so.2
# $CUDA_HOME (default /usr/local/cuda) has the header cuda_runtime.h.
set -u
[ -r "${1-}/include/nccl.h" ] || { echo "nccl_real.sh: no include/nccl.h in '${1-}'" >&2; exit 2; }
nccl=$(realpath "$1") cuda=${CUDA_HOME:-/usr/local/cuda}
cd "$(dirname "$0")/../.." || exit 3
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -I. -isystem "$nccl/include" -isystem "$cuda/include" \
  tests/gpu/nccl_real.c kernels/cuda/library.c base/error.c base/text.c "$nccl/lib/libnccl.so.2" "-Wl,-rpath,$nccl/lib" \
  -ldl -lm -o "$work/real" || { echo "not ok 1 - types, numbers and functions are those of nccl.h"; echo "1..1"; exit 1; }
# By its folder alone: the loader finds a library that is linked by its name.
NCCL_DEBUG=${NCCL_DEBUG:-WARN} "$work/real" "$nccl/lib" >"$work/said"
status=$?
cat "$work/said"
[ $status = 0 ] && ! grep -q '^not ok' "$work/said"
