"""The example of docs/pytorch.md: compile_bench.py and dynamo_bench.py with a stand-in for
torch.compile, and its config from an index of wheels to the reports of a night.
usage: pytorch_test.py BUILD_FOLDER [--libtorch]"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.dont_write_bytecode = True
from torch_wheel import PYTHON, make_source_tree, unpack  # noqa: E402
from wheel_nights import EXAMPLE, WheelNights  # noqa: E402

BUILD = Path(sys.argv.pop(1)).resolve()
LIBTORCH = "--libtorch" in sys.argv  # what compiles vigil-bench, too
if LIBTORCH:
    sys.argv.remove("--libtorch")
QUICK = ("--samples", "2", "--threads", "1", "--batch", "2")


class Programs(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="vigil-pytorch-")
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)

    def run_program(self, name, *arguments, plan=None):
        """@param plan  of the stand-in; None: Debian's torch as it is"""
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        if plan is not None:
            unpack(self.folder / "wheel", plan)
            environment["PYTHONPATH"] = "wheel"  # from where it is started
        return subprocess.run([PYTHON, EXAMPLE / name, *arguments], env=environment,
                              capture_output=True, text=True, cwd=self.folder)

    def bench(self, *arguments, plan=None, model="mlp"):
        """@return exit code and line of one way"""
        done = self.run_program("compile_bench.py", "--model", model, "--json", *QUICK, *arguments,
                                plan=plan)
        self.assertNotEqual(done.stdout, "", done.stderr)
        return done.returncode, json.loads(done.stdout)


