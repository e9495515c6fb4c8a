#!/usr/bin/env python3
"""Real logs of other trainers, read twice: by `normbench compare --list --format json` and here. TAP.

    foreign.py PROGRAM ROOT

The logs stand beside the repository (ROOT/../shared/foreign); without them every test is skipped. Each group is a row: the
command, and a function that yields (arm, seed, points, last step, value at the step that the program names) of every run,
read here with Python alone. Runs that the program leaves out are compared too, but for their value.
"""
import csv
import glob
import json
import math
import os
import re
import struct
import subprocess
import sys

PROGRAM, ROOT = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
HERE = os.path.join(ROOT, "..", "shared", "foreign")


def rows(path):
    with open(path, newline="", encoding="utf-8-sig") as file:
        yield from csv.DictReader(file)


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def chart(files, metric, name):
    runs = {}
    for path in glob.glob(files):
        for row in rows(path):
            for column, text in row.items():
                run, _, what = column.rpartition(" - ")
                if what == metric and number(text) is not None:
                    runs.setdefault(run, {})[float(row["Step"])] = float(text)
    for run, series in runs.items():
        found = re.fullmatch(name, run)
        yield (*(found.groups() if found else ("", ""))[:2], series)


def table(path, metric, arm, seed, where=lambda row: True):
    for row in rows(path):
        if number(row[metric]) is not None and where(row):
            yield arm(row), seed(row), {0.0: float(row[metric])}


def trainer_state(files, metric, name):
    for path in glob.glob(files, recursive=True):
        history = json.load(open(path))["log_history"]
        series = {float(x["step"]): x[metric] for x in history if metric in x}
        if series:
            yield (*re.search(name, path).groups(), series)


def curve_csv(files, metric, arm):
    for path in glob.glob(files):
        series, step = {}, 0.0
        for row in rows(path):
            step = number(row["step"]) if number(row["step"]) is not None else step
            if number(row.get(metric)) is not None:
                series[step] = float(row[metric])
        if series:
            yield arm(path), "", series


def settings(path):
    """Top-level scalars of a hparams.yaml, without a library."""
    text = open(os.path.join(os.path.dirname(path), "hparams.yaml")).read()
    found = dict(re.findall(r"^ {0,2}(\w+): (\S+)$", text, re.M))
    return found


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 1:
            value, at = data[at:at + 8], at + 8
        elif key & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            value, at = data[at:at + 4], at + 4
        yield key >> 3, value


def event_series(path, tag):
    data, at, series = open(path, "rb").read(), 0, {}
    while at + 12 <= len(data):
        size = struct.unpack_from("<Q", data, at)[0]
        step, summary = 0, b""
        for key, value in fields(data[at + 12:at + 12 + size]):
            step = value if key == 2 else step
            summary = value if key == 5 else summary
        for _, value in fields(summary):
            v = dict(fields(value))
            if v.get(1, b"").decode() != tag:
                continue
            if 2 in v:
                series[float(step)] = struct.unpack("<f", v[2])[0]
            elif 8 in v:
                tensor = dict(fields(v[8]))
                raw = tensor.get(4) or tensor.get(5)
                series[float(step)] = struct.unpack("<f", raw)[0] if len(raw) == 4 else struct.unpack("<d", raw)[0]
        at += 16 + size
    return series


def events(files, tag, name):
    for path in glob.glob(files, recursive=True):
        series = event_series(path, tag)
        if series:
            yield (*re.search(name, path).groups(), series)


def lm_eval(files, metric, name):
    for path in glob.glob(files):
        for task, values in json.load(open(path))["results"].items():
            value = values.get(metric, values.get(metric + ",none"))
            if isinstance(value, (int, float)):
                pair, arm = name(path)
                yield arm, pair, {0.0: value}


def text_log(files, pattern, name):
    for path in glob.glob(files, recursive=True):
        series = {float(step): float(value) for step, value in re.findall(pattern, open(path).read(), re.M)}
        yield (*re.search(name, path).groups(), series)


