#!/usr/bin/env bash
# The rules of the house that a machine can check. TAP.  house.sh ROOT [BUILD]
# BUILD, a folder that meson made (ROOT/build if it is there), shows who calls whom; without one no circle is looked for.
set -u
build=$(cd "${2:-$1/build}" 2>/dev/null && pwd)
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

# Who may include whom: floors, and in bench/ rooms.
floors="stats datasets models kernels base"
may_include() {
  case $1 in
    base) echo "base" ;;
    kernels) echo "kernels base" ;;
    models) echo "models kernels base" ;;
    datasets) echo "datasets base" ;;
    stats) echo "stats base" ;;
    bench/formats) echo "bench/formats $floors" ;;
    bench/readers) echo "bench/readers $(may_include bench/formats)" ;;
    bench/plan) echo "bench/plan $(may_include bench/formats)" ;;
    bench/store) echo "bench/store $(may_include bench/plan)" ;;
    bench/translate) echo "bench/translate $(may_include bench/store)" ;;
    bench/run) echo "bench/run $(may_include bench/translate)" ;;
    bench/tasks) echo "bench/tasks $(may_include bench/plan)" ;;
    bench/theory) echo "bench/theory $(may_include bench/plan)" ;;
    bench/verdict) echo "bench/verdict bench/readers bench/theory bench/tasks $(may_include bench/run)" ;;
    bench/write) echo "bench/write bench/verdict bench/readers bench/theory bench/tasks bench/translate bench/run bench/store bench/plan bench/formats stats datasets base" ;;
    bench/figures) echo "bench/figures $(may_include bench/write)" ;;
    bench/compare) echo "bench/compare bench/figures bench/write $(may_include bench/verdict)" ;;
    bench/ledger) echo "bench/ledger $(may_include bench/write)" ;;
    bench/runs) echo "bench/runs $(may_include bench/write)" ;;
    bench/verify) echo "bench/verify $(may_include bench/verdict)" ;;
    bench/report) echo "bench/report bench/ledger $(may_include bench/figures)" ;;
    bench/perf) echo "bench/perf $(may_include bench/run)" ;;
    bench/options) echo "bench/options bench/report bench/ledger bench/runs bench/verify $(may_include bench/compare)" ;;
    bench/slurm) echo "bench/slurm $(may_include bench/options)" ;;
    bench/cli) echo "bench/cli bench/slurm bench/perf $(may_include bench/options)" ;;
    bench/peers) echo "bench/peers $(may_include bench/cli)" ;;
    tests) echo "tests $(may_include bench/cli)" ;;
  esac
}
# The floor or room that a path stands in.
room_of() {
  case $1 in bench/*/*) echo "$1" | cut -d/ -f1-2 ;; *) echo "${1%%/*}" ;; esac
}
edges=$(tracked '*.c' '*.h' '*.cc' '*.cu' '*.cuh' | sort -u | while read -r file; do
  allowed=$(may_include "$(room_of "$file")")
  [ "$allowed" ] || { echo "$file: stands in no room"; continue; }
  grep -n '^ *# *include "' "$file" | while IFS=: read -r line text; do
    target=$(printf '%s' "$text" | sed 's/.*"\([^"]*\)".*/\1/')
    case $target in
      */*) case " $allowed " in *" $(room_of "$target") "*) ;; *) echo "$file:$line: $target" ;; esac ;;
      bench_build.h) ;;
      *) echo "$file:$line: $target names no folder" ;;
    esac
  done
done)
report "includes respect who may include whom" "$edges"
report "who writes knows no trainer, parser or spell-checker" \
  "$(tracked 'bench/write/*' 'bench/figures/*' 'bench/compare/print*' 'bench/ledger/*' 'bench/runs/*' 'bench/report/*' | grep -v /stored.c | xargs grep -nE 'run/(execute|runner|checkpoint|weights|trace)\.h|\b(spec_set|spec_parse|experiment_spec|did_you_mean)\(' 2>/dev/null)"

report "nobody outside models/ and tests/ names a trainer's program or tape" \
  "$(tracked '*.c' '*.h' '*.cc' '*.cu' | grep -v -e '^models/' -e '^tests/' | xargs grep -nE 'models/(trainer_state|program|resident|host|measure|observe|gradients|places|init)\.h|\b[a-z]*(trainer|t)(->|\.)(program|tape)\b' 2>/dev/null)"

report "GSL lives in stats (and its version in the records)" \
  "$(tracked '*.c' '*.h' | grep -v -e '^stats/' -e '^tests/' -e '^bench/store/provenance.c' | xargs grep -ln '<gsl/' 2>/dev/null)"

libm=$(tracked 'kernels/cpu/*.c' 'kernels/cpu/*.h' 'kernels/cuda/*.cu' 'kernels/cuda/*.cuh' 'base/canon.h' 'base/philox.h' | xargs grep -nE '\b(expf|logf|tanhf|powf|sinf|cosf|erff|fmaf|__expf|__logf|__fdividef|rsqrtf)\(' | grep -v 'CANON_FMA\|canon_')
report "no libm in the float kernels" "$libm"
report "no fast-math anywhere" "$(tracked 'meson.build' '*/meson.build' '*.sh' | xargs grep -nE 'fast-math|Ofast|use_fast_math' | grep -v house.sh)"
report "intrinsics only in the vector layer" \
  "$(tracked '*.c' '*.h' | grep -v -e 'kernels/cpu/simd/vec' -e '^base/canon.c' | xargs grep -lE '_mm(256|512)?_' 2>/dev/null)"

# Lines of a table inside a function are data.
long_functions() {
  tracked '*.c' '*.h' '*.cc' '*.cu' '*.cuh' | xargs awk -v most="$1" '
    FNR == 1 {start = inside = 0}
    /^[A-Za-z_]/ && !inside {start = FNR; head = ""; data = table = 0}
    start && !inside {head = head $0; if (/;$/) start = 0; else if (/\{$/) {inside = head ~ /\(/ && head !~ /=/; if (!inside) start = 0}}
    inside && /= \{$/ {table = 1}
    inside && table {data++}
    inside && /^ +\}.*;$/ {table = 0}
    inside && /^\}/ {if (FNR - start + 1 - data > most) print FILENAME ":" start ": " FNR - start + 1 - data; start = inside = 0}'
}
too_long='bench/cli/cmd_run.c|kernels/cuda/attention.cu|tests/kernels/test_forward.c'
report "no function over 60 lines" "$(long_functions 60 | grep -vE "^($too_long):")"
if [ -f "$build/compile_commands.json" ]; then
  report "no file and no room calls in a circle" "$(python3 tests/symbols.py "$build" circles 2>&1)"
fi
report "the house's counts that met their goals meet them" "$(python3 tests/counts.py . | grep BROKEN)"

report "no line over 120 columns" "$(tracked '*.c' '*.h' '*.cc' '*.cu' '*.cuh' | xargs grep -nE '^.{121,}$' | cut -c1-100)"
# Meson 1.0 stops in the middle of its report when two tests share a name.
report "no two tests share a name" \
  "$({ tracked 'tests/*/test_*.c' | sed -E "s|.*/test_(.*)\.c|'\1'|"
    tracked 'tests/*meson.build' | sort -u | xargs grep -hoE "\btest\('[a-z0-9_]+'" | grep -oE "'[a-z0-9_]+'"; } | sort | uniq -d)"

