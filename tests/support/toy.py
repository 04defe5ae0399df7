"""A toy project for whole nights with real processes in seconds: a git repository whose product is
one file with a number, and a benchmark that prints it with a little noise."""

import os
import subprocess
from pathlib import Path

BENCH = """#!/bin/sh
awk -v seed="$$" -v clock="$(date +%N)" -v value="$(cat value)" 'BEGIN {
    srand(seed * 1000003 + clock)
    for (i = 0; i < 5; ++i) printf "%.3f\\n", value * (1 + 0.004 * (rand() - 0.5))
}'
"""


class Branch:
    """Commits that leave the line after commit `left` and come in by the merge commit `merge`."""

    def __init__(self, left, merge, values, broken=()):
        self.left, self.merge, self.values, self.broken = left, merge, values, broken


class Toy:
    """values: one number per commit, the first is the first night's; broken: commits that do not
    build; start_s: when the first one was made, the others follow second by second.
    revisions: of the line of first parents; brought: of the branch."""

    def __init__(self, folder, values, broken=(), branch=None, start_s=1_700_000_000):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True)
        self.revisions, self.brought = [], []
        self.start_s = start_s
        self._git("init", "-q", "-b", "main")
        (self.folder / "bench.sh").write_text(BENCH)
        for number, value in enumerate(values):
            if branch and number == branch.merge:
                self._git("merge", "-q", "-s", "ours", "--no-commit", "side")
            self.revisions.append(
                self._commit(f"change {number}", value, number in broken, number))
            if branch and number == branch.left:
                self._git("checkout", "-q", "-b", "side")
                for place, aside in enumerate(branch.values):
                    self.brought.append(
                        self._commit(f"aside {place}", aside, place in branch.broken, number))
                self._git("checkout", "-q", "main")

    def _commit(self, subject, value, broken, number):
        (self.folder / "value").write_text(f"{value}\n")
        (self.folder / "notes.txt").write_text(f"{subject}\n")
        recipe = "echo 'value.h: no such file'; exit 1\n" if broken else "cp value bench.sh out/\n"
        (self.folder / "build.sh").write_text("set -e\nmkdir -p out\n" + recipe)
        self._git("add", "-A")
        self._git("commit", "-q", "-m", subject, at=self.start_s + number)
        return self._git("rev-parse", "HEAD").strip()

    def _git(self, *arguments, at=0):
        clean = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        who = {"GIT_AUTHOR_NAME": "author", "GIT_AUTHOR_EMAIL": "author@example.invalid",
               "GIT_COMMITTER_NAME": "author", "GIT_COMMITTER_EMAIL": "author@example.invalid",
               "GIT_AUTHOR_DATE": f"@{at} +0000", "GIT_COMMITTER_DATE": f"@{at} +0000"}
        return subprocess.run(
            ["git", "-C", self.folder, *arguments], check=True, stdout=subprocess.PIPE, text=True,
            env={**clean, **who}).stdout

    def config(self, state_folder, **project):
        state_folder = Path(state_folder)
        return {
            "state_dir": str(state_folder / "vigild"),
            "http": {"port": 0},
            "jobs": {"lease_ttl_s": 10, "max_lost_attempts": 50},
            "machine_classes": {"any": {}},
            "workers": {"worker-1": {"machine_class": "any"},
                        "worker-2": {"machine_class": "any"}},
            "report_targets": {"folder": {"kind": "folder",
                                          "path": str(state_folder / "reports")}},
            "projects": {"toy": {
                "source": {"kind": "git", "repository": str(self.folder), "branch": "main"},
                "recipe": {"commands": ["sh build.sh"], "outputs": ["out"]},
                "suites": {"core": {"value": {
                    "kind": "command", "command": ["sh", "-c", "cd out && sh bench.sh"],
                    "samples": {"format": "lines", "printed": "cpu_time_ns", "unit": "us"},
                    "variants": {"plain": {}}}}},
                "matrix": [{"suite": "core", "machine_classes": ["any"]}],
                "judged": ["cpu_time_ns"],
                "reports": ["folder"],
                "revert": {"checks_per_day": 0},  # nothing measures beside what a test looks at
                **project}}}
