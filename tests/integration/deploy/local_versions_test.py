"""Wheels for the CPU and for CUDA of one version, measured side by side.
usage: local_versions_test.py BUILD_FOLDER"""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
sys.dont_write_bytecode = True
import wheel_nights  # noqa: E402


class LocalVersions(wheel_nights.WheelNights):
    build = Path(sys.argv.pop(1)).resolve()

    def test_cpu_and_cuda_wheels_lie_side_by_side(self):
        self.add_night("20250101", "a", {})
        first = self.add_night("20250101", "a", {}, local="+cu126")
        config = self.config({"kind": "http-index", "index": self.serve(), "packages": ["torch"],
                              "python": "cp311", "local_version": ["+cpu", "+cu126"]})
        project = config["projects"]["pytorch"]
        project["recipe"]["outputs"] = ["cpu", "cu126"]
        project["suites"] = {"compile": {"mlp": project["suites"]["compile"]["mlp"]}}
        project["matrix"] = [{"suite": "compile", "machine_classes": ["xeon"]}]
        self.stage.start_daemon(config)
        self.stage.start_worker("xeon-1", read_only_paths=[str(wheel_nights.EXAMPLE)])
        night = self.play(first)
        self.assertEqual(night["version"], "2.9.0.dev20250101")
        runs = {run["variant"]: run["outcome"] for run in self.stage.items("runs")}
        self.assertEqual(runs, {f"{way}{local}": "passed" for way in ("eager", "inductor")
                                for local in ("+cpu", "+cu126")})
        ways = [ratio["way"] for ratio in
                self.stage.get(f"/api/v1/nights/{night['id']}/summary")["ratios"]]
        self.assertEqual(sorted("+cu126" in way for way in ways), [False, True], ways)
        # Only the CUDA wheel becomes slower.
        self.add_night("20250102", "b", {})
        self.play(self.add_night("20250102", "b", {"spin_s": 0.06}, local="+cu126"))
        found = {series["variant"] for regression in self.stage.items("regressions?state=reported")
                 for series in regression["series"]}
        self.assertEqual(found, {"inductor+cu126"})
        # Then it is not there.
        third = self.play(self.add_night("20250103", "c", {}))
        runs = {run["variant"]: (run["outcome"], run["message"])
                for run in self.stage.items(f"runs?nightly={third['id']}")}
        self.assertEqual(runs["inductor+cpu"][0], "passed")
        self.assertEqual(runs["inductor+cu126"],
                         ("unsupported", "this build has nothing in its folder cu126"))
        [trouble] = self.stage.items("troubles?state=open&kind=source.incomplete")
        self.assertIn("nightly 2.9.0.dev20250103 is measured without +cu126: not all its packages",
                      trouble["message"])


if __name__ == "__main__":
    unittest.main()
