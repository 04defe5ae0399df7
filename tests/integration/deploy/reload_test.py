"""A worker and a project are added to a running daemon by SIGHUP; a config that is wrong changes
nothing. usage: reload_test.py BUILD_FOLDER"""

import json
import os
import re
import signal
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


class Reload(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="vigil-reload-")
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)
        self.toy = Toy(self.folder / "origin", [100, 100])
        self.config = self.toy.config(self.folder)
        del self.config["workers"]["worker-2"]
        self.stage = Stage(self.folder, BUILD)
        self.addCleanup(self.stage.stop)
        self.stage.start_daemon(self.config)

    def log(self):
        return (self.folder / "vigild.log").read_text()

    def reload(self, text):
        """@return what the log says of it, up to the line that ends it"""
        (self.folder / "vigild.json").write_text(text)
        begun = len(self.log())
        os.kill(self.stage.children["vigild"].pid, signal.SIGHUP)
        ends = re.compile(r"level=\w+ config\.(reloaded|refused)")  # no trouble of that kind
        self.stage.wait_for("the reload", lambda: ends.search(self.log()[begun:]))
        return self.log()[begun:]

    def troubles(self):
        return [event["kind"] for event in self.stage.items("events?limit=50")
                if event["subject"] == "config"][::-1]

    def test_a_worker_and_a_project_are_added_while_it_runs(self):
        self.config["workers"]["late"] = {"machine_class": "new"}
        self.config["machine_classes"]["new"] = {}
        second = json.loads(json.dumps(self.config["projects"]["toy"]))
        second["matrix"] = [{"suite": "core", "machine_classes": ["new"]}]
        second["reports"] = ["other"]
        self.config["report_targets"]["other"] = {
            "kind": "folder", "path": str(self.folder / "other")}
        self.config["projects"]["second"] = second
        said = self.reload(json.dumps(self.config))
        for key in ("workers.late", "machine_classes.new", "projects.second",
                    "report_targets.other"):
            self.assertIn(f"config.changed key={key} ", said)
        self.stage.start_worker("late")
        self.stage.vigil("trigger", "second", "--revision", self.toy.revisions[0])
        self.stage.wait_for_night(self.toy.revisions[0])
        self.stage.wait_for("the summary", lambda: list((self.folder / "other").glob("*.md")))

    def test_a_project_that_is_taken_away_stops_nobody_and_may_come_back(self):
        self.stage.vigil("trigger", "toy", "--revision", self.toy.revisions[0])
        self.stage.wait_for("its jobs", lambda: self.stage.items("jobs?state=queued"))
        whole = json.dumps(self.config)
        self.config["projects"]["other"] = self.config["projects"].pop("toy")
        self.assertIn("config.changed key=projects.toy ", self.reload(json.dumps(self.config)))
        self.stage.start_worker("worker-1")
        self.stage.vigil("trigger", "other", "--revision", self.toy.revisions[1])
        self.stage.wait_for_night(self.toy.revisions[1])
        self.reload(whole)
        self.stage.vigil("trigger", "toy", "--revision", self.toy.revisions[1])
        self.stage.wait_for("the night of what came back", lambda: any(
            (night["project"], night["revision"], night["state"]) ==
            ("toy", self.toy.revisions[1], "done") for night in self.stage.items("nightlies")))

    def test_a_source_that_changed_is_asked_anew(self):
        self.stage.start_worker("worker-1")
        self.stage.vigil("trigger", "toy", "--revision", self.toy.revisions[0])
        self.stage.wait_for_night(self.toy.revisions[0])
        elsewhere = Toy(self.folder / "elsewhere", [7, 8, 9])
        self.config["projects"]["toy"]["source"]["repository"] = str(elsewhere.folder)
        self.reload(json.dumps(self.config))
        self.stage.vigil("trigger", "toy")
        self.stage.wait_for_night(elsewhere.revisions[-1])

    def test_a_wrong_config_is_refused_as_a_whole_and_the_one_before_stays(self):
        wrong = json.loads(json.dumps(self.config))
        wrong["jobs"]["max_lost_attempts"] = 7
        wrong["projects"]["toy"]["shedule"] = {}
        said = self.reload(json.dumps(wrong, indent=2))
        self.assertIn("did you mean", said)
        self.assertNotIn("config.changed", said)
        self.stage.wait_for("the event", lambda: self.troubles() == ["config.refused"])
        self.reload("{")
        said = self.reload(json.dumps(self.config))
        self.assertIn("config.reloaded changes=0", said)
        self.stage.wait_for(
            "its end", lambda: self.troubles() == ["config.refused", "trouble.ended"])
        self.stage.start_worker("worker-1")
        self.stage.vigil("trigger", "toy", "--revision", self.toy.revisions[0])
        self.stage.wait_for_night(self.toy.revisions[0])

    def test_what_needs_a_restart_is_named_and_the_rest_is_in_force(self):
        self.config["http"]["port"] = 1
        self.config["state_dir"] = str(self.folder / "nowhere")
        self.config["log_level"] = "debug"
        said = self.reload(json.dumps(self.config))
        self.assertIn('config.changed key=log_level from="\\"info\\"" to="\\"debug\\""', said)
        self.assertIn("state_dir", said)
        self.stage.items("jobs")  # where it was
        self.stage.wait_for("the names", lambda: "config.needs_restart" in self.log())
        self.assertIn('config.needs_restart keys="http.port state_dir"', self.log())
        self.assertFalse((self.folder / "nowhere").exists())


if __name__ == "__main__":
    unittest.main()
