#!/usr/bin/env python3
"""Tests of vigil-bench's zoo on the LibTorch at hand.
usage: zoo_test.py BUILD_FOLDER [--all | --models A,B]

Builds vigil-bench with the zoo and with models that misbehave, then runs real processes. With
--all every model runs in both modes, which takes a quarter of an hour and 10 GB of memory; with
--models only these are compiled, and run in both modes.
No test depends on how fast the machine is."""

import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BUILD = Path("build")
QUICK = ["--min-time", "0", "--min-samples", "1", "--max-warmup", "0"]
SMALL = ["squeezenet1_1", "shufflenet_v2_x1_0", "dcgan", "soft_actor_critic", "deeprecommender",
         "lennard_jones", "equation_of_state", "per_sample_gradients", "maskformer_decoder",
         "turbulent_kinetic_energy", "maml", "opacus_cifar10", "doctr_reco_predictor", "dit_s_2"]
LIMIT_S = 3600  # of wall time, where other work is done too
EVERYTHING = False
ONLY = []


def build():
    zoo = ";".join(ONLY) or "ON"
    configure = ["cmake", "-S", HERE, "-B", BUILD, "-G", "Ninja", "-DVIGIL_BENCH_ZOO=" + zoo]
    if subprocess.run(["which", "ccache"], capture_output=True).returncode == 0:
        configure.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    for command in (configure, ["cmake", "--build", BUILD, "--target", "vigil-bench"]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{done.stdout}\n{done.stderr}\nbuilding vigil-bench with its zoo failed")


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


def run(model, mode, *arguments):
    return Ended("--model", model, "--mode", mode, *QUICK, *arguments)


def documented():
    """The models of docs/models.md, as domain and name."""
    text = (ROOT / "docs" / "models.md").read_text()
    rows = re.findall(r"^\| (\w+) \| (`.*`) \|$", text, re.MULTILINE)
    return [(domain, name) for domain, names in rows for name in re.findall(r"`(\w+)`", names)
            if not ONLY or name in ONLY]


class Published(unittest.TestCase):
    def test_every_model_has_exactly_the_published_parameters(self):
        listed = [model for model in Ended("--list", "--json").json()["models"]
                  if model["domain"] not in ("operators", "broken")]
        for model in listed:
            with self.subTest(model=model["name"]):
                self.assertEqual(model["parameters"], model["source_parameters"])
                self.assertTrue(model["source"])
        self.assertEqual([(model["domain"], model["name"]) for model in listed], documented())

    def test_names_of_the_paper_stand_for_models_within_a_hundredth_of_its_own(self):
        rows = [json.loads(line) for line in Ended("--list", "--paper").output.splitlines()]
        self.assertEqual(len(rows), 84)
        names = {name for _, name in documented()}
        for row in rows:
            with self.subTest(name=row["paper"]):
                if row["model"] is None:
                    self.assertTrue(row["why"])
                    continue
                if ONLY and row["model"] not in ONLY:
                    continue
                self.assertIn(row["model"], names)
                there, here = row["source_parameters"] or 0, row["parameters"]
                self.assertLessEqual(abs(here - there), there / 100)
        ran = sum(row["model"] is not None for row in rows)
        text = (ROOT / "docs" / "models.md").read_text()
        self.assertIn(f"| all | {len(rows)} | {ran} |", text)

    def test_the_list_says_parameters_domain_and_batches(self):
        for line in Ended("--list").output.splitlines():
            self.assertRegex(line, r"^\w+ +\w+ +\d+ +parameters  batch \d+/\d+ ")

    def test_every_model_has_a_file_of_its_name(self):
        zoo = ROOT / "worker" / "bench" / "zoo"
        files = {file.stem: file.parent.name for file in zoo.glob("*/*.cpp")
                 if file.parent.name != "blocks" and (not ONLY or file.stem in ONLY)}
        listed = Ended("--list").output.splitlines()
        self.assertEqual(files, {name: domain for name, domain in
                                 (line.split()[:2] for line in listed)
                                 if domain not in ("operators", "broken")})

    def test_models_agree_with_float64_in_both_modes(self):
        for model in sorted(name for _, name in documented()) if EVERYTHING else SMALL:
            for mode in ("infer", "train"):
                with self.subTest(model=model, mode=mode):
                    ended = run(model, mode)
                    untrained = mode == "train" and "nothing to train" in ended.errors
                    self.assertEqual(ended.code, 77 if untrained else 0, ended.errors)
                    if not untrained:
                        self.assertGreater(ended.json()["samples"]["peak_alloc_bytes"][0], 0)


def profile_of(model, mode, *arguments):
    return run(model, mode, "--profile", "1", *arguments).json()["info"]["profile"]


class Profiles(unittest.TestCase):
    def test_a_forward_pass_takes_the_operations_that_are_published(self):
        checked = 0
        for model in ONLY or SMALL:
            roofline = profile_of(model, "infer")["roofline"]
            if "published_product_flops" not in roofline:
                continue
            checked += 1
            with self.subTest(model=model):
                self.assertAlmostEqual(
                    roofline["product_flops"] / roofline["published_product_flops"], 1, delta=0.01)
        self.assertTrue(checked or ONLY)

    def test_time_is_told_by_the_modules_of_the_model(self):
        for mode in ("infer", "train"):
            with self.subTest(mode=mode):
                profile = profile_of("squeezenet1_1", mode)
                modules = profile["modules"]
                self.assertEqual(modules[0]["name"], "")
                own = sum(one["self_ns"] for one in modules)
                self.assertAlmostEqual(own / modules[0]["total_ns"], 1, places=6)
                names = {one["name"] for one in modules}
                self.assertTrue(all(name.rpartition(".")[0] in names for name in names))
                self.assertAlmostEqual(modules[0]["flops"] / profile["roofline"]["flops"], 1,
                                       delta=0.02)  # the step is of no module
                self.assertLessEqual({"layers.0", "layers.3.squeeze", "layers.14"}, names)

    def test_the_published_size_is_fed_where_it_is_asked_for(self):
        model = "bert_base"
        small = run(model, "infer", "--size", "small", "--profile", "1").json()["info"]
        self.assertNotIn("setting", small)
        large = run(model, "infer", "--size", "published", "--profile", "1").json()["info"]
        self.assertEqual(large["setting"], "published size")
        tokens = [{shape for one in info["profile"]["operators"] for shape in one["shapes"]}
                  for info in (small, large)]
        self.assertTrue(any("1x128x768" in shape for shape in tokens[0]))
        self.assertTrue(any("1x512x768" in shape for shape in tokens[1]))


class Models(unittest.TestCase):
    def test_results_keep_the_name_of_the_paper(self):
        info = run("timm_efficientnet", "infer").json()["info"]
        self.assertEqual((info["model"], info["domain"]), ("timm_efficientnet", "classification"))

    def test_a_batch_is_what_is_asked_for(self):
        batch = run("squeezenet1_1", "infer", "--batch", "3").json()["info"]["batch"]
        self.assertEqual(batch, 3)

    def test_autocast_forgets_what_it_converted_without_gradients(self):
        ended = run("soft_actor_critic", "train", "--precision", "amp", "--batch", "2")
        self.assertEqual(ended.code, 0, ended.output + ended.errors)

    def test_equal_seeds_need_equal_memory(self):
        peaks = [run("soft_actor_critic", "train").json()["samples"]["peak_alloc_bytes"]
                 for _ in range(2)]
        self.assertEqual(peaks[0], peaks[1])


class Loops(unittest.TestCase):
    """Programs without weights have no published count: they are computed again, otherwise."""

    def check_loops(self, name, said):
        ended = run(name, "infer")
        self.assertEqual(ended.code, 0, ended.output + ended.errors)
        ended = run(name + "_off", "infer")
        self.assertEqual(ended.code, 1, ended.output + ended.errors)
        self.assertIn(said, ended.json()["message"])

    def test_isoneutral_mixing_is_what_plain_loops_compute(self):
        self.check_loops("loops_isoneutral", "differs from the loops")

    def test_turbulent_kinetic_energy_is_what_plain_loops_compute(self):
        self.check_loops("loops_turbulence", "differs from the loops")

    def test_the_change_of_enthalpy_is_what_plain_loops_compute(self):
        self.check_loops("loops_seawater", "differs from the loops")

    def test_regions_and_overlaps_are_what_plain_loops_compute(self):
        self.check_loops("loops_regions", "differs from the loops")
        ended = run("loops_overlap_off", "infer")
        self.assertEqual(ended.code, 1, ended.output + ended.errors)
        self.assertIn("survivors differ", ended.json()["message"])

    def test_attention_to_few_is_masked_attention_to_all(self):
        self.check_loops("loops_longformer", "differs from the loops")
        self.check_loops("loops_bigbird", "differs from the loops")

    def test_a_token_after_a_kept_prompt_is_the_whole_text_read_at_once(self):
        self.check_loops("loops_decode", "differs from the loops")

    def test_limited_gradients_of_rows_are_each_row_alone(self):
        self.check_loops("loops_rows", "differs from the loops")

    def test_windows_and_chosen_places_are_what_plain_loops_compute(self):
        self.check_loops("loops_windows", "differs from the loops")
        self.check_loops("loops_deformable", "differs from the loops")

    def test_no_pairs_of_queries_and_objects_cost_less(self):
        self.check_loops("loops_pairs", "other pairs cost less")


class Wrong(unittest.TestCase):
    def check(self, ended, code, outcome, *words):
        self.assertEqual(ended.code, code, ended.output + ended.errors)
        self.assertEqual(ended.json()["outcome"], outcome)
        for word in words:
            self.assertIn(word, ended.json()["message"])
        self.assertNotIn("samples", ended.json())

    def test_the_check_accepts_what_is_right(self):
        for mode in ("infer", "train"):
            self.assertEqual(run("broken_not", mode).code, 0)

    def test_one_value_off_by_a_hundredth_is_wrong(self):
        self.check(run("broken_value", "infer"), 3, "wrong", "output 0 differs")

    def test_not_a_number_and_infinity_are_named(self):
        self.check(run("broken_nan", "infer"), 3, "wrong", "output 0: 16 of 16 values are NaN")
        self.check(run("broken_infinite", "infer"), 3, "wrong", "16 of 16 values are infinite")
        self.check(run("broken_nan", "train"), 3, "wrong", "loss", "NaN")

    def test_a_wrong_gradient_is_wrong_in_training_only(self):
        self.assertEqual(run("broken_gradient", "infer").code, 0)
        self.check(run("broken_gradient", "train"), 3, "wrong", "the gradient of layer.weight")

    def test_a_choice_between_two_as_good_is_right_and_a_worse_one_is_wrong(self):
        self.assertEqual(run("broken_not_tie", "infer").code, 0)
        self.check(run("broken_choice", "infer"), 3, "wrong", "output 0 differs")

    def test_faults_in_five_models_are_caught_in_every_precision_and_backend(self):
        for model in ("resnet18", "squeezenet1_1", "dcgan", "speaker_encoder", "distilbert"):
            for precision in ("fp32", "bf16", "amp"):
                for more in (["infer"], ["infer", "--backend", "jit"], ["train"]):
                    with self.subTest(model=model, precision=precision, more=more):
                        planted = run("planted_" + model, *more, "--precision", precision)
                        right = run(model, *more, "--precision", precision, "--batch", "2")
                        if right.code == 77:
                            continue
                        self.assertEqual(right.code, 0, right.output)
                        self.check(planted, 3, "wrong", "differs from float64's")

    def test_memory_that_ends_in_the_check_leaves_what_was_measured_unchecked(self):
        ended = run("broken_reference", "infer")
        self.assertEqual(ended.code, 0, ended.output + ended.errors)
        document = ended.json()
        self.assertTrue(document["samples"]["wall_time_ns"])
        self.assertIn("memory ended", document["info"]["accuracy"]["unchecked"])
        self.assertTrue(document["info"]["accuracy"]["deterministic"])

    def test_what_rounding_moves_as_far_as_it_is_large_is_not_called_wrong(self):
        for precision in ("bf16", "amp"):
            ended = run("resnet18", "train", "--batch", "2", "--precision", precision)
            self.assertEqual(ended.code, 0, ended.output + ended.errors)
            self.assertIn("rounding alone", ended.json()["info"]["accuracy"]["widened"])

    def test_models_that_fill_or_choose_pass_as_a_trace(self):
        for model in ("t5_small", "reformer"):
            ended = run(model, "infer", "--backend", "jit")
            self.assertEqual(ended.code, 0, ended.output + ended.errors)

    def test_a_model_of_another_size_than_published_does_not_run(self):
        self.check(run("broken_count", "infer"), 1, "failed", "36", "37")

    def test_numbers_that_float16_does_not_hold_are_no_wrong_answer(self):
        ended = run("equation_of_state", "infer", "--precision", "fp16")
        self.check(ended, 77, "unsupported", "outside its range")

    def test_a_model_without_training_says_so(self):
        self.check(run("broken_untrainable", "train"), 77, "unsupported", "nothing to train")

    def test_running_out_of_memory_is_told_apart(self):
        self.check(run("broken_endless", "infer"), 4, "oom")

    def test_a_library_of_operators_is_refused(self):
        self.check(run("dcgan", "infer", "--library", "libx.so"), 2, "failed", "--library")

    def test_an_unknown_model_is_refused(self):
        self.check(run("resnet19", "infer"), 2, "failed", "resnet19", "--list")

    def test_a_name_of_the_paper_without_a_model_says_why(self):
        self.check(run("timm_efficientdet", "infer"), 2, "failed", "EfficientDet")


if __name__ == "__main__":
    EVERYTHING = "--all" in sys.argv and not sys.argv.remove("--all")
    BUILD = Path(sys.argv.pop(1)).resolve()
    tests = []
    if "--models" in sys.argv:
        ONLY = sys.argv.pop(sys.argv.index("--models") + 1).split(",")
        sys.argv.remove("--models")
        EVERYTHING = True
        tests = ["Published"]
    build()
    unittest.main(verbosity=2, defaultTest=tests or None)
