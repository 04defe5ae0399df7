"""A daemon and a real Slurm with two virtual nodes on this machine: a job that waits becomes an
allocation, a worker, a result, and goes; and what may go wrong in between. It needs the
packages of deploy/slurm, and is run by itself. usage: slurm_test.py BUILD_FOLDER [TEST...]"""

import contextlib
import os
import re
import sqlite3
import stat
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True
from slurm_scene import ByRest, Scene, slurm  # noqa: E402

# Ends its daemon as a power cut would, once: before or after it asks.
SBATCH = """#!/bin/sh
if [ -e {mark} ]; then exec {sbatch} "$@"; fi
: > {mark}
{before}
kill -9 $PPID
sleep 5
"""


@unittest.skipIf(slurm.missing(), slurm.missing())
class Fleet(Scene):
    def test_a_job_becomes_an_allocation_a_worker_a_result_and_goes(self):
        self.begin()
        row = self.wait_for_row(0, state="running")
        token = self.folder / "fleet" / row["name"] / "token"
        self.assertEqual(stat.S_IMODE(token.stat().st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(token.parent.stat().st_mode), 0o700)
        secret = token.read_text().strip()
        shown = self.slurm.run("scontrol", "show", "job", "-o", row["cluster_job"]).stdout
        self.assertNotIn(secret, shown)
        self.assertNotIn(secret, (self.folder / "fleet" / "run-worker.sh").read_text())
        self.stage.wait_for_night(self.toy.revisions[0])
        self.wait_for_row(0, state="ended", outcome="finished")
        self.assertEqual(len(self.rows()), 1)
        workers = {one["name"]: one["state"] for one in self.stage.items("workers")}
        self.assertEqual(workers, {f"any@{row['machine']}": "draining"})
        self.check_all_gone()

    def test_a_daemon_killed_before_it_asked_asks_for_a_new_row(self):
        self.kill_at_request(reaches_slurm=False)
        self.wait_for_row(0, state="ended", outcome="lost")
        self.stage.wait_for_night(self.toy.revisions[0])
        self.assertEqual(len(self.rows()), 2)
        self.check_all_gone()

    def test_a_daemon_killed_after_it_asked_finds_its_job_again(self):
        self.kill_at_request(reaches_slurm=True)
        self.stage.wait_for_night(self.toy.revisions[0])
        self.wait_for_row(0, state="ended", outcome="finished")
        self.assertEqual(len(self.rows()), 1)
        self.assertEqual(len(self.slurm.jobs()), 1)
        self.check_all_gone()

    def kill_at_request(self, reaches_slurm):
        """Starts a daemon that is killed as it asks for its first job, and again."""
        before = '{sbatch} "$@"' if reaches_slurm else ""
        sbatch = self.slurm.run("which", "sbatch").stdout.strip()
        mark = self.folder / "killed"
        tools = self.folder / "tools"
        tools.mkdir()
        (tools / "sbatch").write_text(SBATCH.format(
            sbatch=sbatch, mark=mark, before=before.format(sbatch=sbatch)))
        (tools / "sbatch").chmod(0o755)
        os.environ["PATH"] = f"{tools}:{os.environ['PATH']}"
        self.begin_again()

    def begin_again(self):
        self.begin()
        daemon = self.stage.children["vigild"]
        self.wait_for("the daemon's end", lambda: daemon.poll() is not None)
        self.assertEqual([row["state"] for row in self.rows()], ["planned"])
        self.stage.restart_daemon()

    def test_what_an_admin_cancels_is_measured_elsewhere(self):
        self.begin(idle_s=600)
        row = self.wait_for_row(0, state="running")
        self.slurm.run("scancel", row["cluster_job"])
        self.wait_for_row(0, state="ended", outcome="taken_back")
        self.trigger(1)
        self.stage.wait_for_night(self.toy.revisions[1])
        self.wait_for_row(1, state="running")
        self.slurm.run("scancel", self.rows()[1]["cluster_job"])
        self.check_all_gone()
        self.assertEqual({job["lost_attempts"] for job in self.stage.items("jobs")}, {0})

    def test_the_worker_of_a_drained_node_leaves_and_another_node_comes(self):
        self.begin(idle_s=600)
        row = self.wait_for_row(0, state="running")
        self.slurm.run("scontrol", "update", f"nodename={row['machine']}", "state=drain",
                       "reason=a disk | fails")
        self.wait_for_row(0, state="ended", outcome="finished")
        self.trigger(1)
        again = self.wait_for_row(1, state="running")
        self.assertNotEqual(again["machine"], row["machine"])
        self.stage.wait_for_night(self.toy.revisions[1])
        self.slurm.run("scancel", again["cluster_job"])
        self.check_all_gone()

    def test_what_can_never_start_is_cancelled_and_told(self):
        self.begin(time_limit_s=4 * 3600)  # the partition allows two hours
        row = self.wait_for_row(0, state="ended", outcome="impossible")
        self.assertIn("PartitionTimeLimit", row["reason"])
        self.assertLess(row["ended_at_s"] - row["created_at_s"], 60)
        said = self.wait_for("the trouble", lambda: self.troubles("fleet.blocked"))
        self.assertIn("the partition does not allow jobs so long", said[0])
        self.assertEqual(len(self.rows()), 1)

    def test_what_slurm_refuses_is_told(self):
        self.begin(constraint="purple")
        row = self.wait_for_row(0, state="ended", outcome="refused")
        self.assertEqual(row["reason"], "Invalid feature specification")
        said = self.wait_for("the trouble", lambda: self.troubles("fleet.blocked"))
        self.assertIn("Invalid feature specification", said[0])

    def test_a_controller_that_is_down_loses_nothing(self):
        self.begin(idle_s=25)
        self.wait_for_row(0, state="running")
        self.stage.kill("slurmctld")
        self.wait_for("the trouble", lambda: self.troubles("fleet.unreachable"))
        self.stage.wait_for_night(self.toy.revisions[0])
        self.trigger(1)
        self.stage.wait_for_night(self.toy.revisions[1])
        self.slurm.start_controller()
        self.wait_for("its end", lambda: not self.troubles("fleet.unreachable"))
        self.check_all_gone()

    def test_a_verification_on_another_machine_gets_another_node(self):
        self.begin(max_requests_an_hour=1)
        first = self.wait_for_row(0, state="ended", outcome="finished")
        self.trigger(1)
        self.wait_for("a job that waits", lambda: self.stage.items("jobs?state=queued"))
        self.restarts = True
        self.stage.kill("vigild")
        with contextlib.closing(sqlite3.connect(self.folder / "vigild/ledger.sqlite")) as db, db:
            db.execute("UPDATE job SET except_worker_id = (SELECT id FROM worker WHERE name = ?) "
                       "WHERE state = 'queued'", (f"any@{first['machine']}",))
        limits = self.config["fleet"]["machine_classes"]["any"]
        limits["max_requests_an_hour"] = 20
        self.start_daemon()
        self.stage.wait_for_night(self.toy.revisions[1])
        self.assertNotEqual(self.rows()[1]["machine"], first["machine"])
        self.check_all_gone()

    @unittest.skipIf(os.geteuid() != 0, "not root: a worker cannot be shown another CPU")
    def test_a_node_that_differs_measures_nothing_and_is_drained(self):
        (self.folder / "odd").write_text("node2")
        self.begin(drain_differing=True)
        self.stage.wait_for_night(self.toy.revisions[0])
        self.assertEqual(self.wait_for_row(0, state="ended")["machine"], "node1")
        self.slurm.run("scontrol", "update", "nodename=node1", "state=drain", "reason=a fan")
        self.trigger(1)
        self.wait_for_row(1, state="ended", machine="node2")
        self.slurm.run("scontrol", "update", "nodename=node1", "state=resume")
        said = self.wait_for("the trouble", lambda: [
            one for one in self.troubles("worker.quarantined") if "; Slurm " in one])[0]
        self.assertIn("worker any@node2 gets no jobs: its machine differs from class any: "
                      "CPU 'Odd CPU' instead of", said)
        self.check_drained(said)
        listed = self.slurm.run("sinfo", "-h", "-N", "-n", "node2", "-o", "%T|%E").stdout
        self.assertIn("drained|vigil: its machine differs from class any: CPU Odd CPU", listed)
        self.stage.wait_for_night(self.toy.revisions[1])
        self.assertEqual(self.rows()[-1]["machine"], "node1")
        self.check_all_gone()

    def check_drained(self, said):
        self.assertIn("; Slurm has drained node2", said)

    def test_a_node_that_fails_is_replaced(self):
        self.begin(idle_s=600)
        row = self.wait_for_row(0, state="running")
        self.wait_for("a lease or a result", lambda: self.stage.items("workers"))
        self.slurm.kill_node(row["machine"], row["cluster_job"])
        self.wait_for_row(0, state="ended", outcome="machine_failed")
        self.trigger(1)
        again = self.wait_for_row(1, state="running")
        self.assertNotEqual(again["machine"], row["machine"])
        self.stage.wait_for_night(self.toy.revisions[1])
        self.slurm.run("scancel", again["cluster_job"])
        self.check_all_gone()


class FleetByRest(ByRest, Fleet):
    def check_drained(self, said):
        """slurmrestd v0.0.38 cannot: the command is told."""
        self.assertIn("Slurm did not drain it (slurmrestd v0.0.38 drains no nodes): ", said)
        command = re.search("scontrol update NodeName=node2 State=DRAIN Reason='[^']*'", said)
        self.assertEqual(self.slurm.run("sh", "-c", command[0]).returncode, 0)


@unittest.skipIf(slurm.missing(), slurm.missing())
class ByToken(Scene):
    def test_slurmrestd_on_a_port_takes_a_token_that_is_replaced(self):
        port = slurm.free_ports(1)[0]
        token = self.folder / "slurm.jwt"
        token.touch(mode=0o600)
        token.write_text("none\n")
        self.config["fleet"]["slurmrestd"] = self.slurm.start_rest(port)
        self.config["fleet"]["slurmrestd_token_file"] = str(token)
        self.begin()
        self.wait_for("the trouble", lambda: self.troubles("fleet.unreachable"))
        self.assertEqual(self.rows(), [])
        token.write_text(self.slurm.token() + "\n")
        self.stage.wait_for_night(self.toy.revisions[0])
        self.wait_for_row(0, state="ended", outcome="finished")
        self.assertEqual(self.troubles("fleet.unreachable"), [])
        secret = token.read_text().strip()
        self.assertNotIn(secret, (self.folder / "vigild.log").read_text())
        self.check_all_gone()


@unittest.skipIf(os.geteuid() != 0, "not root: slurmrestd cannot be another user")
class AsNobody(Scene):
    def test_jobs_that_slurmrestd_makes_for_another_user_are_told_with_the_remedy(self):
        self.slurm.folder.chmod(0o777)  # it makes its socket there
        self.config["fleet"]["slurmrestd"] = self.slurm.start_rest(0, "-u", "nobody")
        self.begin()
        said = self.wait_for("the trouble", lambda: self.troubles("fleet.blocked"))
        self.assertIn("start slurmrestd as vigild's user", said[0])
        self.assertEqual(len(self.rows()), 1)
        self.assertEqual(self.rows()[0]["state"], "ended")
        alive = [job for job in self.slurm.jobs() if job[2] in ("PENDING", "RUNNING")]
        self.assertEqual(alive, [])


@unittest.skipIf(slurm.missing(), slurm.missing())
class Preemption(Scene):
    OPTIONS = {"min_job_age_s": 60,
               "more": "PreemptType=preempt/partition_prio\nPreemptMode=CANCEL"}

    def test_who_is_preempted_loses_no_attempt(self):
        self.config["projects"]["toy"]["suites"]["core"]["value"]["command"] = [
            "sh", "-c", "sleep 30; cd out && sh bench.sh"]
        self.begin()
        row = self.wait_for_row(0, state="running")
        self.wait_for("its lease", lambda: self.stage.items("jobs?state=leased"))
        urgent = self.folder / "urgent.sh"
        urgent.write_text("#!/bin/sh\nsleep 20\n")
        self.slurm.run("sbatch", "--partition=urgent", "--exclusive",
                       f"--nodelist={row['machine']}", "--output=/dev/null", urgent)
        self.wait_for_row(0, state="ended", outcome="preempted")
        self.stage.wait_for_night(self.toy.revisions[0])
        self.check_all_gone()
        self.assertEqual({job["lost_attempts"] for job in self.stage.items("jobs")}, {0})


class PreemptionByRest(ByRest, Preemption):
    pass


@unittest.skipIf(slurm.missing(), slurm.missing())
class Forgetful(Scene):
    OPTIONS = {"min_job_age_s": 2}

    def test_what_slurm_has_forgotten_ended_by_what_its_worker_said(self):
        self.begin()
        self.stage.wait_for_night(self.toy.revisions[0])
        self.wait_for_row(0, state="ended", outcome="finished")
        self.check_all_gone()
        print("requests to Slurm:", self.slurm.requests())


class ForgetfulByRest(ByRest, Forgetful):
    pass


@unittest.skipIf(slurm.missing(True), slurm.missing(True))
class Accounting(Scene):
    OPTIONS = {"min_job_age_s": 2, "with_accounting": True}

    def test_the_accounting_tells_how_a_forgotten_job_ended(self):
        self.begin(idle_s=600)
        row = self.wait_for_row(0, state="running")
        self.stage.wait_for_night(self.toy.revisions[0])
        self.stage.kill("vigild")
        self.slurm.run("scancel", row["cluster_job"])
        self.wait_for("the controller to forget it", lambda: self.slurm.run(
            "scontrol", "show", "job", row["cluster_job"]).returncode != 0)
        self.stage.restart_daemon()
        self.wait_for_row(0, state="ended", outcome="taken_back")
        self.check_all_gone()


class AccountingByRest(ByRest, Accounting):
    restarts = True


if __name__ == "__main__":
    unittest.main()
