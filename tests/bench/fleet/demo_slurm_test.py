"""deploy/demo --slurm in whole: the planted commits are named by workers that came from a Slurm of
this machine, and --stop leaves nothing of it. It takes ten minutes, needs the packages of
deploy/slurm, and is run by itself. usage: demo_slurm_test.py"""

import json
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
STATE = ROOT / "build" / "demo"


def demo(*options):
    return subprocess.run([ROOT / "deploy/demo", *options], stdout=subprocess.PIPE, text=True)


def alive():
    """Processes that know the demo's folder or its cluster."""
    found = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            told = (place / "cmdline").read_bytes() + (place / "environ").read_bytes()
        except OSError:
            continue
        if f"{STATE}/".encode() in told:
            found[place.name] = told.split(b"\0")[0]
    return found


class Demo(unittest.TestCase):
    def test_the_night_is_played_on_the_cluster_and_nothing_is_left(self):
        self.addCleanup(demo, "--stop")
        done = demo("--slurm", "--json")
        self.assertEqual(done.returncode, 0, done.stdout)
        told = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual(len(told["planted"]), 2)
        self.assertEqual(told["named"], told["planted"])
        self.assertRegex(done.stdout, r"wide +vigil-wide-[0-9a-f]{16} +\d+ +\w+ +node2")
        self.assertRegex(done.stdout, r"plain +vigil-plain-[0-9a-f]{16} +\d+ +\w+ +node1")
        self.assertTrue(alive())
        demo("--stop")
        self.assertEqual(alive(), {})


if __name__ == "__main__":
    unittest.main()
