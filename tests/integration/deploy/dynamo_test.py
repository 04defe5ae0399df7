"""CSVs of PyTorch's benchmarks/dynamo, sent with their names: the files of one night stay apart,
and make a night like those of the published dashboard. usage: dynamo_test.py BUILD_FOLDER"""

import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.dont_write_bytecode = True
from stage import Stage  # noqa: E402

BUILD = Path(sys.argv.pop(1)).resolve()
PERFORMANCE = ("dev,name,batch_size,speedup,abs_latency,compilation_latency,compression_ratio,"
               "eager_peak_mem,dynamo_peak_mem,calls_captured\n")
ACCURACY = "dev,name,batch_size,accuracy,calls_captured\n"


class SentTables(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="vigil-pytorch-")
        self.addCleanup(place.cleanup)
        self.stage = Stage(Path(place.name), BUILD)
        self.addCleanup(self.stage.stop)
        self.stage.start_daemon({
            "state_dir": str(self.stage.folder / "vigild"), "http": {"port": 0},
            "projects": {"dashboard": {"source": {"kind": "elsewhere", "file_unconfirmed": True}}}})

    def send(self, letter, day, latency_ms, alexnet):
        """alexnet: what its accuracy says; it runs where that is "pass". @return the night"""
        ran = "cpu,alexnet,16,2.0,4.0,10.5,0.5,1.0,2.0,5\n"
        died = "cpu,alexnet,0,0.0,0.0,0,0,0,0,0\n"
        files = []
        for dtype, latency in (("float32", 8.0), ("bfloat16", latency_ms)):
            tables = {
                "performance": f"{PERFORMANCE}cpu,vgg,16,0.5,{latency},30.5,2.0,2.0,1.0,5\n"
                               + (ran if alexnet == "pass" else died),
                "accuracy": f"{ACCURACY}cpu,vgg,4,pass,5\ncpu,alexnet,4,{alexnet},5\n"}
            for target, text in tables.items():
                file = self.stage.folder / f"inductor_torchbench_{dtype}_inference_cpu_{target}.csv"
                file.write_text(text)
                files.append(file)
        self.stage.vigil("import", *files, "--project", "dashboard", "--machine-class", "ci",
                         "--revision", letter * 40, "--time", day, "--closed")
        return self.stage.wait_for_night(letter * 40)

    def test_their_nights_are_like_those_of_the_published_dashboard(self):
        night = self.send("a", "2025-03-01", 8.0, "pass")
        ratios = self.stage.get(f"/api/v1/nights/{night['id']}/summary")["ratios"]
        self.assertEqual({ratio["way"] for ratio in ratios}, {
            f"dashboard on ci, torchbench, {dtype}, inductor" for dtype in ("fp32", "bf16")})
        for ratio in ratios:
            self.assertEqual((ratio["passing"], ratio["total"]), (2, 2))
            self.assertAlmostEqual(ratio["speedup"], 1.0)
            self.assertAlmostEqual(ratio["compile_s"], 20.5)
            self.assertAlmostEqual(ratio["memory_ratio"], 1.25)
        night = self.send("b", "2025-03-02", 16.0, "fail_accuracy")
        for ratio in self.stage.get(f"/api/v1/nights/{night['id']}/summary")["ratios"]:
            self.assertEqual((ratio["passing"], ratio["total"]), (1, 2))
            self.assertAlmostEqual(ratio["speedup"], 0.5)
        told = self.stage.vigil("summarize", "--nightly", str(night["id"]))
        self.assertEqual({(one["model"], one["precision"], one["status"])
                          for one in told["results"]}, {
            (model, precision, status) for precision in ("fp32", "bf16")
            for model, status in (("vgg", "pass"), ("alexnet", "failed"))})
        found = {(series["benchmark"], series["variant"])
                 for regression in self.stage.items("regressions")
                 for series in regression["series"]}
        how = "inductor torchbench {} inference/batch {}"
        self.assertIn((f"vgg/cpu/{how.format('bfloat16', 16)}", "default"), found)
        for dtype in ("float32", "bfloat16"):
            self.assertIn((f"alexnet/cpu/{how.format(dtype, 16)}", "default"), found)
            self.assertIn((f"alexnet/cpu/{how.format(dtype, 4)}", "accuracy"), found)
            self.assertNotIn((f"vgg/cpu/{how.format('float32', 16)}", "default"), found)


if __name__ == "__main__":
    unittest.main()
