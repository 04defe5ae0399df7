"""Pull requests from their label to the check run, with real processes and a small GitHub: whoever
wrote a slower commit reads so before it is merged, and a fork's commit is built when a person has
named it. usage: pulls_test.py BUILD_FOLDER"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.dont_write_bytecode = True
from fake_github import Github  # noqa: E402
from serve_github import serve  # noqa: E402
from stage import Stage  # noqa: E402
from toy import Toy  # noqa: E402

BUILD = Path(sys.argv.pop(1)).resolve()
SECRET = "a secret of the hook"


class Pulls(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="vigil-pulls-")
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)
        self.toy = Toy(self.folder / "toy", [100.0, 100.0])
        self.github = Github(folder=self.folder / "toy")
        server = serve(self.github)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.github.permit("ada", "write")
        secret = self.folder / "webhook.secret"
        secret.touch(mode=0o600)
        secret.write_text(SECRET + "\n")
        config = self.toy.config(self.folder)
        config["report_targets"]["issues"] = {
            "kind": "issues", "base_url": self.github.url, "repository": "lab/tensorlab",
            "token_file": str(secret), "troubles": False,
            "culprit_comments": True}
        config["projects"]["toy"]["reports"].append("issues")
        config["webhook"] = {"secret_file": str(secret), "projects": {"lab/tensorlab": "toy"}}
        self.stage = Stage(self.folder, BUILD)
        self.addCleanup(self.stage.stop)
        self.stage.start_daemon(config)
        # A restarted daemon must be found again: same port from now on.
        config["http"]["port"] = int(self.stage.url.rsplit(":", 1)[1])
        (self.folder / "vigild.json").write_text(json.dumps(config))
        self.stage.start_worker("worker-1")
        self.github.set_hook(self.stage.url + "/hooks/github", SECRET)

    def branch(self, name, value):
        """A branch of the newest commit, on which the benchmark takes `value`."""
        self.toy._git("checkout", "-q", "-B", name, "main")
        revision = self.toy._commit(f"{name} takes {value}", value, False, 10)
        self.toy._git("checkout", "-q", "main")
        return revision

    def check(self, revision):
        """How the one check run of a commit ended; None while it has not."""
        found = self.github.checks_of(revision)
        self.assertLessEqual(len(found), 1)
        return found[0]["conclusion"] if found else None

    def wait_for_check(self, revision):
        return self.stage.wait_for(
            f"the check run of {revision[:10]}", lambda: self.check(revision))

    def said(self, number):
        return [one["body"] for one in self.github.comments_of(number)]

    def wait_for_comment(self, number, index, words):
        def there():
            said = self.said(number)
            return len(said) > index and words in said[index] and said[index]
        return self.stage.wait_for(f"a comment that says {words}", there)

    def test_a_slower_pull_request_fails_and_a_mended_one_passes(self):
        slow = self.branch("feature", 130.0)
        pull = self.github.pull("feature")["number"]
        self.assertEqual(self.github.checks, [])  # it has not the label
        self.github.label(pull)
        self.assertEqual(self.github.deliveries[-1], ("pull_request", "acted"))
        self.assertEqual(self.wait_for_check(slow), "failure")
        said = self.wait_for_comment(pull, 0, "is worse.** This compares")
        self.assertIn("**worse**", said)
        self.assertIn(f"`{slow[:10]}` against `{self.toy.revisions[-1][:10]}`", said)
        # The next commit takes its place, in the same comment and in a check run of its own.
        self.stage.kill("vigild")
        mended = self.branch("feature", 100.0)
        self.stage.restart_daemon()
        self.github.push(pull)
        self.assertEqual(self.wait_for_check(mended), "success")
        self.wait_for_comment(pull, 0, "None of 1 series is worse.** This compares")
        self.assertEqual(self.check(slow), "failure")
        self.assertEqual(len(self.said(pull)), 1)
        self.assertEqual(len(self.github.checks), 2)
        requests = self.stage.items("requests")
        self.assertEqual([one["state"] for one in requests], ["done", "done"])

    def test_what_no_longer_runs_fails(self):
        self.toy._git("checkout", "-q", "-b", "broken", "main")
        (self.toy.folder / "bench.sh").write_text("exit 3\n")
        broken = self.toy._commit("it ends at once", 100.0, False, 10)
        self.toy._git("checkout", "-q", "main")
        pull = self.github.pull("broken")["number"]
        self.github.label(pull)
        self.assertEqual(self.wait_for_check(broken), "failure")
        said = self.wait_for_comment(pull, 0, "No series was judged; 1 variant does not run")
        self.assertIn("No longer runs:", said)

    def test_a_fork_waits_for_a_person(self):
        theirs = self.branch("theirs", 100.0)
        pull = self.github.pull("theirs", home="stranger/tensorlab")["number"]
        self.toy._git("branch", "-q", "-D", "theirs")  # it is on no branch of the repository
        self.github.label(pull)
        self.assertEqual(self.wait_for_check(theirs), "neutral")
        self.wait_for_comment(pull, 0, "it comes from a fork")
        self.github.comment(pull, "mallory", f"/vigil bench {theirs}")
        self.stage.wait_for_event("command.refused")
        self.assertEqual(self.stage.items("requests"), [])
        builds = subprocess.run(
            ["git", "-C", self.stage.state_dir / "git" / "toy.git", "cat-file", "-e", theirs],
            stderr=subprocess.DEVNULL)
        self.assertNotEqual(builds.returncode, 0)  # nothing of it was fetched
        self.github.comment(pull, "ada", f"/vigil bench {theirs}")
        self.wait_for_comment(pull, 3, "is measured against")
        self.stage.wait_for("the check run", lambda: self.check(theirs) == "success")
        self.wait_for_comment(pull, 0, "None of 1 series is worse.** This compares")

    def night(self, revision):
        self.stage.vigil("trigger", "toy", "--revision", revision)
        self.stage.wait_for_night(revision)

    def test_the_pull_request_of_a_culprit_is_told(self):
        self.night(self.toy.revisions[-1])
        self.toy._commit("a word in the notes", 100.0, False, 20)
        pull = self.github.pull("main", title="Fewer copies")["number"]
        culprit = self.toy._commit("fewer copies", 130.0, False, 21)
        newest = self.toy._commit("another word", 130.0, False, 22)
        self.github.merge(pull, culprit)
        self.night(newest)
        said = self.wait_for_comment(pull, 0, culprit[:10])
        issue = next(one for one in self.github.threads if not one["pull"])
        self.assertIn(f"/issues/{issue['number']}", said)
        self.assertEqual(len(self.said(pull)), 1)

    def test_what_is_closed_is_stopped(self):
        self.stage.kill("worker-1")
        head = self.branch("feature", 100.0)
        pull = self.github.pull("feature")["number"]
        self.github.label(pull)
        self.stage.wait_for("the request", lambda: self.stage.items("requests"))
        self.github.close(pull)
        self.assertEqual(self.github.deliveries[-1], ("pull_request", "acted"))
        self.assertEqual(self.wait_for_check(head), "neutral")
        self.wait_for_comment(pull, 0, "the pull request was closed")
        self.assertEqual([one["state"] for one in self.stage.items("requests")], ["cancelled"])
        self.assertEqual(self.stage.items("jobs?state=queued"), [])


if __name__ == "__main__":
    unittest.main()
