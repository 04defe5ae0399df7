#!/usr/bin/env python3
"""Thousands of short jobs on many virtual nodes of a real Slurm on this machine, twice: once in
peace, and once while nodes are killed and drained, allocations are pre-empted and cancelled, and
Slurm's controller and the daemon are killed and started again. Each job has exactly one accepted
result, and both times the same series, values, verdicts and culprits, or it ends with 1. Prints
figures. It needs the packages of deploy/slurm.

usage: many.py BUILD_FOLDER [--nodes N] [--jobs N] [--nights N] [--seed N]"""

import argparse
import json
import os
import random
import shutil
import sqlite3
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.dont_write_bytecode = True
import slurm  # noqa: E402
from stage import Stage  # noqa: E402
from toy import Toy  # noqa: E402

COMMITS = 3  # a night
CHANGES = (1.15, 1.2, 1.3, 1.4, 0.8)  # planted, night by night
JOB_S = 0.05
# Requests of a daemon about one allocation; a job of `scancel` and a look at one are among them.
OF_ALLOCATIONS = ("REQUEST_SUBMIT_BATCH_JOB", "REQUEST_KILL_JOB", "REQUEST_JOB_INFO_SINGLE",
                  "REQUEST_CANCEL_JOB_STEP")
# What goes wrong, and how often; spread over the whole run.
FAULTS = {"kill_node": 4, "drain": 3, "preempt": 3, "cancel": 3, "controller": 5, "daemon": 3}


class World:
    """Benchmarks, commits, and what each commit makes slower."""

    def __init__(self, folder, options):
        lot = random.Random(options.seed)
        count = options.jobs // options.nights
        self.benchmarks = [f"b{n:03}" for n in range(count)]
        self.toy = Toy(folder / "origin", range(1, COMMITS * options.nights + 1))
        self.nights = self.toy.revisions[COMMITS - 1::COMMITS]
        levels, now = {}, {}
        self.planted = []
        for number, revision in enumerate(self.toy.revisions):
            night, place = divmod(number, COMMITS)
            # The first nights teach the noise.
            if night >= 3 and night % 2 == 1 and place == lot.randrange(COMMITS):
                name = lot.choice([one for one in self.benchmarks if one not in now])
                times = CHANGES[len(self.planted) % len(CHANGES)]
                now[name] = 100 * times
                self.planted.append((name, times, revision))
            levels[revision] = dict(now)
        self.file = folder / "world.json"
        self.file.write_text(json.dumps({"seed": options.seed, "job_s": JOB_S, "levels": levels}))


