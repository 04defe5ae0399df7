#!/usr/bin/env python3
"""Tests of vigil-bench on the LibTorch at hand. usage: bench_test.py BUILD_FOLDER

Builds vigil-bench as a worker does, and a library that misbehaves, then runs real processes.
No test depends on how fast the machine is."""

import fcntl
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = Path("build")
QUICK = ["--min-time", "0.01", "--min-samples", "3", "--sample-time", "0.001"]
LIMIT_S = 3600  # of wall time, where other work is done too


def build():
    """Tests that run beside each other share the folder: one builds, the others find it done."""
    BUILD.parent.mkdir(parents=True, exist_ok=True)
    with open(BUILD.parent / (BUILD.name + ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        build_alone()


def build_alone():
    configure = ["cmake", "-S", HERE, "-B", BUILD, "-G", "Ninja"]
    if subprocess.run(["which", "ccache"], capture_output=True).returncode == 0:
        configure.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    for command in (configure, ["cmake", "--build", BUILD]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{done.stdout}\n{done.stderr}\nbuilding vigil-bench failed")


class Ended:
    """How a vigil-bench ended, and what it printed."""

    def __init__(self, *arguments):
        variables = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
        done = subprocess.run(
            [BUILD / "bench" / "vigil-bench", *arguments], capture_output=True, text=True,
            timeout=LIMIT_S, env=variables)
        self.code, self.output, self.errors = done.returncode, done.stdout, done.stderr

    def json(self):
        return json.loads(self.output)


def run(model="mlp", *arguments):
    return Ended("--model", model, *QUICK, *arguments)


def with_library(prefix, *arguments):
    return run("mlp", "--library", BUILD / "libmisbehaving.so", "--prefix", prefix, *arguments)


class Output(unittest.TestCase):
    def test_one_line_of_json_has_the_promised_shape(self):
        ended = run()
        self.assertEqual(ended.code, 0, ended.errors)
        self.assertEqual(ended.output.count("\n"), 1)
        document = ended.json()
        self.assertEqual(set(document), {"vigil_bench", "outcome", "samples", "info"})
        self.assertEqual(document["vigil_bench"], 1)
        self.assertEqual(document["outcome"], "passed")
        samples = document["samples"]
        self.assertEqual(
            set(samples), {"cpu_time_ns", "wall_time_ns", "peak_process_bytes",
                           "peak_growth_bytes", "peak_alloc_bytes"})
        self.assertEqual(len(samples["cpu_time_ns"]), len(samples["wall_time_ns"]))
        self.assertGreaterEqual(len(samples["cpu_time_ns"]), 3)
        for values in samples.values():
            self.assertTrue(all(value > 0 for value in values), values)

    def test_a_sample_lasts_as_long_as_asked(self):
        ended = Ended("--model", "mlp", "--batch", "1", "--min-samples", "3", "--min-time", "0",
                      "--sample-time", "0.02")
        document = ended.json()
        per_sample = document["info"]["iterations_per_sample"]
        self.assertGreater(per_sample, 1)
        self.assertGreater(per_sample * max(document["samples"]["wall_time_ns"]), 0.01e9)

    def test_the_numbers_of_samples_keep_their_limits(self):
        few = Ended("--model", "mlp", "--min-time", "0", "--min-samples", "4").json()
        self.assertEqual(len(few["samples"]["cpu_time_ns"]), 4)
        most = Ended("--model", "mlp", "--min-time", "60", "--min-samples", "2",
                     "--max-samples", "5").json()
        self.assertEqual(len(most["samples"]["cpu_time_ns"]), 5)

    def test_every_model_passes_in_both_modes(self):
        listed = [line.split()[0] for line in Ended("--list").output.splitlines()]
        self.assertEqual(listed, ["mlp", "convnet", "attention"])
        for model in listed:
            for mode in ("infer", "train"):
                with self.subTest(model=model, mode=mode):
                    ended = run(model, "--mode", mode, "--batch", "2")
                    self.assertEqual(ended.code, 0, ended.errors)
                    self.assertEqual(ended.json()["info"]["mode"], mode)

    def test_those_that_ask_for_it_measure_one_after_the_other(self):
        command = [BUILD / "bench" / "vigil-bench", "--model", "mlp", "--min-samples", "3",
                   "--min-time", "0.3", "--exclusive", "120"]
        both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        infos = [json.loads(one.communicate(timeout=LIMIT_S)[0])["info"] for one in both]
        self.assertTrue(all(info["exclusive"] for info in infos), infos)
        self.assertFalse(run().json()["info"]["exclusive"])

    def group(self, members):
        """Starts a group as a worker does. @return its folder and the environment of a member"""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name in ("turn", *(f"member-{i}" for i in range(members))):
            Path(folder.name, name).touch()
        return Path(folder.name), lambda member: dict(
            os.environ, VIGIL_TURNS=folder.name, VIGIL_TURNS_MEMBER=str(member),
            VIGIL_TURNS_MEMBERS=str(members))

    def test_a_group_measures_in_turns_and_waits_only_for_who_is_there(self):
        folder, environment = self.group(3)
        command = [BUILD / "bench" / "vigil-bench", "--model", "mlp", "--min-samples", "20",
                   "--min-time", "0.4", "--sample-time", "0.005"]
        started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                                    env=environment(member)) for member in range(2)]
        (folder / "over-2").touch()  # it has ended without measuring
        ended = [json.loads(one.communicate(timeout=LIMIT_S)[0]) for one in started]
        for document in ended:
            self.assertEqual(document["outcome"], "passed")
            self.assertTrue(document["info"]["in_turns"])
            self.assertTrue(document["info"]["exclusive"])
            # While one measured, the other waited.
            self.assertGreater(document["info"]["lock_wait_s"], 0.1)

    def test_a_group_that_is_told_wrongly_is_refused(self):
        _, environment = self.group(2)
        for name, value in (("VIGIL_TURNS_MEMBER", "2"), ("VIGIL_TURNS_MEMBERS", "x")):
            done = subprocess.run(
                [BUILD / "bench" / "vigil-bench", "--model", "mlp"], capture_output=True,
                text=True, timeout=LIMIT_S, env=dict(environment(0), **{name: value}))
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(name, done.stderr)

    def test_the_list_counts_parameters(self):
        models = Ended("--list", "--json").json()["models"]
        self.assertEqual(
            {model["name"]: model["parameters"] for model in models},
            {"mlp": 1585680, "convnet": 163584, "attention": 81680})

    def test_help_shows_examples_and_models(self):
        ended = Ended("--help")
        self.assertEqual(ended.code, 0)
        for word in ("examples:", "convnet", "exit codes", "--library"):
            self.assertIn(word, ended.output)


class Memory(unittest.TestCase):
    def test_the_allocator_counts_the_same_bytes_in_every_process(self):
        for model, mode in (("mlp", "infer"), ("attention", "train")):
            first, second = (run(model, "--mode", mode).json() for _ in range(2))
            self.assertEqual(
                first["samples"]["peak_alloc_bytes"], second["samples"]["peak_alloc_bytes"])
            self.assertEqual(
                first["info"]["allocations_per_iteration"],
                second["info"]["allocations_per_iteration"])

    def test_the_peak_grows_by_the_same_bytes_with_every_row(self):
        peak = {batch: run("mlp", "--batch", str(batch)).json()["samples"]["peak_alloc_bytes"][0]
                for batch in (64, 128, 256)}
        self.assertGreater(peak[128], peak[64])
        self.assertEqual((peak[256] - peak[128]), 2 * (peak[128] - peak[64]))
        self.assertEqual((peak[128] - peak[64]) % (64 * 4), 0)

    def test_the_process_peak_holds_what_the_allocator_counted(self):
        samples = run("convnet").json()["samples"]
        self.assertGreater(samples["peak_process_bytes"][0], samples["peak_alloc_bytes"][0])
        self.assertGreater(samples["peak_growth_bytes"][0], samples["peak_alloc_bytes"][0] // 2)

    def test_a_leak_is_seen_as_the_exact_slope(self):
        calls_per_iteration = 7  # six blocks and the head
        leak = with_library("leaking").json()["info"]["leak_bytes_per_iteration"]
        self.assertAlmostEqual(leak, calls_per_iteration * 1024 * 4, delta=1)

    def test_without_a_leak_the_slope_is_zero(self):
        for mode in ("infer", "train"):
            info = with_library("right", "--mode", mode).json()["info"]
            self.assertEqual(info["leak_bytes_per_iteration"], 0)

    def test_running_out_of_memory_is_told_apart(self):
        ended = with_library("hungry")
        self.assertEqual(ended.code, 4)
        self.assertEqual(ended.json()["outcome"], "oom")


class Answers(unittest.TestCase):
    def check(self, ended, code, outcome, word):
        self.assertEqual(ended.code, code, ended.output + ended.errors)
        self.assertEqual(ended.json()["outcome"], outcome)
        self.assertIn(word, ended.json()["message"])
        self.assertNotIn("samples", ended.json())
        self.assertNotIn("\n", ended.json()["message"])

    def test_a_library_with_right_answers_passes_and_is_named(self):
        ended = with_library("right")
        self.assertEqual(ended.code, 0, ended.errors)
        self.assertEqual(ended.json()["info"]["library_operators"], ["linear"])

    def test_a_wrong_answer_is_detected(self):
        self.check(with_library("wrong"), 3, "wrong", "differs")

    def test_a_wrong_answer_in_training_is_detected(self):
        self.check(with_library("wrong", "--mode", "train"), 3, "wrong", "parameter")

    def test_not_a_number_is_a_wrong_answer(self):
        self.check(with_library("not_a_number"), 3, "wrong", "differs")

    def test_an_operator_without_gradient_is_wrong_in_training_only(self):
        self.assertEqual(with_library("detached").code, 0)
        ended = with_library("detached", "--mode", "train")
        self.assertIn(ended.code, (1, 3))

    def test_an_operator_that_throws_fails_with_its_words(self):
        self.check(with_library("failing"), 1, "failed", "the operator gave up")

    def test_an_operator_of_another_schema_fails_with_its_name(self):
        self.check(with_library("other_schema"), 1, "failed", "other_schema::linear")

    def test_a_library_without_operators_fails(self):
        self.check(with_library("nobody"), 1, "failed", "registers no operator")

    def test_a_library_that_is_not_there_fails_with_its_path(self):
        self.check(run("mlp", "--library", "no/such.so"), 1, "failed", "no/such.so")

    def test_a_file_that_is_no_library_fails(self):
        self.check(run("mlp", "--library", HERE / "library.cpp"), 1, "failed", "library.cpp")

    def test_another_device_is_unsupported(self):
        self.check(run("mlp", "--device", "cuda"), 77, "unsupported", "cuda")

    def test_without_the_zoo_a_model_of_it_is_not_compiled_in(self):
        for name, model in (("resnet18", "resnet18"), ("bert_base", "bert_base"),
                            ("hf_GPT2", "gpt2")):
            with self.subTest(name):
                ended = run(name)
                self.check(ended, 2, "failed", f"model '{model}' is not compiled into this")
                self.check(ended, 2, "failed", f"-DVIGIL_BENCH_ZOO={model}, or with ON")

    def test_bad_arguments_are_wrong_usage(self):
        for arguments, word in ((["--model", "nobody"], "nobody"), ([], "--model"),
                                (["--model", "mlp", "--batch", "0"], "--batch"),
                                (["--model", "mlp", "--batch", "1.5"], "--batch"),
                                (["--model", "mlp", "--mode", "guess"], "--mode"),
                                (["--model", "mlp", "--treads", "1"], "--treads"),
                                (["--model"], "--model"), (["--model", "mlp", "--seed"], "--seed"),
                                (["--model", "mlp", "--json"], "--list")):
            with self.subTest(arguments=arguments):
                self.check(Ended(*arguments), 2, "failed", word)


if __name__ == "__main__":
    BUILD = Path(sys.argv.pop(1)).resolve()
    build()
    unittest.main(verbosity=2)
