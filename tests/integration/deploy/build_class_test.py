"""One worker builds, another one measures: a night, a search and a broken build.
usage: build_class_test.py BUILD_FOLDER"""

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


class BuildClass(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="vigil-builds-")
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)
        self.toy = Toy(self.folder / "origin", [100, 100, 100, 150, 150], broken=(4,))
        self.stage = Stage(self.folder, BUILD)
        self.addCleanup(self.stage.stop)
        config = self.toy.config(self.folder)
        config["machine_classes"] = {"any": {"build_class": "builders"}, "builders": {}}
        config["workers"]["worker-2"] = {"machine_class": "builders"}
        self.stage.start_daemon(config)

    def jobs_by_worker(self):
        """Who did the jobs that ended well, and the runs of each worker's jobs."""
        done = {}
        for job in self.stage.items("jobs?state=done"):
            whole = self.stage.get(f"/api/v1/jobs/{job['id']}")
            done.setdefault(job["worker"], []).append(whole)
        return done

    def test_the_machine_that_measures_never_builds(self):
        self.stage.vigil("trigger", "toy", "--revision", self.toy.revisions[0])
        self.stage.start_worker("worker-1")
        waits = self.stage.wait_for("the builds' turn", lambda: [
            one for one in self.stage.get("/api/v1/queue")["items"]
            if one["machine_class"] == "any" and "machine class builders" in one["why"]])
        self.assertEqual(waits[0]["why"], "builds are made first, on machine class builders")
        self.stage.start_worker("worker-2")
        self.stage.wait_for_night(self.toy.revisions[0])
        self.stage.vigil("trigger", "toy", "--revision", self.toy.revisions[3])
        self.stage.wait_for_night(self.toy.revisions[3])
        self.assertTrue(self.stage.wait_for_report(self.toy.revisions[3][:10]))
        self.stage.vigil("trigger", "toy", "--revision", self.toy.revisions[4])
        self.stage.wait_for_night(
            self.toy.revisions[4], ended=lambda night: night["state"] == "failed")
        done = self.jobs_by_worker()
        self.assertEqual(set(done), {"worker-1", "worker-2"})
        for job in done["worker-2"]:
            self.assertEqual((job["machine_class"], job["runs"]), ("builders", []))
        for job in done["worker-1"]:
            self.assertEqual(job["machine_class"], "any")
            broken = [build["revision"] for build in job["builds"]] == [self.toy.revisions[4]]
            self.assertEqual(job["runs"] == [], broken)
        measured = {build["revision"] for job in done["worker-1"] for build in job["builds"]}
        built = {build["revision"] for job in done["worker-2"] for build in job["builds"]}
        self.assertLessEqual(measured, built)
        self.assertIn(self.toy.revisions[0], measured)
        self.assertIn(self.toy.revisions[3], measured)
        self.assertNotIn("build.started", (self.folder / "worker-1.log").read_text())
        self.assertIn("build.started", (self.folder / "worker-2.log").read_text())


if __name__ == "__main__":
    unittest.main()
