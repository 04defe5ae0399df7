#!/usr/bin/env python3
"""How fast a daemon answers reads over a large ledger while changes come in: prints the reads and
changes a second that were answered, their times, and the time of a 304 with no other load.
Loopback only; asserts nothing. The callers run on the same machine: its load is printed too.

usage: reads.py VIGILD [--measurements N] [--rate N] [--changes N] [--seconds N] [--callers N]
the figure of the promise: reads.py VIGILD --measurements 10000000 --rate 2000 --changes 200
"""

import argparse
import http.client
import itertools
import json
import multiprocessing
import os
import sqlite3
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "load"))
from stand import Stand

BENCHMARKS, METRICS, CLASSES = 100, ("cpu_time_ns", "wall_time_ns", "peak_process_bytes",
                                     "peak_growth_bytes"), 3


def fill(ledger, measurements):
    """Nights of a project of their own, each with a run of every benchmark on every class."""
    db = sqlite3.connect(ledger)
    db.execute("PRAGMA synchronous = OFF")
    add = db.execute
    project = add("INSERT INTO project(name, created_at_s) VALUES ('big', 1)").lastrowid
    classes = [add("INSERT INTO machine_class(name) VALUES (?)", (f"big-{n}",)).lastrowid
               for n in range(CLASSES)]
    workers = [add(
        "INSERT INTO worker(name, machine_class_id, state, fingerprint, toolchain,"
        " first_seen_at_s, last_seen_at_s) VALUES (?, ?, 'active', '{}', '', 1, 1)",
        (f"big-{one}", one)).lastrowid for one in classes]
    series = {}
    for one, bench, metric in itertools.product(classes, range(BENCHMARKS), METRICS):
        series[one, bench, metric] = add(
            "INSERT INTO series(project_id, benchmark, variant, machine_class_id, metric,"
            " definition, unit, direction) VALUES (?, ?, 'default', ?, ?, 1, 'ns',"
            " 'lower_is_better')", (project, f"big{bench}", one, metric)).lastrowid
    nights = -(-measurements // len(series))
    for night in range(nights):
        revision = f"{night:040x}"
        build = add(
            "INSERT INTO build(project_id, revision, input_kind, input_digest, created_at_s)"
            " VALUES (?, ?, 'archive', ?, ?)",
            (project, revision, revision, night * 86400)).lastrowid
        nightly = add(
            "INSERT INTO nightly(project_id, build_id, version, day, revision, state,"
            " created_at_s, ended_at_s) VALUES (?, ?, ?, date(?, 'unixepoch'), ?, 'done', ?, ?)",
            (project, build, f"v{night}", night * 86400, revision, night * 86400,
             night * 86400)).lastrowid
        for one, worker in zip(classes, workers):
            job = add(
                "INSERT INTO job(project_id, machine_class_id, purpose, state, priority,"
                " nightly_id, plan, attempt, created_at_s, ended_at_s)"
                " VALUES (?, ?, 'nightly', 'done', 1, ?, '{}', 1, ?, ?)",
                (project, one, nightly, night * 86400, night * 86400)).lastrowid
            rows = []
            for bench in range(BENCHMARKS):
                run = add(
                    "INSERT INTO run(job_id, attempt, step, build_id, benchmark, variant,"
                    " machine_class_id, worker_id, outcome, started_at_ns, duration_ns)"
                    " VALUES (?, 1, ?, ?, ?, 'default', ?, ?, 'passed', ?, 1)",
                    (job, bench, build, f"big{bench}", one, worker, night * 10**9)).lastrowid
                rows += [(run, series[one, bench, metric], 1e6 + (night * 7919 + bench) % 977,
                          10.0, 1, b"\0" * 8) for metric in METRICS]
            db.executemany("INSERT INTO measurement VALUES (?, ?, ?, ?, ?, ?)", rows)
    db.commit()
    db.execute("ANALYZE")
    db.commit()
    db.close()
    return list(series.values()), nights, nights * len(series)


def paths_of(series):
    """What readers ask, in turn."""
    for one in itertools.cycle(series):
        yield f"/api/v1/series/{one}/nights?limit=20"
        yield "/api/v1/regressions?state=open&limit=20"
        yield "/api/v1/nightlies?project=big&limit=20"
        yield "/api/v1/series?project=big&limit=20"
        yield "/api/v1/events?limit=20"


def call_at_pace(address, token, gap_s, until, request, times, wrong):
    """Each call has its time: one that comes late because of the one before waits with it."""
    link = http.client.HTTPConnection(*address, timeout=60)
    due = time.perf_counter()
    while due < until:
        time.sleep(max(0.0, due - time.perf_counter()))
        method, path, body = request()
        link.request(method, path, body, {
            "Authorization": f"Bearer {token}", "Content-Type": "application/json"})
        reply = link.getresponse()
        reply.read()
        times.append(time.perf_counter() - due)
        if reply.status not in (200, 202):
            wrong.append(reply.status)
        due += gap_s


def run_callers(address, token, rate, callers, seconds, series, results):
    """One process of readers."""
    times, wrong = [], []
    until = time.perf_counter() + seconds
    threads = []
    for number in range(callers):
        asks = paths_of(series[number::callers])
        threads.append(threading.Thread(target=call_at_pace, args=(
            address, token, callers / rate, until, lambda asks=asks: ("GET", next(asks), None),
            times, wrong)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    results.put((times, wrong))


def told(name, times, seconds):
    times = sorted(times)
    if not times:
        return f"{name}: none"
    at = lambda share: times[min(int(len(times) * share), len(times) - 1)] * 1000
    return (f"{name}: {len(times) / seconds:.0f}/s, p50 {at(0.5):.1f} ms, p99 {at(0.99):.1f} ms, "
            f"worst {times[-1] * 1000:.1f} ms")


def unchanged(stand, path):
    """Times of a 304 on one connection."""
    link = http.client.HTTPConnection(*stand.address, timeout=60)
    headers = {"Authorization": f"Bearer {stand.admin}"}
    times = []
    for _ in range(500):
        began = time.perf_counter()
        link.request("GET", path, None, headers)
        reply = link.getresponse()
        reply.read()
        if reply.status == 304:
            times.append(time.perf_counter() - began)
        headers["If-None-Match"] = reply.getheader("ETag")
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vigild")
    for name, usual in (("measurements", 200_000), ("rate", 500), ("changes", 50),
                        ("seconds", 10), ("callers", 16)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="vigil-reads-") as folder:
        stand = Stand(asked.vigild, folder, 10_000)
        stand.stop()
        began = time.perf_counter()
        series, nights, count = fill(stand.folder / "vigild" / "ledger.sqlite", asked.measurements)
        print(f"{count} measurements of {nights} nights, after {time.perf_counter() - began:.0f} s")
        stand.start()
        try:
            print(told("304 with no other load", unchanged(
                stand, f"/api/v1/series/{series[0]}/nights?limit=20"), 1).replace("/s,", " calls,"))
            results = multiprocessing.Queue()
            shared = [stand.address, stand.admin]
            processes = [multiprocessing.Process(target=run_callers, args=(
                *shared, asked.rate / 2, asked.callers, asked.seconds, series, results))
                for _ in range(2)]
            number = itertools.count()
            changes, wrong = [], []
            change = lambda: ("POST", "/api/v1/triggers", json.dumps(
                {"project": "toy", "version": f"v{next(number)}"}))
            until = time.perf_counter() + asked.seconds
            writers = [threading.Thread(target=call_at_pace, args=(
                *shared, 4 / asked.changes, until, change, changes, wrong))
                for _ in range(4 if asked.changes else 0)]
            for one in processes + writers:
                one.start()
            parts = [results.get() for _ in processes]
            for one in processes + writers:
                one.join()
            reads = [each for times, _ in parts for each in times]
            wrong += [each for _, some in parts for each in some]
            print(told("reads", reads, asked.seconds))
            print(told("changes", changes, asked.seconds))
            print(f"{len(wrong)} wrong replies; load of the machine {os.getloadavg()[0]:.1f} on "
                  f"{os.cpu_count()} cores; the daemon has {stand.rss_mib()} MiB")
        finally:
            stand.stop()


main()
