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
sys.path.insert(0, str(ROOT / "deploy"))
import demo_github  # noqa: E402
import demo_slurm  # noqa: E402
import lab  # noqa: E402
from stage import Failure, Stage  # noqa: E402
# As tests/run builds it: whoever ran that one before waits for no compiler here.
BUILD = ROOT / "build" / "dev"
STATE = ROOT / "build" / "demo"
RECORD = ROOT / "build" / "demo-durations.json"  # of the last run: what the next one expects
PLANTS = "double_check,workspace_leak"
EARLIER_DAYS = 2  # before the day that the first night ends
FIRST_GUESS_S = {"build": 180, "repository": 10, "start": 3, "backfill": 240, "night": 400}


class Progress:
    """One line per step. Below it, how far the step is and what is left: on a terminal a bar that
    moves, elsewhere a plain line every SILENCE_S."""

    SILENCE_S = 12

    def __init__(self, out, terminal, record=RECORD, now=time.monotonic):
        self.out, self.terminal, self.record_file, self.now = out, terminal, record, now
        self.started = now()
        self.step = self.first = self.last = None  # (share, when) it was first told; the newest
        self.step_started = self.spoken = self.started
        self.bar_shown = False
        try:
            self.record = json.loads(record.read_text())
        except (OSError, ValueError):
            self.record = {}

    def elapsed(self):
        return self.now() - self.started

    def begin(self, step, words):
        self.step, self.step_started = step, self.now()
        self.first = self.last = None
        self.say(words)

    def end(self):
        self.record[self.step] = round(self.now() - self.step_started, 1)
        self.record_file.parent.mkdir(parents=True, exist_ok=True)
        self.record_file.write_text(json.dumps(self.record))
        self.clear()

    def say(self, words):
        self.clear()
        self.spoken = self.now()
        print(f"{self.clock(self.elapsed())}  {words}", file=self.out, flush=True)

    def expected(self, step):
        return self.record.get(step, FIRST_GUESS_S.get(step, 60))

    def estimate(self, share):
        """share: 0..1 when known; otherwise what the last run took is the measure.
        @return the step's share, and seconds until the demo's end"""
        spent = self.now() - self.step_started
        expected = self.expected(self.step)
        if share is None:
            share = spent / max(expected, 1)
            left = max(0, expected - spent)
        else:
            left = self.left_of(share, spent, expected)
        steps = list(FIRST_GUESS_S)
        later = steps[steps.index(self.step) + 1:] if self.step in steps else []
        return min(0.99, share), left + sum(self.expected(step) for step in later)

    def left_of(self, share, spent, expected):
        """Seconds left of a step whose share is known. They count down until the share grows: a
        compiler that is silent for a minute does not make the rest longer."""
        if self.last is None or share != self.last[0]:
            left = expected * (1 - share)
            if self.first and share > self.first[0] and spent - self.first[1] > 2:
                left = (spent - self.first[1]) * (1 - share) / (share - self.first[0])
            self.first = self.first or (share, spent)
            self.last = (share, spent, left)
        _, at, left = self.last
        return max(left - (spent - at), left / 10)

    def bar(self, share=None, words=""):
        """To be called often. @param share  0..1 when known"""
        share, left = self.estimate(share)
        if not self.terminal and self.now() - self.spoken < self.SILENCE_S:
            return
        left = f"about {self.clock(left).strip()} left in all"
        if not self.terminal:
            self.say(f"  {self.step}: {share * 100:.0f} %, {left}  {words}".rstrip())
            return
        width = 30
        full = int(width * share)
        line = f"       [{'#' * full}{'.' * (width - full)}] {share * 100:3.0f} %, {left}  {words}"
        columns = shutil.get_terminal_size().columns
        print("\r\x1b[K" + line[: columns - 1], end="", file=self.out, flush=True)
        self.bar_shown = True

    def clear(self):
        if self.bar_shown:
            print("\r\x1b[K", end="", file=self.out, flush=True)
            self.bar_shown = False

    @staticmethod
    def clock(seconds):
        return f"{int(seconds) // 60:2d}:{int(seconds) % 60:02d}"


def schedule_after(now_s):
    """Once a day, half a day from now: the schedule's own night comes long after the demo's."""
    hour = (time.gmtime(now_s).tm_hour + 12) % 24
    return {"cron": f"0 {hour} * * *", "time_zone": "UTC", "at_start": False}


def share_built(log):
    """How far ninja says that it is. @return share or None, words"""
    at = re.findall(r"^\[(\d+)/(\d+)\]", log.read_text(errors="replace"), re.MULTILINE)
    return (int(at[-1][0]) / int(at[-1][1]), f"{at[-1][0]} of {at[-1][1]}") if at else (None, "")


def build(progress):
    progress.begin("build", "building vigild, vigil-worker and vigil")
    log = ROOT / "build" / "demo-build.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as out:
        configured = subprocess.run(
            ["cmake", "--preset", "dev"], cwd=ROOT, stdout=out, stderr=subprocess.STDOUT)
        if configured.returncode != 0:
            raise Failure(f"cmake failed; see {log}")
        command = ["cmake", "--build", "--preset", "dev", "--target", "vigild", "vigil-worker",
                   "vigil"]
        child = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT)
        while child.poll() is None:  # a compiler says nothing for a minute: the clock must
            progress.bar(*share_built(log))
            time.sleep(0.5)
        if child.returncode != 0:
            raise Failure(f"the build failed; see {log}")
    progress.end()


