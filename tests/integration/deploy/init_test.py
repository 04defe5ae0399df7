"""What `vigil init` writes works as it stands: vigild accepts it, and where the benchmark was found
a night passes by the commands that it prints. usage: init_test.py BUILD_FOLDER"""

import json
import os
import re
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

BUILD = Path(sys.argv.pop(1)).resolve()
PROGRAM = "#include <cstdio>\nint main() { double s = 0; for (int i = 1; i < 9000000; ++i) " \
          "s += 1.0 / i; std::printf(\"%g\\n\", s); }\n"
REPOSITORIES = {
    "cmake": {"CMakeLists.txt": "cmake_minimum_required(VERSION 3.20)\nproject(x CXX)\n"
                                "add_subdirectory(bench)\n",
              "bench/CMakeLists.txt": "add_executable(bench_sum sum.cpp)\n",
              "bench/sum.cpp": PROGRAM},
    "make": {"Makefile": "sum: sum.cpp\n\t$(CXX) -O1 -o sum sum.cpp\nbench: sum\n\t./sum\n",
             "sum.cpp": PROGRAM},
    "python": {"pyproject.toml": "", "benchmarks/bench_sum.py": "print(sum(range(3000000)))\n"},
    "cargo": {"Cargo.toml": "[package]\nname = 'x'\n", "benches/parse.rs": ""},
    "npm": {"package.json": "{\"scripts\": {\"bench\": \"node b.js\"}}", "b.js": ""},
    "meson": {"meson.build": "executable('bench', 'b.c')\n", "b.c": ""},
    "nothing known": {"README": "words"}}


def run(program, *arguments, cwd="/"):
    return subprocess.run([BUILD / program, *arguments], cwd=cwd, capture_output=True, text=True)


