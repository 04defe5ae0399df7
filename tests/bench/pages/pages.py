#!/usr/bin/env python3
"""What the pages cost, over a ledger of years, beside what is promised: for each page the daemon's
time (the middle, and the 99th of a hundred) and processor time for one answer, the bytes that go
over the wire, the time to the first paint and until its chart is drawn in a Chromium that has
nothing kept. Loopback only; asserts nothing. The browser runs on the same machine, and others may
too: its load is printed.

usage: pages.py BUILD_FOLDER [--measurements N] [--rounds N] [--answers N] [--only WORDS]
BUILD_FOLDER has vigild; tests/web/install has installed what drives the browser."""

import argparse
import http.client
import json
import math
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


# What is promised of a page: milliseconds of the daemon for one thing, for a suite, for a heat map,
# the 99th of a hundred answers; kB over the wire; milliseconds in the browser.
ONE, SUITE, HEAT = 20, 150, 100
KB, PAINT, USABLE, DRAWN = 150, 500, 1000, 50
SPREAD = 20  # things of a kind that are asked for in turn


def pages_of(written, wide):
    """Of one thing and of a suite, as people open them: name, promise, addresses in turn."""
    step = written["series"] // (2 * SPREAD)
    series = [step * n + written["series"] // 4 for n in range(1, SPREAD + 1)]
    nights = [written["nights"] - 100 - n for n in range(SPREAD)]

    def over(id, count):
        return f"/series/{id}?nights=1100&with=" + ",".join(
            str(id + 4 * n) for n in range(1, count + 1))

    return [
        ("tonight", SUITE, ["/"]),
        ("night", ONE, [f"/nightlies/{night}" for night in nights]),
        ("regressions", SUITE, ["/regressions"]),
        ("regression", ONE, [f"/regressions/{1 + n}" for n in range(SPREAD)]),
        ("all series", SUITE, ["/series"]),
        ("series, 90 nights", ONE, [f"/series/{id}" for id in series]),
        ("series, 1,100 nights", ONE, [f"/series/{id}?nights=1100" for id in series]),
        ("the same, its last rows", ONE,
         [f"/series/{id}?nights=1100&table=100" for id in series]),
        ("two series, 1,100 nights", SUITE, [over(id, 1) for id in series]),
        ("ten series, 1,100 nights", SUITE, [over(id, 9) for id in series]),
        ("night of a series", ONE,
         [f"/series/{id}/nights/{night}" for id, night in zip(series, nights)]),
        ("bisections", SUITE, ["/bisections"]),
        ("machines", SUITE, ["/machines"]),
        ("inbox", SUITE, ["/inbox"]),
        ("trends", SUITE, ["/trends?project=toy"]),
        ("heat map, 76 x 1", SUITE, ["/heatmap?project=toy"]),
        ("heat map, 100 x 12", HEAT, [f"/heatmap?{wide}"]),
        ("the same as a table", HEAT, [f"/heatmap?{wide}&as=table"]),
        ("trust", SUITE, ["/trust"])]


def cpu_s(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def daemon_cost(stand, paths, answers):
    """@return  status, median and 99th of a hundred times, and processor time of one, in ms"""
    link = http.client.HTTPConnection(*stand.address, timeout=120)
    times, status = [], 200
    before = cpu_s(stand.child.pid)
    for turn in range(answers):
        began = time.perf_counter()
        link.request("GET", paths[turn % len(paths)], headers={
            "Accept": "text/html", "Accept-Encoding": "gzip",
            "Cookie": f"vigil_token={stand.admin}"})
        reply = link.getresponse()
        reply.read()
        status = max(status, reply.status)
        times.append((time.perf_counter() - began) * 1000)
    used = (cpu_s(stand.child.pid) - before) * 1000 / answers
    link.close()
    times.sort()
    return status, times[len(times) // 2], times[math.ceil(len(times) * 0.99) - 1], used


def broken(promise, answer, seen):
    """@return  names of the promises that do not hold"""
    held = {"answer": answer <= promise, "kB": seen["bytes"] / 1000 <= KB,
            "paint": seen["longest_paint_ms"] <= PAINT,
            "chart": (seen["chart_at_ms"] or 0) <= USABLE,
            "drawing": (seen["drawn_in_ms"] or 0) <= DRAWN}
    return [name for name, holds in held.items() if not holds]


def print_page(stand, place, asked, page):
    name, promise, paths = page
    status, middle, late, used = daemon_cost(stand, paths, asked.answers)
    if status != 200:
        print(f"{name:26} {status}")
        return
    seen = json.loads(subprocess.run(
        ["node", place / "pages.mjs", shutil.which("chromium"),
         "http://{}:{}".format(*stand.address), stand.admin, paths[0], str(asked.rounds)],
        check=True, stdout=subprocess.PIPE, text=True).stdout)
    chart = "".join(f"{seen[key]:9.0f}" if seen[key] is not None else f"{'':9}"
                    for key in ("chart_at_ms", "drawn_in_ms"))
    not_held = broken(promise, late, seen)
    print(f"{name:26}{middle:10.1f}{late:8.1f}{promise:6}{used:8.1f}{seen['bytes'] / 1000:7.0f}"
          f"{seen['paint_ms']:9.0f}{seen['longest_paint_ms']:9.0f}{chart}  "
          + ("no: " + ", ".join(not_held) if not_held else "yes"), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("--measurements", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5, help="openings in the browser")
    parser.add_argument("--answers", type=int, default=200, help="of the daemon")
    parser.add_argument("--only", default="", help="pages with this in their name")
    asked = parser.parse_args()
    stands.BENCHMARKS = ledger.benchmarks_of(asked.measurements)
    place = WEB / "bench"
    shutil.copytree(Path(__file__).parent, place, dirs_exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="vigil-pages-") as folder:
        stand = stands.Stand(asked.build / "vigild", folder, 10_000)
        for worker in range(stands.WORKERS):
            stand.claim(worker)  # they are known from now on
        stand.stop()
        file = stand.folder / "vigild" / "ledger.sqlite"
        written = ledger.fill(file, asked.measurements)
        wide = ledger.fill_wide(file)
        stand.start()
        try:
            print(f"{written['measurements']} measurements, {written['series']} series, "
                  f"{written['nights']} nights; load {os.getloadavg()[0]:.1f}, "
                  f"{os.cpu_count()} cores")
            print(f"{'page':26}{'answer ms':>10}{'p99':>8}{'<=':>6}{'cpu ms':>8}{'kB':>7}"
                  f"{'paint ms':>9}{'longest':>9}{'chart at':>9}{'drawn in':>9}  holds")
            for page in pages_of(written, wide):
                if not asked.only or asked.only in page[0]:
                    print_page(stand, place, asked, page)
            print(f"load {os.getloadavg()[0]:.1f}")
        finally:
            stand.stop()


main()
