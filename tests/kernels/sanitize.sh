#!/usr/bin/env bash
# Kernels under AddressSanitizer and UndefinedBehaviorSanitizer: base, models, the CUDA kernels on the shim and the CPU's
# float rows built anew, every op and a few trainings run. Then the check is checked: kernels that write, or read, one element
# too far must be stopped. TAP.
#   sanitize.sh ROOT FOLDER    FOLDER: the sanitized build (sanitized.sh), shared with other tests
set -u
root=$1 folder=$2
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
cd "$root" || exit 3
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export ASAN_OPTIONS=detect_leaks=${LEAKS:-0}:detect_stack_use_after_return=0:abort_on_error=0:exitcode=99
driver=tests/kernels/sanitize_driver number=0

result() { # description, status, log
  number=$((number + 1))
  if [ "$2" = 0 ]; then echo "ok $number - $1"; else
    echo "not ok $number - $1"
    tail -n 25 "$3" | sed 's/^/# /'
  fi
}

rows="portable$([ "$(uname -m)" = x86_64 ] && echo ' v3 v4')"
command_of() { ninja -C "$folder" -t commands "$1" | tail -n 1; }

# The driver again as $work/NAME with one object of its own in the place of OBJECT: made from SOURCE where that is given,
# with $work/NAME before the other folders of headers.
rebuilt() { # NAME, OBJECT, [SOURCE]
  local made=$work/$1/changed.o compile link
  compile=$(command_of "$2") link=$(command_of $driver)
  compile=${compile/ -o $2 / -o $made } compile=${compile/ -I/ -I$work/$1 -I} link=${link/ -o $driver / -o $work/$1/driver $made }
  [ -z "${3:-}" ] || compile="${compile% *} $3"
  (cd "$folder" && sh -c "$compile" && sh -c "$link")
}

# An element too far in a copy of the kernels that take four neighbours a thread.
overrun() {
  mkdir -p "$work/overrun/kernels/cuda" || return
  sed 's/(int)(n - f.first)/(int)(n - f.first) + 1/' kernels/cuda/fours.cuh >"$work/overrun/kernels/cuda/fours.cuh"
  cmp -s kernels/cuda/fours.cuh "$work/overrun/kernels/cuda/fours.cuh" && return 1
  rebuilt overrun kernels/cuda/simt/libsimt_float.a.p/meson-generated_.._simt_gelu.cc.o
}

# A head's last rows read to the end of a vector.
overread() {
  mkdir "$work/overread" || return
  sed 's/v_load_first(from + \(.*\), cols)/v_load(from + \1)/' kernels/cpu/simd/attention.c >"$work/overread/attention.c"
  cmp -s kernels/cpu/simd/attention.c "$work/overread/attention.c" && return 1
  rebuilt overread kernels/libcpu_portable.a.p/cpu_simd_attention.c.o "$work/overread/attention.c"
}

stopped() { # program, arguments: by AddressSanitizer
  "$@" >"$work/log" 2>&1
  [ $? = 99 ] && grep -q 'ERROR: AddressSanitizer' "$work/log"
}

set -- $rows
echo "1..$((7 + $#))"
sh tests/sanitized.sh . "$folder" $driver >"$work/log" 2>&1
result "built with -fsanitize=address,undefined" $? "$work/log"
"$folder/$driver" >"$work/log" 2>&1
result "every op and three trainings on simt, in words of 16 bits too" $? "$work/log"
for name in $rows; do
  "$folder/$driver" on "$name" >"$work/log" 2>&1
  status=$?
  if [ $status = 3 ]; then number=$((number + 1)) && echo "ok $number - $name # SKIP $(head -n 1 "$work/log")"; else
    result "every op and three trainings on $name" $status "$work/log"
  fi
done
stopped "$folder/$driver" wrong beyond_its_memory
result "a write beyond a block's memory is stopped" $? "$work/log"
overrun >"$work/log" 2>&1
result "a copy of gelu goes one element too far" $? "$work/log"
stopped "$work/overrun/driver" op gelu
result "and is stopped" $? "$work/log"
overread >"$work/log" 2>&1
result "a copy of portable attention reads beyond a row" $? "$work/log"
stopped "$work/overread/driver" on portable
result "and is stopped" $? "$work/log"
