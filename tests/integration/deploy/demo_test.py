"""What the demo says while it works: never nothing for long, on a terminal or not, and how long the
rest takes. usage: demo_test.py"""

import io
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "deploy"))
sys.dont_write_bytecode = True
import demo  # noqa: E402


class Clock:
    now_s = 0

    def __call__(self):
        return self.now_s


class Told(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="vigil-demo-")
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)
        self.out, self.clock = io.StringIO(), Clock()

    def progress(self, terminal=False):
        return demo.Progress(self.out, terminal, self.folder / "record.json", self.clock)

    def pass_time(self, progress, seconds, share=None, words=""):
        for _ in range(2 * seconds):
            self.clock.now_s += 0.5
            progress.bar(share, words)

    def test_without_a_terminal_a_plain_line_comes_before_a_quarter_of_a_minute_is_over(self):
        progress = self.progress()
        progress.begin("build", "building")
        self.pass_time(progress, 60, 0.25, "3 of 12")
        lines = self.out.getvalue().splitlines()
        self.assertEqual(lines[0], " 0:00  building")
        self.assertEqual(len(lines), 6)
        later = sum(demo.FIRST_GUESS_S.values()) - demo.FIRST_GUESS_S["build"]
        left = progress.clock(180 * 0.75 - 59.5 + later).strip()
        self.assertEqual(lines[-1], f" 1:00    build: 25 %, about {left} left in all  3 of 12")
        self.assertNotIn("\x1b", self.out.getvalue())
        self.assertNotIn("\r", self.out.getvalue())

    def test_what_is_said_otherwise_breaks_the_silence_too(self):
        progress = self.progress()
        progress.begin("backfill", "a night")
        for _ in range(6):
            self.pass_time(progress, 10)
            progress.say("an event")
        self.assertEqual(len(self.out.getvalue().splitlines()), 7)

    def test_a_step_is_expected_to_take_what_it_took_the_last_time(self):
        progress = self.progress()
        progress.begin("night", "a night")
        self.clock.now_s += 100
        progress.end()
        again = self.progress()
        again.begin("night", "a night")
        self.pass_time(again, 40)
        self.assertIn("about 1:04 left", self.out.getvalue())
        self.pass_time(again, 400)
        self.assertTrue(self.out.getvalue().rstrip().endswith("99 %, about 0:00 left in all"))

    def test_what_is_left_never_counts_upwards_while_nothing_moves(self):
        progress = self.progress()
        progress.begin("build", "building")
        for share in (0.1, 0.3, 0.7):
            told = []
            for _ in range(400):
                self.clock.now_s += 0.5
                told.append(progress.estimate(share)[1])
            self.assertEqual(told, sorted(told, reverse=True))
            self.assertGreater(told[0], told[-1])
        # 400 s for 60 %: 200 s for the rest, when the last advance was met.
        later = sum(demo.FIRST_GUESS_S.values()) - demo.FIRST_GUESS_S["build"]
        self.assertAlmostEqual(told[0] - later, 400 / 0.6 * 0.3, delta=2)

    def test_on_a_terminal_the_bar_moves_in_its_place(self):
        progress = self.progress(terminal=True)
        progress.begin("build", "building")
        self.pass_time(progress, 30, 0.5)
        progress.end()
        self.assertEqual(self.out.getvalue().count("\n"), 1)
        self.assertTrue(self.out.getvalue().endswith("\r\x1b[K"))

    def test_how_far_a_build_is_comes_from_its_log(self):
        log = self.folder / "build.log"
        log.write_text("configuring\n")
        self.assertEqual(demo.share_built(log), (None, ""))
        log.write_text("[1/8] one\nwarning: [7/7]\n[2/8] two\n")
        self.assertEqual(demo.share_built(log), (0.25, "2 of 8"))


class Schedule(unittest.TestCase):
    def test_the_night_of_the_schedule_is_half_a_day_away_whenever_the_demo_starts(self):
        for hour in range(24):
            for minute in (0, 59):
                now_s = 20_000 * 86_400 + hour * 3600 + minute * 60
                at = int(demo.schedule_after(now_s)["cron"].split()[1])
                away_s = (at * 3600 - now_s) % 86_400
                self.assertTrue(11 * 3600 <= away_s <= 12 * 3600, (hour, minute, at))


class Usage(unittest.TestCase):
    def test_help_is_the_head_of_the_script(self):
        done = subprocess.run([ROOT / "deploy/demo", "--help"], capture_output=True, text=True,
                              check=True)
        self.assertIn("130 interrupted", done.stdout)
        self.assertNotIn("set -euo", done.stdout)

    def test_two_demos_at_once_are_refused(self):
        for options in (("--slurm", "--github"), ("--github", "--json", "--slurm")):
            done = subprocess.run([ROOT / "deploy/demo", *options], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("two demos", done.stderr)


if __name__ == "__main__":
    os.umask(0o077)
    unittest.main()
