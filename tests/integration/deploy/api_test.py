"""The commands of docs/api.md answer what the page shows, one after the other, at a daemon with a
past that is the same each time. usage: api_test.py BUILD_FOLDER [--write]; --write puts today's
answers into the page"""

import difflib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.dont_write_bytecode = True
import pages  # noqa: E402
import past  # noqa: E402

WRITE = "--write" in sys.argv
if WRITE:
    sys.argv.remove("--write")
BUILD = Path(sys.argv.pop(1)).resolve()
PAGE = ROOT / "docs" / "api.md"
END = "the end of an answer"
TODAY = "2025-03-17 09:00"
LATER_S = 366 * 86400


class Page(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="vigil-api-")
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)
        self.began_s = int(time.time())
        self.stage, _ = past.start(
            self.folder / "daemon", BUILD, open_reads="local", heartbeat_s=1)
        self.addCleanup(self.stage.stop)

    def steady(self, text):
        """What is another one in each run is the same here: times of today, and random names."""
        def same(found):
            is_now = self.began_s - 5 <= int(found[0]) <= self.began_s + LATER_S
            return "1742202000" if is_now else found[0]

        today = time.strftime("%Y-%m-%d", time.gmtime(self.began_s))
        text = re.sub(r"\b\d{10}\b", same, text)
        text = re.sub(r"\b\d{4}-\d\d-\d\d( \d\d:\d\d)?",
                      lambda found: TODAY[:len(found[0])] if found[0] >= today else found[0], text)
        text = re.sub(r'("request_id": ?)"[0-9a-f]{16}"', r'\1"5f0c2d1e9a7b6c34"', text)
        text = re.sub(r'("secret": ?)"[^"]*"', r'\1"a long word, shown once"', text)
        try:
            return pages.broken(json.loads(text))
        except ValueError:
            return text

    def settle(self):
        """What the daemon does of itself upon a change is done before the next command."""
        self.stage.wait_for("requests and triggers", lambda: not (
            self.stage.items("requests?state=naming") + self.stage.items("triggers?state=waiting")))

    def answers(self, commands):
        """All in one shell: a later one may use what an earlier one kept."""
        token = self.stage.state_dir / "admin.token"
        (self.folder / ".curlrc").write_text("silent\n")
        found = []
        with (self.folder / "errors").open("w+") as errors, subprocess.Popen(
                ["bash"], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
                cwd=self.folder, env={
                    **os.environ, "PATH": f"{BUILD}:{os.environ['PATH']}", "TZ": "UTC",
                    "CURL_HOME": str(self.folder), "API": self.stage.url + "/api/v1",
                    "TOKEN": token.read_text().strip(), "VIGIL_SERVER": self.stage.url,
                    "VIGIL_TOKEN_FILE": str(token)}) as shell:
            for command in commands:
                shell.stdin.write(f"{command}\necho; echo {END}\n")
                shell.stdin.flush()
                answer = "".join(iter(shell.stdout.readline, END + "\n"))
                found.append(self.steady(answer))
                self.settle()
            shell.stdin.close()
            errors.seek(0)
            self.assertEqual(errors.read(), "")
        return found

    def test_every_command_answers_what_the_page_shows(self):
        lines = PAGE.read_text().splitlines()
        commands = pages.commands_of(lines)
        self.assertGreater(len(commands), 30)
        page = pages.with_answers(lines, self.answers(commands))
        if WRITE:
            PAGE.write_text("\n".join(page) + "\n")
        else:
            differs = difflib.unified_diff(lines, page, "shown", "answered", n=1, lineterm="")
            self.assertEqual("\n".join(differs), "")


if __name__ == "__main__":
    unittest.main()
