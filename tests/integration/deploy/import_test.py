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
from stage import Stage  # noqa: E402

WRITE = "--write" in sys.argv
if WRITE:
    sys.argv.remove("--write")
BUILD = Path(sys.argv.pop(1)).resolve()
PAGE = ROOT / "docs" / "import.md"
PROMPT = "    $ "
CONFIG = {"state_dir": "vigild", "http": {"port": 0},
          "projects": {name: {"source": {"kind": "elsewhere"}} for name in ("lab", "years")}}


def commands(lines):
    """Each command with the lines of its answer."""
    found = []
    for line in lines:
        if line.startswith(PROMPT):
            found.append((line, []))
        elif found and line.startswith("    ") and found[-1] is not None:
            found[-1][1].append(line)
        elif found and found[-1] is not None:
            found.append(None)
    return [one for one in found if one]


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
        return ["    " + line.rstrip() for line in done.stdout.splitlines()]

    def test_every_command_answers_what_the_page_shows(self):
        lines = PAGE.read_text().splitlines()
        pairs = commands(lines)
        self.assertGreater(len(pairs), 15)
        page = []
        answers = {line: self.answer(line.removeprefix(PROMPT)) for line, _ in pairs}
        if not WRITE:
            for line, shown in pairs:
                self.assertEqual(shown, answers[line], line)
            return
        skips = False
        for line in lines:
            skips = skips and line.startswith("    ") and not line.startswith(PROMPT)
            if not skips:
                page.append(line)
            if line.startswith(PROMPT):
                page += answers[line]
                skips = True
        PAGE.write_text("\n".join(page) + "\n")


if __name__ == "__main__":
    unittest.main()
