#!/usr/bin/env bash
# The CUDA kernels under AddressSanitizer and UndefinedBehaviorSanitizer: base, kernels (readable and the shim) and models
# built anew, every op and a few trainings run. Then the check is checked: kernels that write one element too far must be
# stopped. TAP.  sanitize.sh ROOT
set -u
root=$1
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
cd "$root" || exit 3
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export ASAN_OPTIONS=detect_leaks=${LEAKS:-0}:detect_stack_use_after_return=0:abort_on_error=0:exitcode=99
cc=${CC:-gcc} cxx=${CXX:-g++} number=0
flags="-fsanitize=address,undefined -fno-sanitize-recover=all -g1 -O1 -I. -D_GNU_SOURCE -DHAVE_SIMT -ffp-contract=off
  -fno-math-errno -fno-trapping-math -fno-strict-aliasing"
flags=$(echo $flags)
c="$cc -std=gnu11 $flags" cpp="-std=gnu++17 $flags -Wno-unknown-pragmas -DBACKEND=simt"
objects() { find "$work/$1" -name '*.o' ! -name "${2:-none}" | sort; }
link() { $cxx $flags "$@" -lcrypto -lm -lpthread; }

result() { # description, status, log
  number=$((number + 1))
  if [ "$2" = 0 ]; then echo "ok $number - $1"; else
    echo "not ok $number - $1"
    tail -n 25 "$3" | sed 's/^/# /'
  fi
}

kernel() { echo "#include \"kernels/cuda/$1.cu\"" >"$2/simt_$1.cc" && echo "$cxx $3 $cpp -c $2/simt_$1.cc -o $2/simt_$1.o"; }

# The other rows of the table of backends are named, not run.
others() {
  for backend in cpu64 portable v3 v4; do
    echo "const void *${backend}_kernels[1], *${backend}_update[1];"
    echo "double ${backend}_sumsq(void) { return 0; } double ${backend}_fma_peak(void) { return 0; }"
  done
  echo "const void *soft_dot_bf16_kernels[1], *soft_amx_bf16_kernels[1];"
}

build() {
  mkdir "$work/all" && others >"$work/others.c" || return
  local file
  {
    for file in kernels/cuda/*.cu; do kernel "$(basename "$file" .cu)" "$work/all" ""; done
    for file in base/*.c kernels/backend.c kernels/op.c models/*.c kernels/cuda/simt/device.c tests/toy.c tests/op_case.c tests/simt_case.c \
      tests/simt_driver.c "$work/others.c"; do
      echo "$c -c $file -o $work/all/$(echo "$file" | tr / _).o"
    done
    for file in kernels/cuda/simt/simt.cc tests/simt_wrong.cc; do echo "$cxx $cpp -c $file -o $work/all/$(echo "$file" | tr / _).o"; done
    for file in kernels/cpu/*.c; do echo "$c -DBACKEND=readable -c $file -o $work/all/readable_$(basename "$file").o"; done
  } >"$work/jobs"
  xargs -P "$(nproc)" -I{} sh -c '{}' <"$work/jobs" && link $(objects all) -o "$work/driver"
}

# An element too far in a copy of every elementwise kernel.
mutate() {
  mkdir -p "$work/mutant/kernels/cuda" || return
  sed 's/if (i >= c.out.rows \* c.out.cols) return;/if (i > c.out.rows * c.out.cols) return;/' kernels/cuda/elementwise.cuh \
    >"$work/mutant/kernels/cuda/elementwise.cuh"
  cmp -s kernels/cuda/elementwise.cuh "$work/mutant/kernels/cuda/elementwise.cuh" && return 1
  sh -c "$(kernel gelu "$work/mutant" "-I$work/mutant")" && link $(objects all simt_gelu.o) "$work/mutant/simt_gelu.o" -o "$work/overrun"
}

stopped() { # program, arguments: by AddressSanitizer
  "$@" >"$work/log" 2>&1
  [ $? = 99 ] && grep -q 'ERROR: AddressSanitizer' "$work/log"
}

echo "1..5"
build >"$work/log" 2>&1
result "built with -fsanitize=address,undefined" $? "$work/log"
"$work/driver" >"$work/log" 2>&1
result "every op and three trainings on simt" $? "$work/log"
stopped "$work/driver" wrong beyond_its_memory
result "a write beyond a block's memory is stopped" $? "$work/log"
mutate >"$work/log" 2>&1
result "a copy of gelu goes one element too far" $? "$work/log"
stopped "$work/overrun" op gelu
result "and is stopped" $? "$work/log"
