#!/usr/bin/env python3
"""Measures a Python module eager and compiled by torch.compile: latency of runs in turns, cold
compile time, graph breaks, peak memory, the speedup with its interval, and whether the answers are
the same. docs/pytorch.md shows how vigild has it measured every night.

examples:
  compile_bench.py --model resnet18                      every way, as a table
  compile_bench.py --model encoder --way default --json  one way, as the worker runs it
  compile_bench.py --model net.py:make --way dynamic     make() returns a module and its inputs
  compile_bench.py --model torch.nn:Identity --input 4x8 a class that takes no arguments

Each way is a process of its own with an empty compile cache. Exit code of one way: 0 passed,
1 failed, 3 wrong, 4 oom, 5 timeout, 77 unsupported; of several: 1 where any failed.
2: wrong usage."""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
# A folder that is named relatively is meant from here, in every process that this starts.
sys.path[:] = [str(Path(folder).absolute()) for folder in sys.path]
sys.path.insert(0, str(HERE))

from compiling.codes import EXIT_CODES, absolute_environment, failed_line  # noqa: E402
from compiling.ways import ALL_WAYS, Unsupported, is_way  # noqa: E402


def parse():
    head, _, tail = __doc__.partition("\nexamples:")
    parser = argparse.ArgumentParser(
        description=head, epilog="examples:" + tail,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="a name of --list, FILE.py:NAME or PACKAGE.MODULE:NAME")
    parser.add_argument("--input", default="", metavar="SHAPES",
                        help="inputs of a NAME that returns the module alone, with commas between "
                        "them: 1x3x224x224, int64:4x128:8000")
    parser.add_argument("--way", default="all", metavar="WAYS",
                        help=f"some of {', '.join(ALL_WAYS)}, backend:NAME, with commas between "
                        "them (default all but backends)")
    parser.add_argument("--mode", choices=("infer", "train"), default="infer")
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:1 (default cpu)")
    parser.add_argument("--precision", choices=("fp32", "bf16", "fp16", "amp"), default="fp32")
    parser.add_argument("--batch", type=int, default=0, help="rows (default the model's own)")
    parser.add_argument("--threads", type=int, default=0, help="(default all that it may use)")
    parser.add_argument("--samples", type=int, default=20, help="turns at least (default 20)")
    parser.add_argument("--min-time", type=float, default=0, metavar="S",
                        help="seconds of turns at least (default 0)")
    parser.add_argument("--time-limit", type=float, default=0, metavar="S",
                        help="seconds of one way; 0: none")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--package", metavar="FILE.pt2",
                        help="compile a package of AOTInductor for vigil-bench and measure nothing")
    parser.add_argument("--json", action="store_true", help="a line of JSON a way, no table")
    parser.add_argument("--table", metavar="FILE",
                        help="lines that --json printed, as a table; - is standard input")
    parser.add_argument("--list", action="store_true", help="the models that come with this")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.package:
        options.way, options.json, options.mode = "default", True, "infer"
    options.ways = ALL_WAYS if options.way == "all" else options.way.split(",")
    for way in options.ways:
        if not is_way(way):
            parser.error(f"--way: '{way}' is none of {', '.join(ALL_WAYS)}, backend:NAME")
    if not (options.list or options.table or options.model):
        parser.error("--model is missing; --list has those that come with this")
    for name in ("batch", "threads", "samples", "min_time", "time_limit"):
        if getattr(options, name) < 0:
            parser.error(f"--{name.replace('_', '-')} is below 0")
    options.threads = options.threads or len(os.sched_getaffinity(0))
    options.samples = max(options.samples, 1)
    return options


def is_out_of_memory(error):
    return isinstance(error, MemoryError) or "out of memory" in str(error).lower() \
        or "can't allocate memory" in str(error).lower()


