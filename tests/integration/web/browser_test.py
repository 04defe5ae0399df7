"""The pages in a real browser: browser_test.py BUILD_FOLDER TEST_FILE. "skipped:" where there is no
Chromium, or tests/web/install could not install what drives it."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.dont_write_bytecode = True
import past  # noqa: E402
import scene  # noqa: E402
from stage import Stage  # noqa: E402
from toy import Toy  # noqa: E402

WEB = ROOT / "build/web"
# What is no page of its own: files, and what only answers to a form.
NO_PAGES = ("/assets/{name}",)
# Of the repository whose commits are searched.
COMMITS = 24


def patterns():
    routes = (ROOT / "service/pages/routes.cpp").read_text()
    found = re.findall(r'^ +page\(\s*"([^"]+)"', routes, re.M)
    assert len(found) > 8, found
    return [one for one in found if one not in NO_PAGES]


def forms():
    """The patterns of what forms are sent to."""
    routes = (ROOT / "service/pages/routes.cpp").read_text()
    found = re.findall(r'^ +form\(\s*"([^"]+)"', routes, re.M)
    assert len(found) > 8, found
    return found


def start_empty(folder, build, **http):
    past.make_repository(folder / "repository")
    stage = Stage(folder, build)
    stage.start_daemon(scene.config_of(folder, **http))
    return stage


def start_searched(folder, build):
    """A daemon with commits to search among. What they measure is what the test's worker says.
    @return its Stage, and what a test has to know of it"""
    toy = Toy(folder / "toy", [1.0] * COMMITS)
    stage = Stage(folder, build)
    stage.start_daemon(toy.config(folder))
    worker = stage.vigil("token", "add", "worker-1", "--scope", "worker")["secret"]
    return stage, {"worker": worker, "revisions": toy.revisions}


def start_stages(stages, folder, build, file):
    """Starts the daemons that a file of tests asks for. @return what it has to know of them"""
    if file.startswith("search"):
        stages["search"], more = start_searched(folder / "search", build)
        return {"search": more}
    stages["scene"] = scene.start(folder / "scene", build)
    stages["empty"] = start_empty(folder / "empty", build)
    if file.startswith("pages"):
        stages["hostile"] = scene.start(folder / "hostile", build, hostile=True)
        stages["bare"] = scene.start(folder / "bare", build, program="tests/vigild_without_scripts")
    else:
        stages["closed"] = scene.start(folder / "closed", build, open_reads="never")
    return {}


def token_of(stage):
    return stage.vigil("token", "add", "ada", "--scope", "read,triage,trigger,admin")["secret"]


def main():
    build, file = Path(sys.argv[1]).resolve(), sys.argv[2]
    chromium = shutil.which("chromium")
    if not chromium or not (WEB / "installed").exists():
        print("skipped: there is no Chromium, or tests/web/install did not install playwright-core")
        return 0
    # Beside the packages, where node looks for them.
    place = WEB / "browser"
    shutil.copytree(ROOT / "tests/web/browser", place, dirs_exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="vigil-browser-") as folder:
        folder = Path(folder)
        stages = {}
        try:
            more = start_stages(stages, folder, build, file)
            told = folder / "stage.json"
            told.write_text(json.dumps({
                "chromium": chromium, "patterns": patterns(), "forms": forms(),
                "pictures": str(ROOT / "docs/pages"),
                "daemons": {name: {"url": stage.url, "token": token_of(stage), **more.get(name, {})}
                            for name, stage in stages.items()}}))
            done = subprocess.run(["node", place / file, told], cwd=place)
            return done.returncode
        finally:
            for stage in stages.values():
                stage.stop()


sys.exit(main())
