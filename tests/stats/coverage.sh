#!/usr/bin/env bash
# Line and branch coverage of stats/ by its own fast tests; fails below 100 % of lines or 95 % of branches. TAP.
#   coverage.sh ROOT FOLDER      FOLDER: where to build (made anew when it is absent)
# Counted by gcov without any exclusion: a branch that an assertion adds counts like another.
set -u
export LC_ALL=C.UTF-8
[ $# -eq 2 ] || { echo "usage: coverage.sh ROOT FOLDER" >&2; exit 2; }
root=$(realpath "$1") folder=$2
{
  [ -f "$folder/build.ninja" ] || meson setup "$folder" "$root" -Db_coverage=true -Dbuildtype=debug -Dtests=enabled
  meson compile -C "$folder" test_stats
} >"$folder.log" 2>&1 || { echo "1..1"; echo "not ok 1 - coverage builds"; tail -20 "$folder.log" | sed 's/^/# /'; exit 1; }
find "$folder" -name '*.gcda' -delete
"$folder/tests/test_stats" --filter '!(stats_slow*)/*' -j2 >"$folder/test_stats.log" 2>&1
failed=$?
echo "1..3"
[ $failed = 0 ] && echo "ok 1 - the tests pass" || echo "not ok 1 - the tests pass"
cd "$folder/stats/libstats.a.p" && python3 - *.gcda <<'PY'
import json, subprocess, sys
total = [0, 0, 0, 0]
print("# %-14s %13s  %15s" % ("stats/", "lines", "branches"))
worst = []
for data in sys.argv[1:]:
    out = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", data], capture_output=True, text=True)
    for line in out.stdout.splitlines():
        for source in json.loads(line)["files"]:
            name = source["file"]
            if "/stats/" not in "/" + name or not name.endswith(".c"): continue
            lines = source["lines"]
            branches = [b for l in lines for b in l["branches"]]
            n = [sum(l["count"] > 0 for l in lines), len(lines), sum(b["count"] > 0 for b in branches), len(branches)]
            total = [a + b for a, b in zip(total, n)]
            base = name.rsplit("/", 1)[1]
            missing = [str(l["line_number"]) for l in lines if not l["count"]]
            half = sorted({l["line_number"] for l in lines for b in l["branches"] if not b["count"]})
            print("# %-14s %5d of %-5d  %5d of %-5d %5.1f %%%s%s" % (base, *n, 100 * n[2] / n[3] if n[3] else 100,
                "  lines never run: " + " ".join(missing) if missing else "",
                "  branches: " + " ".join(map(str, half)) if half else ""))
lines, branches = 100 * total[0] / max(total[1], 1), 100 * total[2] / max(total[3], 1)
print("# %-14s %5d of %-5d  %5d of %-5d %5.1f %%" % ("all", *total, branches))
print("%s 2 - all %d lines of stats/ run (%.2f %%)" % ("ok" if total[1] and total[0] == total[1] else "not ok", total[1], lines))
print("%s 3 - 95 %% of the branches of stats/ are taken (%.2f %%)" % ("ok" if branches >= 95 else "not ok", branches))
sys.exit(0 if total[1] and total[0] == total[1] and branches >= 95 else 1)
PY
verdict=$?
[ $failed = 0 ] && [ $verdict = 0 ]
