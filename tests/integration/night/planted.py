"""Plants regressions in tensorlab, lets two nights pass with real processes, and checks that the
reports name exactly what was planted. An innocent commit named fails at once. A planted one not
named may be the machine's noise: that night is played once more, and then a report that gives a
range has to hold it (and the test says so): on a noisy machine that is the honest answer.

usage: planted.py BUILD_FOLDER [--reproduce] PLANT [PLANT ...]

Each PLANT is a night of its own: "a" or "a,b". With --reproduce, the command that the first report
gives is run too."""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
sys.dont_write_bytecode = True
import lab  # noqa: E402
from stage import Failure, Stage  # noqa: E402


def print_events(stage):
    """What happened, for whoever reads the failed test."""
    stage.last_event = 0
    for event in stage.new_events():
        if not event["kind"].startswith("job."):
            print(f"    {event['kind']} {event['subject']}: {event['message']}")


def reproduce(stage, folder, regression):
    """What the person does who reads the report: its command builds both sides, compiles
    vigil-bench and measures, outside of everything that the night used."""
    done = subprocess.run(
        [stage.build / "vigil", "--server", stage.url, "reproduce", str(regression)],
        capture_output=True, text=True, env={
            **os.environ, "REPOSITORY": str(folder / "origin"),
            "VIGIL_TOKEN_FILE": str(stage.state_dir / "admin.token"),
            "VIGIL_WORKER": str(stage.build / "vigil-worker"), "TMPDIR": str(folder),
            "XDG_STATE_HOME": str(folder / "own-state")})
    sides = re.findall(r"^== (\w+)$", done.stdout, re.MULTILINE)
    measured = len(re.findall(r'"samples"', done.stdout))
    if done.returncode != 0 or sides != ["good", "bad", "bad", "good"] or measured != 4:
        raise Failure(f"reproduce ended with {done.returncode}, ran {sides}, measured {measured}: "
                      f"{done.stdout[-1500:]} {done.stderr[-1500:]}")
    print(f"regression {regression} was reproduced by its report's command", flush=True)


def play(folder, build, plants, with_command=False):
    """@return the planted commits that no report names, and those of them within a range"""
    folder.mkdir()
    story = lab.make_repository(folder / "origin", plants)
    lab.set_branch(story, "second_night")
    stage = Stage(folder, build)
    config = lab.make_config(folder, story)
    try:
        stage.start_daemon(config)
        lab.start_workers(stage, config)
        for night in ("first_night", "second_night"):
            stage.vigil("trigger", "tensorlab", "--revision", story[night])
            stage.wait_for_night(story[night])
        regressions = stage.items("regressions?limit=100")
        planted = sorted(plant["revision"] for plant in story["planted"])
        named = sorted({r["culprit"] for r in regressions if r["culprit"]})
        innocent = sorted(set(named) - set(planted))
        missing = sorted(set(planted) - set(named))
        ranges = [set(stage.get(f"/api/v1/regressions/{r['id']}")["suspects"])
                  for r in regressions if not r["culprit"]]
        held = [revision for revision in missing if any(revision in some for some in ranges)]
        if innocent or missing:
            print_events(stage)
        if innocent:
            raise Failure(f"planted {planted}, but named {innocent}")
        if with_command and regressions:
            first = regressions[-1]["id"]
            stage.wait_for("the report", lambda: stage.items(
                f"reports?kind=regression&regression={first}"))
            reproduce(stage, folder, first)
        return missing, held
    finally:
        stage.stop()


def main():
    build = Path(sys.argv[1]).resolve()
    failed = 0
    nights = [argument for argument in sys.argv[2:] if argument != "--reproduce"]
    for plants in nights:
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="vigil-planted-") as folder:
            try:
                with_command = "--reproduce" in sys.argv and plants == nights[0]
                missing, _ = play(Path(folder) / "first", build, plants, with_command)
                held = []
                if missing:
                    print(f"{plants}: {missing} not named; once more", flush=True)
                    missing, held = play(Path(folder) / "second", build, plants)
                if missing != held:
                    raise Failure(f"in two nights neither named nor in a range: {missing}")
                words = f"ONLY WITHIN A RANGE: {held}" if held else "named, and nothing else"
            except (Failure, subprocess.SubprocessError) as failure:
                failed += 1
                words = f"FAILED: {failure}"
        print(f"{plants}: {words}, {time.monotonic() - began:.0f} s", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
