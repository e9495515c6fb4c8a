#!/usr/bin/env bash
# The CUDA backend as a build: an edit of a header makes anew what includes it and nothing else, for nvcc's objects and for
# the shim's; without a device the program says so. TAP.  cuda_build.sh ROOT PROGRAM BUILD
set -u
root=$(realpath "$1") program=$(realpath "$2") build=$(realpath "$3")
work=$(mktemp -d) || exit 3
touched=
restore() { [ -z "$touched" ] || touch -r "$work/was" "$touched"; touched=; }
trap 'restore; rm -rf "$work"' EXIT
trap 'exit 3' INT TERM
number=0
result() { # description, status, what was seen
  number=$((number + 1))
  if [ "$2" = 0 ]; then echo "ok $number - $1"; else
    echo "not ok $number - $1"
    printf '%s\n' "$3" | tail -n 5 | sed 's/^/# /'
  fi
}
skip() { number=$((number + 1)) && echo "ok $number - $1 # SKIP $2"; }

wanted() { ! ninja -C "$build" -n "$1" | grep -q 'no work to do'; } # object: would ninja make it again?

# A description, a header, an object that includes it, an object that does not ("": every one does).
edit() {
  wanted "$3" && { skip "$1" "the build is not up to date"; return; }
  touch -r "$root/$2" "$work/was" && touched=$root/$2 && touch "$touched" || { skip "$1" "$2 is read-only"; return; }
  wanted "$3" && { [ -z "$4" ] || ! wanted "$4"; }
  local status=$?
  restore
  wanted "$3" && status=1
  result "$1" $status "$(ninja -C "$build" -n "$3" "$4" 2>&1)"
}

edits() { # whose objects, where linear's and gelu's stand, what is missing otherwise
  local about="$1: the product's header makes linear again, not gelu" all="$1: every kernel's header makes gelu again"
  if ! command -v ninja >/dev/null; then skip "$about" "no ninja" && skip "$all" "no ninja"; return; fi
  if ! [ -f "$build/$2" ]; then skip "$about" "$4" && skip "$all" "$4"; return; fi
  edit "$about" kernels/cuda/matmul.cuh "$2" "$3"
  edit "$all" kernels/cuda/device.cuh "$3" ""
}

without_device() {
  local said status
  if [ -e /dev/nvidiactl ]; then skip "--backend $1 without a device" "this machine has one"; return; fi
  said=$(NORMBENCH_ROOT=$root "$program" run smoke --backend "$1" --results "$work/results" 2>&1)
  status=$?
  [ $status = 3 ] && printf '%s\n' "$said" | grep -q "backend '$1'.*no CUDA device" && [ "$(printf '%s\n' "$said" | wc -l)" = 1 ]
  result "--backend $1 without a device: exit 3 and one line" $? "exit $status: $said"
}

# An nvcc that is a script whose toolkit is gone: no CUDA backend, and the rest is configured.
broken_nvcc() {
  local about="an nvcc that does not run: one warning, no CUDA" said status
  command -v meson >/dev/null || { skip "$about" "no meson"; return; }
  mkdir "$work/bin" && printf '#!/bin/sh\necho "nvcc: gone" >&2\nexit 127\n' >"$work/bin/nvcc" && chmod +x "$work/bin/nvcc"
  said=$(PATH=$work/bin:$PATH CUDA_HOME=/nowhere meson setup "$work/build" "$root" -Dtests=disabled -Dsimt=disabled 2>&1)
  status=$?
  [ $status = 0 ] && printf '%s\n' "$said" | grep -q 'WARNING: no CUDA backend.*nvcc: gone'
  result "$about" $? "$said"
}

listed() { # description, exit code, words, arguments of sass.py
  local said status
  said=$(python3 "$root/tests/gpu/sass.py" "${@:4}" 2>&1)
  status=$?
  [ $status = "$2" ] && printf '%s\n' "$said" | grep -q "$3" && [ "$(printf '%s\n' "$said" | wc -l)" = 1 ]
  result "$1" $? "exit $status: $said"
}

echo "1..9"
shim=kernels/cuda/simt/libsimt_float.a.p/meson-generated_.._simt
edits nvcc kernels/cuda/cuda_linear.o kernels/cuda/cuda_gelu.o "no CUDA toolkit"
edits shim ${shim}_linear.cc.o ${shim}_gelu.cc.o "no C++ compiler"
without_device cuda
without_device cuda-fp32
listed "sass.py: an op that is not there, exit 2 and the nearest" 2 "did you mean 'linear'" lineer
listed "sass.py: no nvdisasm, exit 3 and one line" 3 "/nowhere is not on this machine" --nvcc true --nvdisasm /nowhere linear
broken_nvcc
