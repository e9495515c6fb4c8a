#!/usr/bin/env python3
"""stored_status.py ROOT: prints the lists of runs in results/reference whose table counts other runs as diverged.

One status everywhere: a run that ends above ln of its vocabulary and no lower than it began is diverged in both."""
import csv
import glob
import os
import re
import sys

os.chdir(sys.argv[1])
SHARE = r"(\d+)(?:/| of )\d+ +\[[^]]*\]"  # tables of before have a slash
for path in sorted(glob.glob("results/reference/**/*-runs.csv", recursive=True)):
    table = path[: -len("-runs.csv")] + ".txt"
    if not os.path.exists(table):
        continue
    with open(table) as file:
        text = file.read()
    counted = re.findall(rf"^  \S.*? {SHARE} +{SHARE} +{SHARE}", text, re.M)
    if "Runs that diverge or stall" in text and not counted:
        print(f"{table}: no row of the runs that diverge or stall is read")
    with open(path) as file:
        status = [row["status"] for row in csv.DictReader(file)]
    listed, table_has = sum(s != "ok" for s in status), sum(int(row[0]) for row in counted)
    if counted and listed != table_has:
        print(f"{path}: {listed} runs are diverged, {table} counts {table_has}")
