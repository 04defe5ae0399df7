"""A daemon and its workers as real processes in a folder of their own: for the demo and for tests.
Standard library only."""

import json
import os
import re
import signal
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


class Failure(Exception):
    """Something the person has to know; the message says what and where to look."""


class Patience:
    """Waits as long as something moves: a slow machine is no failure, one on which nothing happens
    is. What is waited for is asked often; what moves is looked at from time to time."""

    STILL_S = 1800  # a compiler that gets a tenth of a processor takes this long for one file
    LOOK_S = 5

    def __init__(self, waits_for, movement):
        """waits_for: for the message; movement: a function whose value changes when it goes on"""
        self.waits_for, self.movement = waits_for, movement
        self.seen, self.moved_at = None, time.monotonic()
        self.look_at = self.moved_at

    def wait(self, pause_s=0.2):
        """One pause. Raises Failure when nothing has moved for long."""
        time.sleep(pause_s)
        if time.monotonic() < self.look_at:
            return
        seen = self.movement()
        self.look_at = time.monotonic() + self.LOOK_S
        if seen != self.seen:
            self.seen, self.moved_at = seen, time.monotonic()
        elif time.monotonic() - self.moved_at > self.STILL_S:
            raise Failure(f"waiting for {self.waits_for}: nothing has moved for {self.STILL_S} s; "
                          f"last: {self.seen}")


def processor_time(pid):
    """Of a process, in ticks of the kernel; None when it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return int(fields[11]) + int(fields[12])


def start_time(pid):
    """The kernel's start time of a process: with it, a pid is not mistaken for a later one."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    state, *rest = stat.rsplit(")", 1)[1].split()
    return None if state == "Z" else rest[18]


