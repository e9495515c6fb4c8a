#!/bin/bash
# The failing allocations again, in a program built with the address and undefined-behaviour sanitizers: no leak, no use of what
# is not there. TAP.
#   sanitized.sh ROOT LIBRARY FOLDER [MEMORY.PY'S OPTIONS]     builds in FOLDER; what stands there is used again
set -o pipefail
root=$(realpath "$1") library=$(realpath "$2") folder=$3
shift 3
sh "$root/tests/sanitized.sh" "$root" "$folder" bench/normbench >"$folder.log" 2>&1 ||
  { echo "1..1"; echo "not ok 1 - the sanitized program builds"; tail -n 20 "$folder.log" | sed 's/^/# /'; exit 1; }
python3 "$root/tests/faults/memory.py" "$folder/bench/normbench" "$root" "$library" "$@" |
  sed 's/^\(# figure: [^|]*[^ |]\) |/\1, sanitized |/'
