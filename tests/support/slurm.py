"""The example cluster of deploy/slurm, with what only tests do to it. Standard library only."""

import collections
import os
import re
import signal
import socket
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "deploy" / "slurm"))
sys.dont_write_bytecode = True
from cluster import Cluster, free_ports, missing  # noqa: E402, F401

URGENT = "PartitionName=urgent Nodes=ALL MaxTime=120 PriorityTier=9 State=UP\n"


class Slurm(Cluster):
    """Nodes, and a partition that pre-empts the other one where `more` says so."""

    def __init__(self, stage, min_job_age_s=2, more="", nodes=2, with_accounting=False):
        names = {f"node{n}": "toy" for n in range(1, nodes + 1)}
        super().__init__(stage, names, min_job_age_s, URGENT + more, with_accounting)

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


class RestFront:
    """A Unix socket that passes requests on to slurmrestd's, one connection a request.

    times: by kind of request, when each came
    on_submit: what happens with a request for a job: a function of `ask`, which passes it on; None:
    it is passed on"""

    def __init__(self, place, behind):
        self.behind = behind.removeprefix("unix:")
        self.address = f"unix:{place}"
        self.times = collections.defaultdict(list)
        self.on_submit = None
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(place))
        self.listener.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                one, _ = self.listener.accept()
            except OSError:
                return
            try:
                self.answer(one)
            except OSError:
                pass  # who asked has gone, or slurmrestd has
            finally:
                one.close()

    def answer(self, one):
        request = b""
        while not self.is_whole(request):
            piece = one.recv(65536)
            if not piece:
                return
            request += piece
        method, path = request.split(b"\r\n")[0].decode().split()[:2]
        kind = re.sub(r"\d+$", "ID", path.partition("?")[0].split("/", 3)[3])
        self.times[f"{method} {kind}"].append(time.time())
        if kind == "job/submit" and self.on_submit:
            return self.on_submit(lambda: self.ask(request))
        one.sendall(self.ask(request))

    def is_whole(self, request):
        head, end, body = request.partition(b"\r\n\r\n")
        length = re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)
        return bool(end) and len(body) >= int(length[1] if length else 0)

    def ask(self, request):
        with socket.socket(socket.AF_UNIX) as other:
            other.settimeout(60)
            other.connect(self.behind)
            other.sendall(request)
            answer = b""
            while piece := other.recv(65536):
                answer += piece
                if self.is_whole(answer):
                    break
            return answer

    def counts(self):
        return {kind: len(times) for kind, times in sorted(self.times.items())}

    def stop(self):
        self.listener.close()
