#!/usr/bin/env python3
"""Tests of vigil-bench with packages of AOTInductor. usage: package_test.py BUILD_FOLDER

Builds what bench_test.py builds. On a LibTorch before 2.6 there is only the refusal to test; with
the Python of LibTorch 2.6 or later, a package is compiled and run."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import bench_test as bench
import variants_test as variants

COMPILE_BENCH = (Path(__file__).resolve().parents[3] /
                 "deploy" / "examples" / "pytorch" / "compile_bench.py")
COMPILE = """
import sys, torch
net = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4)).eval()
with torch.no_grad():
    exported = torch.export.export(net, (torch.randn(8, 64),))
    torch._inductor.aoti_compile_and_package(exported, package_path=sys.argv[1])
"""


def package_of(folder):
    """Compiles a package. @return its path; None where Python cannot"""
    path = Path(folder, "net.pt2")
    done = subprocess.run([sys.executable, "-c", COMPILE, path], capture_output=True, text=True)
    return path if done.returncode == 0 and path.exists() else None


class Packages(unittest.TestCase):
    def ends(self, ended, code, outcome, *words):
        self.assertEqual(ended.code, code, ended.output + ended.errors)
        document = ended.json()
        self.assertEqual(document["outcome"], outcome)
        self.assertNotIn("\n", document["message"])
        for word in words:
            self.assertIn(word, document["message"])

    def run_package(self, path, *arguments):
        return variants.run(str(path), "--backend", "aoti", "--input", "8x64", *arguments)

    def has_packages(self):
        return self.run_package("missing.pt2").code != 77

    def test_a_package_takes_its_backend_and_no_other(self):
        self.ends(variants.run("net.pt2", "--input", "8x64"), 2, "failed", "--backend aoti")
        self.ends(variants.run("mlp", "--backend", "aoti"), 77, "unsupported", "FILE.pt2")

    def test_what_a_package_cannot_do_is_unsupported(self):
        self.ends(self.run_package("net.pt2", "--mode", "train"), 77, "unsupported", "trained")
        self.ends(self.run_package("net.pt2", "--precision", "bf16"), 77, "unsupported", "compiled")

    def run_python(self, *arguments, model=str(COMPILE_BENCH) + ":mlp"):
        return variants.run(model, "--backend", "aoti", *arguments)

    def test_a_python_module_names_its_python(self):
        module = str(COMPILE_BENCH) + ":mlp"
        self.ends(variants.run(module), 2, "failed", "--backend aoti and --python")
        self.ends(self.run_python(), 77, "unsupported", "--python")
        self.ends(self.run_python("--python", "x", model="mlp"), 2, "failed", "NAME")
        self.ends(self.run_python("--input", "1x2"), 2, "failed", "of its own")
        self.ends(self.run_python("--batch", "auto"), 2, "failed", "--batch auto")

    def test_a_package_is_made_by_a_python(self):
        if not self.has_packages():
            self.ends(self.run_python("--python", sys.executable), 77, "unsupported", "2.6")
            return
        for python, words in (("no-such-python", "cannot be started"), ("true", "no line")):
            with self.subTest(python=python):
                ended = self.run_python("--python", python)
                self.assertIn(words, ended.json()["message"])
        ended = self.run_python("--python", sys.executable, model=str(COMPILE_BENCH) + ":mlpx")
        self.assertEqual(ended.code, 1, ended.output)
        ended = self.run_python("--python", sys.executable, "--batch", "4")
        if ended.code == 77:
            self.skipTest(ended.json()["message"])
        self.assertEqual(ended.code, 0, ended.output + ended.errors)
        info = ended.json()["info"]
        self.assertEqual((info["model"], info["backend"], info["batch"]), ("mlp", "aoti", 4))
        self.assertGreater(info["metrics"]["compile_time_ns"]["value"], 0)

    def test_a_file_that_is_none_is_refused_in_one_line(self):
        if not self.has_packages():
            self.ends(self.run_package("missing.pt2"), 77, "unsupported", "2.6")
            return
        with tempfile.TemporaryDirectory() as folder:
            self.ends(self.run_package("missing.pt2"), 6, "failed", "is not there")
            Path(folder, "folder.pt2").mkdir()
            self.ends(self.run_package(Path(folder, "folder.pt2")), 6, "failed", "is no file")
            for name, content in (
                    ("empty", b""), ("text", b"hello\n" * 100), ("zeros", bytes(4096)),
                    ("half", b"PK\x03\x04" + bytes(range(256)) * 8)):
                with self.subTest(name=name):
                    path = Path(folder, name + ".pt2")
                    path.write_bytes(content)
                    self.ends(self.run_package(path), 6, "failed", name + ".pt2")

    def test_a_package_is_measured_and_a_broken_one_refused(self):
        if not self.has_packages():
            self.skipTest("this LibTorch has no packages")
        with tempfile.TemporaryDirectory() as folder:
            path = package_of(folder)
            if path is None:
                self.skipTest("this Python compiles no packages")
            ended = self.run_package(path)
            self.assertEqual(ended.code, 0, ended.output + ended.errors)
            info = ended.json()["info"]
            self.assertEqual((info["backend"], info["batch"]), ("aoti", 8))
            self.assertIn("float64", info["accuracy"]["unchecked"])
            self.assertEqual(self.run_package(path, "--input", "8x63").code, 1)
            whole = path.read_bytes()
            for size in (len(whole) // 3, len(whole) - 30):
                Path(folder, "cut.pt2").write_bytes(whole[:size])
                self.ends(self.run_package(Path(folder, "cut.pt2")), 6, "failed", "cut.pt2")


if __name__ == "__main__":
    bench.BUILD = Path(sys.argv.pop(1)).resolve()
    bench.build()
    unittest.main(verbosity=2)
