#!/usr/bin/env python3
"""Tests of the generator of the repository tensorlab. usage: tensorlab_test.py [IGNORED]"""

import json
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

TENSORLAB = Path(__file__).resolve().parents[2] / "support" / "tensorlab"
sys.dont_write_bytecode = True
sys.path.insert(0, str(TENSORLAB))

from plants import BY_NAME, PLANTS  # noqa: E402

DAY_S = 86_400
NOON_S = 20_000 * DAY_S + DAY_S // 2


def git(repository, *arguments):
    return subprocess.run(
        ["git", "-C", repository, *arguments], check=True, capture_output=True, text=True).stdout


class Tensorlab(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.made = 0

    def make(self, *arguments):
        self.made += 1
        target = Path(self.folder.name) / f"repository-{self.made}"
        done = subprocess.run(
            [TENSORLAB / "make_tensorlab", target, *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("\n"), 1)
        return json.loads(done.stdout)

    def changed(self, story, revision):
        return git(story["repository"], "diff-tree", "-r", "--no-commit-id", "--name-only",
                   revision).split()

    def test_equal_arguments_make_equal_hashes(self):
        first, second = self.make("--until", "1000000"), self.make("--until", "1000000")
        del first["repository"], second["repository"]
        self.assertEqual(first, second)

    def test_another_seed_orders_the_day_otherwise(self):
        now = ("--until", str(NOON_S))
        first, second = self.make(*now), self.make(*now, "--seed", "1")
        self.assertEqual(first["first_night"], second["first_night"])
        self.assertNotEqual(first["second_night"], second["second_night"])
        self.assertEqual([plant["position"] for plant in first["planted"]],
                         [plant["position"] for plant in second["planted"]])

    def test_the_day_is_that_of_now_whatever_the_clock_says(self):
        midnight_s = NOON_S - DAY_S // 2
        for until_s in (midnight_s, midnight_s + 1, midnight_s + 600, NOON_S,
                        midnight_s + DAY_S - 1):
            with self.subTest(until_s=until_s):
                story = self.make("--before", "2", "--until", str(until_s))
                times = git(story["repository"], "log", "--first-parent", "--reverse",
                            "--format=%ct", story["second_night"]).split()
                times = [int(one) for one in times]
                self.assertEqual(times, sorted(times))
                self.assertLessEqual(times[-1], until_s)
                days = [one // DAY_S - midnight_s // DAY_S for one in times]
                self.assertEqual(days, [-3, -2, -1] + [0] * story["first_parent_commits"])
                every = git(story["repository"], "log", "--format=%ct", "main").split()
                self.assertEqual(max(int(one) for one in every), times[-1])

    def test_without_a_time_the_day_is_today(self):
        before_s = int(time.time())
        story = self.make()
        last_s = int(git(story["repository"], "log", "-1", "--format=%ct", "main"))
        self.assertLessEqual(last_s, time.time())
        self.assertGreaterEqual(last_s, before_s - before_s % DAY_S)

    def test_the_day_has_what_makes_searching_hard(self):
        story = self.make("--plant", "all", "--until", str(NOON_S))
        repository = story["repository"]
        self.assertEqual(git(repository, "fsck", "--strict"), "")
        day = f"{story['first_night']}..{story['second_night']}"
        commits = git(repository, "rev-list", day).split()
        self.assertEqual(len(commits), story["commits"])
        self.assertGreaterEqual(story["first_parent_commits"], 70)
        self.assertEqual(len(git(repository, "rev-list", "--merges", day).split()), 3)
        seconds = git(repository, "log", "--first-parent", "--format=%ct", day).split()
        self.assertLess(len(set(seconds)), len(seconds) - 5)
        self.assertGreaterEqual(len(set(git(repository, "log", "--format=%an", day).split())), 6)
        self.assertTrue(3 <= len(story["broken"]) <= 5)
        self.assertEqual(git(repository, "rev-parse", "main").strip(), story["second_night"])

    def test_every_plant_changes_one_source_at_the_place_it_names(self):
        story = self.make("--plant", "all")
        self.assertEqual({plant["name"] for plant in story["planted"]}, set(BY_NAME))
        line = git(story["repository"], "rev-list", "--first-parent", "--reverse",
                   f"{story['first_night']}..{story['second_night']}").split()
        for plant in story["planted"]:
            self.assertEqual(line[plant["position"] - 1], plant["revision"])
            changed = self.changed(story, plant["revision"])
            self.assertEqual(len(changed), 1)
            self.assertTrue(changed[0].startswith("src/"))
            parent = line[plant["position"] - 2]
            self.assertNotIn(parent, story["broken"], "a culprit is verified against its parent")

    def test_the_place_of_a_plant_that_is_left_out_holds_a_change_of_words(self):
        story = self.make("--plant", "none")
        self.assertEqual(story["planted"], [])
        for plant in PLANTS:
            words = self.make("--plant", plant.name)
            self.assertEqual([entry["name"] for entry in words["planted"]], [plant.name])
            self.assertEqual(words["commits"], story["commits"])
            for path, old, new in plant.harmless_edits:
                self.assertTrue(path.startswith("src/"))
                self.assertEqual(old.count("\n"), new.count("\n"), "lines must not move")
                self.assertTrue(old.startswith("//") and new.startswith("//"))

    def test_a_plant_that_does_not_exist_is_refused_with_the_names_of_those_that_do(self):
        done = subprocess.run(
            [TENSORLAB / "make_tensorlab", Path(self.folder.name) / "x", "--plant", "nothing"],
            capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("double_check", done.stderr)

    def test_a_folder_that_is_not_empty_is_refused(self):
        done = subprocess.run(
            [TENSORLAB / "make_tensorlab", TENSORLAB], capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("not empty", done.stderr)

    def test_the_project_file_names_the_benchmarks_of_the_plants(self):
        project = json.loads((TENSORLAB / "project.json").read_text())
        for plant in PLANTS:
            self.assertIn(plant.benchmark, project["benchmarks"])
            if plant.machine_class:
                self.assertIn(plant.machine_class, project["machine_classes"])
        for control in project["controls"]:
            self.assertIn(control, project["benchmarks"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