class Play:
    """One run of all nights in a folder of its own."""

    def __init__(self, folder, options, faults):
        self.folder = folder
        folder.mkdir()
        self.stage = Stage(folder, options.build)
        self.world = World(folder, options)
        self.lot = random.Random(f"{options.seed} faults")
        self.slurm = slurm.Slurm(
            self.stage, 60, "PreemptType=preempt/partition_prio\nPreemptMode=CANCEL",
            options.nodes)
        kinds = [kind for kind, times in FAULTS.items() for _ in range(times)] if faults else []
        self.lot.shuffle(kinds)
        self.faults, self.told = kinds, []
        self.total, self.every = len(kinds), options.jobs / (len(kinds) + 1)
        self.stopped = {}  # nodes that are away: since when, and what brings them back
        self.asked = {}    # of Slurm, by kind; a controller that is killed forgets its counts

    def config(self):
        world = self.world
        config = world.toy.config(self.folder)
        bench = {"command": ["true"],
                 "samples": {"format": "lines", "printed": "cpu_time_ns", "unit": "ns"}}
        config["projects"]["toy"]["suites"] = {"core": {name: bench for name in world.benchmarks}}
        config["workers"] = {}
        config["http"]["port"] = slurm.free_ports(1)[0]
        config["fleet"] = {
            "folder": str(self.folder / "fleet"),
            "worker": str(Path(__file__).with_name("simulated_worker.py")),
            "machine_classes": {"any": {
                "idle_s": 20, "time_limit_s": 3600, "partition": "night",
                "max_allocations": len(self.slurm.nodes), "max_requests_an_hour": 1000,
                "worker_file": str(self.folder / "fleet-worker.json")}}}
        (self.folder / "fleet-worker.json").write_text(json.dumps({
            "server": f"http://127.0.0.1:{config['http']['port']}",
            "state_dir": str(self.folder / "state"), "world": str(world.file)}))
        return config

    def play(self):
        """@return what came of it"""
        began = time.monotonic()
        try:
            self.slurm.start()
            self.stage.start_daemon(self.config())
            for number, revision in enumerate(self.world.nights, 1):
                self.stage.vigil("trigger", "toy", "--revision", revision)
                self.stage.wait_for_night(revision, while_waiting=self.look)
                print(f"  night {number} of {len(self.world.nights)}: "
                      f"{time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
            self.wait_for_quiet()
            self.count_requests()
            return self.read(time.monotonic() - began)
        finally:
            self.slurm.stop()

    def wait_for_quiet(self):
        """Searches and reports of the last night, and the allocations' end."""
        def is_quiet():
            self.look()
            return not any(self.rows("""
                SELECT (SELECT count(*) FROM job WHERE state IN ('queued', 'leased'))
                     + (SELECT count(*) FROM allocation WHERE state <> 'ended')
                     + (SELECT count(*) FROM outbox WHERE state = 'pending')""")[0])
        quiet = 0
        while quiet < 5:
            time.sleep(2)
            quiet = quiet + 1 if is_quiet() else 0

    def count_requests(self):
        for kind, count in self.slurm.requests().items():
            self.asked[kind] = self.asked.get(kind, 0) + count

    def rows(self, sql):
        db = sqlite3.connect(f"file:{self.folder}/vigild/ledger.sqlite?mode=ro", uri=True)
        try:
            return db.execute(sql).fetchall()
        finally:
            db.close()

    # Faults ---------------------------------------------------------------------------------------

    def look(self):
        self.bring_back()
        if not self.faults:
            return
        done = self.rows("SELECT count(*) FROM job WHERE state = 'done'")[0][0]
        if done < (self.total - len(self.faults) + 1) * self.every:
            return
        kind = self.faults[0]
        target = self.rows("SELECT machine, cluster_job FROM allocation WHERE state = 'running'")
        if not target:
            return
        self.faults.pop(0)
        self.told.append(kind)
        getattr(self, kind)(*self.lot.choice(sorted(target)))

    def bring_back(self):
        for node, (since, how) in list(self.stopped.items()):
            if time.monotonic() - since > 20:
                del self.stopped[node]
                how()

    def kill_node(self, node, job):
        self.slurm.kill_node(node, job)
        self.slurm.run("scontrol", "update", f"nodename={node}", "state=down", "reason=a fault")

        def start():
            self.slurm.start_node(node)
            self.slurm.run("scontrol", "update", f"nodename={node}", "state=resume")
        self.stopped[node] = time.monotonic(), start

    def drain(self, node, _):
        self.slurm.run("scontrol", "update", f"nodename={node}", "state=drain", "reason=a disk")
        self.stopped[node] = time.monotonic(), lambda: self.slurm.run(
            "scontrol", "update", f"nodename={node}", "state=resume")

    def preempt(self, node, _):
        urgent = self.folder / "urgent.sh"
        urgent.write_text("#!/bin/sh\nsleep 15\n")
        self.slurm.run("sbatch", "--partition=urgent", "--exclusive", f"--nodelist={node}",
                       "--output=/dev/null", urgent)

    def cancel(self, _, job):
        self.slurm.run("scancel", job)

    def controller(self, *_):
        self.count_requests()
        self.stage.kill("slurmctld")
        time.sleep(5)
        self.slurm.start_controller()

    def daemon(self, *_):
        self.stage.kill("vigild")
        time.sleep(3)
        self.stage.restart_daemon()

    # What came of it ------------------------------------------------------------------------------

    def read(self, took_s):
        verdicts = self.rows("""
            SELECT series.benchmark, nightly.revision, coalesce(regression.culprit, '')
            FROM regression
            JOIN regression_series ON regression_series.regression_id = regression.id
            JOIN series ON series.id = regression_series.series_id
            JOIN nightly ON nightly.id = regression.nightly_id ORDER BY 1, 2""")
        return {
            "took_s": took_s,
            "results": self.rows("""
                SELECT job.id, job.state, (SELECT count(*) FROM attempt
                    WHERE attempt.job_id = job.id AND attempt.outcome = 'done')
                FROM job"""),
            "attempts": dict(self.rows(
                "SELECT coalesce(outcome, 'open'), count(*) FROM attempt GROUP BY 1")),
            "values": self.rows("""
                SELECT build.revision, series.benchmark, series.metric, measurement.median,
                       count(*)
                FROM measurement JOIN run ON run.id = measurement.run_id
                JOIN series ON series.id = measurement.series_id
                JOIN job ON job.id = run.job_id JOIN build ON build.id = run.build_id
                WHERE job.purpose = 'nightly' GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4"""),
            "verdicts": verdicts,
            "reported": self.rows("""
                SELECT DISTINCT culprit FROM regression WHERE culprit IS NOT NULL
                AND state IN ('reported', 'acknowledged', 'closed') ORDER BY 1"""),
            "allocations": dict(self.rows(
                "SELECT coalesce(outcome, state), count(*) FROM allocation GROUP BY 1")),
            "hours": self.rows("""
                SELECT sum(ended_at_s - started_at_s) / 3600.0 FROM allocation""")[0][0] or 0,
            "requests": self.asked}


def tell(title, one):
    total = sum(one["allocations"].values())
    jobs = [row for row in one["results"] if row[1] == "done"]
    print(f"{title}: {one['took_s']:.0f} s, {len(jobs)} jobs done, "
          f"{len(jobs) / one['took_s']:.0f} a second; attempts {one['attempts']}")
    print(f"  allocations: {total} {one['allocations']}, {one['hours']:.1f} machine hours")
    asked = one["requests"]
    each = sum(count for kind, count in asked.items() if kind in OF_ALLOCATIONS)
    polls = asked.get("REQUEST_JOB_USER_INFO", 0) + asked.get("REQUEST_JOB_INFO", 0)
    print(f"  requests to Slurm: {each / max(1, total):.2f} an allocation; {polls} polls, one in "
          f"{one['took_s'] / max(1, polls):.0f} s; {asked}", flush=True)


def find_faults(world, peace, storm):
    """@return what must not be, in words"""
    faults = []
    for title, one in (("in peace", peace), ("with faults", storm)):
        for job, state, count in one["results"]:
            if (count != 1 and state == "done") or state in ("failed", "parked") or count > 1:
                faults.append(f"{title}: job {job} is {state} with {count} accepted results")
    for what in ("values", "verdicts", "reported"):
        if peace[what] != storm[what]:
            left = [row for row in peace[what] if row not in storm[what]]
            right = [row for row in storm[what] if row not in peace[what]]
            faults.append(f"{what} differ: {len(left)} only in peace {left[:5]}, "
                          f"{len(right)} only with faults {right[:5]}")
    slower = sorted((name, revision) for name, times, revision in world.planted if times > 1)
    found = sorted((name, culprit) for name, _, culprit in peace["verdicts"])
    if found != slower:
        faults.append(f"planted {slower}, found in peace {found}")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--nodes", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--nights", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.build = options.build.resolve()
    if slurm.missing():
        sys.exit(slurm.missing())
    place = Path(tempfile.mkdtemp(prefix="vigil-fleet-"))
    plays = []
    for faults in (False, True):
        play = Play(place / ("storm" if faults else "peace"), options, faults)
        plays.append(play.play())
        tell("with faults" if faults else "in peace", plays[-1])
    print(f"faults: {play.told}")
    wrong = find_faults(play.world, *plays)
    for one in wrong:
        print("WRONG:", one)
    if play.faults:
        wrong.append("faults left")
        print(f"WRONG: faults that did not come: {play.faults}")
    if not wrong:
        shutil.rmtree(place)
    print(f"wrong; ledgers and logs: {place}" if wrong
          else "the same values, verdicts and culprits", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