report "the suite of a test is its file's name" "$(tracked 'tests/*/test_*.c' | while read -r file; do
  name=$(basename "$file" .c)
  grep -nE '^(Test|TestSuite|TEST_EACH|ParameterizedTestParameters|ParameterizedTest)\(' "$file" | grep -vE "\((int \*index, )?${name#test_}[,)]" | sed "s|^|$file:|"
done)"
report "every mutant's text stands once in its file" "$(python3 tests/mutants . --check)"

report "no float atomics on a device" "$(tracked 'kernels/cuda/*.cu' 'kernels/cuda/*.cuh' | xargs grep -nE 'atomic(Add|Max|Min)\(' | grep -vE 'culprit|count')"

report "no switch has a default" \
  "$(tracked '*.c' '*.h' '*.cc' '*.cu' '*.cuh' | xargs grep -nE '^[[:space:]]*default:' 2>/dev/null)"

report "every public header guards itself and says what it is" "$(tracked '*.h' '*.cuh' | while read -r h; do
  head -1 "$h" | grep -q '^/\*' || echo "$h: does not begin with a comment"
  grep -q '^#ifndef ' "$h" || echo "$h: no guard"
done)"

ops=$(sed -n 's/^OP(\([a-z]*\),.*/\1/p' kernels/ops.def)
report "every op has its file and every kernel file its op" "$(for op in $ops; do [ -f "kernels/cpu/$op.c" ] && [ -f "kernels/cuda/$op.cu" ] || echo "$op"; done
  tracked 'kernels/cuda/*.cu' | sed 's|.*/||; s|\.cu$||' | grep -vxE "$(printf '%s|' $ops)add|attention_(tf32|bf16|fp16)|gelu_fast|linear_(count|place)|round|step|table"
  tracked 'kernels/cpu/*.c' | grep -v simd | sed 's|.*/||; s|\.c$||' | grep -vxE "$(printf '%s|' $ops)matmul|optimizer|renorm|round|table")"

