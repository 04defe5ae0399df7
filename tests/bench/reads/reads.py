#!/usr/bin/env python3
"""How fast a daemon answers reads over a large ledger while workers send results: prints the reads
and results a second that were answered, their times, and what a read costs the daemon's processor.
Before that, with nothing else asked: the time of a 304, of a series of 1,100 nights, and of a
night's summary. Loopback only; asserts nothing. The callers run on the same machine, and others may
too: its load is printed, and the processor time is the figure that depends least on it.

usage: reads.py BUILD_FOLDER [--measurements N] [--rate N] [--results N] [--seconds N] [--callers N]
BUILD_FOLDER has vigild and bench_reads. The figure of the promise:
    reads.py build/release --measurements 10000000 --rate 2000
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "load"))
sys.dont_write_bytecode = True
import ledger  # noqa: E402
import stand as stands  # noqa: E402

TICKS = os.sysconf("SC_CLK_TCK")


def mix(written):
    """What people and programs ask a daemon for, in turn."""
    lot = random.Random(1)
    lines = []
    for _ in range(500):
        series, night = lot.randint(1, written["series"]), lot.randint(1, written["nights"])
        run, bench = lot.randint(1, written["runs"]), lot.randrange(written["benchmarks"])
        lines += [f"series_nights /api/v1/series/{series}/nights?limit=20",
                  "regressions /api/v1/regressions?state=open&limit=20",
                  "nightlies /api/v1/nightlies?project=toy&limit=20",
                  f"series_of_benchmark /api/v1/series?project=toy&benchmark=b{bench}&limit=20",
                  "events /api/v1/events?limit=20",
                  f"runs_of_night /api/v1/runs?nightly={night}&limit=20",
                  f"run /api/v1/runs/{run}",
                  f"suspicions /api/v1/suspicions?nightly={night}&limit=20"]
    return lines


def cpu_s(pid):
    """Seconds of the processor that a process has used, and each of its threads."""
    def used(stat):
        fields = stat.read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS
    tasks = sorted(Path(f"/proc/{pid}/task").iterdir(), key=lambda task: int(task.name))
    return used(Path(f"/proc/{pid}/stat")), {task.name: used(task / "stat") for task in tasks}


class Bench:
    def __init__(self, folder, build, stand):
        self.folder, self.program, self.stand = Path(folder), build / "bench_reads", stand
        self.workers = self.folder / "workers.txt"
        self.workers.write_text("\n".join(stand.tokens) + "\n")

    def ask(self, lines, rate, callers, seconds, results=0):
        """@return  what bench_reads saw, and the daemon's seconds of the processor meanwhile"""
        paths = self.folder / "paths.txt"
        paths.write_text("\n".join(lines) + "\n")
        command = [self.program, str(self.stand.address[1]), self.stand.admin, paths, str(rate),
                   str(callers), str(seconds), self.workers, str(results)]
        before, threads = cpu_s(self.stand.child.pid)
        seen = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        after, threads_after = cpu_s(self.stand.child.pid)
        busiest = sorted((round(used - threads.get(task, 0), 2)
                          for task, used in threads_after.items()), reverse=True)
        return seen, after - before, busiest

    def show(self, title, lines, rate, callers, seconds, results=0, kinds=False):
        seen, cpu, busiest = self.ask(lines, rate, callers, seconds, results)
        print(f"\n{title}; load of the machine {os.getloadavg()[0]:.1f}")
        parts = {name: seen[name] for name in ("reads", "claim", "result") if name in seen}
        for name, part in {**parts, **(seen["kinds"] if kinds else {})}.items():
            wrong = {status: count for status, count in part["statuses"].items()
                     if status not in ("200", "204", "304")}
            print(f"  {name:20} {part['count'] / seen['took_s']:7.0f}/s"
                  f"  p50 {part['p50_ms']:8.2f} ms  p99 {part['p99_ms']:8.2f} ms"
                  f"  worst {part['worst_ms']:8.2f} ms"
                  f"  {part['bytes']:7} bytes {wrong or ''}")
        each = cpu / seen["reads"]["count"] * 1000 if "reads" in seen else 0
        print(f"  the daemon used {cpu:.2f} s of the processor in {seen['took_s']:.1f} s, "
              f"{each:.3f} ms a read; its threads {busiest[:5]}; "
              f"the callers {seen['own_cpu_s']:.2f} s",
              flush=True)


def begin_night(stand):
    """A night whose jobs wait, and whose product is there."""
    stand.ask("POST", "/api/v1/triggers", {"project": "toy"})
    path, body = stand.long_result(stands.WORKERS - 1, 1)
    stand.ask("PUT", path, body, stand.tokens[stands.WORKERS - 1])


def measure(bench, written, asked):
    nights = f"/api/v1/series/{written['series'] // 2}/nights"
    history = ("/api/v1/history?project=toy&benchmark=b0&variant=default&machine_class=class-0"
               "&metric=cpu_time_ns&nights=1100")
    summary = f"/api/v1/nights/{written['nights'] - 100}/summary"
    alone = [("304", [f"unchanged {nights}?limit=20"], 100),
             ("a series of 1,100 nights", [f"history {history}"], 10),
             ("500 nights of a series", [f"nights {nights}?limit=500"], 10),
             ("a night's summary", [f"summary {summary}"], 2)]
    for title, lines, rate in alone:
        bench.show(title, lines, rate, 1, 5)
    lines = mix(written)
    bench.show("reads", lines, asked.rate, asked.callers, asked.seconds, kinds=True)
    begin_night(bench.stand)
    bench.show("results", lines[:1], 0, 0, asked.seconds, results=asked.results)
    bench.show("reads while results come in", lines, asked.rate, asked.callers, asked.seconds,
               results=asked.results, kinds=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path)
    for name, usual in (("measurements", 1_000_000), ("rate", 500), ("results", 200),
                        ("seconds", 10), ("callers", 32)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    asked = parser.parse_args()
    benchmarks = ledger.benchmarks_of(asked.measurements)
    # Each is a job on each class: as many as are measured while somebody reads, and more.
    needed = asked.results * (2 * asked.seconds + 10) // stands.WORKERS
    stands.BENCHMARKS = max(benchmarks, needed)
    with tempfile.TemporaryDirectory(prefix="vigil-reads-") as folder:
        stand = stands.Stand(asked.build / "vigild", folder, 10_000)
        for worker in range(stands.WORKERS):
            stand.claim(worker)  # they are known from now on
        stand.stop()
        begun = time.monotonic()
        written = ledger.fill(stand.folder / "vigild" / "ledger.sqlite", asked.measurements)
        written["benchmarks"] = benchmarks
        print(f"{written['measurements']} measurements of {written['runs']} runs in "
              f"{written['nights']} nights, {written['series']} series; written in "
              f"{time.monotonic() - begun:.0f} s, {os.cpu_count()} cores")
        stand.start()
        try:
            measure(Bench(folder, asked.build, stand), written, asked)
            print(f"\nthe daemon has {stand.rss_mib()} MiB, at most {stand.rss_mib('VmHWM')} MiB")
        finally:
            stand.stop()


main()