class Stage:
    """folder: state, logs, configs and the record of processes; build: where the programs are;
    program: of them, the daemon."""

    def __init__(self, folder, build, program="vigild"):
        self.program = program
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.state_dir = self.folder / "vigild"
        self.folder.chmod(0o755)  # jobs of root's worker are another user
        self.build = Path(build)
        self.url = None
        self.children = {}
        self.last_event = 0

    # Processes ------------------------------------------------------------------------------------

    def _recorded(self):
        try:
            return json.loads((self.folder / "processes.json").read_text())
        except (OSError, ValueError):
            return {}

    def start(self, name, command):
        with (self.folder / f"{name}.log").open("a") as log:
            child = subprocess.Popen(
                [str(part) for part in command], cwd=self.folder, stdin=subprocess.DEVNULL,
                stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
        processes = self._recorded()
        processes[str(child.pid)] = start_time(child.pid)
        (self.folder / "processes.json").write_text(json.dumps(processes))
        self.children[name] = child
        return child

    def stop(self):
        """Ends what was started here, in this run or an earlier one. @return how many"""
        def alive():
            for child in self.children.values():
                child.poll()  # reaps it
            return [pid for pid, began in ours.items() if start_time(pid) == began]

        ours = {int(pid): began for pid, began in self._recorded().items()}
        count = len(alive())
        for wait_s, sign in ((6, signal.SIGTERM), (6, signal.SIGTERM), (5, signal.SIGKILL)):
            for pid in alive():
                os.kill(pid, sign)
            deadline = time.monotonic() + wait_s
            while alive() and time.monotonic() < deadline:
                time.sleep(0.05)
        (self.folder / "processes.json").unlink(missing_ok=True)
        return count

    def kill(self, name):
        """As a power cut would: no drain, no goodbye."""
        self.children[name].kill()
        self.children[name].wait()

    # Daemon and workers ---------------------------------------------------------------------------

    def start_daemon(self, config):
        (self.folder / "vigild.json").write_text(json.dumps(config, indent=2))
        self.restart_daemon()

    def restart_daemon(self, command=None):
        """@param command  default: with the config that start_daemon wrote"""
        log = self.folder / "vigild.log"
        skip = log.stat().st_size if log.exists() else 0
        child = self.start(
            "vigild", command or [self.build / self.program, "--config", "vigild.json"])
        patience = Patience(f"vigild; see {log}",
                            lambda: (processor_time(child.pid), log.stat().st_size))
        while True:
            if child.poll() is not None:
                raise Failure(f"vigild ended with {child.returncode}; see {log}")
            found = re.search(r"address=(http://\S+)", log.read_text()[skip:])
            if found:
                self.url = found[1]
                try:
                    with urllib.request.urlopen(self.url + "/readyz", timeout=30) as reply:
                        if reply.status == 200:
                            return
                except OSError:
                    pass
            patience.wait(0.05)

    def vigil(self, *arguments):
        """Runs the command line program as an administrator would. @return its JSON"""
        command = [self.build / "vigil", "--server", self.url, "--token-file",
                   self.folder / "vigild" / "admin.token", "--json", *arguments]
        done = subprocess.run(
            [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True)
        if done.returncode != 0:
            raise Failure(f"vigil {' '.join(arguments)} failed: {done.stderr.strip()}")
        return json.loads(done.stdout) if done.stdout.strip() else None

    def start_worker(self, name, options=(), **settings):
        token = self.folder / f"{name}.token"
        if not token.exists():
            secret = self.vigil("token", "add", name, "--scope", "worker")["secret"]
            token.touch(mode=0o600)
            token.write_text(secret + "\n")
        (self.folder / f"{name}.json").write_text(json.dumps(
            {"server": self.url, "name": name, "token_file": str(token),
             "state_dir": str(self.folder / name),
             "allow_uncontained": True,  # what is built here is ours
             **settings}, indent=2))
        self.start(name, [self.build / "vigil-worker", "--config", f"{name}.json",
                          *options])

    # What the daemon says -------------------------------------------------------------------------

    def asking(self, path):
        token = (self.state_dir / "admin.token").read_text().strip()
        return urllib.request.Request(
            self.url + path, headers={"Authorization": f"Bearer {token}"})

    def get(self, path, tries=10):
        """Asks again where the daemon is busy: a machine that stalls is no failure of a night."""
        for left in reversed(range(tries)):
            try:
                with urllib.request.urlopen(self.asking(path), timeout=60) as reply:
                    return json.loads(reply.read())
            except urllib.error.HTTPError as error:
                if error.code != 503 or left == 0:
                    raise
            except OSError:
                if left == 0:
                    raise
            time.sleep(1)

    def items(self, path):
        """All of a list; the first page only where the path has a limit."""
        page = self.get(f"/api/v1/{path}")
        found = page["items"]
        while "limit=" not in path and page.get("next_cursor"):
            join = "&" if "?" in path else "?"
            page = self.get(f"/api/v1/{path}{join}cursor={page['next_cursor']}")
            found += page["items"]
        return found

    def new_events(self):
        """Events since the last call, oldest first."""
        fresh, cursor = [], ""
        while cursor is not None:
            page = self.get("/api/v1/events?limit=200" + (f"&cursor={cursor}" if cursor else ""))
            new = [event for event in page["items"] if event["id"] > self.last_event]
            fresh += new
            cursor = page["next_cursor"] if len(new) == len(page["items"]) else None
        if fresh:
            self.last_event = fresh[0]["id"]
        return fresh[::-1]

    def movement(self):
        """What changes while nights go on: the newest event, and how far the jobs are. A daemon
        that is out of reach does not move."""
        try:
            newest = [event["id"] for event in self.items("events?limit=1")]
            return newest, sorted(
                (job["id"], job["state"], job["attempt"], job["progress"])
                for state in ("queued", "leased") for job in self.items(f"jobs?state={state}"))
        except OSError:
            return None

    def wait_for_night(self, revision, ended=lambda night: night["state"] == "done",
                       while_waiting=lambda: None):
        """@return the nightly of a revision once `ended` says so of it. Raises Failure when it has
        failed otherwise, or when nothing moves any more."""
        patience = Patience(f"the night of {revision[:10]}", self.movement)
        while True:
            while_waiting()
            night = self.night_of(revision)
            if night and ended(night):
                return night
            if night and night["state"] == "failed":
                raise Failure(f"the night failed: {night['message']}")
            patience.wait(0.3)

    def wait_for(self, words, question):
        """@return the first true answer to a question that is asked again and again."""
        patience = Patience(words, self.movement)
        while not (answer := question()):
            patience.wait()
        return answer

    def wait_for_event(self, kind):
        return self.wait_for(f"the event {kind}", lambda: self.items(f"events?kind={kind}"))

    def wait_for_report(self, words):
        """@return the text of a regression's report that holds the words"""
        return self.wait_for("its report", lambda: next(
            (text for text in map(Path.read_text, (self.folder / "reports").glob("*regression*.md"))
             if words in text), None))

    def night_of(self, revision):
        """The nightly of a revision, or None."""
        for night in self.items("nightlies?limit=100"):
            if night["revision"] == revision:
                return night
        return None