def run_way(way, options):
    """In a process of its own. @return the line"""
    from compiling import report
    info = report.introduction(way, options)
    try:
        import torch
    except ImportError as error:
        return failed_line(
            "unsupported", f"{sys.executable} has no torch: {error}; PYTHONPATH is "
            f"'{os.environ.get('PYTHONPATH', '')}'", info)
    from compiling import measure
    from compiling.subject import UsageError, find_subject
    subject = None
    try:
        info = report.introduction(way, options, torch.__version__)
        subject = find_subject(options.model, options.batch, options.input)
        info = report.introduction(way, options, torch.__version__, subject)
        if options.package:
            from compiling.package import compile_package
            return {"vigil_bench": 1, "outcome": "passed", "info": info,
                    "package": compile_package(subject, options)}
        seen = measure.measure(way, subject, options)
        return report.passed_line(way, options, subject, torch.__version__, seen)
    except Unsupported as error:
        return failed_line("unsupported", str(error), info)
    except measure.Wrong as error:
        return failed_line("wrong", str(error), info)
    except UsageError as error:
        return dict(failed_line("failed", str(error), info), usage=True)
    except Exception as error:  # pylint: disable=broad-except
        # Whatever torch or the model raises is what came of the run.
        outcome = "oom" if is_out_of_memory(error) else "failed"
        return failed_line(outcome, f"{type(error).__name__}: {error}", info)


def child_environment(cache, threads):
    """Cold: nothing that was compiled before is found. A BLAS has no more threads than torch: idle
    ones would spin."""
    counts = {f"{name}_NUM_THREADS": str(threads) for name in ("OMP", "OPENBLAS", "MKL")}
    return absolute_environment(TORCHINDUCTOR_CACHE_DIR=f"{cache}/inductor",
                                TRITON_CACHE_DIR=f"{cache}/triton", **counts)


def start_way(way, options):
    """@return the line of a process, also where it crashed or took too long"""
    from compiling import report
    cache = tempfile.mkdtemp(prefix="compile-bench-")
    answer = Path(cache) / "line.json"
    command = [sys.executable, str(HERE / "compile_bench.py"), *sys.argv[1:], "--way", way,
               "--child", str(answer)]
    with subprocess.Popen(command, env=child_environment(cache, options.threads), stdout=sys.stderr,
                          start_new_session=True) as child:
        try:
            code = child.wait(options.time_limit or None)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            end_group(child.pid)
    try:
        return json.loads(answer.read_text())
    except (OSError, ValueError):
        info = report.introduction(way, options)
        if code is None:
            return failed_line("timeout", f"not done after {options.time_limit:g} s", info)
        outcome = "oom" if code == -signal.SIGKILL else "failed"
        why = f"killed by signal {-code}" if code < 0 else f"it ended with {code}"
        return failed_line(outcome, f"{why} and printed nothing", info)
    finally:
        shutil.rmtree(cache, ignore_errors=True)


def end_group(pid):
    """The process and the compilers that it started."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def print_table(file):
    """Raises OSError, ValueError and KeyError where it holds other things."""
    from compiling import report
    print("\n".join(report.table_head()))
    with (sys.stdin if file == "-" else open(file)) as lines:
        for line in lines:
            if line.strip():
                print(report.table_line(report.table_row(json.loads(line))))


def list_models():
    from compiling.models import MODELS
    for name, (_, domain, batch) in MODELS.items():
        print(f"{name:10} {domain:16} batch {batch}")


def main():
    options = parse()
    if options.child:
        line = run_way(options.way, options)
        Path(options.child).write_text(json.dumps(line))
        return 0
    if options.list:
        list_models()
        return 0
    if options.table:
        try:
            print_table(options.table)
        except (OSError, ValueError, KeyError) as error:
            print(f"compile_bench.py: --table {options.table}: {error!r}", file=sys.stderr)
            return 2
        return 0
    from compiling import report
    outcomes = []
    for way in options.ways:
        line = start_way(way, options)
        if line.pop("usage", False):
            print(f"compile_bench.py: {line['message']}", file=sys.stderr)
            return 2
        if not options.json and not outcomes:
            print("\n".join(report.table_head()))
        outcomes.append(line["outcome"])
        if line["outcome"] != "passed":
            print(f"{way}: {line['message']}", file=sys.stderr)
        print(json.dumps(line) if options.json
              else report.table_line(report.table_row(line)), flush=True)
    if len(outcomes) == 1:
        return EXIT_CODES[outcomes[0]]
    return 0 if set(outcomes) <= {"passed", "unsupported"} else 1


if __name__ == "__main__":
    sys.exit(main())