report "tracked files have no trailing blanks, tabs or missing last newline" "$(tracked '*.c' '*.h' '*.cc' '*.cu' '*.cuh' '*.def' '*.build' '*.sh' '*.yaml' '*.md' 'check' 'reproduce' | while read -r file; do
  grep -nE '[[:blank:]]+$' "$file" /dev/null | head -2
  case $file in *.c | *.h | *.def | *.build | *.yaml) grep -nP '\t' "$file" /dev/null | head -2 ;; esac
  [ -z "$(tail -c 1 "$file")" ] || echo "$file: no newline at the end"
done)"

profiles=$(sed -n 's/^PROFILE(\([^,]*\),.*/\1/p' bench/plan/profiles.def)
report "reproduce knows the profiles of profiles.def" "$(for profile in $profiles; do
  grep -qE "^    -$profile\) " reproduce || echo "$profile"
done
grep -q "profiles are $(echo $profiles | sed 's/ /, /g')\"" reproduce || echo "reproduce names other profiles")"

report "no path of a machine" "$(tracked | grep -v -e '\.svg$' -e '\.pdf$' -e '\.png$' | xargs grep -nE '/(home|root|Users|work)/[a-z]' 2>/dev/null | grep -v 'tests/house.sh' | head)"

report "no word that marks something unfinished" \
  "$(tracked '*.c' '*.h' '*.sh' '*.def' '*.py' 'check' 'reproduce' | grep -v house.sh | xargs grep -nE '\b(TODO|FIXME|XXX|HACK)\b' | head)"

report "snapshots change only with a reason" "$(for file in results/baselines/*.json; do
  [ -e "$file" ] || { echo "no snapshot"; continue; }
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

report "the blocks of the documents are what the stored files say" "$(python3 tests/figures_in_text.py . --check 2>&1)"

report "every number in the documents and the notes is recomputed or a setting" "$(python3 tests/numbers_in_text.py . 2>&1)"

report "no document is longer than it may be" "$(python3 -B -c 'import sys; sys.path.insert(0, "tests"); from documents import too_long
print(*too_long("."), sep="\n")')"

report "every path that a document, comment or script names exists" "$(sh tests/paths_in_text.sh . 2>&1)"
store=results/reference
report "a document shows, a test holds or a command reads every file of $store" "$(sh tests/stored_files.sh . 2>&1
  for file in "$store"/quick/peri-lr.tex "$store"/full/embedding-norm-4-cost.json "$store"/notes.txt; do
    sh tests/stored_files.sh . "$file" | grep -q "^$file: no document" || echo "$file would not be found"
  done)"
report "a list of runs in $store says diverged as often as its table" "$(python3 tests/stored_status.py . 2>&1)"
report "README's map has a row for every folder and room" \
  "$(tracked | sed -nE 's#^(bench/[^/]+|[^/.][^/]*)/.*#\1#p' | sort -u | grep -vx bench | while read -r room; do
    grep -q "^| .*\`$room/\`" README.md || echo "$room/"
  done)"

echo "1..$number"
