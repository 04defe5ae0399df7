"""What tests/fresh does on the machine that it made: install, a night, an upgrade while a night
runs, removal, purge. Ends with 0 when all of it is as it should be. usage: fresh.py"""

import json
import os
import pwd
import re
import shutil
import sqlite3
import stat
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.dont_write_bytecode = True
from stage import Stage  # noqa: E402
from toy import Toy  # noqa: E402

COMMITS, CULPRIT = 9, 5
PACKAGES = ("vigil", "vigild", "vigil-worker", "vigil-bench")
UNITS = Path("/usr/lib/systemd/system")
STATE, BACKUPS = Path("/var/lib/vigil"), Path("/var/backups/vigil/before-upgrade")
ASKED = Path("/run/asked")


def check(truth, words):
    if not truth:
        raise AssertionError(words)


def run(*command, **rest):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, **rest)
    check(done.returncode == 0, f"{' '.join(map(str, command))}: {done.stdout}")
    return done.stdout


def apt(*arguments):
    return run("apt-get", "-y", "-q", "--no-install-recommends", *arguments)


def install(version):
    return apt("install", *sorted(Path(f"/packages/{version}").glob("*.deb")))


def installed_version():
    return run("vigild", "--version").split()[1]


def asked():
    return ASKED.read_text() if ASKED.exists() else ""


def is_enabled(unit):
    done = subprocess.run(["systemctl", "is-enabled", unit], capture_output=True, text=True)
    return done.stdout.strip() == "enabled"


def user_version(ledger):
    with sqlite3.connect(f"file:{ledger}?mode=ro", uri=True) as base:
        return base.execute("PRAGMA user_version").fetchone()[0]


def slow_config(toy, folder):
    """Runs that leave time for an upgrade; what is judged is what they print."""
    config = toy.config(folder)
    config["projects"]["toy"]["suites"]["core"]["value"]["command"] = [
        "sh", "-c", "sleep 2; cd out && sh bench.sh"]
    return config


class Installed(Stage):
    """The daemon and the worker of the units, with their configs in /etc/vigil."""

    def __init__(self, toy):
        super().__init__("/srv/installed", "/usr/bin")
        (self.folder / "vigild").symlink_to(STATE)
        config = slow_config(toy, self.folder)
        config["http"]["port"] = 8321
        config["state_dir"] = str(STATE)
        config["report_targets"]["folder"]["path"] = str(STATE / "reports")
        self.write("vigild.json", json.dumps(config))
        self.url = "http://127.0.0.1:8321"
        run("vigild", "--config", "/etc/vigil/vigild.json", "--check-config", "--quiet")
        run("systemctl", "enable", "vigild.service")
        run("systemctl", "start", "vigild.service")
        self.write("vigil-worker.token",
                   self.vigil("token", "add", "worker-1", "--scope", "worker")["secret"])
        self.write("vigil-worker.json", json.dumps(
            {"server": self.url, "name": "worker-1", "sandbox": "require",
             "token_file": "/etc/vigil/vigil-worker.token", "state_dir": "/var/lib/vigil-worker"}))
        run("systemctl", "start", "vigil-worker.service")

    @staticmethod
    def write(name, text):
        file = Path("/etc/vigil") / name
        file.write_text(text)
        file.chmod(0o600)
        shutil.chown(file, "vigil", "vigil")


def play(stage, toy, meanwhile=lambda: None):
    """Two nights, the second with a slowdown. @param meanwhile  done once that one measures"""
    stage.vigil("trigger", "toy", "--revision", toy.revisions[0])
    stage.wait_for_night(toy.revisions[0])
    stage.vigil("trigger", "toy", "--revision", toy.revisions[-1])
    stage.wait_for("a job of the second night", lambda: stage.items("jobs?state=leased"))
    meanwhile()
    stage.wait_for_night(toy.revisions[-1])
    stage.wait_for("the report", lambda: [one for one in stage.items("regressions")
                                          if one["state"] == "reported"])
    return verdicts(stage)


def verdicts(stage):
    return {"nights": [(night["revision"], night["state"]) for night in stage.items("nightlies")],
            "suspicions": [(one["state"], one.get("verdict")) for one in stage.items("suspicions")],
            "regressions": [(one["state"], one["culprit"]) for one in stage.items("regressions")]}


def check_installation():
    check(installed_version() == "0.2.0", installed_version())
    vigil = pwd.getpwnam("vigil")
    for folder, mode in (("/var/lib/vigil", 0o700), ("/var/lib/vigil-worker", 0o700),
                         ("/etc/vigil", 0o750), ("/var/backups/vigil", 0o700)):
        status = os.stat(folder)
        check((status.st_uid, stat.S_IMODE(status.st_mode)) == (vigil.pw_uid, mode), folder)
    for unit in ("vigild.service", "vigil-worker.service"):
        check(not is_enabled(unit), f"{unit} is enabled")
    check(" start " not in asked() and " restart " not in asked(), asked())
    run("systemd-analyze", "verify", UNITS / "vigild.service", UNITS / "vigild.socket",
        UNITS / "vigil-worker.service", UNITS / "vigil-worker@.service")
    # Tenths: at most 2.0 and 5.0.
    for unit, most in (("vigild", 20), ("vigil-worker", 50), ("vigil-worker@", 50)):
        run("systemd-analyze", "security", "--offline=yes", "--no-pager", f"--threshold={most}",
            UNITS / f"{unit}.service")
    check(Path("/usr/share/vigil/worker/bench/CMakeLists.txt").is_file(), "no vigil-bench")


