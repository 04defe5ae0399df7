"""deploy/demo --slurm: the demo's machines come from a Slurm of this machine, one virtual node for
each machine class. Standard library only."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.path.insert(0, str(ROOT / "deploy" / "slurm"))
sys.dont_write_bytecode = True
import lab  # noqa: E402
from cluster import Cluster, free_ports, missing  # noqa: E402
from stage import Failure  # noqa: E402

IDLE_S = 60  # a worker without a job for so long gives its node back


def start(stage, config):
    """Starts the cluster, and changes the config: machines come from it, no worker stands by.

    As docs/fleet.md tells it. The nodes are one machine, therefore each class has a state_dir."""
    lacking = missing(with_accounting=True)
    if lacking:
        raise Failure(lacking)
    classes = sorted(config["machine_classes"])
    nodes = {f"node{number}": name for number, name in enumerate(classes, 1)}
    Cluster(stage, nodes, with_accounting=True).start()
    config["http"]["port"] = free_ports(1)[0]  # the workers' file says it before the daemon starts
    config["workers"] = {}
    config["fleet"] = {
        "folder": str(stage.folder / "fleet"), "worker": str(stage.build / "vigil-worker"),
        "machine_classes": {
            name: {"constraint": name, "idle_s": IDLE_S, "time_limit_s": 7200,
                   "worker_file": str(worker_file(stage, name, config["http"]["port"]))}
            for name in classes}}


def worker_file(stage, machine_class, port):
    file = stage.folder / f"worker-{machine_class}.json"
    file.write_text(json.dumps({
        "server": f"http://127.0.0.1:{port}",
        "state_dir": str(stage.folder / f"worker-{machine_class}"),
        "allow_uncontained": True,  # what is built here is ours
        **lab.worker_settings(stage)}, indent=2))
    return file


def tell(stage):
    """The allocations, as `vigil fleet` lists them."""
    command = [str(stage.build / "vigil"), "--server", stage.url, "--token-file",
               str(stage.folder / "vigild" / "admin.token"), "fleet"]
    print(f"fleet     {shlex.join(command)}", flush=True)
    subprocess.run(command)
    print(f"cluster   SLURM_CONF={os.environ['SLURM_CONF']} squeue --states=all")


def stop(stage):
    """Ends what stage started, with the cluster where there is one. @return how many processes"""
    return Cluster(stage).stop() if (stage.folder / "slurm").exists() else stage.stop()
