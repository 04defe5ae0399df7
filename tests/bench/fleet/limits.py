#!/usr/bin/env python3
"""The limits of one daemon: simulated workers claim, send heartbeats and hand in results over real
HTTP while many jobs wait, at higher and higher rates, and others wait for work in vain. Prints the
times of claims, heartbeats and results, what the daemon's processor did, and the machine's own pace
(an fsync, a bare request) beside them. Loopback only; asserts nothing. The workers run on the same
machine, and others may too: its load is printed.

usage: limits.py BUILD_FOLDER [--workers N] [--queued N] [--rates N,N] [--idle N] [--seconds N]
                 [--metrics N] [--benchmarks N] [--mib N]
BUILD_FOLDER has vigild and bench_workers.
"""

import argparse
import hashlib
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "load"))
sys.path.insert(0, str(Path(__file__).parents[1] / "reads"))
sys.dont_write_bytecode = True
import stand as stands  # noqa: E402

TICKS = os.sysconf("SC_CLK_TCK")
CLASSES = 4

# One more night of the project, as the first one: its jobs wait.
NIGHT = """
INSERT INTO build(id, project_id, revision, input_kind, input_digest, created_at_s)
    SELECT :night, project_id, printf('%040x', :night), input_kind, input_digest, created_at_s
    FROM build WHERE id = 1;
INSERT INTO source_facts SELECT :night, describe, committed_at_s, notes FROM source_facts
    WHERE build_id = 1;
INSERT INTO product(build_id, recipe_digest, toolchain, state, digest, duration_ns, created_at_s)
    SELECT :night, recipe_digest, toolchain, state, digest, duration_ns, created_at_s
    FROM product WHERE build_id = 1;
INSERT INTO nightly(id, project_id, build_id, version, day, revision, state, created_at_s, name,
    summed_up, compared_series, commits)
    SELECT :night, project_id, :night, 'v' || :night, date(day, '+' || :night || ' days'),
    printf('%040x', :night), state, created_at_s + :night, 'night ' || :night, summed_up,
    compared_series, 'none' FROM nightly WHERE id = 1;
INSERT INTO night_range(nightly_id, since_id, count, message)
    SELECT :night, :night - 1, 0, 'there is no repository';
INSERT INTO job(id, project_id, machine_class_id, purpose, state, priority, nightly_id, plan,
    created_at_s) SELECT id + (:night - 1) * :apart, project_id, machine_class_id, purpose,
    'queued', priority, :night, plan, created_at_s FROM temp.first;
INSERT INTO job_build SELECT id + (:night - 1) * :apart, 0, :night FROM temp.first"""


def percent(values, share):
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


def pace(stand):
    """The machine's own: what a durable write and a bare request take."""
    writes, asks = [], []
    with open(stand.folder / "pace", "wb") as file:
        for _ in range(200):
            begun = time.perf_counter()
            file.write(b"x" * 4096)
            file.flush()
            os.fdatasync(file.fileno())
            writes.append((time.perf_counter() - begun) * 1000)
    for _ in range(200):
        begun = time.perf_counter()
        stand.ask("GET", "/healthz")
        asks.append((time.perf_counter() - begun) * 1000)
    return (f"an fdatasync of 4 KiB p50 {percent(writes, .5):.2f} ms, p99 "
            f"{percent(writes, .99):.2f} ms; a bare request p50 {percent(asks, .5):.2f} ms, "
            f"p99 {percent(asks, .99):.2f} ms")


def transfer(stand, mib):
    """How fast content comes and goes, one after the other; its bytes are random."""
    body = os.urandom(1 << 20) * mib
    digest = hashlib.sha256(body).hexdigest()
    path = f"/api/v1/content/{digest}"
    said = []
    for title, ask in (("in", lambda: stand.ask("PUT", f"{path}?kind=product", raw=body,
                                                token=stand.tokens[0])),
                       ("out", lambda: stand.ask("GET", path, token=stand.tokens[0]))):
        begun, used = time.perf_counter(), cpu_s(stand.child.pid)
        status = ask()[0]
        took, used = time.perf_counter() - begun, cpu_s(stand.child.pid) - used
        said.append(f"{mib} MiB {title} ({status}) at {mib / took:.0f} MiB/s, "
                    f"{used / mib * 1024:.2f} s of the processor a GiB")
    return "; ".join(said)


