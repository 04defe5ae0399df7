"""Takes the pictures of docs/pages.md from a running daemon, by default the one that deploy/demo
left running: pictures.py [URL [TOKEN_FILE]] [--into FOLDER]. Needs chromium, and what
tests/web/install installs."""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
DEMO = ROOT / "build/demo"
WEB = ROOT / "build/web"


def demo_address():
    """@return  where the demo's daemon said that it listens"""
    log = DEMO / "vigild.log"
    said = re.findall(r"address=(http://\S+)", log.read_text()) if log.exists() else []
    return said[-1] if said else sys.exit("no demo is running here: ./deploy/demo starts one")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", nargs="?", help="of the daemon; default: the demo's")
    parser.add_argument("token_file", nargs="?", type=Path)
    parser.add_argument("--into", type=Path, default=ROOT / "docs/pages")
    wish = parser.parse_args()
    url = (wish.url or demo_address()).rstrip("/")
    file = wish.token_file or (None if wish.url else DEMO / "vigild/admin.token")
    token = file.read_text().strip() if file else ""
    place = WEB / "browser"
    shutil.copytree(ROOT / "tests/web/browser", place, dirs_exist_ok=True)
    with urllib.request.urlopen(url + "/healthz", timeout=30):
        pass
    wish.into.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as told:
        json.dump({"chromium": shutil.which("chromium"), "patterns": [],
                   "pictures": str(wish.into.resolve()),
                   "daemons": {"pictured": {"url": url, "token": token}}}, told)
        told.flush()
        return subprocess.run(["node", place / "pictures.mjs", told.name], cwd=place).returncode


sys.exit(main())
