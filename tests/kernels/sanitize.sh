#!/usr/bin/env bash
# Kernels under AddressSanitizer and UndefinedBehaviorSanitizer: base, models, the CUDA kernels on the shim and the CPU's
# float rows built anew, every op and a few trainings run. Then the check is checked: kernels that write, or read, one element
# too far must be stopped. TAP.  sanitize.sh ROOT
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
c="$cc -std=gnu11 $flags" cpp="-std=gnu++17 $flags -Wno-unknown-pragmas"
objects() { find "$work/$1" -name '*.o' ! -name "${2:-none}" | sort; }
link() { $cxx $flags "$@" -lcrypto -lm -lpthread; }

result() { # description, status, log
  number=$((number + 1))
  if [ "$2" = 0 ]; then echo "ok $number - $1"; else
    echo "not ok $number - $1"
    tail -n 25 "$3" | sed 's/^/# /'
  fi
}

# A file of the CUDA kernels, for tensors of a word: its name, folder, more flags, the word.
kernel() {
  local build=simt$([ "$4" = float ] || echo "_$4")
  echo "#include \"kernels/cuda/$1.cu\"" >"$2/simt_$1.cc" && echo "$cxx $3 $cpp -DBACKEND=$build -DSTORED=$4 -c $2/simt_$1.cc -o $2/${build}_$1.o"
}

# The other rows of the table of backends are named, not run.
others() {
  echo "const void *cpu64_kernels[1], *cpu64_update[1]; double cpu64_sumsq(void) { return 0; } double cpu64_sum(void) { return 0; } void cpu64_renorm(void) {}"
  echo "void cpu64_round(void) {}"
  echo "const void *soft_dot_bf16_kernels[1], *soft_amx_bf16_kernels[1];"
}

# A row of fast kernels: simd's, where it has one.
row() { # name, its instructions, folder
  local file name
  for file in kernels/cpu/*.c kernels/cpu/simd/peak.c; do
    name=$(basename "$file" .c)
    [ -e "kernels/cpu/simd/$name.c" ] && file=kernels/cpu/simd/$name.c
    echo "$c $2 -DBACKEND=$1 -c $file -o $3/$1_$name.o"
  done
}
rows="portable$([ "$(uname -m)" = x86_64 ] && echo ' v3 v4')"
instructions() { case $1 in v*) echo "-march=x86-64-$1" ;; esac; }

build() {
  mkdir "$work/all" && others >"$work/others.c" || return
  local file name word
  {
    for file in kernels/cuda/*.cu; do
      for word in float fp16 bf16; do kernel "$(basename "$file" .cu)" "$work/all" "" "$word"; done
    done
    for file in base/*.c kernels/backend.c kernels/backends.c kernels/op.c kernels/quantization.c models/*.c kernels/cuda/simt/device.c kernels/cuda/simt/limits.c kernels/cuda/simt/memory.c kernels/cuda/library.c kernels/cuda/nccl.c tests/models/toy.c tests/kernels/op_case.c tests/kernels/simt_case.c \
      tests/kernels/sanitize_driver.c "$work/others.c"; do
      echo "$c -c $file -o $work/all/$(echo "$file" | tr / _).o"
    done
    for file in kernels/cuda/simt/simt.cc tests/kernels/simt_wrong.cc; do echo "$cxx $cpp -DBACKEND=simt -c $file -o $work/all/$(echo "$file" | tr / _).o"; done
    for file in kernels/cpu/*.c; do echo "$c -DBACKEND=readable -c $file -o $work/all/readable_$(basename "$file").o"; done
    for name in $rows; do row "$name" "$(instructions "$name")" "$work/all"; done
  } >"$work/jobs"
  xargs -P "$(nproc)" -I{} sh -c '{}' <"$work/jobs" && link $(objects all) -o "$work/driver"
}

# An element too far in a copy of the kernels that take four neighbours a thread.
mutate() {
  mkdir -p "$work/mutant/kernels/cuda" || return
  sed 's/(int)(n - f.first)/(int)(n - f.first) + 1/' kernels/cuda/fours.cuh >"$work/mutant/kernels/cuda/fours.cuh"
  cmp -s kernels/cuda/fours.cuh "$work/mutant/kernels/cuda/fours.cuh" && return 1
  sh -c "$(kernel gelu "$work/mutant" "-I$work/mutant" float)" && link $(objects all simt_gelu.o) "$work/mutant/simt_gelu.o" -o "$work/overrun"
}

# A head's last rows read to the end of a vector.
misread() {
  mkdir "$work/misread" || return
  sed 's/v_load_first(from + \(.*\), cols)/v_load(from + \1)/' kernels/cpu/simd/attention.c >"$work/misread/attention.c"
  cmp -s kernels/cpu/simd/attention.c "$work/misread/attention.c" && return 1
  $c -DBACKEND=portable -c "$work/misread/attention.c" -o "$work/misread/portable_attention.o" &&
    link $(objects all portable_attention.o) "$work/misread/portable_attention.o" -o "$work/overread"
}

stopped() { # program, arguments: by AddressSanitizer
  "$@" >"$work/log" 2>&1
  [ $? = 99 ] && grep -q 'ERROR: AddressSanitizer' "$work/log"
}

set -- $rows
echo "1..$((7 + $#))"
build >"$work/log" 2>&1
result "built with -fsanitize=address,undefined" $? "$work/log"
"$work/driver" >"$work/log" 2>&1
result "every op and three trainings on simt, in words of 16 bits too" $? "$work/log"
for name in $rows; do
  "$work/driver" on "$name" >"$work/log" 2>&1
  status=$?
  if [ $status = 3 ]; then number=$((number + 1)) && echo "ok $number - $name # SKIP $(head -n 1 "$work/log")"; else
    result "every op and three trainings on $name" $status "$work/log"
  fi
done
stopped "$work/driver" wrong beyond_its_memory
result "a write beyond a block's memory is stopped" $? "$work/log"
mutate >"$work/log" 2>&1
result "a copy of gelu goes one element too far" $? "$work/log"
stopped "$work/overrun" op gelu
result "and is stopped" $? "$work/log"
misread >"$work/log" 2>&1
result "a copy of portable attention reads beyond a row" $? "$work/log"
stopped "$work/overread" on portable
result "and is stopped" $? "$work/log"
