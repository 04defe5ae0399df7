"""The walk of docs/github.md, from an empty repository to the first issue, the first answer in the
thread and the first checked pull requests, with what `deploy/demo --github` starts.
usage: walk_test.py BUILD_FOLDER"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.path.insert(0, str(ROOT / "deploy"))
sys.dont_write_bytecode = True
import demo_github  # noqa: E402
from stage import Stage  # noqa: E402

BUILD = Path(sys.argv.pop(1)).resolve()


class Walk(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="vigil-walk-")
        self.addCleanup(place.cleanup)
        self.stage = Stage(Path(place.name), BUILD)
        self.addCleanup(self.stage.stop)

    def page(self, number, kind="issues"):
        return demo_github.read(f"{self.github}/{demo_github.REPOSITORY}/{kind}/{number}")

    def wait_for_page(self, number, words, kind="issues"):
        def told():
            page = self.page(number, kind)
            return words in page and page
        return self.stage.wait_for(f"{kind} {number} that says: {words}", told)

    def comment(self, number, login, body):
        demo_github.post(self.github, "comment", number=number, login=login, body=body)

    def open_pull(self, branch, value):
        commands = [["switch", "-q", "-c", branch, "main"], None,
                    ["-c", "user.name=author", "-c", "user.email=author@example.invalid",
                     "commit", "-q", "-a", "-m", f"{branch} takes {value}"],
                    ["switch", "-q", "main"]]
        for command in commands:
            if command is None:
                (self.toy.folder / "value").write_text(f"{value}\n")
            else:
                subprocess.run(["git", "-C", self.toy.folder, *command], check=True)
        demo_github.post(self.github, "pull", branch=branch)

    def test_the_walk(self):
        self.toy, self.github = demo_github.play(self.stage)
        culprit = self.toy.revisions[demo_github.CULPRIT]
        page = self.wait_for_page(1, culprit[:10])
        self.assertIn("[perf] value plain", page)
        # The first answer.
        self.comment(1, "ada", "/vigil ack")
        self.wait_for_page(1, "Regression 1 is acknowledged, as `ada` asked.")
        self.comment(1, "mallory", "/vigil refute it is not so")
        self.stage.wait_for_event("command.refused")
        self.comment(1, "ada", "/vigil rerun")
        self.wait_for_page(1, "Regression 1 is measured again (request 1: 1 variant)")
        self.wait_for_page(1, "**1 of 1 series is worse.**")
        self.comment(1, "ada", "/vigil rebisect")
        self.wait_for_page(1, f"commit {culprit} changed it")
        # The first checked pull requests.
        self.open_pull("mended", 100)
        self.open_pull("worse", 160)
        for number in (2, 3):
            demo_github.post(self.github, "label", number=number, label="vigil")
        self.wait_for_page(
            2, "check run vigil: success: None of 1 series is worse; 1 is better", "pull")
        self.wait_for_page(3, "check run vigil: failure: 1 of 1 series is worse", "pull")
        self.wait_for_page(3, "**1 of 1 series is worse.** This compares", "pull")


if __name__ == "__main__":
    unittest.main()
