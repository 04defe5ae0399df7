"""Nights whose culprit only moves a dependency, a submodule or a GIT_TAG, with real processes: the
search goes on among the dependency's own commits, and the report names the one there.

usage: moved_dependency.py BUILD_FOLDER"""

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
sys.dont_write_bytecode = True
from stage import Stage  # noqa: E402
from toy import Toy  # noqa: E402

QUIET, MOVE, WORSE = 8, 11, 14   # commits of the project
SLOWER, NEWEST = 6, 10           # commits of the library
VALUES = [100] * SLOWER + [130] * (NEWEST + 1 - SLOWER)


class WithSubmodule(Toy):
    """A toy whose number lies in a submodule. pins: for each commit the library's commit."""

    place = "lib"
    build = "set -e\nmkdir -p out\ncp lib/value bench.sh out/\n"

    def __init__(self, folder, library, pins):
        self.library = library
        super().__init__(folder, pins)

    def _commit(self, subject, value, broken, number):
        if number == 0:
            self._write("build.sh", self.build)
            self._write("bench.sh", (self.folder / "bench.sh").read_text())
        if number != MOVE:
            self._write("notes.txt", f"{subject}\n")
        self._pin(self.library.revisions[value])
        self._git("commit", "-q", "-m", subject, at=self.start_s + number)
        return self._git("rev-parse", "HEAD").strip()

    def _write(self, name, text):
        (self.folder / name).write_text(text)
        self._git("add", name)

    def _pin(self, revision):
        self._write(
            ".gitmodules", f'[submodule "lib"]\n\tpath = lib\n\turl = {self.library.folder}\n')
        self._git("update-index", "--add", "--cacheinfo", f"160000,{revision},lib")


class WithTag(WithSubmodule):
    """The same with a GIT_TAG, first a hash, then the name of a tag. Its build looks up what CMake
    would fetch."""

    place = "deps.cmake line 3"
    build = """set -e
mkdir -p out
cp bench.sh out/
tag=$(sed -n 's/.*GIT_TAG //p' deps.cmake)
sed -n "s/^$tag //p" table > out/value
"""

    def _pin(self, revision):
        names = dict(zip(self.library.revisions, VALUES)) | {"v1.0": VALUES[NEWEST]}
        self._write("table", "".join(f"{one} {value}\n" for one, value in names.items()))
        if revision == self.library.revisions[NEWEST]:
            self.library._git("tag", "-f", "v1.0", revision)
            revision = "v1.0"
        self._write("deps.cmake", f"FetchContent_Declare(lib\n  GIT_REPOSITORY "
                                  f"{self.library.folder}\n  GIT_TAG {revision}\n)\n")


def check(truth, words):
    if not truth:
        raise AssertionError(words)


def play(folder, build, kind):
    library = Toy(folder / "library", VALUES)
    toy = kind(folder / "origin", library, [0] * MOVE + [NEWEST] * (WORSE + 1 - MOVE))
    stage = Stage(folder, build)
    try:
        stage.start_daemon(toy.config(folder))
        for worker in ("worker-1", "worker-2"):
            stage.start_worker(worker)
        for commit in [*range(QUIET), WORSE]:
            stage.vigil("trigger", "toy", "--revision", toy.revisions[commit])
            stage.wait_for(f"the night of change {commit}", lambda: (
                stage.night_of(toy.revisions[commit]) or {}).get("state") in ("done", "failed"))
        (found,) = stage.items("regressions?limit=10")
        check(found["culprit"] == toy.revisions[MOVE], f"named {found}")
        check(library.revisions[SLOWER][:10] in found["reason"], f"inside: {found['reason']}")
        report = stage.wait_for_report(library.revisions[SLOWER])
        check(f"- In `{kind.place}`: " in report and f"`change {SLOWER}`" in report, report)
        return report
    finally:
        stage.stop()


def main():
    for kind in (WithSubmodule, WithTag):
        with tempfile.TemporaryDirectory(prefix="vigil-moved-") as folder:
            began = time.monotonic()
            print(play(Path(folder), Path(sys.argv[1]).resolve(), kind))
            print(f"{kind.__name__}: {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
