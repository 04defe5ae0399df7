"""A Slurm of its own on this machine: one controller and several virtual nodes, on loopback, in a
folder of its own. It needs root and the packages slurm-wlm and munge. Standard library only."""

import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "sinfo")

CONF = """ClusterName=toy
SlurmctldHost={machine}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmdTimeout=30
KillWait=5
MinJobAge={min_job_age_s}
SchedulerParameters=sched_interval=5,batch_sched_delay=0,sched_min_interval=0
{more}
{nodes}
PartitionName=night Nodes=ALL Default=YES MaxTime=120 PriorityTier=1 State=UP
PartitionName=urgent Nodes=ALL MaxTime=120 PriorityTier=9 State=UP
"""


def missing():
    """Why no cluster can be had here; empty: it can."""
    if os.geteuid() != 0:
        return "only root starts one"
    lacking = [name for name in PROGRAMS if not shutil.which(name, path=search_path())]
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


class Slurm:
    """stage: starts and ends the processes (Stage); nodes: their names."""

    def __init__(self, stage, nodes=("node1", "node2"), min_job_age_s=2, more=""):
        self.stage = stage
        self.nodes = nodes
        self.folder = Path(stage.folder) / "slurm"
        self.folder.mkdir(mode=0o755)
        for name in ("munge", "state", *(f"spool-{node}" for node in nodes)):
            (self.folder / name).mkdir(mode=0o755)
        ports = free_ports(len(nodes) + 1)
        machine = socket.gethostname()
        lines = "\n".join(
            f"NodeName={node} NodeHostname={machine} NodeAddr=127.0.0.1 Port={port} CPUs=1 "
            f"RealMemory=1000 Feature=toy State=UNKNOWN"
            for node, port in zip(nodes, ports[1:]))
        self.conf = self.folder / "slurm.conf"
        self.conf.write_text(CONF.format(
            machine=machine, port=ports[0], folder=self.folder, nodes=lines, more=more,
            min_job_age_s=min_job_age_s))
        self.environment = {"SLURM_CONF": str(self.conf), "PATH": search_path()}
        os.environ.update(self.environment)  # what is started from here on finds the cluster

    def start(self):
        key = self.folder / "munge" / "key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        munge = self.folder / "munge"
        self.stage.start("munged", [
            "munged", "--foreground", "--force", f"--socket={munge}/socket", f"--key-file={key}",
            f"--pid-file={munge}/pid", f"--log-file={munge}/log", f"--seed-file={munge}/seed"])
        self.wait_for("munge", lambda: (munge / "socket").exists())
        self.start_controller()
        for node in self.nodes:
            self.start_node(node)
        self.wait_for("idle nodes", lambda: self.states().count("idle") == len(self.nodes))

    def start_controller(self):
        self.stage.start("slurmctld", ["slurmctld", "-D", "-f", self.conf])
        self.wait_for("the controller", lambda: self.run("scontrol", "ping").returncode == 0)

    def start_node(self, node):
        self.stage.start(f"slurmd-{node}", ["slurmd", "-D", "-N", node, "-f", self.conf])

    def kill_node(self, node, job):
        """As a power cut would: the node's daemon, and the job that runs there."""
        self.stage.kill(f"slurmd-{node}")
        for pid in self.left_behind(job):
            os.kill(pid, signal.SIGKILL)

    def requests(self):
        """How often each kind of request came to the controller since its start."""
        counts = {}
        told = self.run("sdiag").stdout.split("Remote Procedure Call statistics by message type")[1]
        for line in told.split("Remote Procedure Call statistics by user")[0].splitlines():
            words = line.split()
            if words and words[0].startswith("REQUEST_"):
                told = next(word for word in words if word.startswith("count:"))
                counts[words[0]] = int(told.removeprefix("count:"))
        return counts

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

    @staticmethod
    def wait_for(words, question, limit_s=60):
        until = time.monotonic() + limit_s
        while not (answer := question()):
            if time.monotonic() > until:
                raise TimeoutError(f"{words}: not within {limit_s} s")
            time.sleep(0.2)
        return answer

    def stop(self):
        """Ends the jobs, then the processes that know this cluster's file, by their numbers."""
        if self.run("scontrol", "ping").returncode == 0:
            for number, *_ in self.jobs():
                self.run("scancel", number)
        self.stage.stop()
        for pid in self.left_behind():
            os.kill(pid, signal.SIGKILL)

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
