"""Nights of the self-test with real processes: what the daemon plants in its own project is
measured, searched and reported, night after night.

usage: self_test.py BUILD_FOLDER"""

import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
sys.dont_write_bytecode = True
from stage import Stage  # noqa: E402

QUIET_NIGHTS, PLANTED_NIGHTS = 5, 2


def check(truth, words):
    if not truth:
        raise AssertionError(words)


def config_of(folder):
    return {
        "state_dir": str(folder / "vigild"),
        "http": {"port": 0},
        "jobs": {"lease_ttl_s": 10, "max_lost_attempts": 50},
        "machine_classes": {"any": {}},
        "workers": {"worker-1": {"machine_class": "any"}},
        "report_targets": {"desk": {"kind": "folder", "path": str(folder / "reports")}},
        "projects": {},
        "self_test": {"machine_class": "any", "schedule": {"cron": "0 1 1 1 *"}, "due_s": 604_800,
                      "reports": ["desk"]},
    }


def metric(stage, name):
    """Values of a metric by its labels' text."""
    import urllib.request
    with urllib.request.urlopen(stage.asking("/metrics"), timeout=60) as reply:
        lines = reply.read().decode().splitlines()
    found = {}
    for line in lines:
        key, _, value = line.rpartition(" ")
        if key.split("{")[0] == name:
            found[key.partition("{")[2].rstrip("}")] = float(value)
    return found


def git(folder, *arguments):
    return subprocess.run(
        ["git", "--git-dir", folder / "vigild" / "self-test.git", *arguments],
        check=True, stdout=subprocess.PIPE, text=True).stdout


def play(folder, build):
    stage = Stage(folder, build)
    try:
        stage.start_daemon(config_of(folder))
        stage.start_worker("worker-1")
        for number in range(QUIET_NIGHTS + PLANTED_NIGHTS):
            stage.vigil("trigger", "self-test", "--key", f"night-{number}")
            stage.wait_for(f"night {number}", lambda: len(
                [one for one in stage.items("nightlies?project=self-test")
                 if one["state"] in ("done", "failed")]) == number + 1)
        planted = [line.split(" ", 1) for line in git(
            folder, "log", "--format=%H %s", "main").splitlines() if line.endswith("on purpose")]
        check(len(planted) == PLANTED_NIGHTS, f"planted {planted}")
        found = {one["culprit"] for one in stage.items("regressions?limit=50")}
        check(found == {revision for revision, _ in planted}, f"found {found}, planted {planted}")
        stage.wait_for("the metric", lambda: metric(stage, "vigil_self_tests")[
            'state="reported"'] == PLANTED_NIGHTS)
        check(metric(stage, "vigil_self_tests")['state="quiet"'] == QUIET_NIGHTS, "quiet nights")
        check(0 <= metric(stage, "vigil_self_test_age_seconds")[""] < 86_400, "the age")
        check(not stage.items("troubles?kind=self_test.missed"), "a trouble")
        return planted
    finally:
        stage.stop()


def main():
    with tempfile.TemporaryDirectory(prefix="vigil-self-test-") as folder:
        began = time.monotonic()
        planted = play(Path(folder), Path(sys.argv[1]).resolve())
        print(f"{len(planted)} planted and reported; {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
