#!/usr/bin/env python3
"""Tests of what tests/bench/torch/quality.py measures with. usage: quality_test.py BUILD_FOLDER

No test depends on how fast the machine is."""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

import bench_test as bench

MIB = 1 << 20


def planted(**variables):
    """A line of a library that does what its environment asks for in each iteration."""
    os.environ.update({f"VIGIL_PLANT_{name}": str(value) for name, value in variables.items()})
    try:
        ended = bench.run("mlp", "--library", bench.BUILD / "libplanted.so",
                          "--min-samples", "30")
    finally:
        for name in variables:
            del os.environ[f"VIGIL_PLANT_{name}"]
    document = ended.json()
    assert document["outcome"] == "passed", document
    return document


class Quality(unittest.TestCase):
    def test_a_bare_loop_stands_beside_the_measurement(self):
        for model in ("mlp", "convnet", "attention"):
            done = subprocess.run([bench.BUILD / "bare_loop", model, "2"], capture_output=True,
                                  text=True, check=True)
            rounds = [[float(value) for value in line.split()] for line in done.stdout.splitlines()]
            self.assertEqual(len(rounds), 2)
            self.assertTrue(all(value > 0 for one in rounds for value in one), rounds)
        self.assertNotEqual(subprocess.run([bench.BUILD / "bare_loop", "nothing", "1"],
                                           capture_output=True).returncode, 0)

    def test_a_planted_leak_and_bloat_are_seen_to_the_byte(self):
        plain = planted()
        self.assertEqual(plain["info"]["metrics"]["leak"]["value"], 0)
        leak = planted(LEAK=MIB)["info"]["metrics"]["leak"]
        self.assertAlmostEqual(leak["value"], MIB, delta=1)
        self.assertEqual(leak["verdict"], "leak")
        # What no tensor holds is a leak too; what tensors hold stays the exact part.
        self.assertEqual(leak["parts"]["tensors"]["value"], leak["value"])
        for each in (MIB, 4096):
            leak = planted(MALLOC=each)["info"]["metrics"]["leak"]
            self.assertEqual(leak["verdict"], "leak")
            self.assertEqual(leak["parts"]["tensors"]["interval"], [0, 0])
            self.assertAlmostEqual(leak["value"], each, delta=1024)
            self.assertLessEqual(leak["interval"][0], leak["value"])
            self.assertGreater(leak["interval"][0], 0.9 * each)
        self.assertEqual(planted(MAPPED=MIB)["info"]["metrics"]["leak"]["verdict"], "leak")
        peak = planted(BLOAT=MIB)["samples"]["peak_alloc_bytes"][0]
        self.assertAlmostEqual(peak - plain["samples"]["peak_alloc_bytes"][0], MIB, delta=4096)

    def test_a_planted_fallback_and_a_slower_compilation_are_real(self):
        profile = bench.run("mlp", "--library", bench.BUILD / "libplanted.so", "--profile", "1")
        plain = {one["name"] for one in profile.json()["info"]["profile"]["operators"]}
        os.environ["VIGIL_PLANT_FALLBACK"] = "1"
        try:
            profile = bench.run("mlp", "--library", bench.BUILD / "libplanted.so", "--profile", "1")
        finally:
            del os.environ["VIGIL_PLANT_FALLBACK"]
        fallen = {one["name"] for one in profile.json()["info"]["profile"]["operators"]}
        self.assertIn("aten::_to_copy", fallen - plain)
        planted_ns = 300e6
        variables = dict(os.environ, LD_PRELOAD=str(bench.BUILD / "libslow_compile.so"),
                         VIGIL_PLANT_COMPILE_NS=str(planted_ns))
        done = subprocess.run(
            [bench.BUILD / "bench" / "vigil-bench", *bench.QUICK, "--model", "mlp", "--backend",
             "jit"], env=variables, capture_output=True, text=True, check=True)
        metrics = json.loads(done.stdout)["info"]["metrics"]
        self.assertGreaterEqual(metrics["compile_time_ns"]["value"], planted_ns)


if __name__ == "__main__":
    bench.BUILD = Path(sys.argv.pop(1)).resolve()
    bench.build()
    unittest.main(verbosity=2)