def json_lines(files, metric, name):
    for path in glob.glob(files):
        series = {}
        for line in open(path):
            x = json.loads(line)
            if metric in x and "step" in x:
                series[float(x["step"])] = x[metric]
        yield (*re.search(name, path).groups(), series)


def lists(files, metric, name):
    for path in glob.glob(files, recursive=True):
        yield (*re.search(name, path).groups(), {float(i): x for i, x in enumerate(json.load(open(path))[metric])})


def nested(files, metric, name):
    for path in glob.glob(files):
        x = json.load(open(path))
        value = x
        for key in metric.split("."):
            value = value[key]
        yield (*re.search(name, path).groups(), "", {float(x["step"]): value})


def arrays(files, name):
    for path in glob.glob(files, recursive=True):
        data = open(path, "rb").read()
        size = struct.unpack_from("<H", data, 8)[0]
        values = struct.unpack(f"<{(len(data) - 10 - size) // 8}d", data[10 + size:])
        yield (*re.search(name, path).groups(), {float(i): x for i, x in enumerate(values)})


def npz(files):
    import io
    import zipfile
    for path in glob.glob(files):
        with zipfile.ZipFile(path) as archive:
            steps = archive.read("timesteps.npy")
            results = archive.read("results.npy")
        head = struct.unpack_from("<H", steps, 8)[0]
        steps = struct.unpack(f"<{(len(steps) - 10 - head) // 8}q", steps[10 + head:])
        head = struct.unpack_from("<H", results, 8)[0]
        shape = [int(x) for x in re.search(rb"'shape': \((\d+), (\d+)\)", results).groups()]
        code = "f" if b"<f4" in results[:head + 10] else "d"
        values = struct.unpack(f"<{shape[0] * shape[1]}{code}", results[10 + head:])
        means = [sum(values[i * shape[1]:(i + 1) * shape[1]]) / shape[1] for i in range(shape[0])]
        yield "", "", dict(zip(map(float, steps), means))


