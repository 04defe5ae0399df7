"""A daemon with a small project, and the callers that the load figures need. Loopback only."""

import hashlib
import http.client
import json
import re
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
from toy import Toy

WORKERS = 9
BENCHMARKS = 40
PROTOCOL = 3
MACHINE = {"cpu_model": "x", "cpus": 2, "memory_bytes": 1 << 34, "gpus": [], "labels": {},
           "toolchain": "none"}


class Stand:
    """One vigild in a folder of its own."""

    def __init__(self, vigild, folder, events, classes=None, http=None):
        """@param classes  of each worker, in order; None: each has one of its own. A class that
        begins with "idle" has nothing to measure"""
        self.vigild, self.folder = Path(vigild), Path(folder)
        toy = Toy(self.folder / "toy", [1.0])
        bench = {"command": ["true"],
                 "samples": {"format": "lines", "printed": "cpu_time_ns", "unit": "ns"}}
        of_worker = classes or [f"class-{n}" for n in range(WORKERS)]
        classes = sorted(set(of_worker))
        config = toy.config(
            self.folder, judged=["cpu_time_ns", "wall_time_ns"],
            suites={"core": {f"b{n}": bench for n in range(BENCHMARKS)}},
            matrix=[{"suite": "core", "machine_classes":
                     [name for name in classes if not name.startswith("idle")]}])
        config.update(
            jobs={"lease_ttl_s": 60}, machine_classes={name: {} for name in classes},
            workers={f"worker-{n}": {"machine_class": name} for n, name in enumerate(of_worker)})
        config["http"].update(http or {})
        secret = self.folder / "webhook.secret"
        secret.touch(mode=0o600)
        secret.write_text("a secret\n")
        config["webhook"] = {"secret_file": str(secret), "projects": {"lab/toy": "toy"}}
        (self.folder / "vigild.json").write_text(json.dumps(config))
        self.child = None
        self.start()
        self.tokens = [self.ask("POST", "/api/v1/tokens",
                                {"name": f"worker-{n}", "scope": "worker"})[1]["secret"]
                       for n in range(len(of_worker))]
        self.stop()
        ledger = sqlite3.connect(self.folder / "vigild" / "ledger.sqlite")
        ledger.executemany(
            "INSERT INTO event(at_s, kind, subject, message, data) VALUES (?, 'x', 'y', 'z', '{}')",
            ((n,) for n in range(events)))
        ledger.commit()
        ledger.close()
        self.start()

    def start(self):
        log = self.folder / "vigild.log"
        with log.open("w") as out:
            self.child = subprocess.Popen(
                [self.vigild, "--config", self.folder / "vigild.json"], stdout=out,
                stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        while not (found := re.search(r"address=http://(\S+)", log.read_text())):
            if self.child.poll() is not None:
                raise SystemExit(f"vigild does not start: {log.read_text()}")
            time.sleep(0.05)
        self.address = found[1].split(":")[0], int(found[1].split(":")[1])
        self.admin = (self.folder / "vigild" / "admin.token").read_text().strip()

    def stop(self):
        self.child.terminate()
        self.child.wait()

    def rss_mib(self, line="VmRSS"):
        status = Path(f"/proc/{self.child.pid}/status").read_text()
        return int(re.search(line + r":\s+(\d+)", status)[1]) // 1024

    def ask(self, method, path, body=None, token=None, raw=None, timeout=120):
        """@return status, the answer's JSON or None"""
        link = http.client.HTTPConnection(*self.address, timeout=timeout)
        headers = {"Authorization": f"Bearer {token or self.admin}"}
        data = raw
        if body is not None:
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        try:
            link.request(method, path, data, headers)
            reply = link.getresponse()
            text = reply.read()
        finally:
            link.close()
        is_json = "json" in (reply.getheader("Content-Type") or "")
        return reply.status, json.loads(text) if text and is_json else None

    def connect(self):
        link = socket.create_connection(self.address, timeout=30)
        return link

    def claim(self, worker, wait_s=0):
        return self.ask("POST", "/api/v1/worker/claim",
                        {"protocol": PROTOCOL, "fingerprint": MACHINE, "wait_s": wait_s,
                         "draining": False}, self.tokens[worker])

    def long_result(self, worker, mib):
        """Claims a job. @return the path of its result and a body of about `mib` MiB"""
        status, lease = self.claim(worker, 30)
        if status != 200:
            raise SystemExit(f"no job for worker {worker}: {status} {lease}")
        builds = []
        for order in lease["builds"]:
            if "product" in order:
                continue
            product = hashlib.sha256(b"product").hexdigest()
            self.ask("PUT", f"/api/v1/content/{product}?kind=product", raw=b"product",
                     token=self.tokens[worker])
            builds.append({"id": order["id"], "built": True, "message": "", "duration_ns": 1,
                           "product": product})
        steps = lease["plan"]["steps"]
        metrics = ("cpu_time_ns", "wall_time_ns", "peak_process_bytes", "peak_growth_bytes")
        count = mib * (1 << 20) // (len(steps) * len(metrics) * 11)
        samples = [{"metric": metric, "values": [100000.25 + n % 977 for n in range(count)]}
                   for metric in metrics]
        runs = [{"step": n, "outcome": "passed", "message": "", "started_at_ns": n + 1,
                 "duration_ns": 1, "samples": samples} for n in range(len(steps))]
        record = {"facts": {"kernel": "k"}, "readings": {}}
        body = {"builds": builds, "runs": runs, "before": record, "after": record, "failure": ""}
        path = f"/api/v1/worker/jobs/{lease['job']}/attempts/{lease['attempt']}/result"
        return path, json.dumps(body).encode()


class Watch:
    """Asks again and again on a thread of its own, and keeps the times and what went wrong."""

    def __init__(self, name, ask, pause_s=0.05):
        self.name, self.ask, self.pause_s = name, ask, pause_s
        self.times, self.wrong, self.ended = [], [], False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while not self.ended:
            began = time.perf_counter()
            try:
                status = self.ask()
                if status not in (200, 202, 204):
                    self.wrong.append(str(status))
            except (OSError, http.client.HTTPException) as error:
                self.wrong.append(type(error).__name__)
            self.times.append(time.perf_counter() - began)
            time.sleep(self.pause_s)

    def end(self):
        self.ended = True
        self.thread.join()
        times = sorted(self.times)
        middle, last = times[len(times) // 2], times[-1]
        wrong = {what: self.wrong.count(what) for what in set(self.wrong)}
        return (f"{self.name}: {len(times)} calls, median {middle * 1000:.0f} ms, "
                f"longest {last * 1000:.0f} ms, failed {sum(wrong.values())} {wrong or ''}")
