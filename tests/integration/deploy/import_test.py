"""The commands of docs/import.md answer what the page shows.
usage: import_test.py BUILD_FOLDER [--write]; --write puts today's answers into the page"""

import os
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.dont_write_bytecode = True
import pages  # noqa: E402
from stage import Stage  # noqa: E402

WRITE = "--write" in sys.argv
if WRITE:
    sys.argv.remove("--write")
BUILD = Path(sys.argv.pop(1)).resolve()
PAGE = ROOT / "docs" / "import.md"
CONFIG = {"state_dir": "vigild", "http": {"port": 0},
          "projects": {name: {"source": {"kind": "elsewhere"}} for name in ("lab", "years")}}


class Page(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="vigil-import-")
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)
        self.stage = Stage(self.folder, BUILD)
        self.addCleanup(self.stage.stop)
        self.stage.start_daemon(CONFIG)

    def answer(self, command):
        words = shlex.split(command)
        done = subprocess.run(
            [BUILD / words[0], "--server", self.stage.url, "--token-file",
             self.folder / "vigild/admin.token", *words[1:]],
            text=True, capture_output=True, cwd=ROOT / "tests/data/harness", env=os.environ)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stderr}")
        return done.stdout

    def test_every_command_answers_what_the_page_shows(self):
        lines = PAGE.read_text().splitlines()
        commands = pages.commands_of(lines)
        self.assertGreater(len(commands), 15)
        page = pages.with_answers(lines, [self.answer(command) for command in commands])
        if WRITE:
            PAGE.write_text("\n".join(page) + "\n")
        else:
            self.assertEqual(lines, page)


if __name__ == "__main__":
    unittest.main()
