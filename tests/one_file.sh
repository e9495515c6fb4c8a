#!/bin/sh
# The tests of one file among those of a room's program. TAP.  one_file.sh PROGRAM NAME
# Criterion lists the tests that were not asked for as skipped: they are left out. --always-succeed: TAP has the verdicts.
set -u
"$1" --filter "$2/*" --tap --always-succeed -j1 | awk '
  / # SKIP test was skipped$/ || /^1\.\.[0-9]+$/ || /^# Running [0-9]+ tests? from / {next}
  /^(not )?ok/ {n++}
  {print; fflush()}
  END {if (n) print "1.." n; else print "Bail out! no test of this file ran"}'
