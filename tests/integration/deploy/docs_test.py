"""What the documentation says to run works as pasted: the commands of docs/operations.md, in an
installation of their own, and every mention of a command, which has to know its options.
usage: docs_test.py BUILD_FOLDER"""

import json
import os
import re
import shlex
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.dont_write_bytecode = True
from stage import Stage  # noqa: E402

BUILD = Path(sys.argv.pop(1)).resolve()
OPERATIONS = (ROOT / "docs" / "operations.md").read_text()
PROGRAMS = ("vigil", "vigild", "vigil-worker", "vigil-backup")
# What only the machine's own root can do; what it is for is done by the test.
ROOTS = ("useradd ", "systemctl ", "./deploy/install", "cmake ")


def blocks(text):
    return re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


class Pasted(unittest.TestCase):
    """/etc, /var and /usr are folders of the test."""

    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="vigil-docs-")
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)
        subprocess.run(["cmake", "--install", BUILD, "--prefix", self.folder / "usr"], check=True,
                       stdout=subprocess.DEVNULL)
        self.stage = Stage(self.folder, self.folder / "usr" / "bin")
        self.addCleanup(self.stage.stop)

    def here(self, text):
        text = re.sub(r"(?<![\w.])/(etc|var|usr/share)/", f"{self.folder}/\\1/", text)
        text = text.replace(" -o vigil -g vigil", "").replace("runuser -u vigil -- ", "")
        return text.replace(f"{self.folder}/usr/share/doc/vigil",
                            str(next(self.folder.glob("usr/share/doc/*"))))

    def paste(self, block):
        lines = self.here(block).replace("\\\n", " ").splitlines(keepends=True)
        script = "".join(line for line in lines if not line.startswith(ROOTS))
        return subprocess.run(
            ["bash", "-eu", "-c", script], text=True, capture_output=True, cwd=self.folder,
            env={**os.environ, "PATH": f"{self.folder}/usr/bin:{os.environ['PATH']}",
                 "VIGIL_SERVER": self.stage.url or "http://127.0.0.1:1"})

    def edit(self, name, *pairs):
        file = self.folder / "etc" / "vigil" / name
        text = file.read_text()
        for old, new in pairs:
            self.assertIn(old, text)
            text = text.replace(old, new)
        file.write_text(text)

    def pasted(self, block):
        done = self.paste(block)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def start_daemon(self):
        self.stage.restart_daemon(
            [self.folder / "usr/bin/vigild", "--config", self.folder / "etc/vigil/vigild.json"])

    def test_the_commands_of_operations_work_one_after_the_other(self):
        (self.folder / "etc").mkdir()
        (self.folder / "var").mkdir()
        _, service, worker, several, tokens, lost, past, backup = blocks(OPERATIONS)
        self.assertNotIn(" vigil ", several)
        self.assertIn("vigil backfill", past)  # of a project; its own test runs it
        self.pasted(service)
        # What a person edits before the start, and what systemd does.
        self.edit("vigild.json", ("/var/lib", f"{self.folder}/var/lib"),
                  ('"port": 8321', '"port": 0'), ("/srv/nightlies", str(self.folder)))
        self.start_daemon()
        failed = self.paste(worker)  # the example's paths are those of the machine
        self.assertIn("/etc/vigil/vigil-worker.token", failed.stderr)
        self.edit("vigil-worker.json", ("/etc/vigil", f"{self.folder}/etc/vigil"),
                  ("/var/lib", f"{self.folder}/var/lib"))
        token = self.folder / "etc/vigil/vigil-worker.token"
        self.assertEqual(stat.S_IMODE(token.stat().st_mode), 0o600)
        self.pasted(worker.splitlines(keepends=True)[-2])
        self.pasted(tokens)
        names = {token["name"]: token["revoked_at_s"] for token in self.tokens()}
        self.assertEqual(set(names), {"admin", "xeon-1", "alice"})
        self.assertIsNotNone(names["alice"])
        (self.folder / "var/backups").mkdir()
        self.pasted(backup)
        self.assertTrue(list(self.folder.glob("var/backups/vigil-*/ledger.sqlite")))
        self.stage.stop()
        old = (self.folder / "var/lib/vigil/admin.token").read_text()
        self.pasted(lost)
        self.start_daemon()
        self.assertNotEqual((self.folder / "var/lib/vigil/admin.token").read_text(), old)
        self.assertIn("admin", {token["name"] for token in self.tokens()})

    def tokens(self):
        admin = self.folder / "var/lib/vigil/admin.token"
        listed = subprocess.run(
            [self.folder / "usr/bin/vigil", "--server", self.stage.url, "--token-file", admin,
             "token", "list", "--json"], check=True, text=True, stdout=subprocess.PIPE)
        found = json.loads(listed.stdout)
        return found["items"] if isinstance(found, dict) else found


class Mentioned(unittest.TestCase):
    def mentions(self):
        pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"),
                 *(ROOT / "deploy").glob("*.json"), *(ROOT / "deploy").glob("*.in")]
        for page in pages:
            text = page.read_text()
            spans = re.findall(r"`(vigil(?:d|-worker|-lab)? [^`]*)`", text)
            spans += re.findall(
                r"^(?:    )?(vigil(?:d|-worker|-lab)? .*(?:\\\n.*)*)", text, re.MULTILINE)
            for span in spans:
                yield page.name, span.replace("\\\n", " ")

    def test_every_command_that_is_mentioned_has_the_options_that_are(self):
        seen = 0
        for page, command in self.mentions():
            try:
                words = shlex.split(command, comments=True)
            except ValueError:
                continue  # prose behind a name
            options = [word.split("=")[0] for word in words if word.startswith("--")]
            if not options:
                continue
            name = []
            if words[0] in ("vigil", "vigil-lab"):
                plain = [word for word in words[1:] if re.fullmatch(r"[a-z]+", word)]
                for length in (2, 1):
                    asked = subprocess.run([BUILD / words[0], *plain[:length], "--help"],
                                           capture_output=True, text=True)
                    if asked.returncode == 0:
                        name = plain[:length]
                        break
            known = subprocess.run([BUILD / words[0], *name, "--help"], capture_output=True,
                                   text=True)
            with self.subTest(page=page, command=command):
                self.assertEqual(known.returncode, 0, known.stderr)
                for option in options:
                    self.assertIn(option, known.stdout)
            seen += 1
        self.assertGreater(seen, 20)


if __name__ == "__main__":
    unittest.main()
