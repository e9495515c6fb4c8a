#!/usr/bin/env bash
# The rules of the house that a machine can check. TAP.  house.sh ROOT
set -u
cd "$1" || exit 3
number=0
report() { # name, offenders (empty = ok)
  number=$((number + 1))
  if [ -z "$2" ]; then echo "ok $number - $1"; else
    echo "not ok $number - $1"
    printf '%s\n' "$2" | sed 's/^/# /'
  fi
}
tracked() { git ls-files "$@" 2>/dev/null; }
if ! git rev-parse --git-dir >/dev/null 2>&1; then tracked() { find . -type f | sed 's|^\./||' | grep -v '^build'; }; fi

# Who may include whom.
may_include() {
  case $1 in
    base) echo "base" ;;
    kernels) echo "kernels base" ;;
    models) echo "models kernels base" ;;
    datasets) echo "datasets base" ;;
    stats) echo "stats base" ;;
    bench) echo "bench stats datasets models kernels base" ;;
    tests) echo "tests bench stats datasets models kernels base" ;;
  esac
}
edges=$(for folder in base kernels models datasets stats bench tests; do
  allowed=" $(may_include $folder) "
  tracked "$folder/*.c" "$folder/*.h" "$folder/*.cu" "$folder/**/*.c" "$folder/**/*.h" "$folder/**/*.cu" "$folder/**/*.cuh" "$folder/**/*.cc" | sort -u | while read -r file; do
    grep -n '^#include "' "$file" | while IFS=: read -r line text; do
      target=$(printf '%s' "$text" | sed 's/.*"\([^"]*\)".*/\1/')
      case $target in
        */*) case $allowed in *" ${target%%/*} "*) ;; *) echo "$file:$line: $target" ;; esac ;;
        bench_build.h) ;;
        *) echo "$file:$line: $target names no folder" ;;
      esac
    done
  done
done)
report "includes respect who may include whom" "$edges"

report "GSL lives in stats (and its version in the records)" \
  "$(tracked '*.c' '*.h' | grep -v -e '^stats/' -e '^tests/' -e '^bench/provenance.c' | xargs grep -ln '<gsl/' 2>/dev/null)"

libm=$(tracked 'kernels/cpu/*.c' 'kernels/cpu/*.h' 'kernels/cuda/*.cu' 'kernels/cuda/*.cuh' 'base/canon.h' 'base/philox.h' | xargs grep -nE '\b(expf|logf|tanhf|powf|sinf|cosf|erff|fmaf|__expf|__logf|__fdividef|rsqrtf)\(' | grep -v 'CANON_FMA\|canon_')
report "no libm in the float kernels" "$libm"
report "no fast-math anywhere" "$(tracked 'meson.build' '*/meson.build' '*.sh' | xargs grep -nE 'fast-math|Ofast|use_fast_math' | grep -v house.sh)"
report "intrinsics only in the vector layer" \
  "$(tracked '*.c' '*.h' | grep -v -e 'kernels/cpu/simd/vec' -e '^base/canon.c' | xargs grep -lE '_mm(256|512)?_' 2>/dev/null)"

size() { tracked '*.c' '*.h' '*.cc' '*.cu' '*.cuh' '*.sh' '*.py' | xargs wc -l | awk -v most="$1" '$2 != "total" && $1 > most {print $2 ": " $1}'; }
report "no file over 500 lines" "$(size 500)"

report "no float atomics on a device" "$(tracked 'kernels/cuda/*.cu' 'kernels/cuda/*.cuh' | xargs grep -nE 'atomic(Add|Max|Min)\(' | grep -vE 'culprit|count')"

report "every public header guards itself and says what it is" "$(tracked '*.h' '*.cuh' | while read -r h; do
  head -1 "$h" | grep -q '^/\*' || echo "$h: does not begin with a comment"
  grep -q '^#ifndef ' "$h" || echo "$h: no guard"
done)"

ops=$(sed -n 's/^OP(\([a-z]*\),.*/\1/p' kernels/ops.def)
report "every op has its file and every kernel file its op" "$(for op in $ops; do [ -f "kernels/cpu/$op.c" ] && [ -f "kernels/cuda/$op.cu" ] || echo "$op"; done
  tracked 'kernels/cuda/*.cu' | sed 's|.*/||; s|\.cu$||' | grep -vxE "$(printf '%s|' $ops)step|table"
  tracked 'kernels/cpu/*.c' | grep -v simd | sed 's|.*/||; s|\.c$||' | grep -vxE "$(printf '%s|' $ops)matmul|optimizer|table")"

report "tracked files have no trailing blanks, tabs or missing last newline" "$(tracked '*.c' '*.h' '*.cc' '*.cu' '*.cuh' '*.def' '*.build' '*.sh' '*.yaml' '*.md' 'check' 'reproduce' | while read -r file; do
  grep -nE '[[:blank:]]+$' "$file" /dev/null | head -2
  case $file in *.c | *.h | *.def | *.build | *.yaml) grep -nP '\t' "$file" /dev/null | head -2 ;; esac
  [ -z "$(tail -c 1 "$file")" ] || echo "$file: no newline at the end"
done)"

report "no path of a machine" "$(tracked | grep -v -e '\.svg$' -e '\.pdf$' -e '\.png$' | xargs grep -nE '/(home|root|Users|work)/[a-z]' 2>/dev/null | grep -v 'tests/house.sh' | head)"

report "no word that marks something unfinished" \
  "$(tracked '*.c' '*.h' '*.sh' '*.def' '*.py' 'check' 'reproduce' | grep -v house.sh | xargs grep -nE '\b(TODO|FIXME|XXX|HACK)\b' | head)"

report "baselines change only with a reason" "$(for file in results/baselines/*.json; do
  [ -e "$file" ] || { echo "no baseline"; continue; }
  python3 - "$file" <<'PY'
import hashlib, json, sys
data = json.load(open(sys.argv[1]))
last = data["history"][-1]
if len(last["reason"].strip()) < 8:
    print(sys.argv[1], "the last change has no reason")
for row in data["rows"]:
    if len(row["loss_chain"]) != 64 or len(row["parameters_hash"]) != 64:
        print(sys.argv[1], row["run"], "has no hash")
PY
  base=$(git log -2 --format=%H -- "$file" 2>/dev/null | tail -n 1)
  [ -n "$base" ] && old=$(git show "$base:$file" 2>/dev/null) && OLD=$old python3 - "$file" <<'PY'
import json, os, sys
new, old = json.load(open(sys.argv[1])), json.loads(os.environ["OLD"])
if new["rows"] != old["rows"] and len(new["history"]) <= len(old["history"]):
    print(sys.argv[1], "rows differ from the version before, the history does not grow")
PY
done)"

report "figures in README and REPRODUCE are the reference's" "$(sh tests/figures_in_text.sh . --check 2>&1)"

echo "1..$number"
