"""The demo's driver: see deploy/demo. Standard library only."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.dont_write_bytecode = True
import lab  # noqa: E402
from stage import Failure, Stage  # noqa: E402
BUILD = ROOT / "build" / "release"
STATE = ROOT / "build" / "demo"
RECORD = ROOT / "build" / "demo-durations.json"  # of the last run: what the next one expects
PLANTS = "double_check,workspace_leak"
SCHEDULE = {"cron": "0 2 * * *", "time_zone": "UTC", "at_start": True}
FIRST_GUESS_S = {"build": 180, "repository": 10, "start": 3, "first night": 90, "second night": 400}
NIGHT_LIMIT_S = 900
TERMINAL = sys.stdout.isatty()


class Progress:
    """One line per step; on a terminal, a bar below it with elapsed and remaining time."""

    def __init__(self):
        self.started = time.monotonic()
        self.step = None
        self.step_started = self.started
        self.bar_shown = False
        try:
            self.record = json.loads(RECORD.read_text())
        except (OSError, ValueError):
            self.record = {}

    def elapsed(self):
        return time.monotonic() - self.started

    def begin(self, step, words):
        self.step, self.step_started = step, time.monotonic()
        self.say(words)

    def end(self):
        self.record[self.step] = round(time.monotonic() - self.step_started, 1)
        RECORD.parent.mkdir(parents=True, exist_ok=True)
        RECORD.write_text(json.dumps(self.record))
        self.clear()

    def say(self, words):
        self.clear()
        print(f"{self.clock(self.elapsed())}  {words}", flush=True)

    def bar(self, share=None, words=""):
        """share: 0..1 when known; otherwise what the last run took is the measure."""
        if not TERMINAL:
            return
        spent = time.monotonic() - self.step_started
        expected = self.record.get(self.step, FIRST_GUESS_S.get(self.step, 60))
        if share and spent > 2:
            expected = spent / max(share, 0.02)
        share = min(0.99, share if share is not None else spent / max(expected, 1))
        left = max(0, expected - spent)
        width = 30
        full = int(width * share)
        line = f"       [{'#' * full}{'.' * (width - full)}] {share * 100:3.0f} %, about "
        line += f"{self.clock(left).strip()} left  {words}"
        columns = shutil.get_terminal_size().columns
        print("\r\x1b[K" + line[: columns - 1], end="", flush=True)
        self.bar_shown = True

    def clear(self):
        if self.bar_shown:
            print("\r\x1b[K", end="", flush=True)
            self.bar_shown = False

    @staticmethod
    def clock(seconds):
        return f"{int(seconds) // 60:2d}:{int(seconds) % 60:02d}"


def build(progress):
    progress.begin("build", "building vigild, vigil-worker and vigil (release)")
    log = ROOT / "build" / "demo-build.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as out:
        configured = subprocess.run(
            ["cmake", "--preset", "release"], cwd=ROOT, stdout=out, stderr=subprocess.STDOUT)
        if configured.returncode != 0:
            raise Failure(f"cmake failed; see {log}")
        command = ["cmake", "--build", "--preset", "release", "--target", "vigild", "vigil-worker",
                   "vigil"]
        child = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in child.stdout:
            out.write(line)
            at = re.match(r"\[(\d+)/(\d+)\]", line)
            if at:
                progress.bar(int(at[1]) / int(at[2]), f"{at[1]} of {at[2]}")
        if child.wait() != 0:
            raise Failure(f"the build failed; see {log}")
    progress.end()


def start_all(progress, stage, config):
    progress.begin("start", "starting vigild and two workers")
    stage.start_daemon(config)
    lab.start_workers(stage, config)
    progress.end()


QUIET = re.compile(r"^(job\.|trigger\.|token\.|worker\.|build\.|nightly\.same|product\.)")


def let_night_pass(progress, stage, step, words, revision):
    progress.begin(step, words)
    deadline = time.monotonic() + NIGHT_LIMIT_S
    while time.monotonic() < deadline:
        for event in stage.new_events():
            if not QUIET.match(event["kind"]):
                progress.say(f"  {event['kind']:<24} {event['message']}")
        night = stage.night_of(revision)
        if night and night["state"] == "failed":
            raise Failure(f"the night failed: {night['message']}")
        if night and night["state"] == "done":
            progress.end()
            return
        waiting = len(stage.items("jobs?state=queued&limit=500"))
        progress.bar(None, f"{waiting} jobs wait")
        time.sleep(0.5)
    raise Failure(f"the night did not end within {NIGHT_LIMIT_S} s")


def filed_reports(stage):
    """Regressions whose report has left the outbox, with the report."""
    for _ in range(100):
        regressions = stage.items("regressions?limit=100")
        if all(r["state"] not in ("attributed", "range", "searching") for r in regressions):
            files = sorted((STATE / "reports").glob("*regression*.md"))
            if len(files) >= sum(r["state"] == "reported" for r in regressions):
                return regressions, files
        time.sleep(0.2)
    raise Failure("the reports were not delivered within 20 s")


def run():
    progress = Progress()
    build(progress)
    stage = Stage(STATE, BUILD)
    stage.stop()
    shutil.rmtree(STATE, ignore_errors=True)
    STATE.mkdir(parents=True)
    progress.begin("repository", "making the repository tensorlab, with a day of commits")
    story = lab.make_repository(STATE / "origin", PLANTS)
    lab.set_branch(story, "first_night")
    progress.end()
    config = lab.make_config(STATE, story, schedule=SCHEDULE)
    config["webhook"] = lab.push_hook(STATE)
    start_all(progress, stage, config)
    let_night_pass(progress, stage, "first night",
                   "first night: the schedule is new and fires at once", story["first_night"])
    lab.set_branch(story, "second_night")
    lab.tell_of_push(stage, story, "second_night")
    let_night_pass(progress, stage, "second night",
                   "second night: the day's commits were pushed, a signed delivery says so",
                   story["second_night"])
    regressions, files = filed_reports(stage)
    for file in files:
        print("\n" + file.read_text())
    planted = sorted(plant["revision"] for plant in story["planted"])
    named = sorted({r["culprit"] for r in regressions if r.get("culprit")})
    print(f"reports   {STATE / 'reports'}")
    print(f"daemon    {stage.url}  (deploy/demo --stop ends it)")
    print(f"took      {progress.clock(progress.elapsed()).strip()}")
    print("verdict   " + ("both planted commits were named, and nothing else"
                          if planted == named else "NOT what was planted"))
    if "--json" in sys.argv:
        print(json.dumps({"planted": planted, "named": named}))
    return 0 if planted == named else 1


def main():
    if "--stop" in sys.argv:
        count = Stage(STATE, BUILD).stop() if STATE.exists() else 0
        print(f"ended {count} processes" if count else "nothing of the demo was running")
        return 0
    try:
        return run()
    except KeyboardInterrupt:
        Stage(STATE, BUILD).stop()
        print("\ninterrupted; nothing is left running", file=sys.stderr)
        return 130
    except (Failure, OSError) as failure:
        Stage(STATE, BUILD).stop()
        print(f"\ndeploy/demo: {failure}", file=sys.stderr)
        return 1


def interrupted(*_):
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, interrupted)
    sys.exit(main())
