"""The example cluster of deploy/slurm, with what only tests do to it. Standard library only."""

import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "deploy" / "slurm"))
sys.dont_write_bytecode = True
from cluster import Cluster, free_ports, missing  # noqa: E402, F401

URGENT = "PartitionName=urgent Nodes=ALL MaxTime=120 PriorityTier=9 State=UP\n"


class Slurm(Cluster):
    """Nodes, and a partition that pre-empts the other one where `more` says so."""

    def __init__(self, stage, min_job_age_s=2, more="", nodes=2):
        names = {f"node{n}": "toy" for n in range(1, nodes + 1)}
        super().__init__(stage, names, min_job_age_s, URGENT + more)

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