class Init(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="vigil-init-")
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name).resolve()

    def make_repository(self, name, where=None):
        repository = self.folder / (where or name)
        repository.mkdir()
        for file, text in REPOSITORIES[name].items():
            (repository / file).parent.mkdir(exist_ok=True, parents=True)
            (repository / file).write_text(text)
        self.git(repository, "init", "-q", "-b", "trunk")
        self.git(repository, "add", "-A")
        self.git(repository, "-c", "user.name=a", "-c", "user.email=a@example.org",
                 "commit", "-q", "-m", "all of it")
        return repository

    @staticmethod
    def git(repository, *arguments):
        clean = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        return subprocess.run(["git", "-C", repository, *arguments], check=True, env=clean,
                              stdout=subprocess.PIPE, text=True).stdout.strip()

    def test_a_program_of_many_benchmarks_is_asked_for_them_where_it_is_built(self):
        REPOSITORIES["google"] = {
            "CMakeLists.txt": "add_executable(bench_all b.cpp)\n"
                              "target_link_libraries(bench_all benchmark::benchmark)\n",
            "b.cpp": "BENCHMARK_MAIN();\n"}
        self.addCleanup(REPOSITORIES.pop, "google")
        repository = self.make_repository("google")
        program = repository / "build" / "bench_all"

        def init(*options):
            done = run("vigil", "init", "--force", *options, cwd=repository)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return done.stdout

        self.assertIn("build/bench_all is not built here, so its benchmarks were not counted\n",
                      init())
        program.parent.mkdir()
        program.write_text("#!/bin/sh\n[ \"$*\" = --benchmark_list_tests=true ] || exit 3\n"
                           "printf 'BM_Sort/8\\nBM_Sort/64\\n\\nBM_Scan\\n'\n")
        program.chmod(0o755)
        self.assertIn("Found: CMake; a benchmark: build/bench_all --benchmark_format=json\n"
                      "It lists 3 benchmarks; each is a series.\n", init())
        self.assertEqual(json.loads(init("--json"))["cases"], 3)
        self.assertIsNone(json.loads(init("--json", "--no-run"))["cases"])
        program.write_text("#!/bin/sh\necho broken >&2\nexit 9\n")
        self.assertIn("build/bench_all --benchmark_list_tests=true: it ends with exit code 9: "
                      "broken\n", init())
        program.write_text("#!/bin/sh\n")
        self.assertIn("build/bench_all lists no benchmark; is it the right program?\n", init())

    def test_vigild_accepts_the_config_of_every_kind_but_for_what_is_to_be_filled_in(self):
        for name in REPOSITORIES:
            with self.subTest(name):
                repository = self.make_repository(name)
                done = run("vigil", "init", cwd=repository)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                config = repository / "vigil" / "vigild.json"
                checked = run("vigild", "--config", config, "--check-config")
                if name == "nothing known":
                    self.assertEqual((checked.returncode, checked.stdout), (2, ""))
                    self.assertIn(".command is still marked FILL IN", checked.stderr)
                    continue
                told = "a comment is still marked FILL IN" if name == "cargo" else ""
                self.assertIn(told, checked.stderr)
                self.assertEqual((checked.returncode, bool(checked.stderr)), (0, bool(told)))
                [project] = json.loads(checked.stdout)["projects"].values()
                self.assertEqual(project["source"]["branch"], "trunk")
                self.assertEqual(project["source"]["repository"], str(repository))
                marked = name in ("cargo", "nothing known")
                self.assertEqual("FILL IN" in config.read_text(), marked)
                self.assertEqual("FILL IN" in done.stdout, marked)
                self.assertEqual(self.git(repository, "status", "--porcelain"), "")

    def test_the_units_are_right(self):
        repository = self.make_repository("make", "an odd 100% name")
        run("vigil", "init", cwd=repository)
        units = sorted((repository / "vigil").glob("*.service"))
        self.assertEqual(len(units), 2)
        for unit in units:
            done = subprocess.run(["systemd-analyze", "verify", "--user", unit],
                                  capture_output=True, text=True)
            self.assertNotIn(unit.name, done.stderr)

    def test_nothing_is_overwritten_without_force(self):
        repository = self.make_repository("make")
        self.assertEqual(run("vigil", "init", cwd=repository).returncode, 0)
        config = repository / "vigil" / "vigild.json"
        config.write_text("mine")
        (repository / "vigil" / "vigild.service").unlink()
        refused = run("vigil", "init", cwd=repository)
        self.assertEqual(refused.returncode, 4)
        self.assertIn("--force", refused.stderr)
        self.assertEqual(config.read_text(), "mine")
        self.assertFalse((repository / "vigil" / "vigild.service").exists())
        self.assertEqual(run("vigil", "init", "--force", cwd=repository).returncode, 0)
        self.assertIn("state_dir", config.read_text())

    def test_it_says_what_it_needs(self):
        nowhere = run("vigil", "init", cwd=self.folder)
        self.assertEqual(nowhere.returncode, 4)
        self.assertIn("no git repository", nowhere.stderr)
        repository = self.make_repository("make")
        (self.folder / "file").write_text("")
        blocked = run("vigil", "init", "--into", self.folder / "file" / "x", cwd=repository)
        self.assertEqual(blocked.returncode, 3)
        below = run("vigil", "init", "--json", "--into", self.folder / "made", cwd=repository)
        answer = json.loads(below.stdout)
        self.assertEqual((answer["kind"], answer["command"], answer["fill_in"]),
                         ("Make", "make --silent bench", 0))
        self.assertTrue((self.folder / "made" / "vigil-worker.json").exists())

    def play(self, name):
        """What a person does who pastes one printed command after the other."""
        repository = self.make_repository(name, f"it's {name}")
        printed = run("vigil", "init", cwd=repository).stdout
        commands = [shlex.split(line) for line in printed.splitlines() if line[:7] == " " * 7]
        foreground = [c for c in commands if c[0] != "systemctl"]
        check, daemon, token, worker, trigger, backfill, secret = foreground
        self.assertEqual([Path(c[0]).name for c in foreground],
                         ["vigild", "vigild", "vigil", "vigil-worker", "vigil", "vigil", "cat"])
        checked = subprocess.run(check, check=True, capture_output=True, text=True).stdout
        config = repository / "vigil" / "vigild.json"
        config.write_text(re.sub(r'"port": 8321', '"port": 0', config.read_text()))
        stage = Stage(self.folder, BUILD)
        stage.state_dir = Path(json.loads(checked)["state_dir"])
        self.addCleanup(stage.stop)
        stage.restart_daemon(daemon)
        settings = repository / "vigil" / "vigil-worker.json"
        settings.write_text(settings.read_text().replace("http://127.0.0.1:8321", stage.url))
        subprocess.run([*token, "--server", stage.url], check=True, stdout=subprocess.DEVNULL)
        stage.start("worker", worker)
        asked = [part for part in trigger if part != "--wait"]
        subprocess.run([*asked, "--server", stage.url], check=True, stdout=subprocess.DEVNULL)
        night = stage.wait_for_night(self.git(repository, "rev-parse", "HEAD"))
        runs = stage.items("runs?limit=100")
        self.assertEqual({run["outcome"] for run in runs}, {"passed"}, night)
        asked = json.loads(subprocess.run([*backfill, "--dry-run", "--json", "--server", stage.url],
                                          check=True, stdout=subprocess.PIPE, text=True).stdout)
        self.assertEqual(asked["most_nights"], 14, "the earlier nights can be asked for")
        self.assertEqual(Path(secret[1]), stage.state_dir / "admin.token")
        stage.wait_for("the summary", lambda: list((repository / "vigil/reports").glob("*.md")))

    def test_a_night_of_a_cmake_project_passes_by_the_printed_commands(self):
        self.play("cmake")

    def test_a_night_of_a_make_project_passes_by_the_printed_commands(self):
        self.play("make")

    def test_a_night_of_a_python_project_passes_by_the_printed_commands(self):
        self.play("python")


if __name__ == "__main__":
    unittest.main()
