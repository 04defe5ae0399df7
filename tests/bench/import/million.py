"""How long years of results from elsewhere take: 1,000 nights of 1,000 benchmarks, sent to a daemon
by `vigil import`, beside a bare table of the same values filled by Python's sqlite3.
usage: million.py BUILD_FOLDER [NIGHTS [BENCHMARKS]]"""

import sqlite3
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.dont_write_bytecode = True
from stage import Stage  # noqa: E402

BUILD = Path(sys.argv[1]).resolve()
NIGHTS = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
BENCHMARKS = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
NIGHTS_A_FILE = 50
FIRST = datetime(2020, 1, 1, 6, tzinfo=timezone.utc)


def value(night, benchmark):
    return 1 + benchmark % 97 + ((night * 7919 + benchmark * 104729) % 1000) / 1e5


def write_files(folder):
    files = []
    for begin in range(0, NIGHTS, NIGHTS_A_FILE):
        files.append(folder / f"nights-{begin:05}.csv")
        with files[-1].open("w") as file:
            file.write("benchmark,value,unit,revision,time\n")
            for night in range(begin, min(begin + NIGHTS_A_FILE, NIGHTS)):
                behind = f"ms,{night + 1:040x},{FIRST + timedelta(days=night):%Y-%m-%dT%H:%M:%SZ}"
                file.writelines(f"suite/case-{one},{value(night, one):.5f},{behind}\n"
                                for one in range(BENCHMARKS))
    return files


def reference_s(folder):
    ledger = sqlite3.connect(folder / "bare.sqlite")
    ledger.execute("PRAGMA journal_mode = WAL")
    ledger.execute("CREATE TABLE value (series INTEGER, night INTEGER, value REAL, "
                   "PRIMARY KEY (series, night)) WITHOUT ROWID")
    begun = time.monotonic()
    for night in range(NIGHTS):
        with ledger:
            ledger.executemany("INSERT INTO value VALUES (?, ?, ?)",
                               ((one, night, value(night, one)) for one in range(BENCHMARKS)))
    return time.monotonic() - begun


def send(stage, files, *more):
    begun = time.monotonic()
    done = subprocess.run(
        [BUILD / "vigil", "--server", stage.url, "--token-file",
         stage.folder / "vigild/admin.token", "import", *files, "--project", "lab",
         "--machine-class", "ci", *more], text=True, stdout=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit("vigil import failed")
    return time.monotonic() - begun, done.stdout.splitlines()[-1]


def main():
    with tempfile.TemporaryDirectory(prefix="vigil-million-") as place:
        folder = Path(place)
        stage = Stage(folder / "stage", BUILD)
        try:
            stage.start_daemon({"state_dir": "vigild", "http": {"port": 0},
                                "projects": {"lab": {"source": {"kind": "elsewhere"}}}})
            files = write_files(folder)
            size = sum(file.stat().st_size for file in files) >> 20
            print(f"{NIGHTS} nights of {BENCHMARKS} benchmarks: {NIGHTS * BENCHMARKS} values, "
                  f"{len(files)} files, {size} MiB")
            taken_s, words = send(stage, files)
            print(f"vigil import            {taken_s:6.1f} s  {words}")
            again_s, words = send(stage, files)
            print(f"the same again          {again_s:6.1f} s  {words}")
            print(f"a bare table of SQLite  {reference_s(folder):6.1f} s")
        finally:
            stage.stop()


main()
