#!/usr/bin/env python3
"""Tests of vigil-bench on a GPU. usage: gpu_test.py BUILD_FOLDER

Builds what bench_test.py builds. The GPU is simulated: simulated_gpu.cpp takes the CPU for one, so
that everything runs but CUDA itself. On a LibTorch with CUDA, and on a machine with a GPU, use
vigil-bench itself: docs/measuring.md."""

import os
import sys
import unittest
from pathlib import Path

import bench_test as bench
import variants_test as variants


def on_gpu(model, *arguments, gpus=1, memory=None, **variables):
    variables.update(LD_PRELOAD=str(bench.BUILD / "libsimulated_gpu.so"), SIMULATED_GPUS=str(gpus))
    if memory:
        variables["SIMULATED_GPU_BYTES"] = str(memory)
    old = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        return variants.run(model, "--device", "cuda", *arguments)
    finally:
        for name, value in old.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


class Gpu(unittest.TestCase):
    def passed(self, ended):
        self.assertEqual(ended.code, 0, ended.output + ended.errors)
        return ended.json()

    def ends(self, ended, code, outcome, *words):
        self.assertEqual(ended.code, code, ended.output + ended.errors)
        document = ended.json()
        self.assertEqual(document["outcome"], outcome)
        for word in words:
            self.assertIn(word, document["message"])

    def test_a_device_that_is_not_there_says_which_part_is_missing(self):
        self.ends(variants.run("mlp", "--device", "cuda"), 77, "unsupported", "without CUDA")
        self.ends(variants.run("mlp", "--device", "tpu"), 77, "unsupported", "cpu and cuda")
        self.ends(on_gpu("mlp", gpus=0), 77, "unsupported", "finds no GPU")
        self.ends(on_gpu("mlp", "--device", "cuda:2", gpus=2), 77, "unsupported", "2 GPUs")
        self.ends(on_gpu("mlp", "--processes", "3", gpus=2), 77, "unsupported", "a GPU each")

    def test_what_is_no_device_is_wrong_usage(self):
        for arguments, word in (
                (["--device", "cuda:x"], "cuda:N"), (["--device", ""], "cuda:N"),
                (["--device", "cuda:0", "--processes", "2"], "without a number"),
                (["--breakdown", "0"], "--breakdown")):
            self.ends(bench.Ended("--model", "mlp", *arguments), 2, "failed", word)

    def test_models_run_and_are_checked_in_every_variant(self):
        for arguments in (
                ["attention"], ["convnet", "--batch", "2"], ["mlp", "--mode", "train"],
                ["mlp", "--precision", "bf16"], ["mlp", "--precision", "amp", "--mode", "train"],
                ["mlp", "--backend", "jit"], ["mlp", "--device", "cuda:1"]):
            with self.subTest(arguments=arguments):
                document = self.passed(on_gpu(*arguments, gpus=2))
                self.assertTrue(document["info"]["device"].startswith("cuda"))
                self.assertEqual(document["info"]["accuracy"], {"deterministic": True})

    def test_the_gpu_has_metrics_of_its_own_and_the_cpu_has_not(self):
        names = {"gpu_time_ns", "gpu_leak", "peak_gpu_allocated_bytes", "peak_gpu_reserved_bytes"}
        metrics = self.passed(on_gpu("mlp"))["info"]["metrics"]
        self.assertLessEqual(names, set(metrics))
        for name in names:
            self.assertTrue(("value" in metrics[name]) != ("absent" in metrics[name]))
        self.assertFalse(names & set(self.passed(variants.run("mlp"))["info"]["metrics"]))

    def test_each_process_takes_a_gpu_and_they_share_gradients(self):
        for mode in ("infer", "train"):
            document = self.passed(on_gpu("mlp", "--mode", mode, "--processes", "2", gpus=2))
            self.assertEqual(len(document["samples"]["wall_time_ns"]), 2)
            self.assertIn("scaling_factor", document["info"]["metrics"])

    def test_memory_of_the_gpu_that_ends_is_told_apart(self):
        self.ends(on_gpu("mlp", memory=1 << 20), 4, "oom", "on the GPU while building the model")
        self.ends(on_gpu("mlp", "--batch", "4096", memory=16 << 20), 4, "oom",
                  "on the GPU while measuring")

    def test_a_reference_that_does_not_fit_leaves_the_answer_unchecked(self):
        model = ["attention", "--batch", "1", "--precision", "bf16"]
        document = self.passed(on_gpu(*model, memory=600_000))
        self.assertIn("float64", document["info"]["accuracy"]["unchecked"])

    def test_auto_batch_ends_where_the_gpus_memory_does(self):
        document = self.passed(on_gpu("mlp", "--batch", "auto", "--mode", "train", memory=16 << 20))
        search = document["info"]["batch_search"]
        if "memory" in search["reason"]:
            self.assertIn("CUDA out of memory", search["tries"][-1]["failure"])
        self.assertGreater(search["chosen"], 0)

    def test_a_breakdown_of_a_gpu_takes_a_profiler_that_sees_it(self):
        info = self.passed(on_gpu("mlp", "--breakdown", "3"))["info"]
        self.assertIn("saw no work", info["breakdown"]["absent"])


if __name__ == "__main__":
    bench.BUILD = Path(sys.argv.pop(1)).resolve()
    bench.build()
    unittest.main(verbosity=2)
