#!/usr/bin/env python3
"""Runs one model of PyTorch's benchmarks/dynamo, twice: for its accuracy and for its performance.
What the two CSVs say is printed as one line of JSON, so that both are one run of one series: a
model that fails, or whose answer is wrong, is a failure of the series that measured it before.

example:
  dynamo_bench.py --source /opt/pytorch --suite torchbench --model resnet18 --mode inference \\
    --dtype bfloat16 --device cpu -- --cold-start-latency

What stands behind -- is handed on to both runs. docs/pytorch.md says what has to be there.
Exit code: 0 passed, 1 failed, 3 wrong, 4 oom, 5 timeout, 77 unsupported; 2: wrong usage."""

import argparse
import csv
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from compiling.codes import EXIT_CODES, absolute_environment, failed_line, metric  # noqa: E402

PRECISIONS = {"float32": "fp32", "bfloat16": "bf16", "float16": "fp16", "amp": "amp"}
LONGEST_LINE = 300
GB = 1e9  # what benchmarks/dynamo divides bytes by
HIGHER = "higher_is_better"


class Failed(Exception):
    def __init__(self, outcome, message):
        super().__init__(message)
        self.outcome = outcome


def parse():
    head, _, tail = __doc__.partition("\nexample:")
    parser = argparse.ArgumentParser(
        description=head, epilog="example:" + tail,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", required=True, help="a source tree of PyTorch")
    parser.add_argument("--suite", default="torchbench",
                        choices=("torchbench", "huggingface", "timm_models"))
    parser.add_argument("--model", required=True)
    parser.add_argument("--mode", choices=("inference", "training"), default="inference")
    parser.add_argument("--dtype", choices=tuple(PRECISIONS), default="float32")
    parser.add_argument("--device", default="cpu", help="cpu or cuda (default cpu)")
    parser.add_argument("--backend", default="inductor")
    parser.add_argument("--time-limit", type=float, default=0, metavar="S",
                        help="seconds of each of both runs; 0: none")
    cut = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = parser.parse_args(sys.argv[1:cut])
    options.more = sys.argv[cut + 1:]
    options.program = Path(options.source, "benchmarks", "dynamo", f"{options.suite}.py").absolute()
    if not options.program.is_file():
        parser.error(f"--source: there is no {options.program}")
    return options


def last_words(text):
    """The last line that says anything."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:LONGEST_LINE] if lines else "it printed nothing"


def run(target, options, folder):
    """@return the model's row of the CSV, by columns. Raises Failed."""
    table = Path(folder, f"{options.backend}_{options.suite}_{options.dtype}_{options.mode}_"
                         f"{options.device}_{target}.csv")
    command = [sys.executable, str(options.program), f"--{target}", f"--{options.mode}",
               f"--{options.dtype}", "--backend", options.backend, "--device", options.device,
               "--only", options.model, "--output", str(table), *options.more]
    errors = Path(folder, "errors")
    with errors.open("wb") as said, subprocess.Popen(
            command, env=absolute_environment(), stdout=said, stderr=said,
            start_new_session=True) as child:
        try:
            code = child.wait(options.time_limit or None)
        except subprocess.TimeoutExpired as error:
            raise Failed("timeout",
                         f"{target}: not done after {options.time_limit:g} s") from error
        finally:
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
    words = last_words(errors.read_text(errors="replace")[-20_000:])
    if table.is_file():
        with table.open(newline="", errors="replace") as rows:
            for row in csv.DictReader(rows):
                if row.get("name") == options.model:
                    return row
    raise Failed("oom" if "out of memory" in words.lower() else "failed",
                 f"{target}: it ended with {code} and no row of the model: {words}")


def number(row, name):
    """What the row says, where it is a number above 0: a model that did not run has zeros."""
    try:
        value = float(row.get(name) or "nan")
    except ValueError:
        return None
    return value if 0 < value < float("inf") else None


def check_accuracy(said):
    """Raises Failed where the word is none of those for a right answer."""
    if said == "pass" or said.startswith("pass_"):
        return
    words = said.lower()
    if "skip" in words or words.startswith("eager_") or words == "model_fail_to_load":
        raise Failed("unsupported", f"accuracy: {said}")
    outcome = "oom" if "oom" in words else "timeout" if "timeout" in words \
        else "wrong" if words in ("fail_accuracy", "eager_two_runs_differ") else "failed"
    raise Failed(outcome, f"accuracy: {said}")


def introduction(options):
    return {"program": "benchmarks/dynamo", "model": options.model, "domain": options.suite,
            "mode": {"inference": "infer", "training": "train"}[options.mode],
            "device": options.device, "precision": PRECISIONS[options.dtype],
            "backend": options.backend, "machine": platform.machine(),
            "python": platform.python_version()}


def measured(row, info):
    """The line of a model that ran. Raises Failed."""
    latency = number(row, "abs_latency")
    if latency is None:
        raise Failed("failed", "performance: it did not run: abs_latency is "
                     f"'{row.get('abs_latency', '')}'")
    samples = {"wall_time_ns": [latency * 1e6]}
    metrics = {}
    if (batch := number(row, "batch_size")) is not None:
        info["batch"] = int(batch)
    if (speedup := number(row, "speedup")) is not None:
        info["compared"] = {"base": "eager", "speedup": speedup}
    if (seconds := number(row, "compilation_latency")) is not None:
        metrics["compile_time_ns"] = metric(seconds * 1e9, "ns")
        samples["reported_value"] = [seconds]
    if (ratio := number(row, "compression_ratio")) is not None:
        metrics["memory_ratio"] = metric(ratio, "", HIGHER)
    if (peak := number(row, "dynamo_peak_mem")) is not None:
        name = "peak_gpu_bytes" if info["device"].startswith("cuda") else "peak_process_bytes"
        samples[name] = [peak * GB]
    for column in ("graph_breaks", "unique_graphs", "calls_captured"):
        try:
            metrics[column] = metric(float(row[column]), "")
        except (KeyError, TypeError, ValueError):
            pass
    info["metrics"] = metrics
    return {"vigil_bench": 1, "outcome": "passed", "samples": samples, "info": info}


def main():
    options = parse()
    info = introduction(options)
    try:
        with tempfile.TemporaryDirectory(prefix="dynamo-bench-") as folder:
            accuracy = run("accuracy", options, folder).get("accuracy") or "no word"
            check_accuracy(accuracy)
            info["accuracy"] = {"said": accuracy}
            line = measured(run("performance", options, folder), info)
    except Failed as failure:
        line = failed_line(failure.outcome, str(failure), info)
        print(line["message"], file=sys.stderr)
    print(json.dumps(line))
    return EXIT_CODES[line["outcome"]]


if __name__ == "__main__":
    sys.exit(main())