def start_all(progress, stage, config):
    if "--slurm" in sys.argv:
        progress.begin("start", "starting a Slurm with two nodes, and vigild; workers come by "
                                "allocations, when jobs wait")
        demo_slurm.start(stage, config)
        stage.start_daemon(config)
    else:
        progress.begin("start", "starting vigild and two workers")
        stage.start_daemon(config)
        lab.start_workers(stage, config)
    progress.end()


def stop_all():
    """@return how many processes the demo had left running"""
    return demo_slurm.stop(Stage(STATE, BUILD)) if STATE.exists() else 0


QUIET = re.compile(r"^(job\.|trigger\.|token\.|worker\.|build\.|nightly\.same|product\.)")


def tell_events(progress, stage):
    for event in stage.new_events():
        if not QUIET.match(event["kind"]):
            progress.say(f"  {event['kind']:<24} {event['message']}")


def fill_back(progress, stage, nights):
    """Earlier nights of the branch become the project's history."""
    progress.begin("backfill", f"a new project has no history: vigil backfill measures {nights} "
                               "earlier nights of the branch")
    asked = stage.vigil("backfill", "tensorlab", "--nights", str(nights))["backfill"]

    def ended():
        tell_events(progress, stage)
        backfill = stage.get(f"/api/v1/backfills/{asked}")
        over = backfill["measured"] + backfill["failed"]
        all_nights = over + backfill["waiting"] + backfill["measuring"]
        progress.bar(over / all_nights if over else None, f"{over} of {all_nights} nights")
        return backfill if backfill["state"] in ("done", "failed", "cancelled") else None

    backfill = stage.wait_for("the backfill", ended)
    if backfill["state"] != "done" or backfill["measured"] < nights:
        raise Failure(f"the backfill: {backfill['message']}")
    progress.end()


def let_night_pass(progress, stage, step, words, revision):
    def tell():
        tell_events(progress, stage)
        waiting = len(stage.items("jobs?state=queued&limit=500"))
        progress.bar(None, f"{waiting} jobs wait")

    progress.begin(step, words)
    stage.wait_for_night(revision, while_waiting=tell)
    progress.end()


def filed_reports(stage):
    """Regressions whose report has left the outbox, with the report."""
    def delivered():
        regressions = stage.items("regressions?limit=100")
        if any(r["state"] in ("attributed", "range", "searching") for r in regressions):
            return None
        files = sorted((STATE / "reports").glob("*regression*.md"))
        told = len(files) >= sum(r["state"] == "reported" for r in regressions)
        return (regressions, files) if told else None

    return stage.wait_for("the reports' delivery", delivered)


def run():
    out = sys.stderr if "--json" in sys.argv else sys.stdout
    progress = Progress(out, out.isatty())
    build(progress)
    stop_all()
    stage = Stage(STATE, BUILD)
    if "--github" in sys.argv:
        return demo_github.run(progress, stage)
    shutil.rmtree(STATE, ignore_errors=True)
    STATE.mkdir(parents=True)
    progress.begin("repository", "making the repository tensorlab, with some days of commits")
    story = lab.make_repository(STATE / "origin", PLANTS, before=EARLIER_DAYS)
    lab.set_branch(story, "second_night")
    progress.end()
    config = lab.make_config(STATE, story, schedule=schedule_after(time.time()))
    config["webhook"] = lab.push_hook(STATE)
    config["http"]["open_pages"] = "local"  # whoever is at this machine looks without a token
    start_all(progress, stage, config)
    fill_back(progress, stage, EARLIER_DAYS + 1)
    lab.tell_of_push(stage, story, "second_night")
    let_night_pass(progress, stage, "night",
                   "the first night: the last day's commits were pushed, a signed delivery says so",
                   story["second_night"])
    regressions, files = filed_reports(stage)
    for file in files:
        print("\n" + file.read_text())
    planted = sorted(plant["revision"] for plant in story["planted"])
    named = sorted({r["culprit"] for r in regressions if r.get("culprit")})
    print(f"reports   {STATE / 'reports'}")
    print(f"pages     {stage.url}/  (open in a browser; deploy/demo --stop ends the daemon)")
    if "--slurm" in sys.argv:
        demo_slurm.tell(stage)
    print(f"took      {progress.clock(progress.elapsed()).strip()}")
    print("verdict   " + ("both planted commits were named, and nothing else"
                          if planted == named else "NOT what was planted"))
    if "--json" in sys.argv:
        print(json.dumps({"planted": planted, "named": named}))
    return 0 if planted == named else 1


def main():
    if "--stop" in sys.argv:
        count = stop_all()
        print(f"ended {count} processes" if count else "nothing of the demo was running")
        return 0
    try:
        return run()
    except KeyboardInterrupt:
        stop_all()
        print("\ninterrupted; nothing is left running", file=sys.stderr)
        return 130
    except (Failure, OSError) as failure:
        stop_all()
        print(f"\ndeploy/demo: {failure}", file=sys.stderr)
        return 1


def interrupted(*_):
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, interrupted)
    sys.exit(main())
