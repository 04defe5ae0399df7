"""Every payload that GitHub publishes as an example, as it is and in eight mutations, against a
real daemon: each is answered as docs/github.md says, and nothing is acted on that should not be.
usage: hooks_test.py BUILD_FOLDER"""

import hashlib
import hmac
import http.client
import http.server
import json
import queue
import sqlite3
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from urllib.parse import quote_plus, urlsplit

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.dont_write_bytecode = True
from stage import Stage  # noqa: E402
from toy import Toy  # noqa: E402

BUILD = Path(sys.argv.pop(1)).resolve()
EXAMPLES = ROOT / "build/web/node_modules/@octokit/webhooks-examples"
SECRET = b"a secret of the examples"
BRANCH = "master"  # of most of the examples
WATCHED = ("Codertocat/Hello-World", "octo-org/octo-repo")
READ = ("push", "workflow_run", "release")


def examples():
    """Name and payload of each, once."""
    seen = set()
    for file in sorted(EXAMPLES.glob("*/index.json")):
        for event in json.loads(file.read_text()):
            for payload in event["examples"]:
                body = json.dumps(payload).encode()
                if (event["name"], body) not in seen:
                    seen.add((event["name"], body))
                    yield event["name"], body


def sign(body, digest="sha256"):
    return f"{digest}=" + hmac.new(SECRET, body, digest).hexdigest()


def at(payload, *keys):
    for key in keys:
        payload = payload.get(key) if isinstance(payload, dict) else None
    return payload


def is_acted_on(event, payload):
    """What docs/github.md promises, in other words than the code's."""
    repository = at(payload, "repository", "full_name")
    if repository not in WATCHED:
        return False
    if event == "push":
        return payload["ref"] == f"refs/heads/{BRANCH}" and not payload["deleted"]
    if event == "release":
        return payload["action"] == "published" and not payload["release"].get("draft", False)
    run = payload.get("workflow_run", {})
    return (event == "workflow_run" and payload["action"] == "completed"
            and run["conclusion"] == "success" and run["head_branch"] == BRANCH
            and at(run, "head_repository", "full_name") == repository)


