#!/usr/bin/env python3
"""Tries every model x mode x precision x backend of a vigil-bench, and prints a table of outcomes.

usage: outcomes.py VIGIL_BENCH FILE [--models A,B] [--shard I/N] [--only-print]

FILE gets a line a run; what it holds is not run again, so that the work can be done in parts: end
it at any time and begin it again. Each run measures one step with two rows and is checked against
float64. Exit code: 0 when nothing failed, is wrong, or ran out of memory or time."""

import argparse
import json
import subprocess
import sys

PRECISIONS = ("fp32", "bf16", "amp")
WAYS = [("infer", precision, backend) for precision in PRECISIONS for backend in ("eager", "jit")]
WAYS += [("train", precision, "eager") for precision in PRECISIONS]
STEP = ["--batch", "2", "--min-time", "0", "--min-samples", "1", "--max-warmup", "0",
        "--time-limit", "900"]
FINE = {"passed", "unsupported", "unchecked"}


def parse():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    parser.add_argument("program")
    parser.add_argument("file")
    parser.add_argument("--models", default="all")
    parser.add_argument("--shard", default="1/1")
    parser.add_argument("--only-print", action="store_true")
    return parser.parse_args()


def suite(options, mode, backends):
    command = [options.program, "--suite", options.file, "--resume", "--model", options.models,
               "--shard", options.shard, "--mode", mode, "--precision", ",".join(PRECISIONS),
               "--backend", backends, *STEP]
    if subprocess.run(command).returncode == 2:
        sys.exit("the suite cannot be run as it was asked for")


def outcome_of(line):
    """A run that passed and whose answer could not be checked is named so."""
    if line["outcome"] == "passed" and line["info"].get("accuracy", {}).get("unchecked"):
        return "unchecked"
    return line["outcome"]


def main():
    options = parse()
    if not options.only_print:
        suite(options, "infer", "eager,jit")
        suite(options, "train", "eager")
    outcomes, counts = {}, {}
    with open(options.file) as file:
        for text in file:
            line = json.loads(text)
            info = line["info"]
            way = (info["mode"], info["precision"], info["backend"])
            outcomes.setdefault(info["model"], {})[way] = outcome_of(line)
            counts[outcome_of(line)] = counts.get(outcome_of(line), 0) + 1
    print("| Model | " + " | ".join(" ".join(way) for way in WAYS) + " |")
    print("| --- |" + " --- |" * len(WAYS))
    for model in sorted(outcomes):
        print(f"| `{model}` | " + " | ".join(outcomes[model].get(way, "-") for way in WAYS) + " |")
    print("\n" + ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())))
    return 0 if set(counts) <= FINE else 1


if __name__ == "__main__":
    sys.exit(main())
