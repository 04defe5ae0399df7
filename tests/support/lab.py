"""The repository tensorlab with planted regressions, and a config that watches it: for the demo and
for tests. Standard library only."""

import hashlib
import hmac
import json
import os
import secrets
import subprocess
import urllib.request
from pathlib import Path

from stage import ROOT, Failure

LAB = ROOT / "tests" / "support" / "tensorlab"


def make_repository(folder, plants, before=0):
    """Makes the repository, with so many days before the first night.
    @return what make_tensorlab says of it: nights and planted commits"""
    made = subprocess.run(
        [LAB / "make_tensorlab", folder, "--plant", plants, "--before", str(before)],
        stdout=subprocess.PIPE, text=True)
    if made.returncode != 0:
        raise Failure("making the repository failed")
    return json.loads(made.stdout.strip().splitlines()[-1])


def set_branch(story, night):
    """What a push does: the watched branch moves on to the night's last commit."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    subprocess.run(
        ["git", "-C", story["repository"], "update-ref", "refs/heads/nightly", story[night]],
        check=True, env=clean)


def push_hook(state_folder):
    """The part of a config that takes pushes of tensorlab. Makes the secret's file."""
    file = Path(state_folder) / "webhook.secret"
    file.touch(mode=0o600)
    file.write_text(secrets.token_hex(32) + "\n")
    return {"secret_file": str(file), "projects": {"lab/tensorlab": "tensorlab"}}


def tell_of_push(stage, story, night):
    """What GitHub does after a push: one signed delivery."""
    body = json.dumps({"ref": "refs/heads/nightly", "after": story[night],
                       "repository": {"full_name": "lab/tensorlab"}}).encode()
    secret = (stage.folder / "webhook.secret").read_text().strip().encode()
    request = urllib.request.Request(
        stage.url + "/hooks/github", data=body, method="POST", headers={
            "Content-Type": "application/json", "X-GitHub-Event": "push",
            "X-GitHub-Delivery": secrets.token_hex(16),
            "X-Hub-Signature-256": "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()})
    with urllib.request.urlopen(request, timeout=10):
        pass


def make_config(state_folder, story, **project):
    """Watches the benchmarks that can see what was planted, and the controls, on both classes."""
    state_folder = Path(state_folder)
    lab = json.loads((LAB / "project.json").read_text())
    watched = {plant["benchmark"] for plant in story["planted"]} | set(lab["controls"])
    classes = lab["machine_classes"]
    return {
        "state_dir": str(state_folder / "vigild"),
        "http": {"port": 0},
        "machine_classes": {name: {"environment": some} for name, some in classes.items()},
        "workers": {f"worker-{name}": {"machine_class": name} for name in classes},
        "report_targets": {"folder": {"kind": "folder", "path": str(state_folder / "reports")}},
        "projects": {
            "tensorlab": {
                "source": {"kind": "git", "repository": story["repository"],
                           "branch": "nightly"},
                "recipe": lab["recipe"],
                "suites": {"demo": {name: benchmark
                                    for name, benchmark in lab["benchmarks"].items()
                                    if name in watched}},
                "matrix": [{"suite": "demo", "machine_classes": sorted(classes)}],
                "judged": ["cpu_time_ns", "peak_alloc_bytes"],
                "search": {"max_probes": 60},
                "reports": ["folder"],
                "revert": {"checks_per_day": 0},  # nothing measures beside what is looked at
                **project}}}


def worker_settings(stage):
    return {"bench_source": str(ROOT / "worker" / "bench"),
            "ccache_dir": str(stage.build.parent / "lab-ccache"),
            "ccache_writers": "all",  # its commits are our own
            "machine_lock": str(stage.folder / "machine.lock")}


def start_workers(stage, config):
    for name in config["workers"]:
        stage.start_worker(name, **worker_settings(stage))
