"""list_runs.py PROGRAM RESULTS EXPERIMENT PROFILE: a line per stored run with what proves it, as CSV.

Where records are too large for the repository, this list of their hashes stands in results/reference/<profile>/: whoever
trains a run again compares it with its line (tests/write/stored_runs.sh does so with some)."""
import csv
import json
import subprocess
import sys

program, results, experiment, profile = sys.argv[1:]
listing = json.loads(subprocess.run([program, "runs", experiment, "--profile", profile, "--json", "--results", results],
                                    check=True, capture_output=True, text=True).stdout)
out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow(["arm", "lr", "layers", "seed", "status", "valid_loss", "loss_chain", "parameters_hash", "id"])
for run in listing["groups"][0]["runs"]:
    with open(f"{results}/runs/{run['id']}/record.json") as file:
        record = json.load(file)
    spec = dict(line.split(" = ", 1) for line in record["spec"].splitlines())
    out.writerow([run["arm"], spec["lr"], spec["layers"], run["seed"], run["status"], run.get("valid_loss"),
                  record["loss_chain"], record["parameters_hash"], run["id"]])