class CompileBench(Programs):
    def test_a_torch_without_compile_is_unsupported_and_measures_eager(self):
        code, line = self.bench("--way", "eager")
        self.assertEqual((code, line["outcome"]), (0, "passed"))
        self.assertEqual(line["info"]["backend"], "eager")
        self.assertEqual(line["info"]["batch"], 2)
        self.assertGreater(line["samples"]["peak_process_bytes"][0], 1 << 20)
        self.assertEqual(len(line["samples"]["wall_time_ns"]), 2)
        code, line = self.bench("--way", "default")
        self.assertEqual((code, line["outcome"]), (77, "unsupported"))
        self.assertRegex(line["message"], r"torch 1\.13\S* has no torch\.compile")

    def test_what_was_compiled_is_held_against_eager(self):
        code, line = self.bench("--way", "dynamic", plan={"compile_s": 0.5, "breaks": 3})
        self.assertEqual((code, line["outcome"]), (0, "passed"), line)
        info = line["info"]
        self.assertEqual((info["backend"], info["setting"]), ("inductor", "dynamic"))
        self.assertEqual(info["torch_version"], "2.9.0.dev20250101+cpu")
        self.assertEqual(info["compared"]["turns"], 2)
        self.assertLessEqual(info["compared"]["speedup_low"], info["compared"]["speedup"])
        self.assertLessEqual(info["compared"]["speedup"], info["compared"]["speedup_high"])
        metrics = {name: one["value"] for name, one in info["metrics"].items()}
        self.assertGreater(metrics["first_step_ns"], 0.5e9)
        self.assertEqual((metrics["graphs"], metrics["graph_breaks"]), (4, 3))
        self.assertEqual(metrics["second_batch_graphs"], 0)
        self.assertGreater(metrics["memory_ratio"], 0)
        self.assertEqual(info["first_graph_break"], "call_function print")
        self.assertEqual(info["accuracy"], {"compared_with": "float64"})

    def test_a_backend_is_known_by_its_name(self):
        code, line = self.bench("--way", "backend:aot_eager", plan={})
        self.assertEqual((code, line["info"]["backend"]), (0, "aot_eager"))
        code, line = self.bench("--way", "backend:tvm", plan={})
        self.assertEqual(code, 77)
        self.assertIn("no backend 'tvm'; it has aot_eager, inductor", line["message"])

    def test_an_answer_that_differs_is_wrong(self):
        code, line = self.bench("--way", "default", plan={"factor": 1.01})
        self.assertEqual((code, line["outcome"]), (3, "wrong"))
        self.assertIn("output 0 differs", line["message"])
        code, line = self.bench("--way", "default", plan={"factor": float("nan")})
        self.assertEqual((code, line["message"]), (3, "output 0 has NaN, eager has none"))
        code, line = self.bench("--way", "default", "--mode", "train", plan={"factor": 1.5})
        self.assertEqual(code, 3)

    def test_training_compares_gradients(self):
        code, line = self.bench("--way", "default", "--mode", "train", plan={})
        self.assertEqual((code, line["outcome"]), (0, "passed"), line)
        self.assertEqual(line["info"]["mode"], "train")

    def test_a_gradient_that_is_zero_in_theory_is_held_against_its_peers(self):
        words = ("import sys; sys.path.insert(0, sys.argv[1]); import torch\n"
                 "from compiling.measure import distance\n"
                 "noise, other = torch.full((4,), 1e-12), torch.full((4,), -2e-12)\n"
                 "print(distance(noise, other)[0] > 1, distance(noise, other, 1e-3)[1] < 1e-6,\n"
                 "      distance(torch.ones(4), other, 1e-3)[1] > 1)")
        done = subprocess.run([PYTHON, "-B", "-c", words, EXAMPLE], capture_output=True, text=True)
        self.assertEqual(done.stdout, "True True True\n", done.stderr)

    def test_whatever_ends_a_run_is_an_outcome_of_it(self):
        for plan, more, expected in (
                ({"raises": "no kernel"}, (), (1, "failed", "RuntimeError: no kernel")),
                ({"raises": "CUDA out of memory."}, (), (4, "oom", "out of memory")),
                ({"crashes": True}, (), (1, "failed", "killed by signal 11")),
                ({"sleep_s": 3600}, ("--time-limit", "5"), (5, "timeout", "not done after 5 s"))):
            with self.subTest(plan):
                code, line = self.bench("--way", "default", *more, plan=plan)
                self.assertEqual((code, line["outcome"]), expected[:2])
                self.assertIn(expected[2], line["message"])
                self.assertEqual(line["info"]["model"], "mlp")

    def test_any_python_module_is_measured(self):
        (self.folder / "net.py").write_text(
            "import torch\n"
            "class Net(torch.nn.Module):\n"
            "    def __init__(self):\n"
            "        super().__init__()\n"
            "        self.inner = torch.nn.Linear(8, 2)\n"
            "    def forward(self, rows):\n"
            "        return {'rows': self.inner(rows)}\n"
            "def make(batch=3):\n"
            "    return Net(), torch.randn(batch, 8)\n"
            "def broken():\n"
            "    return 7\n")
        code, line = self.bench("--way", "eager", model="net.py:make")
        self.assertEqual((code, line["info"]["batch"]), (0, 2), line)
        code, line = self.bench("--way", "eager", "--input", "4x8", model="net.py:Net")
        self.assertEqual((code, line["info"]["model"]), (0, "net.py:Net"))
        for arguments, words in (
                (("net.py:broken",), "must return a module and its inputs"),
                (("net.py:none",), "has no function or class 'none'"),
                (("gone.py:make",), "there is no file gone.py"),
                (("no.such:make",), "No module named 'no'"),
                (("net.py:Net", "--input", "4y8"), "write it like 1x3x224x224"),
                (("net.py:Net", "--input", "99999x99999"), "elements"),
                (("resnet19",), "did you mean 'resnet18'?")):
            with self.subTest(arguments):
                done = self.run_program("compile_bench.py", "--way", "eager", "--model", *arguments)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(words, done.stderr)

    def test_all_ways_make_a_table_that_vigil_reads(self):
        done = self.run_program("compile_bench.py", "--model", "mlp", *QUICK, plan={})
        rows = [row.split(" | ") for row in done.stdout.splitlines()]
        self.assertEqual([row[1] for row in rows[2:]],
                         ["eager", "default", "reduce-overhead", "max-autotune", "dynamic"])
        self.assertEqual({row[2] for row in rows[2:]}, {"passed"})
        lines = self.run_program("compile_bench.py", "--model", "mlp", "--json", *QUICK, plan={})
        (self.folder / "lines.jsonl").write_text(lines.stdout)
        table = self.run_program("compile_bench.py", "--table", "lines.jsonl")
        self.assertEqual(table.stdout.splitlines()[1], done.stdout.splitlines()[1], table.stderr)
        self.assertEqual([row.split(" | ")[1] for row in table.stdout.splitlines()[2:]],
                         [row[1] for row in rows[2:]])
        (self.folder / "other.jsonl").write_text("{}\n")
        other = self.run_program("compile_bench.py", "--table", "other.jsonl")
        self.assertEqual(other.returncode, 2)
        told = subprocess.run([BUILD / "vigil", "summarize", "lines.jsonl", "--json"],
                              capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(told.returncode, 0, told.stderr)
        results = {(one["backend"], one.get("setting", "")): one
                   for one in json.loads(told.stdout)["results"]}
        self.assertEqual(len(results), 5)
        for way, result in results.items():
            with self.subTest(way):
                self.assertEqual(result["status"], "pass")
                self.assertEqual("speedup" in result, way[0] != "eager")
                self.assertEqual("memory_ratio" in result, way[0] != "eager")

    def test_each_model_of_its_own_runs(self):
        listed = self.run_program("compile_bench.py", "--list").stdout.split("\n")
        names = [line.split()[0] for line in listed if line]
        self.assertEqual(names, ["mlp", "resnet18", "encoder", "decoder", "unet"])
        for name in names:
            with self.subTest(name):
                code, line = self.bench("--way", "default", model=name, plan={})
                self.assertEqual((code, line["outcome"]), (0, "passed"), line)


class DynamoBench(Programs):
    def dynamo(self, plan, *arguments):
        source = self.folder / "source"
        if not source.exists():
            make_source_tree(source)
        done = self.run_program(
            "dynamo_bench.py", "--source", "source", "--model", "alexnet", *arguments, plan=plan)
        self.assertNotEqual(done.stdout, "", done.stderr)
        return done.returncode, json.loads(done.stdout)

    def test_both_tables_are_one_run(self):
        code, line = self.dynamo({}, "--dtype", "bfloat16", "--", "--cold-start-latency")
        self.assertEqual((code, line["outcome"]), (0, "passed"))
        self.assertEqual(line["samples"], {"wall_time_ns": [8e6], "reported_value": [12.5],
                                           "peak_process_bytes": [1e9]})
        info = line["info"]
        self.assertEqual((info["precision"], info["mode"], info["batch"], info["domain"]),
                         ("bf16", "infer", 4, "torchbench"))
        self.assertEqual(info["compared"], {"base": "eager", "speedup": 1.25})
        self.assertEqual(info["metrics"]["memory_ratio"]["value"], 0.9)
        self.assertEqual(info["metrics"]["graph_breaks"]["value"], 2)

    def test_words_for_a_wrong_answer_are_outcomes(self):
        for word, expected in (("fail_accuracy", (3, "wrong")), ("pass_due_to_skip", (0, "passed")),
                               ("eager_fail_to_run", (77, "unsupported")), ("OOM", (4, "oom")),
                               ("timeout", (5, "timeout")), ("fail_to_run", (1, "failed"))):
            with self.subTest(word):
                code, line = self.dynamo({"accuracy": {"float32": word}})
                self.assertEqual((code, line["outcome"]), expected)
        code, line = self.dynamo({"accuracy": {"float32": "dies"}})
        self.assertEqual(code, 1)
        self.assertIn("RuntimeError: it does not compile", line["message"])
        code, line = self.dynamo({"latency_ms": 0})
        self.assertEqual((code, line["outcome"]), (1, "failed"))


class Night(WheelNights):
    build = BUILD

    def check_first(self, night):
        ratios = self.ratios_of(night)
        self.assertEqual(set(ratios), {("fp32", "compile"), ("fp32", "dynamo"), ("bf16", "dynamo")})
        for way, ratio in ratios.items():
            with self.subTest(way):
                self.assertEqual((ratio["passing"], ratio["total"]), (1, 1))
                for name in ("speedup", "compile_s", "memory_ratio"):
                    self.assertGreater(ratio[name] or 0, 0, name)
        self.assertEqual(ratios["bf16", "dynamo"]["speedup"], 1.25)
        self.assertEqual(ratios["bf16", "dynamo"]["compile_s"], 12.5)
        self.assertEqual(ratios["bf16", "dynamo"]["memory_ratio"], 0.9)

    def check_second(self, night):
        ratios = self.ratios_of(night)
        self.assertEqual((ratios["bf16", "dynamo"]["passing"], ratios["bf16", "dynamo"]["total"]),
                         (0, 1))
        self.assertEqual(ratios["fp32", "dynamo"]["passing"], 1)
        told = self.stage.vigil("summarize", "--nightly", str(night["id"]))
        status = {(one["model"], one["precision"], one["backend"]): one["status"]
                  for one in told["results"]}
        self.assertEqual(status, {
            ("mlp", "fp32", "eager"): "pass", ("mlp", "fp32", "inductor"): "pass",
            ("alexnet", "fp32", "inductor"): "pass", ("alexnet", "bf16", "inductor"): "wrong"})
        found = {(series["benchmark"], series["variant"])
                 for regression in self.stage.items("regressions?state=reported")
                 for series in regression["series"]}
        self.assertEqual(found, {("mlp", "inductor"), ("alexnet", "bfloat16-inference")})
        reports = [file.read_text() for file in (self.stage.folder / "reports").iterdir()]
        self.assertTrue(any("`mlp` (`inductor`)" in text and "more CPU time" in text
                            for text in reports))
        self.assertTrue(any("fail_accuracy" in text for text in reports))

    def test_from_an_index_of_wheels_to_an_issue(self):
        first = self.add_night("20250101", "a", {})
        self.start({"kind": "http-index", "index": self.serve(), "packages": ["torch"],
                    "python": "cp311", "version": "+cpu"})
        self.check_first(self.play(first))
        second = self.add_night("20250102", "b", {
            "spin_s": 0.06, "accuracy": {"bfloat16": "fail_accuracy"}})
        self.check_second(self.play(second))

    def test_vigil_bench_is_compiled_against_the_library_in_the_wheel(self):
        if not LIBTORCH:
            self.skipTest("it compiles vigil-bench for minutes: --libtorch")
        self.of_libtorch = True
        commit = self.add_night("20250104", "d", {}, has_libtorch=True)
        self.start({"kind": "http-index", "index": self.serve(), "packages": ["torch"],
                    "python": "cp311", "version": "+cpu"})
        self.play(commit)
        runs = {run["benchmark"]: (run["outcome"], run["message"])
                for run in self.stage.items("runs")}
        self.assertEqual(runs["mlp-cpp"][0], "passed", runs)
        # LibTorch 1.13 loads no packages.
        self.assertEqual(runs["encoder-package"][0], "unsupported", runs)
        self.assertIn("2.6 and later can", runs["encoder-package"][1])
        self.assertIn("torch=torch", (self.stage.folder / "xeon-1.log").read_text())

    def test_a_folder_of_wheels_is_a_source(self):
        commit = self.add_night("20250103", "c", {})
        (self.wheels / "broken.whl").write_text("no archive")
        done = subprocess.run([EXAMPLE / "wheel_folder.py", self.wheels], capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("broken.whl: left out: torch/version.py cannot be read", done.stderr)
        [manifest] = self.wheels.glob("*.json")
        again = subprocess.run([EXAMPLE / "wheel_folder.py", self.wheels], capture_output=True,
                               text=True)
        self.assertIn("is there already", again.stdout)
        self.assertEqual(json.loads(manifest.read_text())["day"], "2025-01-03")
        self.start({"kind": "directory", "path": str(self.wheels)})
        night = self.play(commit)
        self.assertEqual(night["version"], "2.9.0.dev20250103+cpu")


if __name__ == "__main__":
    unittest.main()
