"""Nights of a program that measures many cases in one run, with real processes: what got slower in
one of them is measured again and searched by that case alone, and the report names it.

usage: cases.py BUILD_FOLDER"""

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
sys.dont_write_bytecode = True
from stage import Stage  # noqa: E402
from toy import Toy  # noqa: E402

CASES = 40
QUIET, SLOWER, NEWEST = 9, 12, 15   # commits
SLOW = "BM_Sort(7)"
# Prints what Google Benchmark prints, and takes its filter.
PROGRAM = """import json, random, re, sys
value = float(open("value").read())
wanted = [word.split("=", 1)[1] for word in sys.argv if word.startswith("--benchmark_filter=")]
entries = []
for number in range(%d):
    name = f"BM_Sort({number})"
    if wanted and not re.search(wanted[-1], name):
        continue
    time = (100 + number) * (value / 100 if number == 7 else 1) * (1 + random.gauss(0, 0.004))
    entries.append({"name": name, "run_name": name, "run_type": "iteration", "iterations": 100,
                    "real_time": time * 1.01, "cpu_time": time, "time_unit": "ns",
                    "items_per_second": 1e9 / time})
print(json.dumps({"context": {"num_cpus": 2}, "benchmarks": entries}))
""" % CASES


class Cases(Toy):
    def _commit(self, subject, value, broken, number):
        (self.folder / "bench.sh").write_text(PROGRAM)
        return super()._commit(subject, value, broken, number)


def check(truth, words):
    if not truth:
        raise AssertionError(words)


def config_of(toy, folder):
    return toy.config(folder, suites={"core": {"kernels": {
        "command": ["sh", "-c", "cd out && python3 bench.sh \"$@\"", "sh"],
        "samples": {"format": "harness"},
        "cases": "all", "case_arguments": ["--benchmark_filter=^{case}$"]}}},
        series_rules=[{"metric": "items_per_second", "judge": True}])


def play(folder, build):
    toy = Cases(folder / "origin", [100] * SLOWER + [125] * (NEWEST + 1 - SLOWER))
    stage = Stage(folder, build)
    try:
        stage.start_daemon(config_of(toy, folder))
        for worker in ("worker-1", "worker-2"):
            stage.start_worker(worker)
        for commit in [*range(QUIET), NEWEST]:
            stage.vigil("trigger", "toy", "--revision", toy.revisions[commit])
            stage.wait_for(f"the night of change {commit}", lambda: (
                stage.night_of(toy.revisions[commit]) or {}).get("state") in ("done", "failed"))
        (found,) = stage.items("regressions?limit=10")
        check(found["culprit"] == toy.revisions[SLOWER], f"named {found}")
        names = sorted((one["case"], one["metric"], one["quantity"]) for one in found["series"])
        check(names == [(SLOW, "cpu_time_ns", None), (SLOW, "reported_value", "items_per_second")],
              f"of {names}")
        runs = stage.items("runs?limit=500")
        whole = [run for run in runs if run["case"] is None]
        check(len(whole) == 3 * (QUIET + 1), f"{len(whole)} runs of the whole program")
        check({run["case"] for run in runs} == {None, SLOW}, "other cases ran")
        series = stage.items("series?case=BM_Sort%287%29")
        check(len(series) == 3, f"series {series}")
        report = stage.wait_for_report(f"kernels: {SLOW}")
        check(r"--benchmark_filter=^BM_Sort\(7\)$" in report, report)
        return report
    finally:
        stage.stop()


def main():
    with tempfile.TemporaryDirectory(prefix="vigil-cases-") as folder:
        began = time.monotonic()
        print(play(Path(folder), Path(sys.argv[1]).resolve()))
        print(f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
