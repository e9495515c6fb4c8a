# What test scripts begin with:  . "$(dirname "$0")/../lib.sh"
# T is a folder of the script's own, removed at its end; number counts the lines of TAP.
set -u
export LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1
number=0
T=$(mktemp -d "${TMPDIR:-/tmp}/normbench-$(basename "$0" .sh).XXXXXX") || exit 3
trap 'rm -rf "$T"' EXIT
trap 'exit 130' INT TERM

report() { # name, what is wrong (empty: nothing)
  number=$((number + 1))
  if [ -z "$2" ]; then echo "ok $number - $1"; else
    echo "not ok $number - $1"
    printf '%s\n' "$2" | head -n 40 | cut -c1-400 | sed 's/^/# /'
  fi
}
skip() { number=$((number + 1)) && echo "ok $number - $1 # SKIP $2"; } # name, why

find_numpy() { # python: $PYTHON, the first on the path or the system's, whichever has numpy
  for python in ${PYTHON:-python3} /usr/bin/python3; do "$python" -c 'import numpy' 2>/dev/null && return; done
  echo "Bail out! no Python with numpy (Debian: python3-numpy)"
  exit 3
}
