"""deploy/demo --github: a project on a small GitHub of this machine, up to the first issue. What
comes after, the answer in the thread and the pull request, is left to the person: docs/github.md
says how. Standard library only."""

import json
import re
import secrets
import shutil
import sys
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.dont_write_bytecode = True
from stage import Failure  # noqa: E402
from toy import Toy  # noqa: E402

PERSON = "ada"  # who may write to the repository
REPOSITORY = "lab/tensorlab"
VALUES = [100.0] * 7 + [130.0] * 5  # what the benchmark takes, commit by commit
CULPRIT = 7


def post(at, what, **body):
    """Something that a person does at the small GitHub."""
    request = urllib.request.Request(
        f"{at}/people/{what}", json.dumps(body).encode(), method="POST")
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.loads(reply.read())


def read(url):
    with urllib.request.urlopen(url, timeout=30) as reply:
        return reply.read().decode()


def start_github(stage, folder):
    """@return its address"""
    log = stage.folder / "github.log"
    log.unlink(missing_ok=True)
    stage.start("github", [sys.executable, ROOT / "tests/support/serve_github.py",
                           "--repository", folder])
    for _ in range(600):
        found = re.search(r"address=(http://\S+)", log.read_text() if log.exists() else "")
        if found:
            return found[1]
        time.sleep(0.1)
    raise Failure(f"the small GitHub did not start; see {log}")


def make_secret(file, text):
    file.touch(mode=0o600)
    file.write_text(text + "\n")
    return text


def make_config(stage, toy, github):
    """As docs/github.md tells it: a report target, the webhook, a project of a git repository."""
    secret = make_secret(stage.folder / "webhook.secret", secrets.token_hex(32))
    make_secret(stage.folder / "github.token", "any-token")
    config = toy.config(stage.folder)
    config["http"]["open_pages"] = "local"  # whoever is at this machine looks without a token
    config["report_targets"]["issues"] = {
        "kind": "issues", "base_url": github, "repository": REPOSITORY,
        "token_file": str(stage.folder / "github.token")}
    config["projects"]["toy"]["reports"].append("issues")
    config["webhook"] = {"secret_file": str(stage.folder / "webhook.secret"),
                         "projects": {REPOSITORY: "toy"}}
    return config, secret


def play(stage, say=lambda words: None, waiting=lambda: None):
    """Up to the first issue. @return the toy project, and the small GitHub's address"""
    say("making a repository of twelve commits; the eighth is slower")
    toy = Toy(stage.folder / "origin", VALUES, start_s=int(time.time()) - len(VALUES))
    github = start_github(stage, stage.folder / "origin")
    config, secret = make_config(stage, toy, github)
    say("starting vigild and a worker; the repository gets its webhook")
    stage.start_daemon(config)
    stage.start_worker("worker-1")
    post(github, "permit", login=PERSON, permission="write")
    post(github, "hook", url=stage.url + "/hooks/github", secret=secret)
    say("the first night: the first commit is measured")
    stage.vigil("trigger", "toy", "--revision", toy.revisions[0])
    stage.wait_for_night(toy.revisions[0], while_waiting=waiting)
    say("the second night: the newest commit is measured, judged, searched")
    stage.vigil("trigger", "toy", "--revision", toy.revisions[-1])
    stage.wait_for_night(toy.revisions[-1], while_waiting=waiting)

    def filed():
        waiting()
        return "[perf]" in read(github + "/")

    stage.wait_for("the issue", filed)
    return toy, github


def run(progress, stage):
    progress.begin("night", "a project on a small GitHub of this machine")
    shutil.rmtree(stage.folder, ignore_errors=True)
    stage.folder.mkdir(parents=True)
    _, github = play(stage, progress.say, progress.bar)
    progress.end()
    issue = f"{github}/{REPOSITORY}/issues/1"
    print("\n" + read(issue))
    print(f"issue     {issue}")
    print(f"pages     {stage.url}/  (open in a browser; deploy/demo --stop ends it all)")
    print(f"origin    {stage.folder / 'origin'}")
    print("answer    curl -d "
          f"'{{\"number\": 1, \"login\": \"{PERSON}\", \"body\": \"/vigil ack\"}}' "
          f"{github}/people/comment")
    print("next      docs/github.md, \"A walk with a small GitHub\"")
    return 0
