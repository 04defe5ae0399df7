#!/usr/bin/env python3
"""Runs every model of a vigil-bench once and prints a table: outcome, step time, peak memory, and
what the whole process took. On a loaded machine only CPU time means something.

usage: suite.py VIGIL_BENCH [--mode infer|train] [--batch N] [--models A,B] [--only-check]
                            [--timeout S] [-- MORE ARGUMENTS FOR VIGIL_BENCH]

By default: inference, batch 1, one thread. --only-check measures one iteration instead of the
default time and samples. Exit code: 0 when every model passed or is unsupported."""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time

MIB = 1 << 20
CHECK = ["--min-time", "0", "--min-samples", "1", "--max-warmup", "0"]


def parse():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    parser.add_argument("program")
    parser.add_argument("--mode", choices=("infer", "train"), default="infer")
    parser.add_argument("--batch", default="1", help="rows, or 'own' for each model's")
    parser.add_argument("--models", help="names, with commas; default: all")
    parser.add_argument("--only-check", action="store_true")
    parser.add_argument("--timeout", type=float, default=600)
    cut = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    return parser.parse_args(sys.argv[1:cut]), sys.argv[cut + 1:]


def list_models(program):
    """Names of all models but those that tests have put in."""
    done = subprocess.run([program, "--list"], capture_output=True, text=True, check=True)
    rows = [line.split()[:2] for line in done.stdout.splitlines()]
    return [name for name, domain in rows if domain != "broken"]


def cpu_s():
    """Of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(command, timeout_s):
    """Outcome, document, wall and CPU seconds of one process."""
    threads = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    start, cpu_start_s = time.monotonic(), cpu_s()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s,
                              env=threads)
        document = json.loads(done.stdout) if done.stdout else {}
        outcome = document.get("outcome", f"died ({done.returncode})")
    except subprocess.TimeoutExpired:
        document, outcome = {}, "timeout"
    return outcome, document, time.monotonic() - start, cpu_s() - cpu_start_s


def cells(document):
    """Wall and CPU milliseconds of a step, samples, MiB by the allocator and of the process."""
    samples = document.get("samples")
    if not samples:
        return ["-"] * 5
    wall, cpu = (statistics.median(samples[name]) / 1e6 for name in
                 ("wall_time_ns", "cpu_time_ns"))
    process = samples.get("peak_process_bytes")
    return [f"{wall:.2f}", f"{cpu:.2f}", str(len(samples["wall_time_ns"])),
            f"{samples['peak_alloc_bytes'][0] / MIB:.0f}",
            f"{process[0] / MIB:.0f}" if process else "-"]


def print_row(row):
    print("| " + " | ".join(row) + " |", flush=True)


def main():
    options, more = parse()
    models = options.models.split(",") if options.models else list_models(options.program)
    print_row(["Model", "Outcome", "Step, wall ms", "Step, CPU ms", "Samples", "Allocated MiB",
               "Process MiB", "Run, wall s", "Run, CPU s"])
    print_row(["---"] * 2 + ["---:"] * 7)
    outcomes, total_s, total_cpu_s = {}, 0.0, 0.0
    for model in models:
        command = [options.program, "--model", model, "--mode", options.mode, "--threads", "1"]
        if options.batch != "own":
            command += ["--batch", options.batch]
        outcome, document, taken_s, taken_cpu_s = run(
            command + (CHECK if options.only_check else []) + more, options.timeout)
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
        total_s += taken_s
        total_cpu_s += taken_cpu_s
        print_row([f"`{model}`", outcome, *cells(document), f"{taken_s:.1f}",
                   f"{taken_cpu_s:.1f}"])
        if outcome not in ("passed", "unsupported"):
            print(f"{model}: {document.get('message', '')}", file=sys.stderr)
    counted = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
    print(f"\n{len(models)} models, {options.mode}, batch {options.batch}, one thread: {counted}; "
          f"in all {total_s / 60:.1f} minutes, {total_cpu_s / 60:.1f} of CPU time")
    return 0 if set(outcomes) <= {"passed", "unsupported"} else 1


if __name__ == "__main__":
    sys.exit(main())