def check_docs(stage):
    """The documentation site is in the package where its build met a registry."""
    if not any(Path("/usr/share/vigil/docs-site").iterdir()):
        print("fresh: the packages have no documentation site", flush=True)
        return
    with urllib.request.urlopen(stage.url + "/docs", timeout=60) as reply:
        check(b"<html" in reply.read(), "/docs is not the documentation site")
    print("fresh: the installed daemon serves the documentation site", flush=True)


def upgrade(stage):
    """While the second night runs."""
    before = user_version(STATE / "ledger.sqlite")
    run("systemctl", "disable", "vigil-worker.service")
    ASKED.unlink()
    began = time.monotonic()
    install("new")
    print(f"fresh: upgraded in {time.monotonic() - began:.0f} s", flush=True)
    check("try-restart vigild.service" in asked(), asked())
    check("--no-block try-restart vigil-worker.service" in asked(), asked())
    check(is_enabled("vigild.service"), "an enabled unit is no longer")
    check(not is_enabled("vigil-worker.service"), "a disabled unit was enabled")
    [backup] = BACKUPS.glob("vigil-*Z")
    check(user_version(backup / "ledger.sqlite") == before, "the backup came after the upgrade")
    check(user_version(STATE / "ledger.sqlite") == before + 1, "the ledger was not upgraded")
    check(stage.night_of(stage.second)["state"] not in ("done", "failed"),
          "no night ran during the upgrade")


def check_removal():
    apt("remove", *PACKAGES)
    check("stop vigild.socket vigild.service" in asked(), asked())
    check(subprocess.run(["systemctl", "is-active", "vigild.service"]).returncode == 3,
          "the daemon still runs")
    check((STATE / "ledger.sqlite").is_file(), "removal took the ledger")
    apt("purge", *PACKAGES)
    check((STATE / "ledger.sqlite").is_file(), "purge took the ledger")
    check(not Path("/var/lib/vigil-worker").exists(), "purge left the worker's cache")
    ours = ("/usr/bin/vigild", "/usr/bin/vigil", UNITS / "vigild.service",
            "/usr/lib/tmpfiles.d/vigild.conf")
    left = [path for path in map(Path, ours) if path.exists()]
    check(not left, left)
    install("new")
    run("debconf-set-selections", input="vigild vigild/purge-ledger boolean true\n")
    apt("purge", *PACKAGES)
    check(not STATE.exists() and not BACKUPS.parent.exists(), "the ledger was to be purged")


def main():
    # The scripts of packages look in no other place.
    os.rename("/usr/bin/systemctl", "/usr/bin/systemctl.real")
    shutil.copy("/tests/fake_systemctl", "/usr/bin/systemctl")
    Path("/run/systemd/system").mkdir(parents=True)
    # What a fresh machine has not heard of: nobody keeps packages from starting what they like.
    check(not Path("/usr/sbin/policy-rc.d").exists(), "services may not be started here")
    began = time.monotonic()
    install("old")
    print(f"fresh: installed in {time.monotonic() - began:.0f} s", flush=True)
    check_installation()
    toy = Toy("/srv/toy", [100 if i < CULPRIT else 130 for i in range(COMMITS)])
    run("chown", "-R", "vigil:vigil", "/srv/toy")
    run("git", "config", "--system", "--add", "safe.directory", "/srv/toy")
    control = Stage("/srv/control", "/usr/bin")
    try:
        control.start_daemon(slow_config(toy, control.folder))
        control.start_worker("worker-1")
        began = time.monotonic()
        expected = play(control, toy)
        print(f"fresh: two nights of {installed_version()} in {time.monotonic() - began:.0f} s: "
              f"{expected['regressions']}", flush=True)
    finally:
        control.stop()
    check(re.search(toy.revisions[CULPRIT], str(expected["regressions"])), expected)
    stage = Installed(toy)
    stage.second = toy.revisions[-1]
    check_docs(stage)
    found = play(stage, toy, lambda: upgrade(stage))
    check(found == expected, f"after the upgrade {found}, without {expected}")
    print("fresh: the same verdicts with an upgrade while a night ran", flush=True)
    check_removal()
    print("fresh: removal and purge leave the ledger, unless it is to go", flush=True)


if __name__ == "__main__":
    try:
        main()
    except BaseException:
        for log in Path("/var/log").glob("vigil*.log"):
            print(f"--- {log}", *log.read_text().splitlines()[-15:], sep="\n", flush=True)
        raise
