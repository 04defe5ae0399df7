#!/usr/bin/env python3
"""How soon all who listen to live events hear of one: prints the middle and the last of them, for
each of some events, and the worst. Loopback only; asserts nothing.

usage: listeners.py VIGILD [--listeners N] [--events N]
"""

import argparse
import resource
import selectors
import socket
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "load"))
from stand import Stand


def listen(stand):
    """One listener whose stream has begun."""
    link = socket.create_connection(stand.address, timeout=30)
    link.sendall(
        b"GET /api/v1/events/stream?kind=trigger.requested HTTP/1.1\r\nHost: localhost\r\n"
        b"Authorization: Bearer " + stand.admin.encode() + b"\r\n\r\n")
    head = b""
    while b"retry:" not in head:
        piece = link.recv(4096)
        if not piece:
            raise SystemExit(f"no stream: {head.decode()}")
        head += piece
    link.setblocking(False)
    return link


def one_event(stand, links, number):
    """@return for each listener the seconds from the request's start until it heard of it"""
    waiting = selectors.DefaultSelector()
    for link in links:
        waiting.register(link, selectors.EVENT_READ)
    began = time.perf_counter()
    status, _ = stand.ask("POST", "/api/v1/triggers", {"project": "toy", "version": f"v{number}"})
    answered = time.perf_counter() - began
    if status != 202:
        raise SystemExit(f"the trigger was refused: {status}")
    heard = []
    while len(heard) < len(links):
        ready = waiting.select(timeout=30)
        if not ready:
            raise SystemExit(f"{len(links) - len(heard)} listeners heard nothing")
        for key, _ in ready:
            if b"data: " in key.fileobj.recv(65536):
                heard.append(time.perf_counter() - began)
                waiting.unregister(key.fileobj)
    waiting.close()
    return answered, heard


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vigild")
    parser.add_argument("--listeners", type=int, default=1000)
    parser.add_argument("--events", type=int, default=10)
    asked = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory(prefix="vigil-listeners-") as folder:
        stand = Stand(asked.vigild, folder, 10_000)
        try:
            began = time.perf_counter()
            links = [listen(stand) for _ in range(asked.listeners)]
            print(f"{len(links)} listeners after {time.perf_counter() - began:.1f} s, "
                  f"the daemon has {stand.rss_mib()} MiB")
            lasts = []
            for number in range(asked.events):
                answered, heard = one_event(stand, links, number)
                lasts.append(max(heard))
                print(f"event {number}: reply {answered * 1000:.0f} ms, heard by half after "
                      f"{statistics.median(heard) * 1000:.0f} ms, by the last after "
                      f"{max(heard) * 1000:.0f} ms")
            print(f"p50 of the last {statistics.median(lasts) * 1000:.0f} ms, "
                  f"worst {max(lasts) * 1000:.0f} ms")
        finally:
            stand.stop()


main()