F = HERE + "/"
GROUPS = {
    "wandb_chart/position_seeds": (
        ["--name", "s{seed}_{arm}", "--metric", "valid_short/loss"],
        lambda: ((arm, seed, x) for seed, arm, x in chart(F + "wandb_chart/position_seeds/*.csv", "valid_short/loss", r"s(\d+)_(.*)"))),
    "wandb_chart/colu_relu": (["--name", "{arm}"], lambda: (
        (arm, "", x) for arm, _, x in chart(F + "wandb_chart/colu_relu/*.csv", "train/loss", "(.*)()"))),
    "wandb_chart/nanogpt_tokenizers": (["--name", "{arm}17{}"], lambda: chart(
        F + "wandb_chart/nanogpt_tokenizers/*.csv", "train/loss", r"(.*?)()17.*")),
    "wandb_chart/url_one_run_per_file": (["--arm", "a=*stopgrad_1k*", "--arm", "b=*", "--metric", "eval_top1"], lambda: (
        ("a" if run == "leafy" else "b", "", x) for run, _, x in chart(F + "wandb_chart/url_one_run_per_file/*.csv", "eval_top1", r"(\w+)()-sweep-1"))),
    "wandb_table/nanogpt_ablations/wandb_export.csv": (["--metric", "val/loss"], lambda: table(
        F + "wandb_table/nanogpt_ablations/wandb_export.csv", "val/loss", lambda r: r["Name"], lambda r: r["seed"])),
    "wandb_table/allegro_hpo": (["--name", "{arm}_fold{seed}_seed{seed}", "--metric", "test0_epoch/forces_mae"], lambda: table(
        F + "wandb_table/allegro_hpo/wandb_export_2025-05-17.csv", "test0_epoch/forces_mae",
        lambda r: re.match(r"(.*)_fold", r["Name"])[1], lambda r: ".".join(re.search(r"_fold(\d+)_seed(\d+)$", r["Name"]).groups()))),
    "wandb_table/url_benchmark": (["--column", "arm=loss", "--metric", "best_eval_r1"], lambda: table(
        F + "wandb_table/url_benchmark/wandb_export.csv", "best_eval_r1", lambda r: r["loss"], lambda r: "")),
    "trainer_state/billiger_seeds": (["--name", "{arm}/*/{seed}/trainer_state.json", "--metric", "eval_f1"], lambda: trainer_state(
        F + "trainer_state/billiger_seeds/**/trainer_state.json", "eval_f1", r"/(de|en)/[^/]*/(\d)/")),
    "trainer_state/distill_nested": (["--name", "outputs/{arm}/**", "--metric", "eval_loss"], lambda: trainer_state(
        F + "trainer_state/distill_nested/**/trainer_state.json", "eval_loss", r"outputs/(\w+)/()")),
    "trainer_state/one_run_three_checkpoints": (["--metric", "eval_loss"], lambda: trainer_state(
        F + "trainer_state/one_run_three_checkpoints/**/trainer_state.json", "eval_loss", r"()()checkpoint")),
    "lightning_csv/camels_finetune": (["--column", "arm=dropout", "--metric", "val_loss"], lambda: curve_csv(
        F + "lightning_csv/camels_finetune/*/*/metrics.csv", "val_loss", lambda p: settings(p)["dropout"])),
    "lightning_csv/gluonts_two_models": (["--column", "arm=d_hidden", "--metric", "train_loss"], lambda: curve_csv(
        F + "lightning_csv/gluonts_two_models/*/*/metrics.csv", "train_loss", lambda p: settings(p).get("d_hidden", "(none)"))),
    "lightning_csv/mnist_no_hparams": (["--metric", "val_loss"], lambda: curve_csv(
        F + "lightning_csv/mnist_no_hparams/*/*/metrics.csv", "val_loss", lambda p: "")),
    "tensorboard/algoperf_criteo": (["--name", "{arm}/study_{seed}/**", "--metric", "validation/loss"], lambda: events(
        F + "tensorboard/algoperf_criteo/**/events*", "validation/loss", r"criteo/(\w+)/study_(\d)/")),
    "tensorboard/lora_agnews": (["--name", "runs/{arm}/*", "--metric", "eval/loss"], lambda: events(
        F + "tensorboard/lora_agnews/**/events*", "eval/loss", r"runs/(\w+)/()")),
    "tensorboard/sb3_ppo/tb_logs_advanced": (["--name", "{arm}/PPO_1/*", "--metric", "rollout/ep_rew_mean"], lambda: events(
        F + "tensorboard/sb3_ppo/**/events*", "rollout/ep_rew_mean", r"/(\w+)/PPO_1/()")),
    "tensorboard/sb3_ppo/logs_advanced": (["--metric", "results"], lambda: npz(F + "tensorboard/sb3_ppo/logs_advanced/*/*.npz")),
    "lm_eval/latxa": (["--name", "latxa-{pair}-{arm}/*.json", "--metric", "acc"], lambda: lm_eval(
        F + "lm_eval/latxa/**/*/*.json", "acc", lambda p: re.search(r"/latxa-(\w+)-(v[\d.]+)/", p).groups())),
    "lm_eval/pythia_deduped": (
        ["--arm", "deduped=pythia-{pair}-deduped/*", "--arm", "standard=pythia-{pair}/*", "--metric", "acc"], lambda: lm_eval(
            F + "lm_eval/pythia_deduped/*/*.json", "acc",
            lambda p: (re.search(r"/pythia-([\d.]+\w)", p)[1], "deduped" if "-deduped/" in p else "standard"))),
    "text_logs/modded_track3": (["--name", "{arm}/*.txt", "--metric", "val_loss", "--against", "3.28"], lambda: text_log(
        F + "text_logs/modded_track3/results/*/*.txt", r"^step:(\d+)/\d+ val_loss:(\S+)", r"results/(\w+)/()")),
    "text_logs/llmc": (["--metric", "val_loss"], lambda: text_log(F + "text_logs/llmc/**/*.log", r"^s:(\d+) tel:(\S+)", "()()")),
    "text_logs/nanogpt_output": (["--metric", "val loss"], lambda: text_log(
        F + "text_logs/nanogpt_output/**/*.log", r"^step (\d+): train loss [\d.]+, val loss ([\d.]+)", "()()")),
    "jsonl/minigpt_muon": (
        ["--name", "*_125m_{arm}_*_seed{seed}_*/metrics.jsonl", "--metric", "val_loss", "--as", "json-lines"], lambda: json_lines(
            F + "jsonl/minigpt_muon/*/metrics.jsonl", "val_loss", r"_(?:125m_(\w+?)|60m_\w+?())_\w+_seed(\d+)_")),
    "jsonl/grokking_normcap": (["--metric", "test_loss"], lambda: json_lines(
        F + "jsonl/grokking_normcap/*.jsonl", "test_loss", r"/(\w+)_s(\d)\.")),
    "jsonl/grokking_all_ties": (["--metric", "test_loss"], lambda: json_lines(
        F + "jsonl/grokking_all_ties/*.jsonl", "test_loss", r"/(\w+)_s(\d)\.")),
    "json_runs/deepobs_quadratic": (
        ["--name", "{arm}Optimizer/*/random_seed__{seed}__*", "--metric", "test_losses"], lambda: lists(
            F + "json_runs/deepobs_quadratic/**/*.json", "test_losses", r"/(\w+)Optimizer/.*random_seed__(\d+)__")),
    "json_runs/dvc_experiments": (["--name", "{arm}/results/train/metrics.json", "--metric", "eval.loss"], lambda: nested(
        F + "json_runs/dvc_experiments/*/*/*/metrics.json", "eval.loss", r"experiments/([\w-]+)/")),
    "score_arrays/td3": (["--name", "TD3_{arm}-v{}_{seed}.npy"], lambda: arrays(
        F + "score_arrays/td3/**/*.npy", r"TD3_(\w+?)-v\d_(\d)\.npy")),
}


