#!/usr/bin/env python3
"""A worker that speaks the workers' protocol and measures nothing: its values follow from a seed,
so that many jobs on many virtual nodes fit on one machine. Standard library only.

usage: simulated_worker.py --config FILE --until-idle SECONDS
FILE is a worker's config; beside its keys it has `world`, the path of a JSON file:
  seed, job_s (how long a job takes), levels ({revision: {benchmark: value}}; others are 100)"""

import hashlib
import http.client
import json
import random
import signal
import sys
import time
import uuid
from pathlib import Path
from urllib.parse import urlsplit

PROTOCOL = 3
MACHINE = {"cpu_model": "simulated", "cpus": 1, "memory_bytes": 1 << 34, "gpus": [], "labels": {},
           "toolchain": "none"}
NOISE = 0.005
CLAIM_WAIT_S = 10
RETRY_S = 1


class Worker:
    def __init__(self, settings):
        self.host = urlsplit(settings["server"]).netloc
        self.token = Path(settings["token_file"]).read_text().strip()
        self.world = json.loads(Path(settings["world"]).read_text())
        self.instance = uuid.uuid4().hex
        self.link, self.draining = None, False
        signal.signal(signal.SIGTERM, self.drain)

    def drain(self, *_):
        self.draining = True

    def ask(self, method, path, body, kind="application/json"):
        """Once. @return status and the answer's JSON. Raises OSError, HTTPException."""
        if self.link is None:
            self.link = http.client.HTTPConnection(self.host, timeout=60)
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        try:
            self.link.request(method, path, data, {
                "Authorization": f"Bearer {self.token}", "Content-Type": kind})
            reply = self.link.getresponse()
            text = reply.read()
        except (OSError, http.client.HTTPException):
            self.link.close()
            self.link = None
            raise
        return reply.status, json.loads(text) if text[:1] == b"{" else None

    def insist(self, *request):
        """Until the daemon says something: it may be away for a while, or busy."""
        while True:
            try:
                status, answer = self.ask(*request)
            except (OSError, http.client.HTTPException):
                status = 503
            if status not in (429, 503):
                return status, answer
            time.sleep(RETRY_S)

    def claim(self, wait_s):
        return self.ask("POST", "/api/v1/worker/claim", {
            "protocol": PROTOCOL, "fingerprint": MACHINE, "wait_s": wait_s,
            "instance": self.instance, "draining": self.draining})

    def run(self, until_idle_s):
        busy_at = time.monotonic()
        while not self.draining:
            left_s = busy_at + until_idle_s - time.monotonic()
            if left_s <= 0:
                break
            try:
                status, lease = self.claim(min(CLAIM_WAIT_S, int(left_s) + 1))
            except (OSError, http.client.HTTPException):
                status = 503
            if status == 200:
                self.answer(lease)
                busy_at = time.monotonic()
            elif status == 401:
                return  # its allocation is over
            elif status != 204:
                time.sleep(RETRY_S)
        self.draining = True
        self.claim(0)

    def answer(self, lease):
        time.sleep(self.world["job_s"])
        builds = [self.build(one) for one in lease["builds"] if "product" not in one]
        now, record = time.time_ns(), {"facts": {"kernel": "simulated"}, "readings": {}}
        runs = [{"step": n, "outcome": "passed", "message": "", "started_at_ns": now + n,
                 "duration_ns": 10**9, "samples": [
                     {"metric": "cpu_time_ns", "values": [self.measure(lease, step, n)]}]}
                for n, step in enumerate(lease["plan"]["steps"])]
        self.insist(
            "PUT", f"/api/v1/worker/jobs/{lease['job']}/attempts/{lease['attempt']}/result",
            {"key": lease["key"], "builds": builds, "runs": runs, "before": record,
             "after": record, "failure": ""})

    def build(self, order):
        content = f"product of {order['revision']}".encode()
        digest = hashlib.sha256(content).hexdigest()
        self.insist("PUT", f"/api/v1/content/{digest}?kind=product", content,
                    "application/octet-stream")
        return {"id": order["id"], "built": True, "message": "", "duration_ns": 10**9,
                "product": digest}

    def measure(self, lease, step, number):
        """A night's value is the same whoever measures it, and in whichever attempt."""
        revision = lease["builds"][step["build"]]["revision"]
        benchmark = lease["plan"]["benchmarks"][step["benchmark"]]["benchmark"]
        level = self.world["levels"].get(revision, {}).get(benchmark, 100)
        block = "" if lease["purpose"] == "nightly" else lease["job"]
        lot = random.Random(f"{self.world['seed']} {revision} {benchmark} {block} {number}")
        return level * lot.gauss(1, NOISE) * 1e6


def main():
    options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
    settings = json.loads(Path(options["--config"]).read_text())
    Worker(settings).run(float(options["--until-idle"]))


if __name__ == "__main__":
    main()
