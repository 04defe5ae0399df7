#!/usr/bin/env python3
"""Tests of vigil-bench's variants and outcomes. usage: variants_test.py BUILD_FOLDER

Builds what bench_test.py builds, then runs real processes. No test depends on how fast the machine
is."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import bench_test as bench

QUICK = ["--min-time", "0", "--min-samples", "8", "--max-warmup", "0.05", "--sample-time", "0.001"]


def run(model, *arguments):
    return bench.Ended("--model", model, *QUICK, *arguments)


def with_library(prefix, *arguments):
    library = bench.BUILD / "libmisbehaving.so"
    return run("mlp", "--library", library, "--prefix", prefix, *arguments)


def limited(megabytes, *arguments):
    """Runs vigil-bench in so much address space. @return exit code, JSON"""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    done = subprocess.run(
        [bench.BUILD / "bench" / "vigil-bench", *arguments], capture_output=True, text=True,
        timeout=bench.LIMIT_S, preexec_fn=limit,
        env=dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1"))
    return done.returncode, json.loads(done.stdout)


class Variants(unittest.TestCase):
    def passed(self, ended):
        self.assertEqual(ended.code, 0, ended.output + ended.errors)
        return ended.json()

    def unsupported(self, ended, *words):
        self.assertEqual(ended.code, 77, ended.output + ended.errors)
        self.assertEqual(ended.json()["outcome"], "unsupported")
        for word in words:
            self.assertIn(word, ended.json()["message"])

    def test_every_precision_of_the_cpu_passes_its_own_tolerance(self):
        for precision in ("bf16", "amp"):
            for mode in ("infer", "train"):
                with self.subTest(precision=precision, mode=mode):
                    document = self.passed(run("mlp", "--precision", precision, "--mode", mode))
                    self.assertEqual(document["info"]["precision"], precision)

    def test_a_second_size_of_the_batch_is_measured_by_the_same_model(self):
        for arguments in (["mlp"], ["mlp", "--mode", "train"],
                          ["convnet", "--backend", "jit", "--precision", "amp"]):
            with self.subTest(arguments=arguments):
                info = self.passed(run(*arguments, "--second-batch", "3"))["info"]
                self.assertEqual(info["second_batch"], 3)
                self.assertNotEqual(info["batch"], 3)
                self.assertEqual(info["accuracy"], {"deterministic": True})
                self.assertGreater(info["metrics"]["second_batch_step_ns"]["value"], 0)
                self.assertGreaterEqual(info["metrics"]["second_batch_compile_ns"]["value"], 0)
        self.assertNotIn("second_batch_step_ns", self.passed(run("mlp"))["info"]["metrics"])
        self.unsupported(with_library("planted", "--second-batch", "3"), "one batch")

    def test_half_the_bits_need_half_the_memory(self):
        peak = {precision: self.passed(run("mlp", "--precision", precision, "--mode", "train"))
                ["samples"]["peak_alloc_bytes"][0] for precision in ("amp", "bf16")}
        self.assertLess(peak["bf16"], 0.7 * peak["amp"])

    def test_peaks_are_of_running_the_model_not_of_building_it(self):
        for way in (["--precision", "fp32"], ["--precision", "bf16"], ["--precision", "amp"],
                    ["--backend", "jit"], ["--backend", "jit", "--precision", "bf16"],
                    ["--mode", "train", "--precision", "bf16"]):
            with self.subTest(way=way):
                one, many = (self.passed(run("mlp", "--batch", str(batch), *way))["samples"]
                             for batch in (1, 4096))
                for peak in ("peak_alloc_bytes", "peak_process_bytes", "peak_growth_bytes"):
                    self.assertGreater(many[peak][0], one[peak][0], peak)
        # Of one row nearly all is weights: a float32 copy that building needed would double it.
        peaks = {precision: self.passed(run("mlp", "--batch", "1", "--precision", precision))
                 ["samples"]["peak_alloc_bytes"][0] for precision in ("fp32", "bf16")}
        self.assertAlmostEqual(peaks["bf16"] / peaks["fp32"], 0.5, delta=0.05)

    def test_what_the_cpu_cannot_compute_in_is_unsupported(self):
        self.unsupported(run("mlp", "--precision", "tf32"), "tf32")
        self.unsupported(run("mlp", "--precision", "fp16"), "fp16", "bf16")
        for mode in ("infer", "train"):
            self.unsupported(
                run("mlp", "--mode", mode, "--precision", "amp_fp16"), "amp_fp16", "take amp")

    def test_a_traced_model_passes_and_says_how_long_compiling_took(self):
        for model in ("mlp", "convnet", "attention"):
            with self.subTest(model=model):
                info = self.passed(run(model, "--backend", "jit"))["info"]
                self.assertEqual(info["backend"], "jit")
                self.assertGreater(info["metrics"]["compile_time_ns"]["value"], 0)

    def test_a_backend_that_is_not_there_says_why(self):
        self.unsupported(run("mlp", "--backend", "jit", "--mode", "train"), "trained")
        self.unsupported(run("mlp", "--backend", "aoti"), "aoti", "LibTorch")

    def test_a_model_of_images_passes_with_its_channels_last(self):
        for more in ([], ["--backend", "jit"], ["--mode", "train"], ["--precision", "bf16"]):
            with self.subTest(more=more):
                info = self.passed(run("convnet", "--layout", "channels_last", *more))["info"]
                self.assertEqual(info["layout"], "channels_last")
        self.assertEqual(self.passed(run("mlp"))["info"]["layout"], "contiguous")
        self.unsupported(run("mlp", "--layout", "channels_last"), "images")

    def test_a_library_runs_in_its_own_precision_only(self):
        self.unsupported(with_library("right", "--precision", "bf16"), "float32")
        self.unsupported(with_library("right", "--backend", "jit"), "eager")
        self.unsupported(with_library("right", "--layout", "channels_last"), "contiguous")

    def test_an_unsupported_variant_says_so_before_it_looks_for_the_model(self):
        self.unsupported(run("mlp", "--device", "cuda", "--time-limit", "0.001"), "cuda")

    def test_auto_batch_records_what_it_tried_and_chose(self):
        info = self.passed(run("attention", "--batch", "auto"))["info"]
        search = info["batch_search"]
        self.assertEqual(search["chosen"], info["batch"])
        batches = [one["batch"] for one in search["tries"]]
        self.assertEqual(batches, [2 ** i for i in range(len(batches))])
        self.assertIn(info["batch"], batches)
        best = max(one["rows_per_s"] for one in search["tries"])
        close = [one["batch"] for one in search["tries"] if one["rows_per_s"] >= 0.9 * best]
        self.assertEqual(min(close), info["batch"])
        self.assertTrue(search["reason"])

    def test_auto_batch_ends_where_memory_does(self):
        code, document = limited(
            1100, "--model", "convnet", "--mode", "train", "--batch", "auto", *QUICK)
        self.assertEqual(code, 0, document)
        search = document["info"]["batch_search"]
        if "memory" in search["reason"]:
            self.assertEqual(search["tries"][-1]["batch"], 2 * search["tries"][-2]["batch"])
            self.assertNotIn("rows_per_s", search["tries"][-1])

    def test_threads_are_one_all_or_a_number(self):
        for text, count in (("one", 1), ("2", 2), ("all", len(os.sched_getaffinity(0)))):
            info = self.passed(run("mlp", "--threads", text))["info"]
            self.assertEqual(info["threads"], count)

    def test_processes_together_are_measured_after_one_alone(self):
        for mode in ("infer", "train"):
            with self.subTest(mode=mode):
                document = self.passed(run("mlp", "--mode", mode, "--processes", "2",
                                           "--min-time", "0.1"))
                self.assertEqual(len(document["samples"]["wall_time_ns"]), 2)
                metrics = document["info"]["metrics"]
                ratio = metrics["throughput"]["value"] / metrics["throughput"]["of_one_process"]
                self.assertAlmostEqual(metrics["scaling_factor"]["value"], (ratio - 1) / (2 - 1))
                self.assertAlmostEqual(metrics["parallel_efficiency"]["value"], ratio / 2)

    def test_what_goes_wrong_in_a_process_keeps_its_outcome(self):
        self.unsupported(run("mlp", "--processes", "2", "--precision", "tf32"), "tf32")
        code, document = limited(
            1000, "--model", "mlp", "--batch", "65536", "--processes", "2", *QUICK)
        self.assertEqual((code, document["outcome"]), (4, "oom"), document)


class Metrics(unittest.TestCase):
    def test_every_metric_has_unit_direction_and_definition(self):
        metrics = run("mlp").json()["info"]["metrics"]
        self.assertGreaterEqual(set(metrics), {"throughput", "first_step_ns", "leak",
                                               "instructions"})
        for name, metric in metrics.items():
            with self.subTest(metric=name):
                self.assertIn("unit", metric)
                self.assertIn(metric["direction"], ("lower_is_better", "higher_is_better"))
                self.assertEqual(metric["definition"], 2 if name == "leak" else 1)
                self.assertTrue(("value" in metric) != ("absent" in metric))

    def test_throughput_is_rows_by_the_median_time(self):
        document = run("mlp", "--batch", "32").json()
        times = sorted(document["samples"]["wall_time_ns"])
        middle = (times[(len(times) - 1) // 2] + times[len(times) // 2]) / 2
        self.assertAlmostEqual(
            document["info"]["metrics"]["throughput"]["value"] / (32 * 1e9 / middle), 1, places=6)

    def test_a_leak_has_an_interval_and_a_verdict(self):
        leaking = with_library("leaking").json()["info"]["metrics"]["leak"]
        self.assertEqual(leaking["verdict"], "leak")
        self.assertLessEqual(leaking["interval"][0], 7 * 4096)
        self.assertGreaterEqual(leaking["interval"][1], 7 * 4096)
        right = with_library("right").json()["info"]["metrics"]["leak"]
        self.assertEqual((right["verdict"], right["value"], right["interval"]), ("none", 0, [0, 0]))

    def test_an_answer_that_is_never_twice_the_same_is_named(self):
        right = with_library("right").json()["info"]["accuracy"]
        self.assertEqual(right, {"deterministic": True})
        for mode in ("infer", "train"):
            drifting = with_library("drifting", "--mode", mode).json()
            accuracy = drifting["info"]["accuracy"]
            self.assertFalse(accuracy["deterministic"])
            self.assertIn("between two calls", accuracy["nondeterminism"])


class Operators(unittest.TestCase):
    def test_a_profile_has_the_operators_of_both_passes(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = Path(folder) / "trace.json"
            profile = run("mlp", "--mode", "train", "--profile", "2", "--trace",
                          trace).json()["info"]["profile"]
            events = json.loads(trace.read_text())["traceEvents"]
        operators = {one["name"]: one for one in profile["operators"]}
        self.assertGreater(operators["aten::addmm"]["forward"], 0)
        self.assertGreater(operators["aten::mm"]["backward"], 0)
        self.assertTrue(operators["aten::addmm"]["shapes"])
        self.assertGreater(sum(one["bytes"] for one in operators.values()), 0)
        self.assertGreater(profile["registered"], len(operators))
        whole = sum(one["self_ns"] for one in operators.values()) + profile["outside_ns"]
        self.assertGreaterEqual(whole, 0.999 * profile["wall_time_ns"])
        bars = {one["name"] for one in events if one["cat"] == "operator"}
        self.assertEqual(bars, set(operators))

    def test_memory_by_operator_adds_up_to_the_measured_peak(self):
        for way in (("mlp", "--mode", "infer"), ("mlp", "--mode", "train"), ("convnet",)):
            document = run(*way, "--batch", "16", "--profile", "3").json()
            memory = document["info"]["profile"]["memory"]
            rows = {one["name"]: one for one in memory["operators"]}
            self.assertEqual({sum(one["peak_bytes"] for one in rows.values())},
                             {memory["peak_bytes"], *document["samples"]["peak_alloc_bytes"]}, way)
            self.assertGreater(rows["(before the iterations)"]["peak_bytes"], 0)
            self.assertNotIn("aten::empty", rows)
            self.assertFalse([one for one in rows.values() if one["grown_bytes"] != 0])

    def test_memory_that_an_operator_keeps_is_its_own(self):
        # The model calls it seven times, and it keeps 1024 floats of each.
        memory = with_library("leaking", "--profile", "5").json()["info"]["profile"]["memory"]
        self.assertEqual([(one["name"], one["grown_bytes"], one["end_bytes"])
                          for one in memory["operators"] if one["grown_bytes"] != 0],
                         [("leaking::linear", 7 * 4096, 5 * 7 * 4096)])

    def test_a_profile_counts_operations_as_by_hand(self):
        # Six blocks of 512 x 256 and 256 x 512, and the head of 16 x 512, for 128 rows.
        profile = run("mlp", "--batch", "128", "--profile", "2").json()["info"]["profile"]
        roofline = profile["roofline"]
        self.assertEqual(roofline["product_flops"], 2 * 128 * (6 * 2 * 512 * 256 + 16 * 512))
        self.assertGreater(roofline["flops"], roofline["product_flops"])
        self.assertGreater(roofline["of_peak_flops"], 0)
        self.assertGreater(roofline["peaks"]["bytes_per_s"], 0)
        self.assertIn(roofline["bound"], ("compute", "memory"))
        for hint in profile["hints"]:
            self.assertGreater(hint["interval_ns"][0], 0)

    def test_gradients_of_products_take_twice_the_operations(self):
        profile = run("mlp", "--mode", "train", "--batch", "16",
                      "--profile", "1").json()["info"]["profile"]
        once = 2 * 16 * (6 * 2 * 512 * 256 + 16 * 512)
        first = 2 * 16 * 512 * 256  # nobody asks for the gradient of the input
        self.assertEqual(profile["roofline"]["product_flops"], 3 * once - first)
        # The step of SGD on the biases and the head, each of which is one small call.
        self.assertEqual(profile["hints_measured"]["foreach"], 1)

    def test_a_size_is_another_series_and_not_every_model_has_two(self):
        ended = run("mlp", "--size", "published")
        self.assertEqual(ended.code, 77)
        self.assertIn("one size", ended.json()["message"])
        self.assertEqual(ended.json()["info"]["setting"], "published size")
        self.assertEqual(run("mlp", "--size", "huge").code, 2)

    def test_a_breakdown_of_the_cpu_adds_up(self):
        shares = run("convnet", "--breakdown", "2").json()["info"]["breakdown"]
        self.assertAlmostEqual(shares["active"] + shares["data_movement"] + shares["idle"], 1)
        self.assertGreater(shares["active"], 0)

    def test_each_operator_of_a_model_is_a_case_of_its_own(self):
        told = bench.Ended("--operators", "600", "--model", "mlp,convnet", "--mode", "train").json()
        names = {one["name"] for one in told["benchmarks"]}
        self.assertEqual(len(names), told["context"]["operators"])
        self.assertTrue(any(name.startswith("aten::addmm/f32[") for name in names), names)
        self.assertTrue(any(name.startswith("aten::convolution_backward/") for name in names))
        self.assertFalse(any(name.startswith(("aten::t/", "aten::conv2d/")) for name in names))
        for one in told["benchmarks"]:
            self.assertNotIn("error_message", one)
            self.assertGreater(one["cpu_time"], 0)

    def test_operators_take_the_memory_of_the_largest_and_no_longer_of_the_model(self):
        told = bench.Ended("--operators", "600", "--model", "convnet,mlp", "--mode", "train",
                           "--batch", "256").json()["context"]
        self.assertEqual(told["measured"], told["operators"])
        self.assertTrue(0 < told["peak_bytes_of_operators"] < told["peak_bytes_of_models"], told)

    def test_a_suite_says_what_it_covers(self):
        with tempfile.TemporaryDirectory() as folder:
            lines = Path(folder) / "lines"
            lines.write_text("".join(run(model, "--profile", "1").output
                                     for model in ("mlp", "convnet")))
            told = bench.Ended("--ops", lines, "--json").json()
            self.assertEqual(told["models"], 2)
            self.assertIn("aten::max_pool2d", told["alone"]["convnet"])
            self.assertIn("2 models call", bench.Ended("--ops", lines).output)
            self.assertEqual(bench.Ended("--ops", Path(folder) / "none").code, 2)
            self.assertEqual(run("mlp", "--trace", lines).code, 2)


class Outcomes(unittest.TestCase):
    def test_every_line_says_what_was_run_whatever_came_of_it(self):
        for arguments, outcome in (
                ([], "passed"), (["--precision", "tf32"], "unsupported"),
                (["--min-time", "600", "--time-limit", "1"], "timeout"),
                (["--threads", "5000"], "failed"), (["--batch", "x"], "failed"),
                (["--device", "cuda"], "unsupported")):
            with self.subTest(arguments=arguments):
                document = run("mlp", *arguments).json()
                self.assertEqual(document["outcome"], outcome)
                info = document["info"]
                self.assertEqual((info["model"], info["domain"]), ("mlp", "operators"))
                for key in ("mode", "device", "precision", "backend", "threads", "processes",
                            "torch_version", "machine"):
                    self.assertIn(key, info)
        for prefix, outcome in (("wrong", "wrong"), ("hungry", "oom"), ("crashing", "failed")):
            document = with_library(prefix).json()
            self.assertEqual((document["outcome"], document["info"]["model"],
                              document["info"]["batch"]), (outcome, "mlp", 128))

    def test_a_name_that_no_model_has_is_said_too(self):
        info = bench.Ended("--model", "nobody.pt").json()["info"]
        self.assertEqual((info["model"], info["domain"]), ("nobody.pt", "file"))
        self.assertEqual(bench.Ended("--model", "nobody").json()["info"]["model"], "nobody")
        self.assertNotIn("model", bench.Ended().json()["info"])

    def test_time_that_ends_in_the_check_keeps_what_was_measured(self):
        ended = with_library("slow_check", "--sample-time", "0", "--max-warmup", "0",
                             "--min-samples", "8", "--max-samples", "8", "--time-limit", "5")
        self.assertEqual(ended.code, 0, ended.output + ended.errors)
        document = ended.json()
        self.assertEqual(document["outcome"], "passed")
        self.assertTrue(document["samples"]["wall_time_ns"])
        self.assertIn("while checking", document["info"]["accuracy"]["unchecked"])

    def test_numbers_are_printed_as_people_write_them(self):
        message = run("mlp", "--batch", "9999999").json()["message"]
        self.assertIn("from 1 to 1048576, not '9999999'", message)
        self.assertIn("processors", run("mlp", "--threads", "500").json()["message"])

    def check(self, ended, code, outcome, *words):
        self.assertEqual(ended.code, code, ended.output + ended.errors)
        document = ended.json()
        self.assertEqual(document["outcome"], outcome)
        self.assertNotIn("samples", document)
        self.assertNotIn("\n", document["message"])
        for word in words:
            self.assertIn(word, document["message"])

    def test_a_time_limit_ends_it_with_what_it_was_at(self):
        self.check(run("mlp", "--min-time", "600", "--time-limit", "1.5"),
                   5, "timeout", "1.5 s", "while measuring")

    def test_a_run_within_its_time_limit_passes(self):
        self.assertEqual(run("mlp", "--time-limit", "600").code, 0)

    def test_a_crash_is_told_apart_from_want_of_memory(self):
        self.check(with_library("crashing"), -11, "failed", "SIGSEGV", "while measuring")
        self.check(with_library("hungry"), 4, "oom", "out of memory while measuring")

    def test_memory_that_ends_is_an_outcome(self):
        code, document = limited(950, "--model", "mlp", "--batch", "65536", *QUICK)
        self.assertEqual((code, document["outcome"]), (4, "oom"), document)

    def test_too_little_memory_is_said_before_anything_hangs(self):
        for megabytes in range(750, 400, -50):  # how much LibTorch itself takes, differs
            code, document = limited(megabytes, "--model", "mlp", *QUICK)
            if code != 0:
                break
        self.assertEqual((code, document["outcome"]), (4, "oom"), document)
        self.assertIn("too little memory", document["message"])

    def test_the_nearest_name_is_told(self):
        for arguments, word in (
                (["--model", "covnet"], "did you mean 'convnet'?"),
                (["--model", "mlp", "--treads", "1"], "did you mean '--threads'?"),
                (["--model", "mlp", "--precision", "bf61"], "did you mean 'bf16'?"),
                (["--model", "mlp", "--backend", "eger"], "did you mean 'eager'?"),
                (["--model", "mlp", "--mode", "trian"], "did you mean 'train'?")):
            with self.subTest(arguments=arguments):
                self.check(bench.Ended(*arguments), 2, "failed", word)

    def test_bad_values_of_variants_are_wrong_usage(self):
        for arguments, word in (
                (["--batch", "automatic"], "--batch"), (["--threads", "some"], "--threads"),
                (["--time-limit", "0"], "--time-limit"), (["--time-limit", "nan"], "--time-limit"),
                (["--processes", "0"], "--processes"), (["--input", "1x3"], "--input"),
                (["--processes", "2", "--batch", "auto"], "--processes")):
            with self.subTest(arguments=arguments):
                self.check(bench.Ended("--model", "mlp", *arguments), 2, "failed", word)


if __name__ == "__main__":
    bench.BUILD = Path(sys.argv.pop(1)).resolve()
    bench.build()
    unittest.main(verbosity=2)
