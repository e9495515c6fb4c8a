#!/usr/bin/env python3
"""foretell.py FOLDER: what a sweep of 100 to a million runs costs on 1 to 1,000 nodes, from what was measured.

FOLDER (results/reference/growth) has measured.csv (measure.py), stored.csv (101 quantiles of the seconds that stored runs took
and of the bytes of their folders) and calls.csv (system calls of a path that a training process makes). Planning and tables:
a straight line through the two largest sizes of shape `cells` that the machine of the last row measured, in processor
seconds. Training: every node plans, then its processes take one run after another, each as long as a quantile of the stored
ones drawn at random, until none is left; calls of a path are counted in minutes. A run's seconds are those of two cores at
small sizes: a larger model takes longer and asks less often. Writes foretold.csv and growth.svg (gnuplot)."""
import csv, heapq, os, random, subprocess, sys

RUNS, NODES, PROCESSES, MINUTE = [10**k for k in range(2, 7)], [1, 10, 100, 1000], 2, 60


def read(name):
    return list(csv.DictReader(open(os.path.join(folder, name))))


def line(command, column):
    """Fixed part and part of each run, through the two largest sizes."""
    points = sorted((float(r["runs"]), float(r[column])) for r in measured if r["command"] == command and r[column])
    (x, y), (xx, yy) = points[-2:]
    slope = (yy - y) / (xx - x)
    return max(0, y - slope * x), slope


def train(runs, nodes, plan, calls):
    """Hours, and calls of a path per second: in the mean, in the busiest minute."""
    draw = random.Random(runs * 7919 + nodes)
    free = [plan[0]] * min(runs, nodes * PROCESSES)
    minutes = {}

    def count(at, many):
        minutes[int(at // MINUTE)] = minutes.get(int(at // MINUTE), 0) + many

    for k in range(int(plan[0] // MINUTE) + 1):  # the nodes plan
        count(k * MINUTE, nodes * plan[1] * min(MINUTE, plan[0] - k * MINUTE) / plan[0])
    for _ in range(runs):
        began = heapq.heappop(free)
        took = draw.choice(seconds)
        count(began, calls["run"] / 2)
        count(began + took, calls["run"] / 2)
        at = began + MINUTE
        while at < began + took:  # a checkpoint, and six signs of life
            count(at, calls["checkpoint"] + 6)
            at += MINUTE
        heapq.heappush(free, began + took)
    end = max(free)
    return end / 3600, sum(minutes.values()) / end, max(minutes.values()) / MINUTE


folder = sys.argv[1]
seconds = [float(r["wall_seconds"]) for r in read("stored.csv")]
bytes_of_run = sum(float(r["folder_bytes"]) for r in read("stored.csv")) / 101
calls = {r["what"]: float(r["calls"]) for r in read("calls.csv")}
measured = read("measured.csv")
measured = [r for r in measured if (r["machine"], r["shape"]) == (measured[-1]["machine"], "cells")]
cost = {c: line(c, "processor_seconds") for c in ("plan", "status", "table", "claims")}
asks = line("plan", "metadata")
rows = []
for runs in RUNS:
    at = {c: a + b * runs for c, (a, b) in cost.items()}
    for nodes in NODES:
        hours, mean, busiest = train(runs, nodes, (at["plan"], asks[0] + asks[1] * runs), calls)
        rows.append([runs, nodes, f"{at['plan']:.0f}", f"{runs * bytes_of_run / 1e9:.3g}", 3 * runs, f"{at['status']:.3g}",
                     f"{at['table']:.3g}", f"{at['claims']:.3g}", f"{hours:.3g}", f"{mean:.3g}", f"{busiest:.3g}"])
        print(*rows[-1], flush=True)
head = "runs nodes plan_s folder_gb inodes status_s table_s claims_s hours calls_per_s calls_per_s_busiest_minute".split()
with open(os.path.join(folder, "foretold.csv"), "w", newline="") as out:
    csv.writer(out, lineterminator="\n").writerows([head] + rows)


def columns(name, table):
    """A text of the table for people."""
    wide = [max(len(str(row[i])) for row in table) for i in range(len(table[0]))]
    with open(os.path.join(folder, name), "w") as text:
        text.writelines("  ".join(f"{str(x):>{n}}" for x, n in zip(row, wide)).rstrip() + "\n" for row in table)


columns("foretold.txt", [head] + rows)
shown = "machine command shape runs seconds processor_seconds resident_mb metadata folder_mb inodes".split()
columns("measured.txt", [shown] + [[r[key] or "-" for key in shown] for r in read("measured.csv")])
points = {c: [(r["runs"], r["processor_seconds"]) for r in measured if r["command"] == c] for c in cost}
data = "".join(f"${c} << end\n" + "".join(f"{x} {y}\n" for x, y in rows) + "end\n" for c, rows in points.items())
script = data + f"""set terminal svg size 1000,420 font 'sans,14' background 'white'
set output '{folder}/growth.svg'
set datafile separator ', '
set logscale xy
set format '10^{{%L}}'
set xlabel 'runs'
set key top left
set multiplot layout 1,2
set title 'processor seconds (points: measured; lines: simulated)'
table = '< grep -E "^[0-9]+,1000," {folder}/foretold.csv'
plot table using 1:3 with lines lt 1 title 'run --dry-run', $plan lt 1 pt 7 notitle, \\
  table using 1:6 with lines lt 2 title 'status', $status lt 2 pt 7 notitle, \\
  table using 1:7 with lines lt 3 title 'table', $table lt 3 pt 7 notitle, \\
  table using 1:8 with lines lt 4 title 'claims', $claims lt 4 pt 7 notitle
set title 'calls of a path per second (simulated)'
plot for [n in '1 10 100 1000'] '< grep -E "^[0-9]+,'.n.'," {folder}/foretold.csv' using 1:10 with linespoints title n.' nodes'
"""
subprocess.run(["gnuplot"], input=script, text=True, check=True)
