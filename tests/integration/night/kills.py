"""Kills the daemon at ten points of a night, and a worker once, with SIGKILL. The night must end as
if nothing had happened: the same culprit, which a merge brought, one report, no result twice.

usage: kills.py BUILD_FOLDER"""

import json
import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
sys.dont_write_bytecode = True
from stage import Patience, Stage  # noqa: E402
from toy import Branch, Toy  # noqa: E402

COMMITS, BROKEN = 40, (17, 18)
LEFT, MERGE, ASIDE, CULPRIT = 19, 23, 9, 5  # the culprit is the sixth of nine commits merged at 23
MORE_NIGHTS = 20  # at most, of later commits: a fast machine ends a night before its kills
KILLS = 10


def check(truth, words):
    if not truth:
        raise AssertionError(words)


def ask(stage, question):
    """The daemon may be down for a moment: the question is asked again."""
    try:
        return question()
    except OSError:
        return None


def wait_for_night(stage, revision, kills, random_source):
    """Waits for the end of a night, killing the daemon after random numbers of events."""
    patience = Patience(f"the night of {revision[:10]}", stage.movement)
    seen, killed, worker_killed = 0, 0, False
    next_kill = random_source.randint(1, 3)
    while True:
        seen += len(ask(stage, stage.new_events) or [])
        if killed < kills and seen >= next_kill:
            stage.kill("vigild")
            killed += 1
            next_kill = seen + random_source.randint(1, 6)
            stage.restart_daemon()
        if not worker_killed and killed == kills // 2 and kills:
            worker_killed = True
            stage.kill("worker-1")
            stage.start_worker("worker-1")
        night = ask(stage, lambda: stage.night_of(revision))
        if night and night["state"] in ("done", "failed"):
            check(night["state"] == "done", f"the night failed: {night['message']}")
            return killed
        patience.wait(0.05)


def play(folder, build, kills, seed):
    values = [100 if i < MERGE else 125 for i in range(COMMITS + MORE_NIGHTS)]
    aside = [100 if i < CULPRIT else 125 for i in range(ASIDE)]
    toy = Toy(folder / "origin", values, BROKEN, Branch(LEFT, MERGE, aside, broken=(2,)))
    stage = Stage(folder, build)
    random_source = random.Random(seed)
    try:
        config = toy.config(folder)
        config["http"]["port"] = 0
        stage.start_daemon(config)
        # A restarted daemon must be found again by its workers: same port from now on.
        config["http"]["port"] = int(stage.url.rsplit(":", 1)[1])
        (folder / "vigild.json").write_text(json.dumps(config))
        for worker in ("worker-1", "worker-2"):
            stage.start_worker(worker)
        stage.vigil("trigger", "toy", "--revision", toy.revisions[0])
        wait_for_night(stage, toy.revisions[0], 0, random_source)
        killed = 0
        for revision in toy.revisions[COMMITS - 1:]:
            stage.vigil("trigger", "toy", "--revision", revision)
            killed += wait_for_night(stage, revision, kills - killed, random_source)
            if killed == kills:
                break
        check(killed == kills, f"only {killed} of {kills} kills found their moment")
        # "reported" says that the report is in the outbox; a delivery that a kill cut off is made
        # again a little later.
        def delivered():
            regressions = stage.items("regressions?limit=100")
            files = list((folder / "reports").glob("*regression*.md"))
            all_told = all(r["state"] == "reported" for r in regressions)
            return (regressions, files) if files and all_told else None

        regressions, reports = stage.wait_for("the report", delivered)
        named = [r["culprit"] for r in regressions]
        check(named == [toy.brought[CULPRIT]], f"named {named}, seed {seed}")
        check(len(reports) == 1, f"{len(reports)} reports instead of one, seed {seed}")
        merge = toy.revisions[MERGE]
        check(f"brought by the merge `{merge[:10]}`" in reports[0].read_text(),
              f"the report does not name the merge, seed {seed}")
        inner = stage.get(f"/api/v1/bisections/{regressions[0]['bisection']}")
        check((inner["merge"], inner["parent"], inner["good_revision"])
              == (merge, 2, toy.revisions[LEFT]), f"searched elsewhere, seed {seed}")
    finally:
        stage.stop()


def main():
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())
    print(f"seed {seed}", flush=True)
    for kills in (0, KILLS):
        with tempfile.TemporaryDirectory(prefix="vigil-kills-") as folder:
            began = time.monotonic()
            play(Path(folder), Path(sys.argv[1]).resolve(), kills, seed)
            print(f"{kills} kills: the culprit was named, {time.monotonic() - began:.0f} s",
                  flush=True)


if __name__ == "__main__":
    main()
