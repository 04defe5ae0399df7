"""Says what a revert of a verified culprit would bring back, with a real daemon and real workers: a
night finds culprits whose branch went on since. Kinds: a revert helps, helps in part, conflicts,
does not help, the change was taken back, the change is gone. REST, the command line and the report
say it. A daemon that is killed while one is measured asks for nothing twice.

usage: revert.py BUILD_FOLDER [--all]
--all: 20 planted cases of four kinds, without the kill"""

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
sys.dont_write_bytecode = True
from stage import Stage  # noqa: E402
from toy import Toy  # noqa: E402

# A case's value is 100 + the larger of two costs; a file "fast" does without both.
BENCH = """#!/bin/sh
a=$(cat "$1/a"); b=$(cat "$1/b")
test -f "$1/fast" && a=0 && b=0
awk -v seed="$$" -v clock="$(date +%N)" -v a="$a" -v b="$b" 'BEGIN {
    srand(seed * 1000003 + clock)
    value = 100 + (a > b ? a : b)
    for (i = 0; i < 5; ++i) printf "%.3f\\n", value * (1 + 0.004 * (rand() - 0.5))
}'
"""


def helps(case, size):
    """Nothing touches it since."""


def in_part(case, size):
    case.write("b", size // 2)


def conflicts(case, size):
    case.write("a", size + 1)
    case.write("more", "changed again")


def taken_back(case, size):
    case.write("a", 0)
    case.write("more", "-")


def fast(case, size):
    case.write("fast", "")


def no_help(case, size):
    case.write("b", size)


KINDS = {helps: "helps", in_part: "in_part", conflicts: "conflicts", taken_back: "gone",
         fast: "gone", no_help: "no_help"}
SIZES = (30, 24, 20, 40, 36)


class Case:
    def __init__(self, toy, number, kind, size):
        self.name, self.kind, self.size = f"c{number}", kind, size
        self.folder = toy.folder / self.name
        self.folder.mkdir()
        self.write("a", 0)
        self.write("b", 0)
        self.write("more", "-")

    def write(self, name, text):
        (self.folder / name).write_text(f"{text}\n")

    def plant(self):
        self.write("a", self.size)
        self.write("more", "changed")


class Planted(Toy):
    """One commit is quiet, then each case has its culprit, then comes the bad night; afterwards
    each case has a commit of its kind."""

    def __init__(self, folder, cases):
        self.cases = cases
        super().__init__(folder, [])
        self.planted = [Case(self, number, *case) for number, case in enumerate(cases)]
        (self.folder / "bench.sh").write_text(BENCH)
        (self.folder / "build.sh").write_text("set -e\nmkdir -p out\ncp -r c* bench.sh out/\n")
        self.number = 0
        self.good = self.commit("quiet")
        self.culprits = []
        for case in self.planted:
            case.plant()
            self.culprits.append(self.commit(f"changes {case.name}"))
        self.bad = self.commit("the night")
        for case in self.planted:
            case.kind(case, case.size)
            self.head = self.commit(f"goes on with {case.name}")

    def commit(self, subject):
        self.number += 1
        self._git("add", "-A")
        self._git("commit", "-q", "--allow-empty", "-m", subject, at=self.start_s + self.number)
        return self._git("rev-parse", "HEAD").strip()

    def its_config(self, folder):
        return self.config(folder, revert={"checks_per_day": 30}, suites={"core": {
            case.name: {"kind": "command",
                        "command": ["sh", "-c", f"cd out && sh bench.sh {case.name}"],
                        "samples": {"format": "lines", "printed": "cpu_time_ns", "unit": "us"},
                        "variants": {"plain": {}}} for case in self.planted}})


def check(truth, words):
    if not truth:
        raise AssertionError(words)


def details(stage):
    """Of each culprit what the daemon says of its regression; None while it is out of reach."""
    try:
        return {found["culprit"]: found for found in (
            stage.get(f"/api/v1/regressions/{one['id']}", tries=1)
            for one in stage.items("regressions?limit=100")) if found["culprit"]}
    except OSError:
        return None


def play(folder, build, cases, kill):
    toy = Planted(folder / "origin", cases)
    stage = Stage(folder, build)
    try:
        config = toy.its_config(folder)
        stage.start_daemon(config)
        if kill:
            config["http"]["port"] = int(stage.url.rsplit(":", 1)[1])
            stage.kill("vigild")
            stage.start_daemon(config)
        for worker in ("worker-1", "worker-2"):
            stage.start_worker(worker)
        stage.vigil("trigger", "toy", "--revision", toy.good)
        stage.wait_for_night(toy.good)
        stage.vigil("trigger", "toy", "--revision", toy.bad)
        killed = []

        def checked():
            found = details(stage)
            if not found:
                return None
            states = {(one["revert"] or {}).get("state") for one in found.values()}
            if kill and not killed and "measuring" in states:
                killed.append(True)
                stage.kill("vigild")
                stage.restart_daemon()
                return None
            return found if len(found) == len(cases) and states == {"done"} else None

        found = stage.wait_for("all revert checks", checked)
        check(not kill or killed, "the daemon was not killed while a revert was measured")
        return toy, stage, found
    except BaseException:
        stage.stop()
        raise


def judge(toy, found):
    """@return how many cases are said rightly"""
    right = 0
    for case, culprit in zip(toy.planted, toy.culprits):
        one = found.get(culprit)
        said = one["revert"] if one else None
        wanted = KINDS[case.kind]
        ok = bool(said) and said["outcome"] == wanted and said["head"] == toy.head
        if ok and wanted in ("helps", "in_part"):
            # Of 100 + size head is so much worse than its revert.
            left = case.size // 2 if wanted == "in_part" else 0
            true = (100 + case.size) / (100 + left) - 1
            ok = abs(said["back"]["change_ratio"] - true) < 0.02
        if ok and wanted == "conflicts":
            files = [f"{case.name}/a", f"{case.name}/more"]
            ok = said["conflicts"] == files and said["conflicting"] == 2
        right += ok
        print(f"{case.kind.__name__:10} {case.size:3} {'right' if ok else 'WRONG'}: "
              f"{said['words'] if said else 'nothing is known'}", flush=True)
    return right


def night(folder, build):
    cases = [(kind, SIZES[number % len(SIZES)]) for number, kind in enumerate(KINDS)]
    toy, stage, found = play(folder, build, cases, True)
    try:
        check(judge(toy, found) == len(cases), "not all were said rightly")
        # Each request was asked for once, though the daemon was killed.
        asked = [one["by"] for one in stage.items("requests?limit=100")
                 if one["by"].startswith("revert check of regression ")]
        wanted = []
        for case, culprit in zip(toy.planted, toy.culprits):
            times = {helps: 1, in_part: 1, conflicts: 0, taken_back: 1, fast: 2, no_help: 2}
            wanted += [f"revert check of regression {found[culprit]['id']}"] * times[case.kind]
        check(sorted(asked) == sorted(wanted), f"asked {sorted(asked)}, and not {sorted(wanted)}")
        first = found[toy.culprits[0]]
        words = first["revert"]["words"].split("head (")[1]
        report = stage.wait_for_report(words)
        check(report.index(words) < report.index("###"), "not under the verdict")
        told = stage.vigil("regression", "revert", str(first["id"]))
        check(told["words"] == first["revert"]["words"], f"the command says {told}")
        again = stage.vigil("regression", "revert", str(first["id"]), "--again")
        check(again["state"] == "waiting" and again["by_hand"], f"asked again: {again}")
        stage.wait_for("the check again", lambda: stage.get(
            f"/api/v1/regressions/{first['id']}")["revert"]["outcome"] == "helps")
    finally:
        stage.stop()


def all_planted(folder, build):
    kinds = (helps, in_part, conflicts, taken_back)
    cases = [(kinds[number % 4], SIZES[number // 4]) for number in range(20)]
    toy, stage, found = play(folder, build, cases, False)
    stage.stop()
    right = judge(toy, found)
    print(f"{right} of {len(cases)} said rightly")
    check(right == len(cases), "not all were said rightly")


def main():
    build = Path(sys.argv[1]).resolve()
    run = all_planted if "--all" in sys.argv[2:] else night
    with tempfile.TemporaryDirectory(prefix="vigil-revert-") as folder:
        began = time.monotonic()
        run(Path(folder), build)
        print(f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