def want(read):
    """(arm, seed, points, last step) with the series, sorted."""
    found = []
    for parts in read():
        *labels, series = parts
        labels = [x or "" for x in labels]
        if len(labels) == 3:  # of the group with a second size: the arm of one, nothing of the other
            labels = [labels[0], labels[2] if labels[0] else ""]
        found.append((labels[0], labels[1], len(series), max(series), series))
    return sorted(found, key=lambda x: x[:4])


def differs(group, command, read):
    said = subprocess.run([PROGRAM, "compare", os.path.join(HERE, group), *command, "--list", "--format", "json"], capture_output=True, text=True)
    if "built with protobuf-c" in said.stderr:
        return None
    if said.returncode:
        return f"exit code {said.returncode}: {said.stderr.strip()}"
    runs = [x for x in json.loads(said.stdout) if x["points"]]
    got = sorted(runs, key=lambda x: (x["arm"], x["seed"], x["points"], x["last_step"]))
    expected = want(read)
    if not expected or len(got) != len(expected):
        return f"{len(got)} runs with points, {len(expected)} expected"
    # Runs of equal keys (tasks of one model, arms without seeds) are matched by their values.
    used = 0
    for x in got:
        key = (x["arm"], x["seed"], x["points"], x["last_step"])
        fit = [y for y in expected if y[:4] == key and (x["value"] is None or any(
            math.isclose(v, x["value"], rel_tol=1e-12) for s, v in y[4].items() if s == x["step"]))]
        if not fit:
            return f"no run is {key} with {x['value']} at step {x['step']}"
        expected.remove(fit[0])
        used += x["value"] is not None and not x["left_out"]
    return "" if used else "no run is used"


print(f"1..{len(GROUPS)}")
there = {os.path.relpath(os.path.dirname(x), HERE) for x in glob.glob(HERE + "/*/*/SOURCES.md")}
for count, (group, (command, read)) in enumerate(GROUPS.items(), 1):
    if not os.path.isdir(HERE):
        print(f"ok {count} - {group} # SKIP no ../shared/foreign")
        continue
    wrong = differs(group, command, read)
    print(f"{'not ok' if wrong else 'ok'} {count} - {group}{' # SKIP built without protobuf-c' if wrong is None else ''}")
    if wrong:
        print(f"# {wrong}")
missing = [g for g in there if not any(name == g or name.startswith(g + "/") for name in GROUPS)]
if missing:
    print(f"# no test reads {', '.join(sorted(missing))}")
    sys.exit(1)
