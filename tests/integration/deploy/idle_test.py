"""A worker that is to end when idle does its job, ends by itself and takes its leave.
usage: idle_test.py BUILD_FOLDER"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.dont_write_bytecode = True
from stage import Stage  # noqa: E402
from toy import Toy  # noqa: E402

BUILD = Path(sys.argv.pop(1)).resolve()


class Idle(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="vigil-idle-")
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)
        self.toy = Toy(self.folder / "origin", [100])
        self.stage = Stage(self.folder, BUILD)
        self.addCleanup(self.stage.stop)
        self.stage.start_daemon(self.toy.config(self.folder))

    def worker(self):
        return next(one for one in self.stage.items("workers") if one["name"] == "worker-1")

    def test_it_ends_after_its_jobs_and_nobody_misses_it(self):
        self.stage.vigil("trigger", "toy", "--revision", self.toy.revisions[0])
        self.stage.wait_for("its jobs", lambda: self.stage.items("jobs?state=queued"))
        self.stage.start_worker("worker-1", options=("--until-idle", 8))
        self.stage.wait_for_night(self.toy.revisions[0])
        ended = self.stage.children["worker-1"]
        self.stage.wait_for("the worker's end", lambda: ended.poll() is not None)
        self.assertEqual(ended.returncode, 0)
        self.assertEqual(self.worker()["state"], "draining")
        self.assertEqual(self.stage.items("jobs?state=leased"), [])
        self.stage.start_worker("worker-1")
        self.stage.wait_for("its return", lambda: self.worker()["state"] == "active")

    def test_what_it_cannot_wait_for_is_refused(self):
        for idle in ("0", "-1", "604801", "1.5", "soon", ""):
            done = subprocess.run(
                [BUILD / "vigil-worker", "--config", "x.json", "--until-idle", idle],
                capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn("--until-idle takes 1 to 604800 seconds", done.stderr)


if __name__ == "__main__":
    unittest.main()
