"""A daemon that has a past: a small repository, three nights of it, one regression whose culprit is
known. Everything in it is the same each time, hashes too. Standard library only."""

import json
import os
import sqlite3
import subprocess

from stage import Stage

DAY_S = 86400
FIRST_S = 1741744800  # 2025-03-12, 02:00 UTC
SUBJECTS = ("Sum in one pass", "Keep the buffer", "Check the bounds", "Sort with fewer passes")
CLASS, WORKER = "xeon", "xeon-1"
SAMPLES = {"format": "lines", "printed": "cpu_time_ns", "unit": "ns"}
# By benchmark, what each night measured.
NIGHTS = {"mlp": (1_000_000_000, 1_010_000_000, 1_130_000_000),
          "sort": (400_000_000, 400_000_000, 410_000_000)}


def make_repository(folder, subjects=SUBJECTS):
    """@return the hashes of its commits, oldest first"""
    def git(*words, **more):
        done = subprocess.run(["git", *words], cwd=folder, env=os.environ | {
            "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", **more},
            check=True, capture_output=True, text=True)
        return done.stdout.strip()

    folder.mkdir(parents=True)
    git("init", "-q", "-b", "main")
    hashes = []
    for number, subject in enumerate(subjects):
        (folder / "value").write_text(f"{number}\n")
        git("add", "value")
        date = f"{FIRST_S + (number - 1) * DAY_S // 2} +0000"
        person = {"NAME": "Author One", "EMAIL": "one@example.org", "DATE": date}
        git("commit", "-q", "-m", subject, **{
            f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER")
            for key, value in person.items()})
        hashes.append(git("rev-parse", "HEAD"))
    return hashes


def config_of(folder, **http):
    benchmark = {"kind": "command", "command": ["./measure"], "samples": SAMPLES}
    return {
        "state_dir": "vigild", "public_url": "https://vigil.example",
        "commit_url": "https://git.example/{project}/commit/{revision}",
        "http": {"port": 0, **http}, "machine_classes": {CLASS: {}},
        "workers": {WORKER: {"machine_class": CLASS}},
        "projects": {"demo": {
            "source": {"kind": "git", "repository": str(folder / "repository")},
            "recipe": {"outputs": ["value"]},
            "suites": {"core": {name: benchmark for name in NIGHTS}},
            "matrix": [{"suite": "core", "machine_classes": [CLASS]}],
            "judged": ["cpu_time_ns"]},
            "lab": {"source": {"kind": "elsewhere", "settle_s": DAY_S}}}}


