"""A daemon and a real Slurm with two virtual nodes, for slurm_test.py. Takes the build folder from
the command line."""

import json
import os
import sqlite3
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.dont_write_bytecode = True
import slurm  # noqa: E402
from stage import Stage  # noqa: E402
from toy import Toy  # noqa: E402

BUILD = Path(sys.argv.pop(1)).resolve()

# The virtual nodes are one machine: each worker gets a folder of its own, and the one on a node
# that the file "odd" names sees another CPU.
WORKER = """#!/usr/bin/env python3
import json, os, re, sys
node = os.environ["SLURMD_NODENAME"]
odd = "{folder}/odd"
if os.path.exists(odd) and open(odd).read() == node and "SAW" not in os.environ:
    told = re.sub("(model name\\s*:).*", "\\\\1 Odd CPU", open("/proc/cpuinfo").read())
    with open(odd + ".cpuinfo", "w") as out:
        out.write(told)
    os.environ["SAW"] = "1"
    os.execvp("unshare", ["unshare", "-m", "sh", "-c",
        'mount --bind "$0" /proc/cpuinfo && exec "$@"', odd + ".cpuinfo", *sys.argv])
file = sys.argv[sys.argv.index("--config") + 1]
settings = json.load(open(file))
settings["state_dir"] += "-" + node
mine = settings["state_dir"] + ".json"
with open(mine, "w") as out:
    json.dump(settings, out)
sys.argv[sys.argv.index("--config") + 1] = mine
os.execv("{worker}", ["vigil-worker", *sys.argv[1:]])
"""

@unittest.skipIf(slurm.missing(), slurm.missing())
class Scene(unittest.TestCase):
    OPTIONS = {"min_job_age_s": 60}
    restarts = False  # polls of two daemons may be near each other

    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="vigil-fleet-")
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)
        self.stage = Stage(self.folder, BUILD)
        path = os.environ["PATH"]
        self.addCleanup(os.environ.update, {"PATH": path})
        self.slurm = slurm.Slurm(self.stage, **self.OPTIONS)
        self.addCleanup(self.slurm.stop)
        self.slurm.start()
        self.toy = Toy(self.folder / "origin", [100, 100])
        worker = self.folder / "worker.py"
        worker.write_text(WORKER.format(worker=BUILD / "vigil-worker", folder=self.folder))
        worker.chmod(0o755)
        self.config = self.toy.config(self.folder)
        self.config["workers"] = {}
        self.config["http"]["port"] = slurm.free_ports(1)[0]
        self.config["fleet"] = {
            "folder": str(self.folder / "fleet"), "worker": str(worker), "machine_classes": {
                "any": {"idle_s": 10, "time_limit_s": 3600, "partition": "night",
                        "worker_file": str(self.folder / "fleet-worker.json")}}}
        (self.folder / "fleet-worker.json").write_text(json.dumps({
            "server": f"http://127.0.0.1:{self.config['http']['port']}",
            "state_dir": str(self.folder / "state"), "allow_uncontained": True}))

    def begin(self, **limits):
        self.config["fleet"]["machine_classes"]["any"].update(limits)
        self.start_daemon()
        self.trigger(0)

    def start_daemon(self):
        self.stage.start_daemon(self.config)

    def trigger(self, number):
        self.stage.vigil("trigger", "toy", "--revision", self.toy.revisions[number])

    def rows(self):
        db = sqlite3.connect(f"file:{self.folder}/vigild/ledger.sqlite?mode=ro", uri=True)
        db.row_factory = sqlite3.Row
        try:
            return [dict(row) for row in db.execute("SELECT * FROM allocation ORDER BY id")]
        finally:
            db.close()

    def wait_for(self, words, question):
        return self.slurm.wait_for(words, question, 120)

    def wait_for_row(self, number, **values):
        def is_so():
            rows = self.rows()
            return len(rows) > number and all(
                rows[number][key] == value for key, value in values.items()) and rows[number]
        return self.wait_for(f"allocation {number} with {values}", is_so)

    def troubles(self, kind):
        return [one["message"] for one in self.stage.items("troubles?state=open")
                if one["kind"] == kind]

    def accepted(self):
        """Attempts with a result, by job."""
        found = {}
        for job in self.stage.items("jobs"):
            one = self.stage.get(f"/api/v1/jobs/{job['id']}")
            found[job["id"]] = [a["outcome"] for a in one["attempts"]].count("done")
        return found

    def check_all_gone(self):
        self.wait_for("an end of all", lambda: all(
            row["state"] == "ended" for row in self.rows()))
        names = [row["name"] for row in self.rows()]
        self.assertEqual(len(set(names)), len(names))
        self.assertEqual(set(self.accepted().values()), {1})
        alive = [job for job in self.slurm.jobs() if job[2] in ("PENDING", "RUNNING")]
        self.assertEqual(alive, [])
        self.assertEqual(list((self.folder / "fleet").glob("*/token")), [])


class ByRest:
    """The same by slurmrestd on a Unix socket, whose requests are counted."""

    def setUp(self):
        super().setUp()
        self.front = slurm.RestFront(self.folder / "front.socket", self.slurm.start_rest())
        self.addCleanup(self.front.stop)
        self.config["fleet"]["slurmrestd"] = self.front.address
        # Whoever uses Slurm's commands fails.
        tools = self.folder / "no-tools"
        tools.mkdir()
        for name in ("sbatch", "squeue", "sacct", "sinfo"):
            (tools / name).write_text("#!/bin/sh\nexit 1\n")
            (tools / name).chmod(0o755)
        self.tools = tools

    def start_daemon(self):
        path = os.environ["PATH"]
        os.environ["PATH"] = f"{self.tools}:{path}"
        try:
            super().start_daemon()
        finally:
            os.environ["PATH"] = path

    def tearDown(self):
        counts = self.front.counts()
        rows = self.rows()
        print(f"{self.id().split('.', 1)[1]}: {len(rows)} allocations, requests {counts}")
        each = sum(count for kind, count in counts.items()
                   if kind not in ("GET jobs", "GET nodes", "GET ping"))
        self.assertLessEqual(each, 3 * max(1, len(rows)))
        for kind, apart_s in (("GET jobs", 9), ("GET nodes", 50)):
            times = self.front.times[kind]
            near = [b - a for a, b in zip(times, times[1:]) if b - a < apart_s]
            if not self.restarts:
                self.assertEqual(near, [], kind)

    def kill_at_request(self, reaches_slurm):
        self.restarts = True

        def once(ask):
            self.front.on_submit = None
            if reaches_slurm:
                ask()
            self.stage.kill("vigild")

        self.front.on_submit = once
        self.begin_again()
