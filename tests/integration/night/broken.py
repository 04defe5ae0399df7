"""A nightly that does not build, with real processes: the commit that broke the build is named with
the end of its log, after as many builds as halving takes, and nothing is measured for it.

usage: broken.py BUILD_FOLDER"""

import math
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
sys.dont_write_bytecode = True
from stage import Stage  # noqa: E402
from toy import Toy  # noqa: E402

COMMITS, CULPRIT = 20, 13


def check(truth, words):
    if not truth:
        raise AssertionError(words)


def wait_for(stage, revision, ended):
    """@return the nightly, done or failed, in detail"""
    def answer():
        night = stage.night_of(revision)
        if night and night["state"] in ("done", "failed"):
            detail = stage.get(f"/api/v1/nightlies/{night['id']}")
            return detail if ended(detail) else None
        return None

    return stage.wait_for(f"the night of {revision[:10]}", answer)


def play(folder, build):
    toy = Toy(folder / "origin", [100] * COMMITS, range(CULPRIT, COMMITS))
    stage = Stage(folder, build)
    try:
        stage.start_daemon(toy.config(folder))
        for worker in ("worker-1", "worker-2"):
            stage.start_worker(worker)
        stage.vigil("trigger", "toy", "--revision", toy.revisions[0])
        wait_for(stage, toy.revisions[0], lambda night: True)
        runs = len(stage.items("runs?limit=100"))
        stage.vigil("trigger", "toy", "--revision", toy.revisions[-1])
        night = wait_for(
            stage, toy.revisions[-1],
            lambda n: n["broken_by"] and n["broken_by"]["state"] in ("done", "failed"))
        broken = night["broken_by"]
        check(broken["revision"] == toy.revisions[CULPRIT], f"named {broken}")
        check(broken["subject"] == f"change {CULPRIT}", f"subject {broken['subject']}")
        check("value.h: no such file" in broken["log_tail"], f"log {broken['log_tail']!r}")
        # The nightly itself is tried a second time, and so is the answer.
        most = math.ceil(math.log2(COMMITS - 1)) + 2
        check(broken["builds"] <= most, f"{broken['builds']} builds, {most} are enough")
        check(len(stage.items("runs?limit=100")) == runs, "something was measured")
        words = f"does not build since `{toy.revisions[CULPRIT]}`"
        stage.wait_for("a summary that names the commit", lambda: any(
            words in p.read_text() for p in (folder / "reports").glob("*night*.md")))
        return broken["builds"]
    finally:
        stage.stop()


def main():
    with tempfile.TemporaryDirectory(prefix="vigil-broken-") as folder:
        began = time.monotonic()
        builds = play(Path(folder), Path(sys.argv[1]).resolve())
        print(f"the commit was named after {builds} builds, {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
