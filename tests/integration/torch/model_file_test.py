#!/usr/bin/env python3
"""Tests of vigil-bench with TorchScript files. usage: model_file_test.py BUILD_FOLDER

Builds what bench_test.py builds, writes files that are right, wrong and hostile, and runs real
processes on them."""

import random
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

import bench_test as bench

QUICK = ["--min-time", "0", "--min-samples", "3", "--max-warmup", "0", "--sample-time", "0.0001"]


class ModelFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        subprocess.run([bench.BUILD / "make_scripts", cls.folder], check=True,
                       timeout=bench.LIMIT_S)

    def run_file(self, name, shapes, *arguments):
        return bench.Ended("--model", self.folder / name, "--input", shapes, *QUICK, *arguments)

    def check(self, ended, code, outcome, *words):
        self.assertEqual(ended.code, code, ended.output + ended.errors)
        document = ended.json()
        self.assertEqual(document["outcome"], outcome)
        self.assertNotIn("\n", document["message"])
        for word in words:
            self.assertIn(word, document["message"])

    def test_a_file_passes_in_every_variant(self):
        for variant in ([], ["--backend", "jit"], ["--precision", "bf16"], ["--precision", "amp"],
                        ["--mode", "train"], ["--mode", "train", "--precision", "bf16"],
                        ["--processes", "2"], ["--batch", "auto"]):
            with self.subTest(variant=variant):
                ended = self.run_file("linear.pt", "4x8", *variant)
                self.assertEqual(ended.code, 0, ended.output + ended.errors)
                self.assertNotIn("unchecked", ended.json()["info"]["accuracy"])

    def test_images_lie_in_memory_as_they_are_asked_for(self):
        shape = "2x3x4x4"
        self.check(self.run_file("channels_last.pt", shape), 1, "failed", "lie apart")
        for variant in ([], ["--backend", "jit"], ["--precision", "bf16"], ["--mode", "train"]):
            with self.subTest(variant=variant):
                ended = self.run_file(
                    "channels_last.pt", shape, "--layout", "channels_last", *variant)
                self.assertEqual(ended.code, 0, ended.output + ended.errors)
                self.assertEqual(ended.json()["info"]["layout"], "channels_last")
                self.assertNotIn("unchecked", ended.json()["info"]["accuracy"])

    def test_what_libtorch_mistakes_in_a_precision_is_unsupported(self):
        self.assertEqual(self.run_file("transposed.pt", "4x8x1x1").code, 0)
        ended = self.run_file("transposed.pt", "4x8x1x1", "--precision", "bf16")
        if ended.code != 0:  # LibTorch 1.13: a processor with bfloat16, or one without
            mistaken = "channels" in ended.json()["message"]
            self.check(ended, 77, "unsupported",
                       "to have 3 channels" if mistaken else "not implemented for 'BFloat16'")
        self.check(self.run_file("transposed.pt", "4x7x1x1"), 1, "failed", "to have 8 channels")

    def test_sums_that_libtorch_makes_in_bfloat16_are_not_called_wrong(self):
        for precision in ("fp32", "bf16"):
            ended = self.run_file(
                "normed.pt", "16384x8", "--mode", "train", "--precision", precision)
            self.assertEqual(ended.code, 0, ended.output + ended.errors)
            unchecked = ended.json()["info"]["accuracy"].get("unchecked", "in bfloat16")
            self.assertIn("in bfloat16", unchecked)

    def test_the_shapes_say_the_batch_and_batch_says_otherwise(self):
        self.assertEqual(self.run_file("linear.pt", "5x8").json()["info"]["batch"], 5)
        self.assertEqual(
            self.run_file("linear.pt", "5x8", "--batch", "9").json()["info"]["batch"], 9)

    def test_a_file_that_takes_one_size_only_is_measured_with_it(self):
        ended = self.run_file("of_four.pt", "4x8", "--second-batch", "5")
        self.assertEqual(ended.code, 0, ended.output + ended.errors)
        for name in ("second_batch_step_ns", "second_batch_compile_ns"):
            self.assertIn("four rows", ended.json()["info"]["metrics"][name]["absent"])

    def test_inputs_of_several_types_and_nested_outputs_are_checked(self):
        for backend in ("eager", "jit"):
            ended = self.run_file("two_inputs.pt", "int64:4x3:100,4x8", "--backend", backend)
            self.assertEqual(ended.code, 0, ended.output + ended.errors)

    def test_a_script_without_a_float64_form_says_that_it_is_unchecked(self):
        ended = self.run_file("float_only.pt", "4x8")
        self.assertEqual(ended.code, 0, ended.errors)
        self.assertIn("float64", ended.json()["info"]["accuracy"]["unchecked"])

    def test_float64_draws_the_random_numbers_that_were_measured(self):
        for arguments in (["infer"], ["train"], ["infer", "--precision", "bf16"],
                          ["train", "--precision", "amp"], ["infer", "--backend", "jit"]):
            with self.subTest(arguments=arguments):
                ended = self.run_file("random.pt", "64x8", "--mode", *arguments)
                self.assertEqual(ended.code, 0, ended.output + ended.errors)
                accuracy = ended.json()["info"]["accuracy"]
                self.assertNotIn("unchecked", accuracy, accuracy)

    def test_a_script_that_is_only_random_keeps_its_samples(self):
        for mode in ("infer", "train"):
            ended = self.run_file("random_otherwise.pt", "4x8", "--mode", mode)
            self.assertEqual(ended.code, 0, ended.output + ended.errors)
            document = ended.json()
            self.assertIn("random numbers", document["info"]["accuracy"]["unchecked"])
            self.assertTrue(document["info"]["accuracy"]["deterministic"])
            self.assertTrue(document["samples"]["wall_time_ns"])

    def test_the_reference_begins_with_the_state_of_what_was_measured(self):
        for mode in ("infer", "train"):
            ended = self.run_file("counting.pt", "4x8", "--mode", mode)
            self.assertEqual(ended.code, 0, ended.output + ended.errors)
            self.assertEqual(ended.json()["info"]["accuracy"], {"deterministic": True})

    def test_an_operator_is_told_with_its_own_inputs_and_not_those_that_wait(self):
        # The product's first factor waits while the second one is computed.
        ended = self.run_file("random_otherwise.pt", "4x8", "--profile", "1")
        operators = {one["name"]: one["shapes"]
                     for one in ended.json()["info"]["profile"]["operators"]}
        self.assertEqual(operators["aten::rand_like"], ["4x8"])
        self.assertEqual(operators["aten::sum"], ["4x8"])

    def test_small_gradients_that_are_zeroed_one_by_one_are_measured_as_one_foreach(self):
        profile = self.run_file("zeroing.pt", "4x8", "--profile", "1").json()["info"]["profile"]
        self.assertEqual(profile["hints_measured"].get("foreach"), 1)
        for hint in profile["hints"]:  # none, where the machine's one is no faster
            self.assertGreater(hint["interval_ns"][0], 0)
            if hint["kind"] == "foreach":
                self.assertIn("zero_ on 64 small tensors one by one (512 elements", hint["what"])
        profile = self.run_file("linear.pt", "4x8", "--profile", "1").json()["info"]["profile"]
        self.assertNotIn("foreach", profile["hints_measured"])

    def test_not_a_number_is_a_wrong_answer(self):
        self.check(self.run_file("unlike.pt", "4x8"), 3, "wrong", "NaN")

    def test_a_script_that_raises_fails_with_its_words(self):
        self.check(self.run_file("raises.pt", "4x8"), 1, "failed", "the script gave up")

    def test_a_script_that_never_ends_meets_its_time_limit(self):
        self.check(self.run_file("endless.pt", "4x8", "--time-limit", "2"), 5, "timeout")

    def test_time_that_ends_in_the_second_batch_keeps_what_was_measured(self):
        ended = self.run_file(
            "endless_with_five.pt", "4x8", "--second-batch", "5", "--time-limit", "10")
        self.assertEqual(ended.code, 0, ended.output + ended.errors)
        document = ended.json()
        self.assertTrue(document["samples"]["wall_time_ns"])
        self.assertIn("the second batch", document["info"]["accuracy"]["unchecked"])

    def test_a_script_that_asks_for_everything_is_out_of_memory(self):
        self.check(self.run_file("hungry.pt", "4x8"), 4, "oom")

    def test_another_number_of_inputs_is_wrong_usage(self):
        self.check(self.run_file("linear.pt", "4x8,4x8"), 2, "failed", "takes 1 inputs", "gives 2")

    def test_another_shape_fails_with_the_words_of_libtorch(self):
        self.check(self.run_file("linear.pt", "4x9"), 1, "failed", "shapes")

    def test_without_shapes_it_is_wrong_usage(self):
        self.check(bench.Ended("--model", self.folder / "linear.pt"), 2, "failed", "--input")

    def test_a_file_without_forward_or_tensors_cannot_be_run(self):
        self.check(self.run_file("no_forward.pt", "4x8"), 6, "failed", "no method forward")
        self.check(self.run_file("no_tensor.pt", "4x8"), 6, "failed", "no tensor")

    def test_what_is_no_file_cannot_be_loaded(self):
        self.check(self.run_file("nobody.pt", "4x8"), 6, "failed", "nobody.pt", "not there")
        (self.folder / "folder.pt").mkdir()
        self.check(self.run_file("folder.pt", "4x8"), 6, "failed", "no file")

    def test_broken_files_are_one_clear_line_each(self):
        whole = (self.folder / "linear.pt").read_bytes()
        dice = random.Random(1)
        broken = {"empty": b"", "text": b"hello\n" * 100, "noise": dice.randbytes(5000)}
        for part in (1, 100, len(whole) // 2, len(whole) - 1):
            broken[f"first {part} bytes"] = whole[:part]
        for name, content in broken.items():
            with self.subTest(file=name):
                (self.folder / "broken.pt").write_bytes(content)
                self.check(self.run_file("broken.pt", "4x8"), 6, "failed", "broken.pt")

    def test_a_changed_byte_never_ends_without_a_result(self):
        whole = (self.folder / "linear.pt").read_bytes()
        dice = random.Random(2)
        for _ in range(12):
            changed = bytearray(whole)
            for _ in range(3):
                changed[dice.randrange(len(changed))] = dice.randrange(256)
            (self.folder / "changed.pt").write_bytes(changed)
            ended = self.run_file("changed.pt", "4x8", "--time-limit", "60")
            outcome = ended.json()["outcome"]
            self.assertEqual(outcome == "passed", ended.code == 0)

    def test_an_archive_of_something_else_cannot_be_loaded(self):
        for members in ({"a.txt": b"x"}, {"net/data.pkl": b"cos\nsystem\n(S'touch hurt'\ntR."},
                        {"net/data.pkl": b"\x80\x02.", "net/version": b"3\n",
                         "net/constants.pkl": b"cos\nsystem\n(S'touch hurt'\ntR."}):
            path = self.folder / "other.pt"
            with zipfile.ZipFile(path, "w") as archive:
                for name, content in members.items():
                    archive.writestr(name, content)
            self.check(self.run_file("other.pt", "4x8"), 6, "failed", "other.pt")
        self.assertFalse(Path("hurt").exists())


if __name__ == "__main__":
    bench.BUILD = Path(sys.argv.pop(1)).resolve()
    bench.build()
    unittest.main(verbosity=2)
