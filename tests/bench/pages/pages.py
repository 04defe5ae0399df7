#!/usr/bin/env python3
"""What the pages cost, over a ledger of years: for each page the bytes that go over the wire, the
time to the first paint and until its chart is drawn in a Chromium that has nothing kept, and the
daemon's time and processor time for one answer. Loopback only; asserts nothing. The browser runs on
the same machine, and others may too: its load is printed.

usage: pages.py BUILD_FOLDER [--measurements N] [--rounds N]
BUILD_FOLDER has vigild; tests/web/install has installed what drives the browser."""

import argparse
import http.client
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/bench/load"))
sys.path.insert(0, str(ROOT / "tests/bench/reads"))
sys.dont_write_bytecode = True
import ledger  # noqa: E402
import stand as stands  # noqa: E402

WEB = ROOT / "build/web"
TICKS = os.sysconf("SC_CLK_TCK")


def pages_of(written):
    """Of one thing and of a suite, as people open them."""
    series, night = written["series"] // 2, written["nights"] - 100
    return {
        "tonight": "/", "night": f"/nightlies/{night}", "regressions": "/regressions",
        "regression": "/regressions/1", "all series": "/series",
        "series, 90 nights": f"/series/{series}",
        "series, 1,100 nights": f"/series/{series}?nights=1100",
        "two series, 1,100 nights": f"/series/{series}?nights=1100&with={series + 4}",
        "bisections": "/bisections", "machines": "/machines", "inbox": "/inbox",
        "trends": "/trends?project=toy", "heat map": "/heatmap?project=toy", "trust": "/trust"}


def cpu_s(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def daemon_cost(stand, path, rounds):
    """@return  status, median and longest time of an answer, and processor time of one, in ms"""
    link = http.client.HTTPConnection(*stand.address, timeout=120)
    times, status = [], 0
    before = cpu_s(stand.child.pid)
    for _ in range(rounds):
        began = time.perf_counter()
        link.request("GET", path, headers={
            "Accept": "text/html", "Accept-Encoding": "gzip",
            "Cookie": f"vigil_token={stand.admin}"})
        reply = link.getresponse()
        reply.read()
        status = reply.status
        times.append((time.perf_counter() - began) * 1000)
    used = (cpu_s(stand.child.pid) - before) * 1000 / rounds
    link.close()
    times.sort()
    return status, times[len(times) // 2], times[-1], used


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("--measurements", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    stands.BENCHMARKS = ledger.benchmarks_of(asked.measurements)
    place = WEB / "bench"
    shutil.copytree(Path(__file__).parent, place, dirs_exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="vigil-pages-") as folder:
        stand = stands.Stand(asked.build / "vigild", folder, 10_000)
        for worker in range(stands.WORKERS):
            stand.claim(worker)  # they are known from now on
        stand.stop()
        written = ledger.fill(stand.folder / "vigild" / "ledger.sqlite", asked.measurements)
        stand.start()
        try:
            print(f"{written['measurements']} measurements, {written['series']} series, "
                  f"{written['nights']} nights; load {os.getloadavg()[0]:.1f}, "
                  f"{os.cpu_count()} cores")
            print(f"{'page':26}{'answer ms':>10}{'longest':>9}{'cpu ms':>8}{'kB':>7}{'paint ms':>9}"
                  f"{'longest':>9}{'chart at':>9}{'drawn in':>9}")
            for name, path in pages_of(written).items():
                status, middle, longest, used = daemon_cost(stand, path, 4 * asked.rounds)
                if status != 200:
                    print(f"{name:26} {status}")
                    continue
                seen = json.loads(subprocess.run(
                    ["node", place / "pages.mjs", shutil.which("chromium"),
                     "http://{}:{}".format(*stand.address), stand.admin, path, str(asked.rounds)],
                    check=True, stdout=subprocess.PIPE, text=True).stdout)
                chart = "".join(f"{seen[key]:9.0f}" if seen[key] is not None else f"{'':9}"
                                for key in ("chart_at_ms", "drawn_in_ms"))
                print(f"{name:26}{middle:10.1f}{longest:9.1f}{used:8.1f}{seen['bytes'] / 1000:7.0f}"
                      f"{seen['paint_ms']:9.0f}{seen['longest_paint_ms']:9.0f}{chart}", flush=True)
            print(f"load {os.getloadavg()[0]:.1f}")
        finally:
            stand.stop()


main()
