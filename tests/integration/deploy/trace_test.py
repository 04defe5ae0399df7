"""The trace of a request goes with its jobs to a real worker, into builds, runs and the log, and
comes back with the worker's requests.
usage: trace_test.py BUILD_FOLDER"""

import hashlib
import hmac
import json
import re
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.dont_write_bytecode = True
from stage import Stage  # noqa: E402
from toy import Toy  # noqa: E402

BUILD = Path(sys.argv.pop(1)).resolve()
SECRET = b"a secret of the trace"
FORM = r"00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}"


def trace(digit):
    return f"00-{digit * 32}-{digit * 16}-01"


class Traces(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="vigil-trace-")
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)
        secret = self.folder / "webhook.secret"
        secret.touch(mode=0o600)
        secret.write_bytes(SECRET + b"\n")
        self.toy = Toy(self.folder / "origin", [100, 100, 100])
        config = self.toy.config(self.folder, recipe={
            "commands": ["sh -c 'echo built-in $TRACEPARENT'", "sh build.sh"], "outputs": ["out"]})
        config["projects"]["toy"]["suites"]["core"]["value"]["command"] = [
            "sh", "-c", "echo ran-in $TRACEPARENT >&2; cd out && sh bench.sh"]
        config["webhook"] = {"secret_file": str(secret), "projects": {"owner/toy": "toy"},
                             "settle_s": 0}
        config["log_level"] = "debug"
        self.stage = Stage(self.folder, BUILD)
        self.addCleanup(self.stage.stop)
        self.stage.start_daemon(config)
        self.stage.start_worker("worker-1")

    def post(self, path, body, traceparent, **headers):
        asking = self.stage.asking(path)
        asking.data = json.dumps(body).encode()
        asking.headers.update({"Content-type": "application/json", "Traceparent": traceparent,
                               **headers})
        with urllib.request.urlopen(asking, timeout=60) as reply:
            return json.loads(reply.read())

    def log(self, name):
        return (self.folder / f"{name}.log").read_text()

    def text(self, log):
        asking = self.stage.asking("/api/v1/logs/" + log)
        with urllib.request.urlopen(asking, timeout=60) as reply:
            return reply.read().decode()

    def traces(self, jobs):
        """What the runs of these jobs printed, each once."""
        runs = [run for job in jobs for run in self.stage.items(f"runs?job={job['id']}")]
        return {trace for run in runs
                for trace in re.findall(r"^ran-in (.*)$", self.text(run["log"]), re.M)}

    def trace_of_build(self, revision):
        build = self.stage.items(f"builds?revision={revision}")[0]
        products = self.stage.get(f"/api/v1/builds/{build['id']}")["products"]
        return re.findall(r"^built-in (.*)$", self.text(products[0]["log"]), re.M)

    def check_worker(self, sent):
        """The worker's log has it, and the daemon's says that the worker's requests carry it."""
        for event in ("job.started", "run.ended", "job.ended"):
            self.assertRegex(self.log("worker-1"), rf"{event} .*traceparent={sent}")
        self.stage.wait_for("the result's line", lambda: re.search(
            rf"http.request method=PUT path=\S+/result .*traceparent={sent}", self.log("vigild")))

    def jobs_of(self, night):
        return self.stage.items(f"jobs?nightly={night['id']}")

    def test_a_trigger_a_delivery_and_a_request(self):
        revisions = self.toy.revisions
        self.post("/api/v1/triggers", {"project": "toy", "revision": revisions[0]}, trace("a"))
        night = self.stage.wait_for_night(revisions[0])
        self.assertEqual(self.traces(self.jobs_of(night)), {trace("a")})
        self.assertEqual(self.trace_of_build(revisions[0]), [trace("a")])
        self.check_worker(trace("a"))
        self.assertRegex(self.log("worker-1"), rf"build.ended .*traceparent={trace('a')}")

        self.post("/api/v1/runs", {"project": "toy", "revision": revisions[0]}, trace("b"))
        request = self.stage.wait_for("the request", lambda: [
            one for one in self.stage.items("requests") if one["state"] == "done"])[0]
        jobs = [job for job in self.stage.items("jobs") if job["purpose"] == "request"]
        self.assertEqual(request["state"], "done")
        self.assertEqual(self.traces(jobs), {trace("b")})
        self.check_worker(trace("b"))

        push = {"ref": "refs/heads/main", "deleted": False, "after": revisions[2],
                "repository": {"id": 1, "full_name": "owner/toy", "default_branch": "main"}}
        body = json.dumps(push).encode()
        signature = "sha256=" + hmac.new(SECRET, body, hashlib.sha256).hexdigest()
        self.post("/hooks/github", push, trace("c"), **{
            "X-github-event": "push", "X-github-delivery": "one", "X-hub-signature-256": signature})
        night = self.stage.wait_for_night(revisions[2])
        self.assertEqual(self.traces(self.jobs_of(night)), {trace("c")})
        self.check_worker(trace("c"))

    def test_what_is_no_trace_is_replaced(self):
        hostile = trace("0") + " $(touch /tmp/owned)"
        revision = self.toy.revisions[0]
        self.post("/api/v1/triggers", {"project": "toy", "revision": revision}, hostile)
        night = self.stage.wait_for_night(revision)
        found = self.traces(self.jobs_of(night))
        self.assertEqual(len(found), 1)
        self.assertRegex(next(iter(found)), f"^{FORM}$")
        self.assertNotIn(trace("0"), found)
        self.assertNotIn(trace("0"), self.log("worker-1"))


if __name__ == "__main__":
    unittest.main()