def cpu_s(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def fill(stand, queued):
    """Makes nights until so many jobs wait; the product of each is there."""
    begun = time.monotonic()
    stand.ask("POST", "/api/v1/triggers", {"project": "toy"})
    path, body = stand.long_result(0, 1)
    stand.ask("PUT", path, body, stand.tokens[0])
    stand.stop()
    db = sqlite3.connect(stand.folder / "vigild" / "ledger.sqlite", isolation_level=None)
    db.execute("BEGIN")
    db.execute("CREATE TEMP TABLE first AS SELECT * FROM job WHERE state = 'queued'")
    each, apart = db.execute("SELECT count(*), max(id) + 1 FROM temp.first").fetchone()
    for night in range(2, 2 + max(0, round(queued / each) - 1)):
        for statement in NIGHT.split(";\n"):
            db.execute(statement, {"night": night, "apart": apart})
    db.execute("COMMIT")
    waiting, = db.execute("SELECT count(*) FROM job WHERE state = 'queued'").fetchone()
    db.close()
    stand.start()
    print(f"{waiting} jobs wait, {each} of a night, for {CLASSES} classes; made in "
          f"{time.monotonic() - begun:.0f} s", flush=True)


class Bench:
    def __init__(self, stand, build, asked):
        self.stand, self.program, self.asked = stand, build / "bench_workers", asked
        self.tokens = stand.folder / "tokens.txt"
        self.tokens.write_text("\n".join(stand.tokens) + "\n")

    def show(self, title, rate, idle):
        """@return  whether every call was answered as it should"""
        asked = self.asked
        command = [self.program, str(self.stand.address[1]), self.tokens, str(rate),
                   str(asked.seconds), str(asked.metrics), "30", str(idle)]
        before = cpu_s(self.stand.child.pid)
        seen = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        used = cpu_s(self.stand.child.pid) - before
        print(f"\n{title}; load of the machine {os.getloadavg()[0]:.1f}")
        for kind, part in seen.get("kinds", {}).items():
            wrong = {status: count for status, count in part["statuses"].items()
                     if status not in ("200", "204")}
            print(f"  {kind:10} {part['count'] / seen['took_s']:6.0f}/s"
                  f"  p50 {part['p50_ms']:8.1f} ms  p99 {part['p99_ms']:8.1f} ms"
                  f"  worst {part['worst_ms']:8.1f} ms  {wrong or ''}")
        print(f"  in {seen['took_s']:.1f} s the daemon used {used:.1f} s of the processor, the "
              f"workers {seen['own_cpu_s']:.1f} s", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path)
    for name, usual in (("workers", 1000), ("queued", 100_000), ("idle", 500), ("seconds", 15),
                        ("metrics", 1), ("benchmarks", 1000), ("connections", 4096),
                        ("mib", 256)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--rates", default="50,100,200,350,500")
    asked = parser.parse_args()
    stands.BENCHMARKS = asked.benchmarks
    classes = [f"class-{n % CLASSES}" if n < asked.workers - asked.idle else "idle"
               for n in range(asked.workers)]
    with tempfile.TemporaryDirectory(prefix="vigil-limits-") as folder:
        stand = stands.Stand(asked.build / "vigild", folder, 0, classes,
                             {"max_connections": asked.connections})
        try:
            fill(stand, asked.queued)
            print(f"{os.cpu_count()} cores; {pace(stand)}\n{transfer(stand, asked.mib)}")
            bench = Bench(stand, asked.build, asked)
            busy = asked.workers - asked.idle
            for rate in asked.rates.split(","):
                bench.show(f"{busy} workers hand in {rate} results a second, {asked.idle} wait",
                           float(rate), asked.idle)
            print(f"\n{pace(stand)}\nthe daemon has {stand.rss_mib()} MiB, at most "
                  f"{stand.rss_mib('VmHWM')} MiB")
        finally:
            stand.stop()


main()
