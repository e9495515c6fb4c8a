#!/usr/bin/env bash
# The journeys that docs/tutorial.md quotes are what the program prints today: their commands run again in an empty folder, and
# only times, the commit of the build and the machine's peak may differ. TAP.  journeys.sh PROGRAM ROOT
# NORMBENCH_WRITE_GOLDEN=1 writes the files anew. Commands on foreign/ read logs of other trainers, which stand beside the
# repository (../shared/foreign); where they are not, that journey is skipped.
. "$(dirname "$0")/../lib.sh"
export COLUMNS=110
unset NORMBENCH_DATA
program=$(realpath "$1") root=$(realpath "$2")
export NORMBENCH_ROOT=$root
mkdir "$T/bin" && ln -s "$program" "$T/bin/normbench" || exit 3
PATH=$T/bin:$PATH

# What differs from run to run and from machine to machine.
mask() {
  sed -E 's/\([0-9.]+ ms\/step\)/(N ms\/step)/; s/^([0-9]+ of [0-9]+ runs.* to train, [^,]*), .*/\1, about N s/
    s/^(  (plan [0-9a-f]{8}|claim [0-9-]+)): (the date is not known|first in commit|in no commit).*/\1 WRITTEN/
    s/(commit|normbench [0-9.]+, commit) [0-9a-f]{12}(-dirty|\+)?/\1 COMMIT/; s/[0-9]+ MB per run, [0-9]+ MB at once/N MB/; s/about [0-9.]+ (s|min)/about N s/g
    /^  -dirty: the checkout had changes/d
    /^ *[0-9]+%  .* left$/d
    s/, [0-9.]+ kB unpacked/, N kB unpacked/'
}

for file in "$root"/results/reference/journeys/*.txt; do
  name=$(basename "$file" .txt)
  if grep -q '^\$ .* foreign/' "$file" && [ ! -d "$root/../shared/foreign" ]; then
    number=$((number + 1))
    echo "ok $number - journey: $name # SKIP no ../shared/foreign"
    continue
  fi
  mkdir -p "$T/$name/results" && cd "$T/$name" && ln -s "$root/results/reference" results/reference && ln -s "$root/../shared/foreign" foreign || exit 3
  while IFS= read -r command; do
    printf '%s\n' "$command"
    bash -c "${command#'$ '}" 2>&1
  done < <(grep '^\$ ' "$file") >"$T/$name.txt"
  number=$((number + 1))
  if [ "${NORMBENCH_WRITE_GOLDEN:-}" ]; then sed -E '/^ *[0-9]+%  .* left$/d; s/ +$//; s/(commit [0-9a-f]{12})-dirty/\1/' "$T/$name.txt" >"$file"; fi
  if said=$(diff <(mask <"$file") <(sed -E 's/ +$//' "$T/$name.txt" | mask)); then echo "ok $number - journey: $name"; else
    echo "not ok $number - journey: $name"
    printf '%s\n' "$said" | head -n 30 | sed 's/^/# /'
  fi
done
echo "1..$number"
