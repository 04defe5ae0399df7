#!/usr/bin/env python3
"""False issues of the closed loop on real processes; prints the figures of docs/confirmation.md.

usage: nights.py BUILD_FOLDER SECONDS

Every build is the same program, so whatever is filed is false: three short programs by wall and by
processor time, 28 nights of history and up to 60 judged, three processes a night, played against
`vigil confirm --stdio`. BUILD_FOLDER holds vigil and short_program (a release build)."""

import collections
import itertools
import json
import math
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

HISTORY, NIGHTS, RUNS = 28, 60, 3


class Loop:
    """The judgement, asked line by line."""

    def __init__(self, vigil):
        self.process = subprocess.Popen([vigil, "confirm", "--stdio"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, bufsize=1)

    def tell(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def ask(self, message):
        self.tell(message)
        return json.loads(self.process.stdout.readline())


def run(program, work, clock):
    reader, writer = os.pipe()
    child = os.posix_spawn(program, [str(program), work, clock], os.environ,
                           file_actions=[(os.POSIX_SPAWN_DUP2, writer, 1)])
    os.close(writer)
    value = os.read(reader, 64)
    os.close(reader)
    os.waitpid(child, 0)
    return float(value)


def spread_of_runs(nights):
    """Of one run within its night, log: the median night's deviation."""
    return statistics.median(statistics.stdev(map(math.log, night)) for night in nights)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder, seconds = Path(sys.argv[1]).resolve(), float(sys.argv[2])
    program, loop = folder / "short_program", Loop(folder / "vigil")
    verdicts, spreads = collections.Counter(), []
    nights = runs = false = 0
    until = time.monotonic() + seconds
    kinds = itertools.cycle(itertools.product(("integers", "memory", "divisions"), ("wall", "cpu")))
    for number, (work, clock) in enumerate(kinds):
        if time.monotonic() > until:
            break
        history = [[run(program, work, clock) for _ in range(RUNS)] for _ in range(HISTORY)]
        spreads.append(spread_of_runs(history))
        loop.ask({"type": "start", "id": f"{work}-{clock}-{number}", "metric": "time",
                  "direction": "lower_is_better", "threshold": 0.07, "runs_per_night": RUNS,
                  "history": history, "nights": NIGHTS})
        for night in range(NIGHTS):
            nights += 1
            answer = loop.ask({"type": "night", "night": night,
                               "values": [run(program, work, clock) for _ in range(RUNS)]})
            while "run" in answer:
                runs += len(answer["run"])
                values = [run(program, work, clock) for _ in answer["run"]]
                answer = loop.ask({"type": "results", "values": values})
            verdict = answer["done"]["verdict"]
            verdicts[verdict] += verdict != "none"
            if verdict == "regression":
                false += 1
                print(f"false: {work} by {clock} time, night {night}: {answer['done']}", flush=True)
                break
        loop.tell({"type": "end"})
    spreads.sort()
    print(f"{nights} nights of {len(spreads)} series: {false} false issues, "
          f"{runs / max(nights, 1):.2f} runs a night, {dict(+verdicts)}; one run scatters by "
          f"{spreads[0]:.2%} to {spreads[-1]:.2%}, median {statistics.median(spreads):.2%}")


if __name__ == "__main__":
    main()
