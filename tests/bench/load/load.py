#!/usr/bin/env python3
"""What strangers can do to a daemon: figures of the health probe, of a worker's claims, of triggers
and of memory, while somebody abuses the port. Prints, and asserts nothing.

usage: load.py VIGILD [--idle N] [--mib N] [--only NAME]...
names: idle webhooks readers results flood
"""

import argparse
import multiprocessing
import tempfile
import threading
import time
from pathlib import Path

from stand import Stand, Watch, WORKERS


def on_threads(count, work):
    threads = [threading.Thread(target=work, args=(n,), daemon=True) for n in range(count)]
    for thread in threads:
        thread.start()
    return threads


class Scene:
    """Probe, claims and memory around an attack."""

    def __init__(self, stand, title):
        self.stand, self.title = stand, title
        self.before = stand.rss_mib()
        self.highest, self.begun = self.before, time.perf_counter()
        self.watches = [
            Watch("  health", lambda: stand.ask("GET", "/healthz", timeout=10)[0]),
            Watch("  claims", lambda: stand.claim(0)[0]),
            Watch("  memory", self.look)]

    def look(self):
        self.highest = max(self.highest, self.stand.rss_mib())
        return 200

    def end(self):
        took = time.perf_counter() - self.begun
        lines = [watch.end() for watch in self.watches]
        print(f"{self.title} ({took:.1f} s)")
        for line in lines:
            if "memory" not in line:
                print(line)
        print(f"  memory: {self.before} MiB before, {self.highest} MiB at most "
              f"(+{self.highest - self.before})", flush=True)


def idle(stand, count):
    scene = Scene(stand, f"{count} idle connections")
    links = []
    for _ in range(count):
        try:
            links.append(stand.connect())
        except OSError:
            break
    time.sleep(10)
    scene.end()
    for link in links:
        link.close()


def webhooks(stand):
    body = b"x" * 25_000_000
    head = (b"POST /hooks/github HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n"
            b"X-GitHub-Delivery: a\r\nX-GitHub-Event: push\r\nX-Hub-Signature-256: sha256=00\r\n"
            b"Content-Type: application/json\r\n\r\n" % len(body))

    def deliver(_):
        try:
            link = stand.connect()
            link.sendall(head)
            link.sendall(body[:-1])
            time.sleep(5)
            link.sendall(body[-1:])
            link.recv(100)
        except OSError:
            pass

    scene = Scene(stand, "60 unsigned deliveries of 25 MB")
    for thread in on_threads(60, deliver):
        thread.join()
    scene.end()


def readers(stand):
    ended = threading.Event()

    def read(_):
        while not ended.is_set():
            try:
                stand.ask("GET", "/api/v1/events?kind=none&limit=500", timeout=60)
            except OSError:
                pass

    scene = Scene(stand, "30 readers that look through all events")
    threads = on_threads(30, read)
    time.sleep(20)
    scene.end()
    ended.set()
    for thread in threads:
        thread.join()


def trigger(stand):
    return stand.ask("POST", "/api/v1/triggers", {"project": "toy"})[0]


def results(stand, mib):
    trigger(stand)
    path, body = stand.long_result(WORKERS - 1, 1)  # the others wait for this one's product
    stand.ask("PUT", path, body, stand.tokens[WORKERS - 1])
    bodies = [stand.long_result(n, mib) for n in range(WORKERS - 1)]
    answers = []

    def hand_in(worker):
        path, body = bodies[worker]
        try:
            status, why = stand.ask("PUT", path, body, stand.tokens[worker])
            answers.append(f"{status} {why['detail']}" if why else status)
        except OSError as error:
            answers.append(type(error).__name__)

    scene = Scene(stand, f"{len(bodies)} results of {len(bodies[0][1]) / (1 << 20):.1f} MiB")
    scene.watches.append(Watch("  triggers", lambda: trigger(stand)))
    for thread in on_threads(len(bodies), hand_in):
        thread.join()
    scene.end()
    print(f"  results: {sorted(map(str, answers))}")


def open_many(stand, ended, made):
    links = []
    while not ended.is_set():
        try:
            links.append(stand.connect())
            links[-1].sendall(b"GET /healthz HT")
            made.value += 1
        except OSError:
            pass
        if len(links) > 1500:
            links.pop(0).close()


def flood(stand):
    """Connections that come and stay, as fast as they are taken."""
    ended, made = multiprocessing.Event(), multiprocessing.Value("q", 0)
    attacker = multiprocessing.Process(target=open_many, args=(stand, ended, made))
    attacker.start()
    scene = Scene(stand, "a flood of connections that send half a line")
    time.sleep(15)
    scene.end()
    ended.set()
    attacker.join()
    print(f"  connections made: {made.value}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("vigild")
    parser.add_argument("--idle", type=int, default=1000)
    parser.add_argument("--mib", type=int, default=7)
    parser.add_argument("--only", action="append")
    wishes = parser.parse_args()
    attacks = {"idle": lambda stand: idle(stand, wishes.idle), "webhooks": webhooks,
               "readers": readers, "results": lambda stand: results(stand, wishes.mib),
               "flood": flood}
    for name in wishes.only or attacks:
        with tempfile.TemporaryDirectory() as folder:
            stand = Stand(wishes.vigild, Path(folder), 1_000_000 if name == "readers" else 0)
            try:
                attacks[name](stand)
            finally:
                stand.stop()


main()
