"""Deliveries as GitHub sends them on a bad day: repeated, out of order, cut, five of 25 MB at once.
Prints how long answers took, what memory came to, and whether each was acted on once.
usage: hooks.py VIGILD [--count N] [--connections N]
Exit code 1: a promise was missed: answered within 1 s (p99), none above 5 s, at most 150 MiB."""

import argparse
import hashlib
import hmac
import http.client
import json
import queue
import random
import re
import sqlite3
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
sys.dont_write_bytecode = True
from stage import Stage  # noqa: E402
from toy import Toy  # noqa: E402

SECRET = b"a secret"
LONG_BYTES = 25_000_000
LONG = 5
REPEATED, MOVED, CUT = 0.3, 0.1, 0.01
MIB = 1 << 20


def push(number, filler=b""):
    return (b'{"ref":"refs/heads/main","after":"%040x","commits":["%s"],'
            b'"repository":{"full_name":"lab/toy"}}' % (number, filler))


def other(number):
    return json.dumps({"action": "created", "issue": {"number": number, "body": "x" * 6000},
                       "repository": {"full_name": "lab/toy"}}).encode()


def plan(count, seed):
    """Ids in the order in which they are sent. @return [(id, event, body, is cut)]"""
    chance = random.Random(seed)
    fresh = [(f"d{n}", *(("push", push(n)) if n % 4 == 0 else ("issue_comment", other(n))))
             for n in range(round(count * (1 - REPEATED)))]
    sent = [(*one, False) for one in fresh]
    for one in chance.choices(fresh, k=count - len(fresh)):
        sent.insert(chance.randrange(len(sent)), (*one, False))
    for _ in range(round(count * MOVED)):
        sent.insert(chance.randrange(len(sent)), sent.pop(chance.randrange(len(sent))))
    for one in chance.sample(fresh, round(count * CUT)):  # its first try fails on the way
        first = next(n for n, other_one in enumerate(sent) if other_one[0] == one[0])
        sent.insert(first, (*one, True))
    return sent


def memory_mib(pid, line):
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(line + r":\s+(\d+)", status)[1]) / 1024


class Sender(threading.Thread):
    """One connection that sends what it takes from a queue."""

    def __init__(self, address, work, gate=None):
        super().__init__(daemon=True)
        self.address, self.work, self.gate = address, work, gate
        self.took, self.statuses = [], []

    def run(self):
        link = http.client.HTTPConnection(self.address, timeout=120)
        if self.gate:
            link.connect()
            self.gate.wait()
        while True:
            try:
                delivery, event, body, is_cut = self.work.get_nowait()
            except queue.Empty:
                return
            headers = {"X-GitHub-Event": event, "X-GitHub-Delivery": delivery,
                       "Content-Type": "application/json",
                       "X-Hub-Signature-256": "sha256=" + hmac.new(
                           SECRET, body, hashlib.sha256).hexdigest()}
            if is_cut:
                link.putrequest("POST", "/hooks/github")
                for name, value in {**headers, "Content-Length": len(body)}.items():
                    link.putheader(name, value)
                link.endheaders(body[: len(body) // 2])
                link.close()
                continue
            began = time.perf_counter()
            link.request("POST", "/hooks/github", body, headers)
            reply = link.getresponse()
            reply.read()
            self.took.append(time.perf_counter() - began)
            self.statuses.append(reply.status)


def start(folder, vigild):
    secret = folder / "webhook.secret"
    secret.touch(mode=0o600)
    secret.write_bytes(SECRET + b"\n")
    config = Toy(folder / "toy", [1.0]).config(folder)
    config["webhook"] = {"secret_file": str(secret), "projects": {"lab/toy": "toy"}}
    stage = Stage(folder, vigild.parent, vigild.name)
    stage.start_daemon(config)
    return stage


def run(stage, wishes):
    address = urlsplit(stage.url).netloc
    pid = stage.children["vigild"].pid
    before = memory_mib(pid, "VmRSS")
    work, long_work = queue.Queue(), queue.Queue()
    sent = plan(wishes.count, wishes.seed)
    for one in sent:
        work.put(one)
    for n in range(LONG):
        body = push(10**6 + n, b"x" * (LONG_BYTES - 200))
        long_work.put((f"long{n}", "push", body, False))
    gate = threading.Barrier(LONG)
    senders = [Sender(address, work) for _ in range(wishes.connections)]
    long_senders = [Sender(address, long_work, gate) for _ in range(LONG)]
    began = time.perf_counter()
    for sender in senders:
        sender.start()
    while work.qsize() > wishes.count // 2:
        time.sleep(0.01)
    for sender in long_senders:
        sender.start()
    for sender in senders + long_senders:
        sender.join()
    spent = time.perf_counter() - began
    grown = memory_mib(pid, "VmHWM") - before
    took = sorted(second for sender in senders + long_senders for second in sender.took)
    longest_long = max(second for sender in long_senders for second in sender.took)
    statuses = [status for sender in senders + long_senders for status in sender.statuses]
    ledger = sqlite3.connect(f"file:{stage.state_dir}/ledger.sqlite?mode=ro", uri=True)
    rows = ledger.execute("SELECT count(*), sum(state = 'acted') FROM delivery").fetchone()
    triggers = ledger.execute(
        "SELECT count(*) FROM trigger_request WHERE cause = 'delivery'").fetchone()[0]
    ledger.close()
    ids = {one[0] for one in sent}
    pushes = {one[0] for one in sent if one[1] == "push"}
    p99 = took[int(len(took) * 0.99)]
    print(f"{len(took)} deliveries over {wishes.connections} connections in {spent:.1f} s "
          f"({len(took) / spent:.0f} a second), {sum(one[3] for one in sent)} more were cut")
    print(f"answered  p50 {took[len(took) // 2] * 1000:.0f} ms, p99 {p99 * 1000:.0f} ms, longest "
          f"{took[-1] * 1000:.0f} ms; longest of the {LONG} of {LONG_BYTES // 10**6} MB "
          f"{longest_long * 1000:.0f} ms")
    print(f"memory    {before:.0f} MiB before, at most {grown:.0f} MiB more")
    print(f"rows      {rows[0]} of {len(ids) + LONG} deliveries, acted on {rows[1]} of "
          f"{len(pushes) + LONG}, triggers {triggers}")
    return (set(statuses) == {202} and rows == (len(ids) + LONG, len(pushes) + LONG)
            and triggers == rows[1] and p99 <= 1 and took[-1] <= 5 and grown <= 150)


def main():
    wishes = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    wishes.add_argument("vigild", type=Path)
    wishes.add_argument("--count", type=int, default=10_000)
    wishes.add_argument("--connections", type=int, default=32)
    wishes.add_argument("--seed", type=int, default=1)
    wishes = wishes.parse_args()
    with tempfile.TemporaryDirectory(prefix="vigil-bench-hooks-") as folder:
        stage = start(Path(folder), wishes.vigild.resolve())
        try:
            kept = run(stage, wishes)
        finally:
            stage.stop()
    print("promise   " + ("kept" if kept else "MISSED"))
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
