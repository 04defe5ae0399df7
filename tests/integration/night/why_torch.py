"""Says why a verified culprit of vigil-bench is slower, or takes more memory, with a real daemon
and a real worker: one of the regressions of tensorlab is planted in a short history. Of LibTorch,
the operator that became slower, or that holds more at the peak, is in the first row. Of time,
callgrind names its function and file beside it. REST, the report and the command line have all of
it. Minutes: the worker compiles vigil-bench, and valgrind runs LibTorch.

usage: why_torch.py BUILD_FOLDER [PLANT]"""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "support"),
                str(Path(__file__).resolve().parents[2] / "support" / "tensorlab")]
sys.dont_write_bytecode = True
import lab  # noqa: E402
from plants import BY_NAME  # noqa: E402
from stage import Stage  # noqa: E402
from toy import Toy  # noqa: E402

COMMITS, CULPRIT = 4, 2
OPERATORS = {"bounds": "tensorlab::max_pool", "workspace_leak": "tensorlab::conv2d"}
UNITS = {"time": "operator_ns", "memory": "operator_peak_bytes"}
JUDGED = {"time": "cpu_time_ns", "memory": "peak_alloc_bytes"}
FILE = "src/pooling.cpp"
FUNCTIONS = ("tensorlab::max_pool(", "Plane::at(")  # as the compiler inlines one into the other


class Lab(Toy):
    """tensorlab, with what is planted from a commit on."""

    def __init__(self, folder, plant):
        self.plant = plant
        super().__init__(folder, [number >= CULPRIT for number in range(COMMITS)])

    def _commit(self, subject, value, broken, number):
        shutil.copytree(lab.LAB / "tree", self.folder, dirs_exist_ok=True)
        for path, old, new in self.plant.edits if value else ():
            text = (self.folder / path).read_text()
            check(text.count(old) == 1, f"{path} has its text {text.count(old)} times")
            (self.folder / path).write_text(text.replace(old, new))
        (self.folder / "notes.txt").write_text(f"{subject}\n")
        self._git("add", "-A")
        self._git("commit", "-q", "-m", subject, at=self.start_s + number)
        return self._git("rev-parse", "HEAD").strip()


def check(truth, words):
    if not truth:
        raise AssertionError(words)


def make_config(folder, toy):
    """Its one benchmark, on one class of machines; few rows are quick under valgrind."""
    name = toy.plant.benchmark
    story = {"repository": str(toy.folder), "planted": [{"benchmark": name}]}
    config = lab.make_config(
        folder, story, source={"kind": "git", "repository": str(toy.folder), "branch": "main"},
        matrix=[{"suite": "demo", "machine_classes": ["wide"]}], judged=[JUDGED[toy.plant.metric]])
    project = config["projects"]["tensorlab"]
    suite = project["suites"]["demo"]
    for other in set(suite) - {name}:
        del suite[other]
    suite[name]["command"] += ["--batch", "4"]
    project["recipe"]["commands"][0].append("-DCMAKE_CXX_FLAGS=-g")  # which knows files
    if toy.plant.metric == "memory":
        project["why"] = {"timeout_s": 120}  # dhat, which is tried as well, takes longer
    del config["workers"]["worker-plain"]
    return config


def explained(stage):
    """The regression, once its profiles are read."""
    for one in stage.items("regressions?limit=10"):
        found = stage.get(f"/api/v1/regressions/{one['id']}")
        if found["why"] and found["why"]["state"] == "done":
            return found
    return None


def judge(stage, toy, regression):
    operator = OPERATORS[toy.plant.name]
    culprit, why = regression["culprit"], regression["why"]
    check(culprit == toy.revisions[CULPRIT], f"named {culprit}")
    found = why["found"]
    check(found, f"nothing was found: {why}")
    check(found["unit"] == UNITS[toy.plant.metric], f"the first table is of {found['unit']}: {why}")
    first = found["rows"][0]
    check(first["function"] == operator, f"the first operator is {first}")
    check(first["calls_after"] >= first["calls_before"] > 0 and first["share"] > 0.5, f"{first}")
    report = stage.wait_for_report(f"`{operator}`")
    words = [operator]
    if toy.plant.metric == "time":
        judge_functions(found, report)
        words.append(FILE)
    printed = subprocess.run(
        [stage.build / "vigil", "--server", stage.url, "--token-file",
         stage.state_dir / "admin.token", "regression", "why", str(regression["id"])],
        capture_output=True, text=True)
    check(printed.returncode == 0 and all(one in printed.stdout for one in words),
          f"the command says {printed.stdout} {printed.stderr}")
    print(printed.stdout, flush=True)


def judge_functions(found, report):
    check([one["unit"] for one in found["beside"]] == ["instructions"], f"beside: {found}")
    function = found["beside"][0]["rows"][0]
    check(any(name in function["function"] for name in FUNCTIONS), f"the first is {function}")
    check(function["file"] == FILE and function["touched"], f"the first function is {function}")
    for words in ("<summary>By function, by callgrind", f"`{FILE}`, **changed by the culprit**"):
        check(words in report, f"the report lacks {words}: {report}")


def play(folder, build, plant):
    toy = Lab(folder / "origin", BY_NAME[plant])
    stage = Stage(folder, build)
    try:
        config = make_config(folder, toy)
        stage.start_daemon(config)
        lab.start_workers(stage, config)
        for revision in (toy.revisions[0], toy.revisions[-1]):
            stage.vigil("trigger", "tensorlab", "--revision", revision)
            stage.wait_for_night(revision)
        judge(stage, toy, stage.wait_for("the profiles", lambda: explained(stage)))
    finally:
        stage.stop()


def main():
    build = Path(sys.argv[1]).resolve()
    plant = sys.argv[2] if len(sys.argv) > 2 else "bounds"
    if not shutil.which("valgrind"):
        print("not tested: valgrind is not installed: apt-get install valgrind")
        return
    with tempfile.TemporaryDirectory(prefix="vigil-why-torch-") as folder:
        began = time.monotonic()
        play(Path(folder), build, plant)
        print(f"{plant}: {OPERATORS[plant]} is named, {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
