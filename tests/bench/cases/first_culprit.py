"""From an empty config to the first named culprit, for a repository with a submodule and a program
of Google Benchmark with 300 cases: what a person types, and what the machine takes. Needs
libbenchmark-dev and cmake.

usage: first_culprit.py BUILD_FOLDER [QUIET_COMMITS]"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.dont_write_bytecode = True
from stage import Stage  # noqa: E402

KERNELS, SIZES = 30, 10
MIN_TIME_S = 0.02
SLOW = 11   # this kernel becomes slower
CMAKE = """cmake_minimum_required(VERSION 3.20)
project(kernels CXX)
set(CMAKE_CXX_STANDARD 17)
find_package(benchmark REQUIRED)
add_executable(kernels_bench kernels_bench.cpp)
target_include_directories(kernels_bench PRIVATE third/steps/include)
target_link_libraries(kernels_bench benchmark::benchmark benchmark::benchmark_main)
"""
STEPS = """#pragma once
inline unsigned mixed(unsigned x) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; return x; }
"""


def kernels(rounds):
    text = '#include <benchmark/benchmark.h>\n#include "steps.hpp"\n'
    for number in range(KERNELS):
        more = rounds if number == SLOW else 100
        text += (f"static void BM_Kernel{number}(benchmark::State& state) {{\n"
                 f"  for (auto _ : state) {{\n    unsigned x = {number + 1};\n"
                 f"    for (int i = 0; i < state.range(0) * {more} / 100; ++i) x = mixed(x + i);\n"
                 "    benchmark::DoNotOptimize(x);\n  }\n}\n"
                 f"BENCHMARK(BM_Kernel{number})->DenseRange(1000, {1000 * SIZES}, 1000);\n")
    return text


class Repository:
    def __init__(self, folder):
        self.folder, self.library = folder / "kernels", folder / "steps"
        for place in (self.folder, self.library):
            place.mkdir()
            self.git("init", "-q", "-b", "main", at=place)
        (self.library / "include").mkdir()
        (self.library / "include" / "steps.hpp").write_text(STEPS)
        self.commit("steps", at=self.library)
        self.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(self.library),
                 "third/steps")
        (self.folder / "CMakeLists.txt").write_text(CMAKE)

    def git(self, *arguments, at=None):
        clean = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        who = {f"GIT_{who}_{what}": f"author@example.invalid" for who in ("AUTHOR", "COMMITTER")
               for what in ("NAME", "EMAIL")}
        done = subprocess.run(["git", "-C", at or self.folder, *arguments], check=True, text=True,
                              env={**clean, **who}, stdout=subprocess.PIPE)
        return done.stdout.strip()

    def commit(self, subject, at=None):
        self.git("add", "-A", at=at)
        self.git("commit", "-q", "-m", subject, at=at)
        return self.git("rev-parse", "HEAD", at=at)

    def change(self, number, rounds):
        (self.folder / "kernels_bench.cpp").write_text(kernels(rounds))
        (self.folder / "notes.txt").write_text(f"change {number}\n")
        return self.commit(f"change {number}")


class Person:
    """Runs what the text of `vigil init` says to run, and keeps what was typed."""

    def __init__(self):
        self.typed, self.config_lines = [], 0

    def types(self, command, cwd):
        self.typed.append(command)
        done = subprocess.run(shlex.split(command), cwd=cwd, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{command}: {done.stdout}{done.stderr}")
        return done.stdout


def main():
    build = Path(sys.argv[1]).resolve()
    quiet = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    with tempfile.TemporaryDirectory(prefix="vigil-first-") as place:
        folder = Path(place)
        repository = Repository(folder)
        for number in range(quiet):
            repository.change(number, 100)
        person, began = Person(), time.monotonic()
        said = person.types(f"{build}/vigil init --into {folder}/here", repository.folder)
        config = json.loads("\n".join(
            line.split("//")[0] if '"http' not in line else line
            for line in (folder / "here" / "vigild.json").read_text().splitlines()))
        lines = [line for line in (folder / "here" / "vigild.json").read_text().splitlines()
                 if line.strip() and not line.strip().startswith("//")]
        (project,) = config["projects"]
        # The one line that a person edits: half a second for each of 300 cases is a long run.
        (benchmark,) = config["projects"][project]["suites"]["core"].values()
        benchmark["command"] += f" --benchmark_min_time={MIN_TIME_S}"
        config["http"]["port"] = 0
        config["projects"][project].pop("schedule")
        config["state_dir"] = str(folder / "vigild")
        config["report_targets"]["folder"]["path"] = str(folder / "reports")
        stage = Stage(folder, build)
        try:
            stage.start_daemon(config)
            stage.start_worker("worker-1")
            revisions = repository.git("rev-list", "--reverse", "HEAD").split()[-quiet:]
            nights = []
            for revision in revisions:
                from_s = time.monotonic()
                stage.vigil("trigger", project, "--revision", revision, "--wait")
                nights.append(time.monotonic() - from_s)
            for number in range(quiet, quiet + 5):
                last = repository.change(number, 115 if number >= quiet + 3 else 100)
                if number == quiet + 3:
                    culprit = last
            from_s = time.monotonic()
            stage.vigil("trigger", project, "--revision", last)
            stage.wait_for("the night", lambda: (stage.night_of(last) or {}).get("state") in
                           ("done", "failed"))
            search_s = time.monotonic() - from_s
            found = stage.items("regressions?limit=10")
            runs = stage.items("runs?limit=200")
            alone = [run for run in runs if run["case"]]
            print(json.dumps({
                "named": [one["culprit"] == culprit for one in found],
                "series": sum(len(one["series"]) for one in found),
                "cases": KERNELS * SIZES,
                "lines edited": 1,
                "commands typed": len(person.typed) + said.count("\n       "),
                "lines of config, all written by vigil init": len(lines),
                "a night, s": round(sum(nights) / len(nights), 1),
                "first night to culprit, s": round(time.monotonic() - began, 1),
                "last night with confirmation and search, s": round(search_s, 1),
                "runs of a case alone": len(alone),
                "seconds of one, seconds of the whole program": [
                    round(sum(run["duration_ns"] for run in some) * 1e-9 / max(len(some), 1), 2)
                    for some in (alone, [run for run in runs if not run["case"]])]}, indent=1))
        finally:
            stage.stop()


main()
