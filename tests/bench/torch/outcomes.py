#!/usr/bin/env python3
"""Tries every model x mode x precision x backend of a vigil-bench, and prints a table of outcomes.

usage: outcomes.py VIGIL_BENCH FILE [--device D] [--models A,B] [--jobs N] [--only-print]

FILE gets a line a run; what it holds is not run again, so that the work can be done in parts: end
it at any time and begin it again. Each run measures one step with two rows and is checked against
float64; so several jobs may run beside each other. A GPU has two precisions more. Exit code: 0
when nothing failed, is wrong, or ran out of memory. A timeout is none of these: bfloat16 takes a
quarter of an hour for some models where the processor does not have it."""

import argparse
import json
import signal
import subprocess
import sys
import threading
from pathlib import Path

import suite

PRECISIONS = {"cpu": ("fp32", "bf16", "amp"),
              "cuda": ("fp32", "tf32", "fp16", "bf16", "amp", "amp_fp16")}
WAYS = (("infer", "eager"), ("infer", "jit"), ("train", "eager"))
STEP = ["--batch", "2", "--min-time", "0", "--min-samples", "1", "--max-warmup", "0"]
FINE = {"passed", "unsupported", "unchecked", "timeout"}


def parse():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    parser.add_argument("program")
    parser.add_argument("file", type=Path)
    parser.add_argument("--device", choices=PRECISIONS, default="cpu")
    parser.add_argument("--models", help="names, with commas; default: all")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--time-limit", default="900", help="of a run, in seconds (default 900)")
    parser.add_argument("--only-print", action="store_true")
    return parser.parse_args()


def lines_of(path):
    return path.read_text().splitlines() if path.exists() else []


class Jobs:
    """Each job has every N-th model and a file of its own, which begins as what is known."""

    def __init__(self, options):
        self.options = options
        self.running = []
        self.models = options.models or ",".join(suite.list_models(options.program))
        self.parts = [Path(f"{options.file}.{job}") for job in range(1, options.jobs + 1)]

    def command(self, job, mode, backends):
        options = self.options
        return [options.program, "--suite", self.parts[job - 1], "--resume", "--model",
                self.models, "--shard", f"{job}/{options.jobs}", "--device", options.device,
                "--mode", mode, "--precision", ",".join(PRECISIONS[options.device]),
                "--backend", backends, "--time-limit", options.time_limit, *STEP]

    def work(self, job):
        for mode, backends in (("infer", "eager,jit"), ("train", "eager")):
            process = subprocess.Popen(self.command(job, mode, backends))
            self.running.append(process)
            if process.wait() == 2:
                print("the suite cannot be run as it was asked for", file=sys.stderr)
            if process.returncode < 0:
                return

    def collect(self):
        """What is new of all parts goes into the one file."""
        known = set(lines_of(self.options.file))
        for part in self.options.file.parent.glob(self.options.file.name + ".[0-9]*"):
            new = [line for line in lines_of(part) if line not in known]
            known.update(new)
            with open(self.options.file, "a") as file:
                file.writelines(line + "\n" for line in new)
            part.unlink()

    def end(self, *_):
        for process in self.running:
            if process.poll() is None:
                process.terminate()

    def run(self):
        self.collect()  # of jobs that were killed
        for part in self.parts:
            part.write_text("".join(line + "\n" for line in lines_of(self.options.file)))
        for sign in (signal.SIGINT, signal.SIGTERM):
            signal.signal(sign, self.end)
        threads = [threading.Thread(target=self.work, args=[job])
                   for job in range(1, self.options.jobs + 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.collect()


def outcome_of(line):
    """A run that passed and whose answer could not be checked is named so."""
    if line["outcome"] == "passed" and line["info"].get("accuracy", {}).get("unchecked"):
        return "unchecked"
    return line["outcome"]


def cell(outcomes, precisions):
    """@param outcomes  by precision"""
    kinds = {}
    for precision in precisions:
        if precision in outcomes:
            kinds.setdefault(outcomes[precision], []).append(precision)
    if len(kinds) == 1 and len(outcomes) == len(precisions):
        return f"all {next(iter(kinds))}"
    return "; ".join(f"{kind} {', '.join(which)}" for kind, which in kinds.items()) or "-"


def table(options):
    precisions = PRECISIONS[options.device]
    outcomes, counts = {}, {}
    for text in lines_of(options.file):
        line = json.loads(text)
        info = line["info"]
        ways = outcomes.setdefault(info["model"], {way: {} for way in WAYS})
        ways[info["mode"], info["backend"]][info["precision"]] = outcome_of(line)
    print("| Model | " + " | ".join(", ".join(way) for way in WAYS) + " |")
    print("| --- |" + " --- |" * len(WAYS))
    for model, ways in sorted(outcomes.items()):
        print(f"| `{model}` | " + " | ".join(cell(ways[way], precisions) for way in WAYS) + " |")
        for way in WAYS:
            for outcome in ways[way].values():
                counts[outcome] = counts.get(outcome, 0) + 1
    print("\n" + ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())))
    return 0 if set(counts) <= FINE else 1


def main():
    options = parse()
    if not options.only_print:
        Jobs(options).run()
    return table(options)


if __name__ == "__main__":
    sys.exit(main())