def with_wrong_types(value):
    """Each text becomes a number, each number a text, each list an object, and the other way."""
    if isinstance(value, dict):
        return {key: with_wrong_types(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return {"items": len(value)}
    if isinstance(value, (bool, type(None))):
        return [value]
    return 7 if isinstance(value, str) else str(value)


class FakeGithub(http.server.ThreadingHTTPServer):
    """Says what people may do, and takes comments."""

    def __init__(self):
        self.comments = queue.Queue()
        super().__init__(("127.0.0.1", 0), FakeGithubHandler)
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"


class FakeGithubHandler(http.server.BaseHTTPRequestHandler):
    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        login = self.path.split("/")[-2]
        self.answer(200, {"permission": "write" if login == "ada" else "read"})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "body" in body:  # else it is a check run
            self.server.comments.put((self.path, body["body"]))
        self.answer(201, {"id": 1, "html_url": "https://github.example/c/1"})

    do_PATCH = do_POST

    def log_message(self, *_):
        pass


class Hooks(unittest.TestCase):
    def setUp(self):
        self.github = FakeGithub()
        self.addCleanup(self.github.server_close)
        self.addCleanup(self.github.shutdown)
        place = tempfile.TemporaryDirectory(prefix="vigil-hooks-")
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)
        secret = self.folder / "webhook.secret"
        secret.touch(mode=0o600)
        secret.write_bytes(SECRET + b"\n")
        toy = Toy(self.folder / "toy", [1.0])
        config = toy.config(self.folder)
        for project in config["projects"].values():
            project["source"]["branch"] = BRANCH  # which is not there: nothing is measured
        self.project = next(iter(config["projects"]))
        config["report_targets"]["issues"] = {
            "kind": "issues", "base_url": self.github.url, "repository": WATCHED[0],
            "token_file": str(secret), "troubles": False}
        config["projects"][self.project]["reports"].append("issues")
        config["webhook"] = {"secret_file": str(secret),
                             "projects": {name: self.project for name in WATCHED}}
        self.stage = Stage(self.folder, BUILD)
        self.addCleanup(self.stage.stop)
        self.stage.start_daemon(config)
        self.link = http.client.HTTPConnection(urlsplit(self.stage.url).netloc, timeout=600)
        self.addCleanup(self.link.close)
        self.sent = 0

    def send(self, event, body, signature=None, delivery=None, **more):
        """@return status, and of a 202 state and replay"""
        self.sent += 1
        headers = {"Content-Type": "application/json", "X-GitHub-Event": event,
                   "X-GitHub-Delivery": delivery or f"d{self.sent}", **more}
        if signature != "":
            headers["X-Hub-Signature-256"] = signature or sign(body)
        self.link.request("POST", "/hooks/github", body, headers)
        reply = self.link.getresponse()
        said = json.loads(reply.read())
        if reply.status != 202:
            return reply.status
        return said["state"], said["replay"]

    def check_one(self, event, body, acts=False):
        payload = json.loads(body)
        state = "acted" if acts or is_acted_on(event, payload) else "ignored"
        signature = sign(body)
        plain = f"plain{self.sent}"
        self.assertEqual(self.send(event, body, delivery=plain), (state, False))
        self.assertEqual(self.send(event, body, delivery=plain), (state, True))
        bad = signature[:-1] + ("0" if signature[-1] != "0" else "1")
        self.assertEqual(self.send(event, body, bad), 401)
        self.assertEqual(self.send(event, body, ""), 401)
        old = {"X-Hub-Signature": sign(body, "sha1")}
        self.assertEqual(self.send(event, body, "", **old), 401)
        self.assertEqual(self.send(event, body, sign(body, "sha1")), 401)
        self.assertEqual(self.send(event, body, "sha256=" + signature[7:].upper()), 401)
        cut = body[: len(body) // 2]
        self.assertEqual(self.send(event, cut, signature), 401)
        self.assertEqual(self.send(event, cut), ("ignored", False))
        wrong = json.dumps(with_wrong_types(payload)).encode()
        self.assertEqual(self.send(event, wrong), ("ignored", False))
        form = b"payload=" + quote_plus(body).encode()
        urlencoded = {"Content-Type": "application/x-www-form-urlencoded"}
        self.assertEqual(self.send(event, form, **urlencoded), (state, False))
        return state

    def rows(self, what):
        ledger = sqlite3.connect(f"file:{self.stage.state_dir}/ledger.sqlite?mode=ro", uri=True)
        try:
            return ledger.execute("SELECT count(*) FROM " + what).fetchone()[0]
        finally:
            ledger.close()

    def write(self, statement):
        ledger = sqlite3.connect(f"{self.stage.state_dir}/ledger.sqlite", timeout=60)
        with ledger:
            ledger.execute(statement)
        ledger.close()

    def test_each_example_is_answered_as_documented(self):
        count, acted = 0, {}
        for event, body in examples():
            with self.subTest(event=event, body=body[:200]):
                state = self.check_one(event, body)
                count += 1
                acted.setdefault(event, []).append(state == "acted")
        self.assertGreater(count, 300)
        self.assertEqual({event for event, states in acted.items() if any(states)}, set(READ))
        # Of each: as it is, cut, of wrong types, and as a form. What was refused left nothing.
        self.assertEqual(self.rows("delivery"), 4 * count)
        told = 2 * sum(sum(states) for states in acted.values())
        self.assertEqual(self.rows("delivery WHERE state = 'acted'"), told)
        self.assertEqual(self.rows("trigger_request WHERE cause = 'delivery'"), told)
        self.assertEqual(self.rows("delivery WHERE replays > 0"), count)

    def test_a_push_of_the_watched_branch_is_acted_on(self):
        event, body = next(one for one in examples() if one[0] == "push")
        payload = json.loads(body) | {"ref": f"refs/heads/{BRANCH}", "deleted": False}
        self.assertEqual(self.check_one(event, json.dumps(payload).encode()), "acted")
        payload["repository"]["full_name"] = WATCHED[0].upper()  # names do not differ by case
        self.assertEqual(self.send(event, json.dumps(payload).encode()), ("acted", False))
        self.assertEqual(self.send(event, json.dumps(payload | {"deleted": True}).encode()),
                         ("ignored", False))

    def comment(self, login, words, number=1):
        body = {"action": "created", "repository": {"full_name": WATCHED[0]},
                "issue": {"number": 3, "html_url": "https://github.example/issues/3"},
                "comment": {"id": number, "body": words, "user": {"login": login}}}
        return json.dumps(body).encode()

    def test_a_command_is_answered_in_the_thread(self):
        self.assertEqual(self.send("issue_comment", self.comment("ada", "hello")),
                         ("ignored", False))
        body = self.comment("ada", "/vigil ack")
        self.assertEqual(self.check_one("issue_comment", body, acts=True), "acted")
        path, said = self.github.comments.get(timeout=300)
        self.assertEqual(path, f"/repos/{WATCHED[0]}/issues/3/comments")
        self.assertTrue(said.startswith("Nothing was changed: no regression is reported"), said)
        self.assertEqual(self.send("issue_comment", self.comment("bob", "/vigil ack", 2)),
                         ("acted", False))
        self.stage.wait_for_event("command.refused")
        self.assertTrue(self.github.comments.empty())
        self.assertEqual(self.rows("command"), 2)

    def test_a_repository_with_a_new_name_is_known_by_its_id(self):
        def push(name, github_id):
            payload = {"ref": f"refs/heads/{BRANCH}",
                       "repository": {"full_name": name, "id": github_id}}
            return self.send("push", json.dumps(payload).encode())[0]

        self.assertEqual(push("new/Home", 77), "ignored")
        self.assertEqual(push(WATCHED[0], 77), "acted")
        self.assertEqual(push("new/Home", 77), "acted")
        self.assertEqual(push("new/Home", 78), "ignored")
        self.assertEqual(self.rows("delivery WHERE message LIKE '%called new/Home now%'"), 1)
        old = f"https://github.example/{WATCHED[0]}/issues/3"
        self.write("INSERT INTO report(kind, project_id, regression_id, version, title, body,"
                   " created_at_s) VALUES ('regression', 1, 4711, 1, '', '', 0)")
        self.write("INSERT INTO outbox(report_id, target, state, next_attempt_at_s, external_ref)"
                   f" VALUES ((SELECT max(id) FROM report), 'issues', 'sent', 0, '{old}')")
        body = json.loads(self.comment("ada", "/vigil ack"))
        body["repository"] = {"full_name": "new/Home", "id": 77}
        body["issue"]["html_url"] = "https://github.example/new/Home/issues/3"
        self.assertEqual(self.send("issue_comment", json.dumps(body).encode())[0], "acted")
        self.assertEqual(self.rows(f"command WHERE issue_url = '{old}'"), 1)
        self.assertEqual(push(WATCHED[0], 79), "acted")  # which is another one now
        self.assertEqual(push("new/Home", 77), "ignored")

    def test_a_labelled_pull_request_is_acted_on(self):
        event, body = next(one for one in examples() if one[0] == "pull_request")
        payload = json.loads(body)
        payload["action"] = "labeled"
        payload["repository"]["full_name"] = WATCHED[0]
        pull = payload["pull_request"]
        pull["state"] = "open"
        pull["labels"] = [{"name": "vigil"}]
        self.assertEqual(self.check_one(event, json.dumps(payload).encode(), acts=True), "acted")
        self.assertEqual(self.rows("pull"), 1)
        pull["labels"] = []
        payload["action"] = "edited"
        self.assertEqual(self.send(event, json.dumps(payload).encode()), ("ignored", False))
        pull["state"] = "closed"
        pull["updated_at"] = "2035-01-01T00:00:00Z"
        state = self.send(event, json.dumps(payload).encode())[0]
        self.assertIn(state, ("acted", "ignored"))  # it may have failed before
        self.assertEqual(self.rows("pull WHERE state IN ('listing', 'measuring')"), 0)

    def test_a_long_body_is_kept_outside_of_the_ledger(self):
        event, body = next(one for one in examples() if one[0] == "push")
        payload = json.loads(body) | {"ref": f"refs/heads/{BRANCH}", "deleted": False,
                                      "commits": ["x" * 1000] * 2000}
        body = json.dumps(payload).encode()
        self.assertEqual(self.send(event, body), ("acted", False))
        digest = hashlib.sha256(body).hexdigest()
        kept = list((self.stage.state_dir / "content").rglob(digest[2:]))
        kept += list((self.stage.state_dir / "content").rglob(digest))
        self.assertEqual([file.read_bytes() == body for file in kept], [True])
        self.assertEqual(self.rows("delivery WHERE length(body) > 0"), 0)
        row = self.stage.items("deliveries")[0]
        self.assertEqual((row["body_digest"], row["kept_bytes"]), (digest, len(body)))


if __name__ == "__main__":
    if not (ROOT / "build/web/installed").exists():
        print("skipped: @octokit/webhooks-examples is not installed; tests/web/install does that")
        sys.exit(0)
    unittest.main()
