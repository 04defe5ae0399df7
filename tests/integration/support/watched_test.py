"""A watched test is ended when it stands still or uses too much processor time, with all it
started; one that moves is let alone. usage: watched_test.py"""

import os
import subprocess
import sys
import unittest
from pathlib import Path

WATCHED = Path(__file__).resolve().parents[2] / "support" / "watched.py"


def run(cpu_limit_s, script, still_s=600):
    return subprocess.run(
        [sys.executable, WATCHED, str(cpu_limit_s), "sh", "-c", script], text=True,
        capture_output=True,
        env={**os.environ, "VIGIL_STILL_S": str(still_s), "VIGIL_LAST_WORDS_S": "1"})


class Watched(unittest.TestCase):
    def test_it_ends_as_the_test_does(self):
        self.assertEqual(run(100, "exit 0").returncode, 0)
        ended = run(100, "echo out; echo err >&2; exit 7")
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (7, "out\n", "err\n"))
        self.assertEqual(run(100, "kill -9 $$").returncode, 137)
        self.assertEqual(subprocess.run([sys.executable, WATCHED, "1", "/no/such/program"],
                                        capture_output=True).returncode, 127)

    def test_one_that_stands_still_is_ended_with_all_it_started(self):
        # The pipes come to their end only when nobody has them open any more.
        ended = run(100, "(setsid tail -f /dev/null &) ; tail -f /dev/null", still_s=0.5)
        self.assertEqual(ended.returncode, 124, ended.stderr)
        self.assertIn("stands still", ended.stderr)
        self.assertIn("tail -f /dev/null", ended.stderr)

    def test_one_that_goes_round_in_circles_is_ended(self):
        ended = run(0.3, "while :; do :; done", still_s=4)
        self.assertEqual(ended.returncode, 124, ended.stderr)
        self.assertIn("may use 0.3 s", ended.stderr)

    def test_children_count_as_the_test_itself(self):
        busy = "sh -c 'while :; do :; done' & wait"
        self.assertIn("may use", run(0.3, busy, still_s=4).stderr)
        # A second of the processor in many short processes: it moves all the time.
        many = "i=0; while [ $i -lt 300 ]; do sh -c : ; i=$((i + 1)); done"
        self.assertEqual(run(1000, many, still_s=30).returncode, 0)


if __name__ == "__main__":
    unittest.main()
