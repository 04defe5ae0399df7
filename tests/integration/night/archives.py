"""Nights that come as archives, with real processes: the older ones are measured as history, what a
commit made worse is named by building sources, and archives that differ without their sources name
nobody.

usage: archives.py BUILD_FOLDER"""

import hashlib
import io
import json
import sys
import tarfile
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
sys.dont_write_bytecode = True
from stage import Stage  # noqa: E402
from toy import BENCH, Toy  # noqa: E402

QUIET, CULPRIT, WORSE, OTHER, COMMITS = 8, 19, 24, 28, 30
BETWEEN = (11, 15, 18, 20)  # commits of archives that came while nothing was measured


def check(truth, words):
    if not truth:
        raise AssertionError(words)


def drop(folder, toy, number, commit, value):
    """Tonight's archive: what the source of the commit gives, made by somebody else."""
    version = f"night-{number:02}"
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, text in (("out/value", f"{value}\n"), ("out/bench.sh", BENCH)):
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    (folder / f"{version}.tar.gz").write_bytes(packed.getvalue())
    (folder / f"{version}.json").write_text(json.dumps({
        "version": version, "day": f"2026-02-{number + 1:02}", "revision": toy.revisions[commit],
        "archive": f"{version}.tar.gz", "sha256": hashlib.sha256(packed.getvalue()).hexdigest()}))


def drop_source(folder, toy, commit):
    """Tonight's archive: the source of the commit itself."""
    version = f"night-{commit:02}"
    archive = folder / f"{version}.tar.gz"
    toy._git("archive", "-o", archive, toy.revisions[commit])
    (folder / f"{version}.json").write_text(json.dumps({
        "version": version, "day": f"2026-02-{commit + 1:02}", "revision": toy.revisions[commit],
        "archive": archive.name, "sha256": hashlib.sha256(archive.read_bytes()).hexdigest()}))


def measure(stage, revision):
    stage.vigil("trigger", "toy")

    def over():
        night = stage.night_of(revision)
        return night if night and night["state"] in ("done", "failed") else None

    return stage.wait_for(f"the night of {revision[:10]}", over)


def newest_regression(stage):
    return max(stage.items("regressions?limit=10"), key=lambda one: one["id"])


def play(folder, build):
    values = [100] * CULPRIT + [130] * (COMMITS - CULPRIT)
    toy = Toy(folder / "origin", values)
    drops = folder / "drop"
    drops.mkdir()
    config = toy.config(
        folder,
        source={"kind": "directory", "path": str(drops), "repository": str(toy.folder)},
        recipe={"outputs": ["out"]},
        source_recipe={"commands": ["sh build.sh"], "outputs": ["out"]})
    stage = Stage(folder, build)
    try:
        stage.start_daemon(config)
        for worker in ("worker-1", "worker-2"):
            stage.start_worker(worker)
        for night in range(QUIET):
            drop(drops, toy, night, night, values[night])
        measure(stage, toy.revisions[QUIET - 1])
        (drops / "night-02.tar.gz").unlink()
        said = stage.vigil("backfill", "toy", "--nights", "30", "--wait")
        words = f"{QUIET - 2} nights were measured, 1 archive was skipped, 0 steps"
        check(words in said["message"], said)
        for night, commit in enumerate((*BETWEEN, WORSE)):
            drop(drops, toy, QUIET + night, commit, values[commit])
        newest = QUIET + len(BETWEEN)
        measure(stage, toy.revisions[WORSE])
        found = newest_regression(stage)
        check(found["culprit"] == toy.revisions[CULPRIT], f"named {found}")
        report = stage.wait_for_report(toy.revisions[CULPRIT][:10])
        check("the archives of the two nights differ" in report, report)
        check(f"4 archives measured first: after `night-{newest - 2}`, up to and with "
              f"`night-{newest - 1}`" in report, report)
        searches = stage.items("bisections?limit=10")
        check([one["kind"] for one in searches] == ["change", "nights"], f"searched {searches}")
        line = stage.get(f"/api/v1/bisections/{searches[0]['id']}")["suspects"]
        check(len(line) == 3, f"{line} are left")
        check("git clone" in report and "sh build.sh" in report, report)

        # The next archives are made with other flags.
        for night, commit in enumerate(range(WORSE + 1, OTHER)):
            drop(drops, toy, newest + 1 + night, commit, values[commit])
            measure(stage, toy.revisions[commit])
        drop(drops, toy, newest + 1 + OTHER - WORSE, OTHER, 1.3 * values[OTHER])
        measure(stage, toy.revisions[OTHER])
        other = newest_regression(stage)
        check(other["id"] != found["id"] and other["culprit"] is None, f"named {other}")
        check("look at how the nightlies are made" in other["reason"], f"told {other}")
        check(len(stage.items("regressions?limit=10")) == 2, "there are others")
        return report
    finally:
        stage.stop()


def products(stage, revision, kind):
    (build,) = [one for one in stage.items("builds?limit=200")
                if one["revision"] == revision and one["input_kind"] == kind]
    made = stage.get(f"/api/v1/builds/{build['id']}")["products"]
    return [{key: value for key, value in one.items() if key != "id"} for one in made]


def play_sources(folder, build):
    """Archives of sources: what the nights built is not built again by the search."""
    toy = Toy(folder / "origin", [100] * (QUIET + 2) + [130] * 2)
    drops = folder / "drop"
    drops.mkdir()
    stage = Stage(folder, build)
    try:
        stage.start_daemon(toy.config(
            folder,
            source={"kind": "directory", "path": str(drops), "repository": str(toy.folder)},
            source_recipe="same"))
        stage.start_worker("worker-1")
        for commit in (*range(QUIET), QUIET + 3):
            drop_source(drops, toy, commit)
            measure(stage, toy.revisions[commit])
        found = newest_regression(stage)
        check(found["culprit"] == toy.revisions[QUIET + 2], f"named {found}")
        for commit in (QUIET - 1, QUIET + 3):
            sides = [products(stage, toy.revisions[commit], kind)
                     for kind in ("archive", "source_tree")]
            check(len(sides[0]) == 1 and sides[0] == sides[1], f"built twice: {sides}")
    finally:
        stage.stop()


def main():
    for play_one in (play, play_sources):
        with tempfile.TemporaryDirectory(prefix="vigil-archives-") as folder:
            began = time.monotonic()
            print(play_one(Path(folder), Path(sys.argv[1]).resolve()) or "")
            print(f"{play_one.__name__}: {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
