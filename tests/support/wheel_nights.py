"""Nights of the example of docs/pytorch.md, from an index of stand-in wheels on the loopback."""

import functools
import http.server
import json
import re
import tempfile
import threading
import unittest
from pathlib import Path

from stage import Stage
from torch_wheel import make_source_tree, make_wheel

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "deploy" / "examples" / "pytorch"


class WheelNights(unittest.TestCase):
    """The example's config with paths of the test, small models and the stand-ins."""

    build = None  # the build folder
    of_libtorch = False

    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="vigil-pytorch-")
        self.addCleanup(place.cleanup)
        self.stage = Stage(Path(place.name), self.build)
        self.addCleanup(self.stage.stop)
        self.wheels = self.stage.folder / "index" / "torch"
        self.wheels.mkdir(parents=True)
        make_source_tree(self.stage.folder / "pytorch")

    def add_night(self, day, letter, plan, has_libtorch=False, local="+cpu"):
        """@return the commit"""
        make_wheel(self.wheels, day, letter * 40, {"spin_s": 0.02, **plan}, has_libtorch, local)
        (self.wheels / "index.html").write_text("".join(
            f'<a href="{file.name.replace("+", "%2B")}">{file.name}</a>\n'
            for file in sorted(self.wheels.glob("*.whl"))))
        return letter * 40

    def serve(self):
        class Quiet(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Quiet, directory=self.wheels.parent))
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}"

    def config(self, source):
        text = (EXAMPLE / "vigild.json").read_text()
        text = "\n".join(re.sub(r"(^|\s)//.*", "", line) for line in text.splitlines())
        text = text.replace("/usr/share/doc/vigil/deploy/examples/pytorch", str(EXAMPLE))
        config = json.loads(text.replace("/opt/pytorch\"", f"{self.stage.folder}/pytorch\""))
        config["state_dir"] = str(self.stage.folder / "vigild")
        config["http"] = {"port": 0}
        config["report_targets"]["reports"]["path"] = str(self.stage.folder / "reports")
        config["machine_classes"]["xeon"]["environment"]["OMP_NUM_THREADS"] = "1"
        project = config["projects"]["pytorch"]
        project["source"] = source
        del project["schedule"]
        # The zoo takes minutes to compile.
        zoo = project["suites"]["libtorch"].pop("zoo")
        del zoo["models"]
        project["suites"]["libtorch"]["mlp-cpp"] = {
            **zoo, "command": ["--model", "mlp", "--min-time", "0.05"]}
        project["matrix"] = project["matrix"][:1] if self.of_libtorch else project["matrix"][1:]
        resnet = project["suites"]["compile"].pop("resnet18")
        del project["suites"]["compile"]["encoder"]
        resnet["command"][resnet["command"].index("resnet18")] = "mlp"
        resnet["command"] += ["--samples", "3", "--batch", "2", "--threads", "1"]
        resnet["variants"] = {name: resnet["variants"][name] for name in ("eager", "inductor")}
        project["suites"]["compile"]["mlp"] = resnet
        project["runs_per_night"] = 1
        # A loaded machine moves wall time; that of the stand-in for benchmarks/dynamo is exact.
        project["judged"] = ["cpu_time_ns"]
        project["series_rules"].append(
            {"suite": "dynamo", "metric": "wall_time_ns", "judge": True})
        return config

    def start(self, source):
        self.stage.start_daemon(self.config(source))
        self.stage.start_worker(
            "xeon-1", bench_source=str(ROOT / "worker" / "bench"),
            read_only_paths=[str(EXAMPLE), str(self.stage.folder / "pytorch")])

    def play(self, commit):
        self.stage.vigil("trigger", "pytorch")
        return self.stage.wait_for_night(commit)

    def ratios_of(self, night):
        """@return what Tonight says of a night, by precision and program; of threads only
        compile_bench.py says a word"""
        ratios = self.stage.get(f"/api/v1/nights/{night['id']}/summary")["ratios"]
        return {("bf16" if "bf16" in ratio["way"] else "fp32",
                 "compile" if "1 thread" in ratio["way"] else "dynamo"): ratio
                for ratio in ratios}
