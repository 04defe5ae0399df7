"""A lab measures elsewhere: a daemon asks it again for what looks worse, by a signed request, and
files what its answers confirm.
usage: callback_test.py BUILD_FOLDER"""

import hashlib
import hmac
import http.server
import json
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.dont_write_bytecode = True
from stage import Patience, Stage  # noqa: E402

BUILD = Path(sys.argv.pop(1)).resolve()
SECRET = "a secret of the lab"
SLOW_FROM = 13  # the first night that takes longer


def revision(night):
    return f"{night:040x}"


def value(night, run=0):
    """The benchmark's time: a little noise, and a step."""
    return (1.25 if night >= SLOW_FROM else 1.0) * (10 + 0.01 * ((night * 7 + run * 3) % 5 - 2))


class Lab:
    """The other side: checks signatures, measures, answers by `vigil answer`."""

    def __init__(self, folder):
        self.folder = folder
        self.questions, self.wrong = [], []
        lab = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                sign = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
                if self.headers["X-Vigil-Signature-256"] != "sha256=" + sign:
                    lab.wrong.append(body)
                lab.questions.append(json.loads(body))
                self.send_response(202)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/measure"

    def files(self, question):
        for run in question["runs"]:
            file = self.folder / f"job{question['job']}-{run['run']}.json"
            night = int(run["revision"], 16)
            file.write_text(json.dumps(
                {question["benchmark"]: {"latency": {"value": value(night, run["run"]) * 1e6}}}))
            yield file


class Callback(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="vigil-callback-")
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)
        self.lab = Lab(self.folder)
        self.addCleanup(self.lab.server.shutdown)
        secret = self.folder / "lab.secret"
        secret.write_text(SECRET + "\n")
        secret.chmod(0o600)
        self.stage = Stage(self.folder, BUILD)
        self.addCleanup(self.stage.stop)
        callback = {"kind": "webhook", "url": self.lab.url, "secret_file": str(secret)}
        self.stage.start_daemon({
            "state_dir": "vigild", "http": {"port": 0},
            "projects": {"lab": {"source": {"kind": "elsewhere", "callback": callback}}}})

    def vigil(self, *words):
        done = subprocess.run(
            [BUILD / "vigil", "--server", self.stage.url, "--token-file",
             self.folder / "vigild/admin.token", *map(str, words)],
            text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, f"{words}\n{done.stderr}")
        return done.stdout

    def send(self, night):
        file = self.folder / "night.json"
        file.write_text(json.dumps({"sort": {"latency": {"value": value(night) * 1e6}}}))
        day = time.strftime("%Y-%m-%d", time.gmtime(time.time() - (40 - night) * 86400))
        self.vigil("import", file, "--project", "lab", "--machine-class", "ci",
                   "--revision", revision(night), "--time", day, "--closed")

    def settle(self, night):
        """Until the night is done; questions are answered meanwhile."""
        patience = Patience(f"night {night}", lambda: len(self.lab.questions))
        answered = 0
        while True:
            while answered < len(self.lab.questions):
                self.answer(self.lab.questions[answered])
                answered += 1
            newest = json.loads(self.vigil("nights", "--project", "lab", "--json"))[0]
            if newest["revision"] == revision(night) and newest["state"] == "done":
                break
            patience.wait()
        self.lab.questions.clear()

    def answer(self, question):
        self.assertEqual(question["benchmark"], "sort")
        self.assertEqual(question["project"], "lab")
        files = list(self.lab.files(question))
        said = self.vigil("answer", question["job"], *files, "--attempt", question["attempt"])
        self.assertIn(f"is done: {len(files)} of {len(files)} runs passed", said)
        again = self.vigil("answer", question["job"], *files, "--attempt", question["attempt"])
        self.assertIn("it was accepted before", again)

    def test_what_is_confirmed_elsewhere_is_filed(self):
        for night in range(1, SLOW_FROM):
            self.send(night)
            self.settle(night)
        self.send(SLOW_FROM)
        self.settle(SLOW_FROM)
        found = json.loads(self.vigil("regressions", "--json"))
        self.assertEqual([one["state"] for one in found], ["reported"])
        self.assertEqual(found[0]["bad_revision"], revision(SLOW_FROM))
        shown = self.vigil("regression", "show", found[0]["id"])
        self.assertNotIn("not confirmed", shown)
        self.assertEqual(self.lab.wrong, [])


if __name__ == "__main__":
    unittest.main()
