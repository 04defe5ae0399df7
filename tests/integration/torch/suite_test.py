#!/usr/bin/env python3
"""Tests of vigil-bench's suites. usage: suite_test.py BUILD_FOLDER

No test depends on how fast the machine is."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

import bench_test as bench

QUICK = bench.QUICK + ["--max-warmup", "0"]


def lines_of(file):
    return [json.loads(line) for line in Path(file).read_text().splitlines()]


class Suites(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = Path(self.folder.name) / "results.jsonl"

    def suite(self, *arguments):
        return bench.Ended("--suite", str(self.file), *QUICK, *arguments)

    def test_a_suite_has_a_line_for_each_run_and_goes_on(self):
        ended = self.suite("--model", "mlp", "--mode", "infer,train")
        self.assertEqual(ended.code, 0, ended.errors)
        first = lines_of(self.file)
        self.assertEqual([line["info"]["mode"] for line in first], ["infer", "train"])
        self.assertIn("[2/2] --model mlp --mode train", ended.errors)
        # What is there is not lost, and not measured again.
        self.assertEqual(self.suite("--model", "mlp").code, 2)
        with open(self.file, "a") as file:
            file.write('{"vigil_bench":1,"outc')  # the machine stopped here
        ended = self.suite("--model", "mlp,convnet", "--mode", "infer,train", "--resume")
        self.assertEqual(ended.code, 0, ended.errors)
        again = lines_of(self.file)
        self.assertEqual(again[:2], first)
        self.assertEqual([line["info"]["model"] for line in again[2:]], ["convnet"] * 2)
        self.assertIn("2 of them before", ended.errors)

    def test_whatever_the_outcome_a_run_has_a_line(self):
        skips = Path(self.folder.name) / "skips"
        skips.write_text("mlp bf16 # not here\n")
        ended = self.suite("--model", "mlp", "--device", "cpu,cuda", "--precision", "fp32,bf16",
                           "--skip", str(skips))
        lines = lines_of(self.file)
        self.assertEqual(len(lines), 4)
        self.assertEqual([line["outcome"] for line in lines if line["info"]["precision"] == "bf16"],
                         ["unsupported"] * 2)
        self.assertEqual(lines[1]["message"], "on the skip list: not here")
        self.assertEqual(lines[1]["info"]["domain"], "operators")
        self.assertEqual(ended.code, 0, ended.errors)

    def test_a_slip_ends_it_before_anything_runs(self):
        for wrong in (["--model", "mlq"], ["--mode", "infer,trian"], ["--threds", "1"]):
            with self.subTest(wrong=wrong):
                self.assertEqual(self.suite(*wrong).code, 2)
                self.assertFalse(self.file.exists() and self.file.read_text())

    def test_backends_are_measured_in_turns(self):
        ended = bench.Ended("--model", "convnet", *QUICK, "--compare-backends", "eager,jit")
        self.assertEqual(ended.code, 0, ended.errors)
        eager, jit = [json.loads(line) for line in ended.output.splitlines()]
        self.assertEqual((eager["info"]["backend"], jit["info"]["backend"]), ("eager", "jit"))
        self.assertTrue(eager["info"]["in_turns"] and jit["info"]["in_turns"])
        compared = jit["info"]["compared"]
        self.assertEqual(compared["base"], "eager")
        self.assertGreaterEqual(compared["turns"], 3)
        for clock in ("speedup", "cpu_speedup"):
            self.assertGreater(compared[clock], 0)
            self.assertLessEqual(compared[clock + "_low"], compared[clock])
            self.assertGreaterEqual(compared[clock + "_high"], compared[clock])
        one = bench.Ended("--model", "mlp", "--compare-backends", "eager")
        self.assertEqual((one.code, one.json()["outcome"]), (2, "failed"))


if __name__ == "__main__":
    bench.BUILD = Path(sys.argv.pop(1)).resolve()
    bench.build()
    unittest.main(verbosity=2)
