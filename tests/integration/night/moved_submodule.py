"""A night whose culprit only moves a submodule, with real processes: the search goes on among the
submodule's own commits, and the report names the one there.

usage: moved_submodule.py BUILD_FOLDER"""

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


class WithLibrary(Toy):
    """A toy whose number lies in a submodule. pins: for each commit the library's commit."""

    def __init__(self, folder, library, pins):
        self.library = library
        super().__init__(folder, pins)

    def _commit(self, subject, value, broken, number):
        files = {
            "notes.txt": "moves\n" if number == MOVE else f"{subject}\n",
            ".gitmodules": f'[submodule "lib"]\n\tpath = lib\n\turl = {self.library.folder}\n',
            "build.sh": "set -e\nmkdir -p out\ncp lib/value bench.sh out/\n"}
        if number != MOVE:
            for name, text in files.items():
                (self.folder / name).write_text(text)
            self._git("add", "bench.sh", *files)
        pin = self.library.revisions[value]
        self._git("update-index", "--add", "--cacheinfo", f"160000,{pin},lib")
        self._git("commit", "-q", "-m", subject, at=self.start_s + number)
        return self._git("rev-parse", "HEAD").strip()


def check(truth, words):
    if not truth:
        raise AssertionError(words)


def play(folder, build):
    values = [100] * SLOWER + [130] * (NEWEST + 1 - SLOWER)
    library = Toy(folder / "library", values)
    toy = WithLibrary(folder / "origin", library, [0] * MOVE + [NEWEST] * (WORSE + 1 - MOVE))
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
        check(f"`change {SLOWER}`" in report, report)
        return report
    finally:
        stage.stop()


def main():
    with tempfile.TemporaryDirectory(prefix="vigil-submodule-") as folder:
        began = time.monotonic()
        print(play(Path(folder), Path(sys.argv[1]).resolve()))
        print(f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
