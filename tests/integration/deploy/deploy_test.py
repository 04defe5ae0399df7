"""What is installed works: programs from an installation play a night, a backup is made while the
daemon runs, and another daemon goes on from it. usage: deploy_test.py BUILD_FOLDER"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.dont_write_bytecode = True
from stage import Stage  # noqa: E402
from toy import Toy  # noqa: E402

BUILD = Path(sys.argv.pop(1)).resolve()


def backup(*arguments):
    return subprocess.run([ROOT / "deploy" / "backup", *arguments], capture_output=True, text=True)


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory(prefix="vigil-deploy-")
        cls.folder = Path(cls.place.name)
        cls.prefix = cls.folder / "usr"
        cls.install("--prefix", cls.prefix)

    @staticmethod
    def install(*arguments, **variables):
        subprocess.run(["cmake", "--install", BUILD, *arguments], check=True,
                       stdout=subprocess.DEVNULL, env={**os.environ, **variables})

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def play_a_night(self, stage, toy):
        stage.start_daemon(toy.config(stage.folder))
        stage.start_worker("worker-1")
        stage.vigil("trigger", "toy", "--revision", toy.revisions[0])
        stage.wait_for_night(toy.revisions[0])

    def test_a_backup_made_while_the_daemon_runs_is_gone_on_from(self):
        toy = Toy(self.folder / "origin", [100, 100])
        first = Stage(self.folder / "first", self.prefix / "bin")
        second = Stage(self.folder / "second", self.prefix / "bin")
        try:
            self.play_a_night(first, toy)
            done = backup(first.folder / "vigild", self.folder / "copies")
            self.assertEqual(done.returncode, 0, done.stderr)
            nights, jobs = first.items("nightlies"), first.items("jobs")
            run = first.items("runs")[0]
            first.stop()
            [copy] = (self.folder / "copies").iterdir()
            self.assertEqual(sorted(p.name for p in copy.iterdir()), ["content", "ledger.sqlite"])
            shutil.copytree(copy, second.state_dir)
            # A backup holds no secret: whoever asks the second daemon has the first one's token.
            shutil.copy(first.state_dir / "admin.token", second.state_dir)
            second.start_daemon(toy.config(second.folder))
            self.assertEqual(second.items("nightlies"), nights)
            self.assertEqual(second.items("jobs"), jobs)
            with self.subTest("content came along"):
                self.assertTrue((second.folder / "vigild/content" / run["log"][:2] /
                                 run["log"]).is_file())
        finally:
            first.stop()
            second.stop()

    def test_a_backup_of_no_state_folder_is_refused_and_leaves_nothing_that_counts(self):
        done = backup(self.folder / "nowhere", self.folder / "refused")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no state folder", done.stderr)
        self.assertEqual([p for p in (self.folder / "refused").iterdir()
                          if p.suffix != ".partial"], [])
        self.assertEqual(backup("one").returncode, 2)

    def run_program(self, name, *arguments):
        return subprocess.run([self.prefix / "bin" / name, *arguments], capture_output=True,
                              text=True, cwd=self.folder)

    def test_every_program_tells_its_version(self):
        versions = {self.run_program(name, "--version").stdout.removeprefix(name)
                    for name in ("vigild", "vigil", "vigil-worker")}
        self.assertEqual(len(versions), 1, versions)
        self.assertRegex(versions.pop(), r"^ \d+\.\d+\.\d+( \([0-9a-f]{12}(-dirty)?\))?\n$")

    def sections(self, *file):
        return subprocess.run(["readelf", "--wide", "--sections", self.prefix.joinpath(*file)],
                              check=True, capture_output=True, text=True).stdout

    def test_the_programs_are_stripped_and_their_symbols_lie_beside(self):
        for name in ("vigild", "vigil", "vigil-worker", "vigil-child"):
            with self.subTest(name):
                sections = self.sections("bin", name)
                self.assertIn(".gnu_debuglink", sections)
                self.assertNotIn(".debug_", sections)
                self.assertNotIn(".symtab", sections)
                self.assertIn(".symtab", self.sections("bin", ".debug", f"{name}.debug"))
        self.assertIn(".debug_info", self.sections("bin", ".debug", "vigild.debug"))

    def test_the_example_config_is_accepted_as_it_stands(self):
        [example] = self.prefix.glob("share/doc/*/deploy/vigild.example.json")
        done = self.run_program("vigild", "--config", example, "--check-config", "--quiet")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        done = self.run_program("vigild", "--config", example, "--check-config")
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("warning", done.stderr)
        self.assertIn("vigild: tensors: series_rules[0] (", done.stderr)

    def test_a_package_is_installed_into_a_folder_and_knows_its_later_place(self):
        root = self.folder / "root"
        self.install("--prefix", "/usr", DESTDIR=str(root))
        self.assertTrue((root / "usr/bin/vigil-child").is_file())
        unit = (root / "usr/lib/systemd/system/vigild.service").read_text()
        self.assertIn("ExecStart=/usr/bin/vigild --config", unit)

    def test_the_source_of_vigil_bench_lies_where_the_worker_looks(self):
        self.assertTrue((self.prefix / "share/vigil/worker/bench/CMakeLists.txt").is_file())
        config = self.folder / "worker.json"
        token = self.folder / "token"
        token.write_text("x")
        token.chmod(0o600)
        config.write_text('{"server": "http://127.0.0.1:1", "name": "w", "token_file": "%s", '
                          '"state_dir": "%s"}' % (token, self.folder / "w"))
        done = subprocess.run(
            [self.prefix / "bin/vigil-worker", "--config", config, "--check-config"],
            capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(str(self.prefix.resolve() / "share/vigil/worker/bench"), done.stdout)

    def test_the_units_name_the_installed_programs(self):
        units = self.prefix / "lib/systemd/system"
        for name in ("vigild", "vigil-worker"):
            text = (units / f"{name}.service").read_text()
            self.assertIn(f"ExecStart={self.prefix}/bin/{name} --config /etc/vigil/{name}.json",
                          text)
            self.assertNotRegex(text, r"@\w+@")
        several = (units / "vigil-worker@.service").read_text()
        self.assertIn("--config /etc/vigil/vigil-worker@%i.json", several)
        self.assertNotIn("@bin@", several)

    def commands(self):
        """As the program's own help lists them: "token add"."""
        listed = self.run_program("vigil", "--help").stdout.partition("For every command:")[0]
        return set(re.findall(r"^  vigil ([a-z]+(?: [a-z]+)?)", listed, re.MULTILINE))

    def test_the_manual_page_has_every_command(self):
        page = (self.prefix / "share/man/man1/vigil.1").read_text()
        shown = {name.replace("\\-", "-")
                 for name in re.findall(r"^\.SS ([a-z\\-]+(?: [a-z\\-]+)?)", page, re.MULTILINE)}
        self.assertGreater(len(shown), 30)
        self.assertEqual(self.commands() - shown, set())
        for name in ("vigild", "vigil-worker", "vigil-backup"):
            page = (self.prefix / f"share/man/man8/{name}.8").read_text()
            self.assertTrue(page.startswith('.TH "' + name.replace("-", "\\-") + '" 8'), page)

    def complete(self, *words):
        script = self.prefix / "share/bash-completion/completions/vigil"
        done = subprocess.run(
            ["bash", "-c", 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _vigil; '
             'echo "${COMPREPLY[@]}"', script, *words],
            check=True, capture_output=True, text=True, cwd=self.prefix)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_a_shell_completes_commands_options_choices_and_files(self):
        self.assertEqual(set(self.complete("vigil", "")),
                         {name.split()[0] for name in self.commands()})
        self.assertEqual(self.complete("vigil", "token", "re"), ["revoke"])
        self.assertEqual(self.complete("vigil", "token", "add", "x", "--secret"),
                         ["--secret-file"])
        self.assertEqual(self.complete("vigil", "token", "add", "x", "--secret-file", "sh"),
                         ["share"])
        self.assertEqual(self.complete("vigil", "status", "--server", ""), [])
        self.assertIn("--json", self.complete("vigil", "--"))

    def test_the_documentation_comes_along(self):
        [readme] = self.prefix.glob("share/doc/*/README.md")
        pages = [readme, *(readme.parent / "docs").rglob("*.md")]
        links = [(page, link) for page in pages
                 for link in re.findall(r"\]\((?!https?:)([^)#:]+)", page.read_text())]
        self.assertGreater(len(links), 50)
        for page, link in links:
            self.assertTrue((page.parent / link).exists(), f"{page}: {link}")


if __name__ == "__main__":
    os.umask(0o077)
    unittest.main()
