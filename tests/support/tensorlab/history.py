"""Turns steps into commits: keeps the files of each line of development, and writes them all with
one `git fast-import`."""

import os
import subprocess
from dataclasses import dataclass, field

DAY_S = 86_400


class Mistake(Exception):
    """What is asked for cannot be done; the message says why."""


@dataclass
class Step:
    """One commit of the main line. An edit is (path, old, new); old "" makes or extends a file."""

    author: str
    subject: str
    edits: list
    body: str = ""
    gap_s: int = 700  # after the commit before; 0: in the same second
    side: list = field(default_factory=list)  # of a merge: the commits of the side branch
    side_back: int = 3  # it left the main line so many commits ago
    plant: str | None = None
    broken: bool = False


class History:
    """The commits so far; marks count from 1."""

    def __init__(self, files, until_s, steps=()):
        """The commits of `steps` lie on the day (UTC) of until_s, none of them later; where they
        do not fit before it, they follow each other faster."""
        self._files = dict(files)
        self._day_s = until_s - until_s % DAY_S
        wanted_s = sum(one.gap_s for step in steps for one in [*step.side, step])
        self._pace = min(1, (until_s - self._day_s) / max(wanted_s, 1))
        self._passed_s = 0  # of the day, had it all its time
        self._now_s = self._day_s
        self._stream = []
        self._marks = 0
        self._main = []  # (mark, files) of the main line

    def first_night(self, before=0):
        """@param before  days with a harmless commit before it"""
        changed, parents = set(self._files), []
        for days in range(before, 0, -1):
            self._now_s = self._day_s - (days + 1) * DAY_S
            self._files["NEWS"] = f"{days} days to tensorlab 0.9.0\n"
            parents = [self._commit(
                "release-team", f"news: {days} days to go", "", parents, self._files,
                changed | {"NEWS"})]
            changed = set()
        if before:
            self._files["NEWS"] = "tensorlab 0.9.0\n"
            changed = {"NEWS"}
        self._now_s = self._day_s - DAY_S
        mark = self._commit(
            "release-team", "tensorlab 0.9.0", "", parents, self._files, changed)
        self._main.append((mark, self._files))
        self._now_s = self._day_s
        return mark

    def _pass(self, gap_s):
        self._passed_s += gap_s
        self._now_s = self._day_s + int(self._passed_s * self._pace)

    def play(self, step):
        """Adds one step to the main line. @return its mark"""
        parents = [self._main[-1][0]]
        files = dict(self._main[-1][1])
        changed = set()
        if step.side:
            side_mark, side_files = self._main[-1 - step.side_back]
            for side_step in step.side:
                self._pass(side_step.gap_s)
                side_files = dict(side_files)
                touched = apply(side_step, side_files)
                side_mark = self._commit(
                    side_step.author, side_step.subject, side_step.body, [side_mark], side_files,
                    touched)
                changed |= apply(side_step, files)
            parents.append(side_mark)
        changed |= apply(step, files)
        self._pass(step.gap_s)
        mark = self._commit(step.author, step.subject, step.body, parents, files, changed)
        self._main.append((mark, files))
        return mark

    def write(self, target):
        """Makes the repository. @return the hash of each mark, with None for mark 0"""
        environment = {
            "PATH": os.environ.get("PATH", ""),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
        }

        def git(*arguments, **options):
            done = subprocess.run(
                ["git", *arguments], env=environment, capture_output=True, text=True, **options)
            if done.returncode != 0:
                raise Mistake(f"git {arguments[0]} failed: {done.stderr.strip()}")
            return done.stdout

        git("init", "--quiet", "--bare", "--initial-branch=main", str(target))
        marks = target / "marks"
        git("-C", str(target), "fast-import", "--quiet", "--done",
            f"--export-marks={marks.resolve()}", input="".join(self._stream) + "done\n")
        hashes = [None] * (self._marks + 1)
        for line in marks.read_text().splitlines():
            mark, name = line.split()
            hashes[int(mark[1:])] = name
        marks.unlink()
        return hashes

    def _commit(self, author, subject, body, parents, files, changed):
        self._marks += 1
        who = f"{author} <{author}@tensorlab.example> {self._now_s} +0000"
        message = subject + "\n" + (f"\n{body}\n" if body else "")
        # A side branch has a name of its own only while it is written.
        lines = ["commit refs/heads/main\n", f"mark :{self._marks}\n", f"author {who}\n",
                 f"committer {who}\n", data(message)]
        if parents:
            lines.append(f"from :{parents[0]}\n")
        lines += [f"merge :{parent}\n" for parent in parents[1:]]
        for path in sorted(changed):
            lines.append(f"M 100644 inline {path}\n{data(files[path])}")
        self._stream.append("".join(lines) + "\n")
        return self._marks


def data(text):
    return f"data {len(text.encode())}\n{text}\n"


def apply(step, files):
    """Applies a step's edits to files. @return the paths that changed"""
    for path, old, new in step.edits:
        if old == "":
            files[path] = files.get(path, "") + new
            continue
        count = files[path].count(old)
        if count != 1:
            raise Mistake(f"'{step.subject}': {path} holds its text {count} times:\n{old}")
        files[path] = files[path].replace(old, new)
    return {path for path, _, _ in step.edits}
