#!/usr/bin/env bash
# The reference records reprint the reference tables. TAP.  reference.sh PROGRAM ROOT
# Each folder below results/reference/records with a MANIFEST.json is what `normbench archive` wrote. Its sums must hold,
# and `table` must make of it, with no corpus in reach, every file of results/reference/<profile>/ that it writes, byte
# for byte: all but figures, measured times, and the commit of the build that writes. NORMBENCH_WRITE_GOLDEN=1 in the
# environment writes them anew instead.
set -u
export LC_ALL=C
[ $# -eq 2 ] || { echo "usage: reference.sh PROGRAM ROOT" >&2; exit 2; }
program=$(realpath "$1") root=$(realpath "$2")
export NORMBENCH_ROOT=$root HOME=/nonexistent
T=$(mktemp -d "${TMPDIR:-/tmp}/normbench-reference.XXXXXX") || exit 3
trap 'rm -rf "$T"' EXIT
export TMPDIR=$T NORMBENCH_DATA=$T/empty
mkdir "$T/empty" && cd "$T/empty" || exit 3
number=0
report() { # name, complaint (empty = ok)
  number=$((number + 1))
  if [ -z "$2" ]; then echo "ok $number - $1"; else
    echo "not ok $number - $1"
    printf '%s\n' "$2" | head -20 | sed 's/^/# /'
  fi
}
plans() { # MANIFEST: "experiment profile" a line
  python3 -c 'import json, sys
for p in json.load(open(sys.argv[1]))["plans"]: print(p["experiment"], p["profile"])' "$1"
}
written() { sed '1,/^ "commit": /{/^ "commit": /d}' "$1"; } # FILE: without the writing build's commit

reprints() { # RESULTS EXPERIMENT PROFILE: prints what differs
  local file theirs compared=0
  "$program" table "$2" --profile "$3" --results "$1" >"$T/out" 2>"$T/err" || { tail -n 1 "$T/err"; return; }
  for file in "$root/results/reference/$3/$2".* "$root/results/reference/$3/$2"-*; do
    case $file in *-cost.* | *.svg | *.pdf | *.png) continue ;; esac
    [ -e "$file" ] || continue
    theirs=$(find "$1/out" -name "$(basename "$file")")
    [ "$theirs" ] || { echo "table does not write $(basename "$file")"; continue; }
    compared=$((compared + 1))
    [ -z "${NORMBENCH_WRITE_GOLDEN:-}" ] || cp "$theirs" "$file"
    diff <(written "$file") <(written "$theirs") >"$T/diff" || { echo "$(basename "$file") differs:"; head -6 "$T/diff" | cut -c1-160; }
  done
  [ "$compared" -ge 6 ] || echo "only $compared files to compare with in results/reference/$3"
}

while read -r manifest; do
  from=$(dirname "$manifest") name=$(basename "$(dirname "$manifest")")
  report "$name: records have the hashes of their manifest" "$(cd "$from" && sha256sum --quiet -c SHA256SUMS 2>&1
    find . -type f ! -name SHA256SUMS | sed 's|^\./||' | sort | diff - <(cut -c67- SHA256SUMS | sort))"
  cp -r "$from" "$T/$name" && chmod -R u+w "$T/$name"
  while read -r experiment profile; do
    report "$name: $experiment $profile is reprinted" "$(reprints "$T/$name" "$experiment" "$profile")"
  done < <(plans "$manifest")
done < <(find "$root/results/reference/records" -name MANIFEST.json | sort)
[ "$number" -gt 0 ] || report "there are reference records" "none in results/reference/records"
echo "1..$number"
