#!/usr/bin/env python3
"""Where a fleet meets its limits, on paper: network, ledger and builds for 10, 100 and 1,000
workers and products of 2 GB, from the constants that limits.py and bench_nights measured.

usage: paper.py
"""

RUN_S, BUILD_S = 30, 600
PRODUCT_GB = 2.0
LINK_GB_S = 1.25            # 10 Gbit/s
OUT_S_A_GB, IN_S_A_GB = 0.75, 2.24  # of the daemon's processor: content that goes, that comes
RESULTS_A_S = 930           # limits.py: that were durable at p99 120 ms
BUILDS_A_SEARCH = 11        # bench_nights --hours, four workers
SEARCH_WORKERS, SEARCH_H = 4, 1.2


def say(value):
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


print("| Workers | Results a second, of what one ledger takes | One product to all, min "
      "| Products that come, an hour, of what comes through | Searches an hour |")
print("| --- | --- | --- | --- | --- |")
for workers in (10, 100, 1000):
    results = workers / RUN_S
    out_gb_s = min(LINK_GB_S, 1 / OUT_S_A_GB)
    spread_min = workers * PRODUCT_GB / out_gb_s / 60
    searches = workers / SEARCH_WORKERS / SEARCH_H
    builds = searches * BUILDS_A_SEARCH
    comes = 3600 / (PRODUCT_GB * max(1 / LINK_GB_S, IN_S_A_GB))
    print(f"| {workers:,} | {say(results)}, {100 * results / RESULTS_A_S:.2g} % "
          f"| {say(spread_min)} | {say(builds)}, {100 * builds / comes:.2g} % | {say(searches)} |")
