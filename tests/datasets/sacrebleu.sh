#!/usr/bin/env bash
# Our BLEU and chrF are those of the package sacrebleu, in a Python of its own where pip can get it. TAP.
# sacrebleu.sh ROOT BLEU_LINES      $PYTHON: a Python that has the package, instead
. "$(dirname "$0")/../lib.sh"
root=$(realpath "$1") lines=$(realpath "$2")
python=${PYTHON:-}
if [ -z "$python" ]; then
  python=$T/venv/bin/python
  if ! { python3 -m venv "$T/venv" && "$python" -m pip install -q sacrebleu==2.6.0; } >"$T/log" 2>&1; then
    echo "1..0 # SKIP no package sacrebleu: $(tail -n 1 "$T/log")"
    exit 0
  fi
fi
"$python" "$root/tests/datasets/sacrebleu_equal.py" "$lines" "$root/../shared/datasets/multi30k-de-en"
