"""list_runs.py PROGRAM RESULTS EXPERIMENT PROFILE KEY...: a line per stored run with what proves it, as CSV; the keys are
the experiment's factors, lr and layers by default.

Where records are too large for the repository, this list of their hashes stands in results/reference/<profile>/: whoever
trains a run again compares it with its line (tests/write/stored_runs.sh does so with some)."""
import csv
import json
import subprocess
import sys

program, results, experiment, profile, *keys = sys.argv[1:]
keys = keys or ["lr", "layers"]
listing = json.loads(subprocess.run([program, "runs", experiment, "--profile", profile, "--format", "json", "--results", results],
                                    check=True, capture_output=True, text=True).stdout)
out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow(["arm", *keys, "seed", "status", "valid_loss", "loss_chain", "parameters_hash", "id"])
runs = listing["groups"][0]["runs"]
for run in runs:
    # The listing shows runs of other precisions too where the experiment leaves that open.
    if "precision" not in keys and run["class"] != runs[0]["class"]:
        continue
    with open(f"{results}/runs/{run['id']}/record.json") as file:
        record = json.load(file)
    spec = dict(line.split(" = ", 1) for line in record["spec"].splitlines())
    # A key that is younger than the first records is not named where it stands at its default.
    values = [spec.get(key, "exact" if key == "precision" else "0") for key in keys]
    out.writerow([run["arm"], *values, run["seed"], run["status"], run.get("valid_loss"), record["loss_chain"],
                  record["parameters_hash"], run["id"]])