class Rows:
    """Fills the ledger of a daemon that does not run."""

    def __init__(self, ledger):
        self.db = sqlite3.connect(ledger)

    def add(self, table, **values):
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        return self.db.execute(f"INSERT INTO {table}({names}) VALUES ({marks})",
                               tuple(values.values())).lastrowid

    def fill(self, hashes):
        self.project = self.db.execute("SELECT id FROM project WHERE name = 'demo'").fetchone()
        self.project = self.project[0] if self.project else self.add(
            "project", name="demo", created_at_s=FIRST_S)
        found = self.db.execute("SELECT id FROM machine_class WHERE name = ?", (CLASS,)).fetchone()
        self.on = found[0] if found else self.add("machine_class", name=CLASS)
        self.worker = self.add(
            "worker", name=WORKER, machine_class_id=self.on, state="active", fingerprint="{}",
            toolchain="", first_seen_at_s=FIRST_S, last_seen_at_s=FIRST_S)
        self.series = {name: self.add(
            "series", project_id=self.project, benchmark=name, variant="default",
            machine_class_id=self.on, metric="cpu_time_ns", definition=1, unit="ns",
            direction="lower_is_better") for name in NIGHTS}
        self.builds = {one: self.add(
            "build", project_id=self.project, revision=one, input_kind="source_tree",
            created_at_s=FIRST_S) for one in hashes}
        # The last night has two commits: one of them is the culprit.
        nights = [self.night(number, one)
                  for number, one in enumerate((hashes[0], hashes[1], hashes[3]))]
        self.regression(nights, hashes)
        self.db.commit()
        self.db.close()

    def night(self, number, revision):
        at_s = FIRST_S + number * DAY_S
        night = self.add(
            "nightly", project_id=self.project, build_id=self.builds[revision],
            version=f"2025-03-{12 + number}", day=f"2025-03-{12 + number}", revision=revision,
            state="done", created_at_s=at_s, ended_at_s=at_s + 3600, summed_up=1,
            compared_series=len(NIGHTS) if number else 0)
        job = self.add(
            "job", project_id=self.project, machine_class_id=self.on, purpose="nightly",
            state="done", priority=1, nightly_id=night, plan="{}", attempt=1, worker_id=self.worker,
            created_at_s=at_s, ended_at_s=at_s + 600)
        for step, (name, values) in enumerate(NIGHTS.items()):
            run = self.add(
                "run", job_id=job, attempt=1, step=step, build_id=self.builds[revision],
                benchmark=name, variant="default", machine_class_id=self.on, worker_id=self.worker,
                outcome="passed", started_at_ns=(at_s + step) * 10**9, duration_ns=10**9)
            self.add("measurement", run_id=run, series_id=self.series[name],
                     median=values[number], spread=values[number] / 200, count=5,
                     samples=b"\0" * 40)
        return night

    def regression(self, nights, hashes):
        at_s = FIRST_S + 2 * DAY_S + 1800
        before, after = NIGHTS["mlp"][1:]
        session = self.add(
            "session", project_id=self.project, a_build_id=self.builds[hashes[1]],
            b_build_id=self.builds[hashes[3]], benchmark="mlp", variant="default",
            machine_class_id=self.on, nightly_id=nights[2], state="done", created_at_s=at_s)
        suspicion = self.add(
            "suspicion", series_id=self.series["mlp"], nightly_id=nights[2],
            good_nightly_id=nights[1], session_id=session, kind="level", state="ended",
            verdict="regression", base=before, value=after, change_ratio=0.12,
            confirmed=json.dumps({
                "before": before, "after": after, "change_ratio": 0.12, "low": 0.115, "high": 0.125,
                "above": 1, "runs_before": 6, "runs_after": 6, "finding": "worse"}),
            reason="above the threshold", created_at_s=at_s, ended_at_s=at_s + 600)
        search = self.add(
            "bisection", project_id=self.project, nightly_id=nights[2], good_revision=hashes[1],
            bad_revision=hashes[3], state="done", planner=1, settings="{}",
            created_at_s=at_s + 600, ended_at_s=at_s + 1200)
        for position in (0, 1, 2):
            self.add("suspect", bisection_id=search, position=position,
                     revision=hashes[1 + position], parent=hashes[position], merge=0,
                     subject=SUBJECTS[1 + position], author="Author One",
                     authored_at_s=FIRST_S + position * DAY_S // 2)
        regression = self.add(
            "regression", project_id=self.project, nightly_id=nights[2], state="reported",
            good_build_id=self.builds[hashes[1]], bad_build_id=self.builds[hashes[3]],
            bisection_id=search, culprit=hashes[2], created_at_s=at_s, changed_at_s=at_s + 1200,
            unreported=0)
        report = self.add(
            "report", kind="regression", project_id=self.project, regression_id=regression,
            version=1, title="[perf] mlp +12.0 % time since 2025-03-14", body="mlp became slower.",
            created_at_s=at_s + 1200)
        self.add("outbox", report_id=report, target="tracker", state="sent", attempts=1,
                 next_attempt_at_s=at_s, external_ref="https://tracker.example/issues/12",
                 filings=1, filed_at_s=at_s + 1201)
        self.add("regression_series", regression_id=regression, series_id=self.series["mlp"],
                 suspicion_id=suspicion)


def start(folder, build, **http):
    """@return the Stage of such a daemon, and the hashes of its commits"""
    hashes = make_repository(folder / "repository")
    stage = Stage(folder, build)
    try:
        stage.start_daemon(config_of(folder, **http))
        stage.stop()
        Rows(stage.state_dir / "ledger.sqlite").fill(hashes)
        stage.restart_daemon()
    except BaseException:
        stage.stop()
        raise
    return stage, hashes
