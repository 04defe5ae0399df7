"""An example cluster of Slurm on this machine: one controller and virtual nodes, on loopback, below
one folder, without systemd. It needs the packages of packages.txt. Standard library only."""

import contextlib
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True
import accounting  # noqa: E402

TEMPLATE = Path(__file__).resolve().parent / "slurm.conf.in"
PROGRAMS = ("munged", "slurmctld", "slurmd", "slurmrestd", "sbatch", "squeue", "scancel",
            "scontrol", "sinfo")
# slurmrestd refuses to run as root or as Slurm's user; here all of Slurm is one user's.
REST_SECURITY = {"SLURMRESTD_SECURITY": "disable_user_check"}


def missing(with_accounting=False):
    """Why no cluster can be had here; empty: it can."""
    lacking = [name for name in PROGRAMS if not shutil.which(name, path=search_path())]
    if with_accounting:
        lacking += accounting.missing(search_path())
    return f"{', '.join(lacking)} not installed" if lacking else ""


def search_path():
    return os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Cluster:
    """Below stage.folder/slurm. What this process starts from then on finds the cluster.

    stage: starts and ends the processes (tests/support/stage.py)
    nodes: their names, each with its feature
    with_accounting: slurmdbd keeps what the controller forgets (min_job_age_s after a job's end)"""

    def __init__(self, stage, nodes=None, min_job_age_s=300, more="", with_accounting=False):
        self.stage = stage
        self.nodes = nodes or {}
        self.folder = Path(stage.folder) / "slurm"
        self.conf = self.folder / "slurm.conf"
        self.with_accounting = with_accounting
        self.filled = {"min_job_age_s": min_job_age_s, "more": more}
        os.environ.update({"SLURM_CONF": str(self.conf), "PATH": search_path()})

    def start(self):
        """Returns when all nodes are idle. Raises TimeoutError."""
        munge = self.folder / "munge"
        for folder in (self.folder, munge, self.folder / "state",
                       *(self.folder / f"spool-{node}" for node in self.nodes)):
            folder.mkdir(mode=0o755)
        self.write_conf()
        key = accounting.write_secret(munge / "key", os.urandom(128))
        accounting.write_secret(self.folder / "jwt.key", os.urandom(32))
        self.stage.start("munged", [
            "munged", "--foreground", "--force", f"--socket={munge}/socket", f"--key-file={key}",
            f"--pid-file={munge}/pid", f"--log-file={munge}/log", f"--seed-file={munge}/seed"])
        self.wait_for("munge", (munge / "socket").exists)
        if self.with_accounting:
            lines = accounting.start(self, *free_ports(2))
            with self.conf.open("a") as conf:
                conf.write(lines)
            self.run("sacctmgr", "-i", "add", "cluster", "example")
        self.start_controller()
        for node in self.nodes:
            self.start_node(node)
        self.wait_for("idle nodes", lambda: self.states().count("idle") == len(self.nodes))

    def write_conf(self):
        machine = socket.gethostname()
        ports = free_ports(len(self.nodes) + 1)
        nodes = "\n".join(
            f"NodeName={node} NodeHostname={machine} NodeAddr=127.0.0.1 Port={port} CPUs=1 "
            f"RealMemory=1000 Feature={feature} State=UNKNOWN"
            for (node, feature), port in zip(self.nodes.items(), ports[1:]))
        self.conf.write_text(TEMPLATE.read_text().format(
            machine=machine, port=ports[0], folder=self.folder, nodes=nodes,
            user=pwd.getpwuid(os.geteuid()).pw_name, **self.filled))

    def start_controller(self):
        self.stage.start("slurmctld", ["slurmctld", "-D", "-f", self.conf])
        self.wait_for("the controller", self.answers)

    def start_rest(self, port=0, *options):
        """Starts slurmrestd. @return its address, as the config's fleet.slurmrestd has it

        port: where it takes requests with a token (see `token`); 0: a Unix socket, where it takes
        this user's requests
        options: more of its command line"""
        socket_path = self.folder / "rest.socket"
        listed = subprocess.run(["slurmrestd", "-s", "list"], capture_output=True, text=True,
                                env={**os.environ, **REST_SECURITY})
        known = re.findall(r"openapi/\S+", listed.stdout + listed.stderr)
        plugins = [one for one in known if self.with_accounting or "db" not in one]
        kind, more = ("rest_auth/jwt", {"SLURM_JWT": "daemon"}) if port else ("rest_auth/local", {})
        self.stage.start("slurmrestd", [
            "env", *(f"{key}={value}" for key, value in {**REST_SECURITY, **more}.items()),
            "slurmrestd", "-f", self.conf, "-s", ",".join(plugins), "-a", kind, *options,
            f"127.0.0.1:{port}" if port else f"unix:{socket_path}"])
        self.wait_for("slurmrestd", lambda: accounting.listens(port) if port
                      else socket_path.exists())
        return f"http://127.0.0.1:{port}" if port else f"unix:{socket_path}"

    def token(self, lifespan_s=3600):
        """For this user."""
        told = self.run("scontrol", "token", f"lifespan={lifespan_s}").stdout
        return told.strip().removeprefix("SLURM_JWT=")

    def start_node(self, node):
        self.stage.start(f"slurmd-{node}", ["slurmd", "-D", "-N", node, "-f", self.conf])

    def answers(self):
        return self.run("scontrol", "ping").returncode == 0

    def run(self, *command):
        return subprocess.run([str(part) for part in command], capture_output=True, text=True)

    def states(self):
        """Of the nodes; sinfo lists each once for each partition."""
        listed = self.run("sinfo", "-h", "-N", "-o", "%N|%t").stdout.split()
        return [line.split("|")[1] for line in sorted(set(listed))]

    def jobs(self, *options):
        """(number, name, state, reason, node) of what it has, also of what ended a moment ago."""
        listed = self.run("squeue", "-h", "--states=all", "-o", "%A|%j|%T|%r|%N", *options)
        return [tuple(line.split("|")) for line in listed.stdout.splitlines()]

    def wait_for(self, words, question, limit_s=60):
        """@return the first true answer. Raises TimeoutError."""
        until = time.monotonic() + limit_s
        while not (answer := question()):
            if time.monotonic() > until:
                raise TimeoutError(f"{words}: not within {limit_s} s; logs: {self.folder}")
            time.sleep(0.2)
        return answer

    def stop(self):
        """Ends the jobs, then the processes that know this cluster's file, by their numbers.
        @return how many of stage's there were"""
        if self.answers():
            self.run("scontrol", "update", "partitionname=night", "state=down")
            for number, *_ in self.jobs("--states=pending,running"):
                self.run("scancel", number)
            try:
                self.wait_for("the jobs' end", lambda: not self.left_behind(), 15)
            except TimeoutError:
                pass  # they are killed below
        count = self.stage.stop()
        for pid in self.left_behind():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return count

    def left_behind(self, job=""):
        """Numbers of processes that nodes of this cluster started for a job, or for any."""
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            try:
                told = (place / "environ").read_bytes().split(b"\0")
                name = (place / "cmdline").read_bytes()
            except OSError:
                continue
            if f"SLURM_CONF={self.conf}".encode() not in told:
                continue
            of_job = f"SLURM_JOB_ID={job}".encode()
            runs_job = any(one.startswith(of_job) for one in told)
            if runs_job or name.startswith(f"slurmstepd: [{job}".encode()):
                found.append(int(place.name))
        return found
