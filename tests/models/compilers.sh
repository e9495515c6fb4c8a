#!/usr/bin/env bash
# The same bits from other compilers and optimization levels: builds base, kernels and models anew and compares the toy
# hashes with those of Meson's own build, whose backends agree by tests/models/test_bits.c. Without `all`, gcc -O1 compiles one row
# of each kind, and cpu64, where no toy runs, is not compiled. TAP.  compilers.sh ROOT TOY_HASHES [arm64 | all]
set -u
root=$1 reference=$(realpath "$2") only=${3:-} archives=$(realpath "$(dirname "$2")/../kernels")
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
cd "$root" || exit 3
"$reference" first >"$work/expected" || exit 3
number=0

# build CC FLAGS BACKENDS OUT: compiles everything toy_hashes needs; a backend is name, name:arch, or name/row:arch:what its
# linear in bf16 takes, everything else being that row's. What is in $all alone is linked as Meson compiled it.
build() {
  local cc=$1 flags=$2 backends=$3 out=$4 name arch row own simd meson=
  case $all in *mamx*) flags="$flags -DHAVE_BF16" ;; esac
  for backend in $all; do
    name=${backend%%[:/]*}
    case " $backends " in *" $name"[/:\ ]*) continue ;; esac
    meson="$meson $archives/libcpu_$name.a"
    case $backend in */*) meson="$meson $archives/libtable_$name.a" ;; esac
  done
  local common="-std=gnu11 -I. -D_GNU_SOURCE -ffp-contract=off -fno-math-errno -fno-trapping-math $flags"
  mkdir -p "$out"
  {
    for file in base/*.c kernels/*.c models/*.c tests/models/toy.c tests/models/toy_hashes.c; do
      case "$file $flags" in "kernels/bf16.c "*HAVE_BF16) ;; "kernels/bf16.c "*) continue ;; esac
      echo "$cc $common -c $file -o $out/$(echo "$file" | tr / _).o"
    done
    for backend in $backends; do
      name=${backend%%:*} arch=
      [ "$backend" = "$name" ] || arch=-march=${backend#*:}
      case $name in */*)
        own=$(printf '%s' "${arch#*:}" | tr , ' ') arch=${arch%%:*} row=${name#*/} name=${name%/*}
        [ "$arch" != -march= ] || arch=
        for file in kernels/cpu/linear.c kernels/cpu/simd/matmul_bf16.c; do
          echo "$cc $common $arch $own -DBACKEND=$name -c $file -o $out/${name}_${file##*/}.o"
        done
        echo "$cc $common $arch -DBACKEND=$row -D${row}_linear=${name}_linear -D${row}_kernels=${name}_kernels" \
          "-D${row}_sumsq=${name}_sumsq -D${row}_sum=${name}_sum -c kernels/cpu/table.c -o $out/${name}_table.o"
        continue ;;
      esac
      for file in kernels/cpu/*.c; do
        simd=kernels/cpu/simd/${file##*/}
        case $name in cpu64 | readable) ;; *) [ -f "$simd" ] && file=$simd ;; esac
        # No toy runs on cpu64: it is there to be linked.
        echo "$cc $common $arch $([ "$name" = cpu64 ] && echo -O0 -DREAL_DOUBLE) -DBACKEND=$name -c $file -o $out/${name}_${file##*/}.o"
      done
      case $name in cpu64 | readable) ;; *)
        echo "$cc $common $arch -DBACKEND=$name -c kernels/cpu/simd/peak.c -o $out/${name}_peak.o" ;;
      esac
    done
  } >"$out/jobs"
  xargs -P "$(nproc)" -I{} sh -c '{}' <"$out/jobs" &&
    $cc $flags "$out"/*.o -Wl,--start-group $meson -Wl,--end-group -o "$out/toy_hashes" -lcrypto -lm -lpthread
}

compare() { # description, runner, CC, flags, backends
  number=$((number + 1))
  local out=$work/$number failures=0
  if build "$3" "$4" "$5" "$out" >"$work/log" 2>&1 && $2 "$out/toy_hashes" >"$out/got" 2>>"$work/log" &&
    cmp -s "$work/expected" "$out/got"; then
    echo "ok $number - $1"
  else
    failures=1
    echo "not ok $number - $1"
    { tail -n 20 "$work/log"; diff "$work/expected" "$out/got" 2>&1 | head -8; } | sed 's/^/# /'
  fi
  echo "# figure: one hash | $1 | $(grep -c '' "$work/expected") | $failures"
}

soft="soft_dot_bf16/portable::-DBF16_DOT soft_amx_bf16/portable::-DBF16_AMX"
of_a_kind="readable v3:x86-64-v3 soft_dot_bf16/v3:x86-64-v3:-DBF16_DOT soft_amx_bf16/v3:x86-64-v3:-DBF16_AMX"
all="cpu64 portable v4:x86-64-v4 $of_a_kind
  dot_bf16/v4:x86-64-v4:-DBF16_DOT,-mavx512bf16 amx_bf16/v4:x86-64-v4:-DBF16_AMX,-mavx512bf16,-mamx-tile,-mamx-bf16"
if [ "$only" = arm64 ]; then
  all="cpu64 readable portable $soft"
  echo "1..1"
  compare "arm64 under qemu-user, gcc -O2" "qemu-aarch64 -L /usr/aarch64-linux-gnu" aarch64-linux-gnu-gcc \
    "-O2 -static -idirafter /usr/include -idirafter /usr/include/aarch64-linux-gnu -L/usr/lib/aarch64-linux-gnu" "$all"
  exit 0
fi
[ "$(uname -m)" = x86_64 ] || all="cpu64 readable portable $soft" of_a_kind="readable portable $soft"
if [ "$only" = all ]; then
  echo "1..3"
  for compiler in "gcc -O1" "clang -O3" "clang -O1"; do compare "$compiler" "" $compiler "$all"; done
else
  echo "1..2"
  compare "gcc -O1" "" gcc -O1 "$of_a_kind"
  compare "clang -O3" "" clang -O3 "${all#cpu64 }"
fi
