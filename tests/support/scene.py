"""A daemon whose pages have much to show: weeks of nights, series that moved and series that did
not, regressions in several states, a search, work that waits and work that failed. As rows, by SQL
alone. Its newest night is today's. Standard library only."""

import json
import math
import random
import struct
import time

import past
from past import DAY_S, WORKER
from stage import ROOT, Stage

BENCHMARKS = ("mlp", "lstm", "convnet", "attention", "gather", "sort")
VARIANTS = ("train-fp32", "infer-fp16")
# Of the two newest nights alone: a suite with more than one backend.
WAYS = {"infer-eager": 1, "infer-jit": 0.7}
METRICS = (("cpu_time_ns", "ns", 2e8), ("peak_process_bytes", "bytes", 6e8))
NIGHTS, REPETITIONS = 45, 5
REPORTS = ROOT / "tests/data/report"
# By benchmark and variant: from which night on it is slower, and by how much.
MOVES = {("mlp", "train-fp32"): (40, 1.12), ("convnet", "infer-fp16"): (42, 1.31),
         ("attention", "train-fp32"): (20, 1.09), ("gather", "infer-fp16"): (30, 0.9)}
# Of the newest night: what did not pass.
OUTCOMES = {("lstm", "infer-fp16"): "oom", ("sort", "train-fp32"): "failed",
            ("gather", "infer-jit"): "wrong",
            ("sort", "infer-fp16"): "unsupported"}
# What a plan says of each benchmark.
PLAN = {
    "kind": "command", "command": ["./measure"], "environment": {}, "interleave": 1,
    "samples": {"format": "lines", "printed": "cpu_time_ns", "unit": "ns",
                "direction": "lower_is_better", "select": ""},
    "limits": {"wall_time_s": 600, "memory_bytes": 2**30, "processes": 100,
               "output_bytes": 2**20, "disk_bytes": 2**30},
    "wrong_exit_code": 3, "unsupported_exit_code": 4}
HOSTILE = "</title><script>alert(1)</script>\u202e<img src=x onerror=alert(2)>'\"&{{x}}"
# Every column that holds what somebody else wrote.
STRANGERS = {
    "suspect": ("subject", "author"), "series": ("benchmark", "variant"),
    "run": ("benchmark", "variant", "message"), "report": ("title", "body"),
    "regression": ("assigned", "reason"), "nightly": ("name", "message"),
    "worker": ("reason",), "trouble": ("message",), "job": ("message",),
    "outbox": ("message", "external_ref"),
    "notice": ("message",), "suspicion": ("reason",), "baseline": ("reason",),
    "session": ("benchmark", "variant", "message"), "mute": ("owner", "reason"),
    "attempt": ("message",), "canary_check": ("message",), "request": ("message", "token"),
    "delivery": ("event", "message"), "night_commit": ("subject", "author"),
    "night_range": ("message",)}


class Scene(past.Rows):
    def __init__(self, ledger, hashes, today_s):
        super().__init__(ledger)
        self.hashes, self.today_s = hashes, today_s
        self.lot = random.Random(1)

    def write(self):
        find = self.db.execute
        self.project = find("SELECT id FROM project WHERE name = 'demo'").fetchone()[0]
        self.on = find("SELECT id FROM machine_class WHERE name = ?", (past.CLASS,)).fetchone()[0]
        self.first_s = self.today_s - (NIGHTS - 1) * DAY_S
        self.worker = self.add(
            "worker", name=WORKER, machine_class_id=self.on, state="active",
            fingerprint="{}", toolchain="", first_seen_at_s=self.first_s,
            last_seen_at_s=self.today_s + 3000)
        self.environments = [
            self.add("environment", digest=digit * 64, facts=json.dumps(
                {"kernel": kernel, "driver": "550.54", "governor": "performance"}))
            for digit, kernel in (("d", "6.1.0-17-amd64"), ("e", "6.1.0-18-amd64"))]
        self.builds = [self.add("build", project_id=self.project, revision=one,
                                input_kind="source_tree", created_at_s=self.first_s)
                       for one in self.hashes]
        self.series = {
            (benchmark, variant, metric): self.add(
                "series", project_id=self.project, benchmark=benchmark, variant=variant,
                machine_class_id=self.on, metric=metric, definition=1, unit=unit,
                direction="lower_is_better")
            for benchmark in BENCHMARKS for variant in VARIANTS for metric, unit, _ in METRICS}
        for benchmark in BENCHMARKS:
            for way in WAYS:
                for metric, unit, _ in METRICS:
                    self.series[benchmark, way, metric] = self.add(
                        "series", project_id=self.project, benchmark=benchmark, variant=way,
                        machine_class_id=self.on, metric=metric, definition=1, unit=unit,
                        direction="lower_is_better")
        self.nights = [self.night(number) for number in range(NIGHTS)]
        self.commits(NIGHTS - 1)
        self.regressions()
        self.work()
        self.machines()
        self.db.commit()

    def night(self, number):
        at_s = self.first_s + number * DAY_S
        day = time.strftime("%Y-%m-%d", time.gmtime(at_s))
        night = self.add(
            "nightly", project_id=self.project, build_id=self.builds[number], version=day, day=day,
            name=day, revision=self.hashes[number], state="done", created_at_s=at_s,
            ended_at_s=at_s + 3600, summed_up=1, compared_series=len(self.series))
        pairs = [(benchmark, variant) for benchmark in BENCHMARKS for variant in VARIANTS]
        if number >= NIGHTS - 2:
            pairs += [(benchmark, way) for benchmark in BENCHMARKS for way in WAYS]
        plan = {"benchmarks": [dict(PLAN, benchmark=benchmark, variant=variant)
                               for benchmark, variant in pairs],
                "steps": [{"build": 0, "benchmark": step} for step in range(len(pairs))]}
        job = self.add(
            "job", project_id=self.project, machine_class_id=self.on, purpose="nightly",
            state="done", priority=1, nightly_id=night, plan=json.dumps(plan), attempt=1,
            worker_id=self.worker, created_at_s=at_s, ended_at_s=at_s + 600)
        self.add("job_build", job_id=job, position=0, build_id=self.builds[number])
        self.add("attempt", job_id=job, number=1, worker_id=self.worker, recipe_digest="",
                 claimed_at_s=at_s + 5, ended_at_s=at_s + 600, outcome="done",
                 environment_before_id=self.environments[number >= 25],
                 environment_after_id=self.environments[number >= 25])
        for step, pair in enumerate(pairs):
            self.run(number, job, step, pair, at_s + 20 * step)
        return night

    def commits(self, number):
        """What the git lane lists of a night; of the others it does so when the daemon starts."""
        night = self.nights[number]
        self.add("night_range", nightly_id=night, since_id=self.nights[number - 1], count=1,
                 message="")
        self.add("night_commit", nightly_id=night, position=0, revision=self.hashes[number],
                 subject=f"Commit {number}", author="Author One",
                 authored_at_s=self.first_s + number * DAY_S)
        self.db.execute("UPDATE nightly SET commits = 'listed' WHERE id = ?", (night,))

    def run(self, number, job, step, pair, at_s):
        outcome = OUTCOMES.get(pair, "passed") if number == NIGHTS - 1 else "passed"
        run = self.add(
            "run", job_id=job, attempt=1, step=step, build_id=self.builds[number],
            benchmark=pair[0], variant=pair[1], machine_class_id=self.on, worker_id=self.worker,
            environment_id=self.environments[number >= 25], outcome=outcome,
            started_at_ns=at_s * 10**9,
            message="" if outcome == "passed" else f"the program ended: {outcome}",
            duration_ns=10**10)
        if outcome != "passed":
            return
        since, times = MOVES.get(pair, (NIGHTS, 1))
        for metric, _, base in METRICS:
            level = base * (1 + step / 7) * (times if number >= since and "time" in metric else 1)
            if pair[1] in WAYS:
                level = base * WAYS[pair[1]] * (1 + BENCHMARKS.index(pair[0]) / 20)
            samples = sorted(self.lot.gauss(level, level * 0.004) for _ in range(REPETITIONS))
            median = samples[REPETITIONS // 2]
            spread = sorted(abs(one - median) for one in samples)[REPETITIONS // 2]
            self.add("measurement", run_id=run, series_id=self.series[*pair, metric],
                     median=median, spread=spread, count=REPETITIONS,
                     samples=struct.pack(f"<{REPETITIONS}d", *samples))

    def regressions(self):
        self.regression(("mlp", "train-fp32"), 40, "reported", culprit=True)
        self.regression(("convnet", "infer-fp16"), 42, "acknowledged", culprit=False)
        self.regression(("attention", "train-fp32"), 20, "accepted", culprit=True)
        self.add("baseline", series_id=self.series["attention", "train-fp32", "cpu_time_ns"],
                 kind="rolling", nightly_id=self.nights[20], reason="the new kernel is wanted",
                 created_at_s=self.first_s + 21 * DAY_S)
        self.add("baseline", series_id=self.series["mlp", "train-fp32", "cpu_time_ns"],
                 kind="pinned", nightly_id=self.nights[5], reason="the last release",
                 created_at_s=self.first_s + 6 * DAY_S)

    def regression(self, pair, at, state, culprit):
        at_s = self.first_s + at * DAY_S + 1800
        ratio = MOVES[pair][1] - 1
        series = self.series[*pair, "cpu_time_ns"]
        before = METRICS[0][2] * (1 + (BENCHMARKS.index(pair[0]) * 2 + VARIANTS.index(pair[1])) / 7)
        after = before * (1 + ratio)
        session = self.add(
            "session", project_id=self.project, a_build_id=self.builds[at - 1],
            b_build_id=self.builds[at], benchmark=pair[0], variant=pair[1],
            machine_class_id=self.on, nightly_id=self.nights[at], state="done", created_at_s=at_s)
        measured = json.dumps({
            "before": before, "after": after, "change_ratio": ratio, "low": ratio - 0.005,
            "high": ratio + 0.005, "above": 1, "runs_before": 6, "runs_after": 6,
            "finding": "worse"})
        suspicion = self.add(
            "suspicion", series_id=series, nightly_id=self.nights[at],
            good_nightly_id=self.nights[at - 1], session_id=session, kind="level", state="ended",
            verdict="regression", base=before, value=after, change_ratio=ratio, confirmed=measured,
            reason="above the threshold", created_at_s=at_s, ended_at_s=at_s + 600)
        search = self.add(
            "bisection", project_id=self.project, nightly_id=self.nights[at],
            good_revision=self.hashes[at - 1], bad_revision=self.hashes[at], state="done",
            planner=1, created_at_s=at_s + 600, ended_at_s=at_s + 1200, settings=json.dumps({
                "series": [series], "groups": [self.on], "sessions": [session],
                "specs": [{"group": 0, "direction": "lower_is_better", "kind": "time",
                           "threshold": 0.07, "expected_ratio": ratio, "noise": 0, "nights": 0,
                           "better": False, "least_ratio": 0}],
                "by_outcome": [], "max_probes": 60, "max_builds": 60, "further": 1,
                "build_cost": 10, "workers": 1, "nights": [], "named": []}))
        self.add("suspect", bisection_id=search, position=0, revision=self.hashes[at],
                 parent=self.hashes[at - 1], merge=0, subject=f"Commit {at}: fewer copies",
                 author="Author One", authored_at_s=at_s - DAY_S // 2)
        found = self.add(
            "regression", project_id=self.project, nightly_id=self.nights[at], state=state,
            good_build_id=self.builds[at - 1], bad_build_id=self.builds[at], bisection_id=search,
            culprit=self.hashes[at] if culprit else None, created_at_s=at_s,
            changed_at_s=at_s + 1200, unreported=0)
        self.add("regression_series", regression_id=found, series_id=series,
                 suspicion_id=suspicion, verified=measured if culprit else "{}")
        report = self.add(
            "report", kind="regression", project_id=self.project, regression_id=found, version=1,
            title=f"[perf] {pair[0]}, {pair[1]}: {100 * ratio:+.1f} % time",
            body=(REPORTS / ("culprit.md" if culprit else "range.md")).read_text(),
            created_at_s=at_s + 1200)
        self.add("outbox", report_id=report, target="folder", state="dead" if at == 42 else "sent",
                 attempts=1, next_attempt_at_s=at_s, filings=1, filed_at_s=at_s + 1201,
                 external_ref="https://tracker.example/issues/1")

    def work(self):
        self.add("worker", name="xeon-2", machine_class_id=self.on, state="quarantined",
                 reason="its canary moved by 9 %", fingerprint="{}", toolchain="",
                 first_seen_at_s=self.first_s, last_seen_at_s=self.today_s - DAY_S)
        self.add("job", project_id=self.project, machine_class_id=self.on, purpose="nightly",
                 state="failed", priority=1, nightly_id=self.nights[-1], plan="{}", attempt=3,
                 message="the recipe failed", created_at_s=self.today_s,
                 ended_at_s=self.today_s + 900)
        self.add("request", project_id=self.project, kind="comparison", state="failed",
                 a=self.hashes[40], b=self.hashes[41], a_build_id=self.builds[40],
                 b_build_id=self.builds[41], message="the worker is quarantined", token="ada",
                 asked=json.dumps({"variants": [], "runs": 5}),
                 created_at_s=self.today_s, ended_at_s=self.today_s + 60)
        self.add("notice", target="folder", place="pull/7", number=7, body="No change.",
                 state="dead", given_up=1, attempts=12, next_attempt_at_s=self.today_s,
                 message="GitHub answers 403", changed_at_s=self.today_s)
        self.add("trouble", kind="disk.low", subject="disk", project_id=self.project,
                 message="the disk has 5 % left", since_s=self.today_s, seen_s=self.today_s)

    def machines(self):
        """What the page of machines tells: canaries, machines that changed, a night under way."""
        for number, environment in ((0, 0), (25, 1)):
            self.add("worker_environment", worker_id=self.worker,
                     environment_id=self.environments[environment],
                     at_s=self.first_s + number * DAY_S + 600)
        for number in range(NIGHTS - 30, NIGHTS):
            moved = self.lot.gauss(0, 0.004)
            self.add("canary_check", nightly_id=self.nights[number], worker_id=self.worker,
                     definition="c" * 64, state="steady", value=1e8 * (1 + moved), base=1e8,
                     moved_ratio=moved, created_at_s=self.first_s + number * DAY_S + 300,
                     ended_at_s=self.first_s + number * DAY_S + 400)
        now_s = int(time.time())
        day = time.strftime("%Y-%m-%d", time.gmtime(self.today_s))
        night = self.add(
            "nightly", project_id=self.project, build_id=self.builds[3], version="v3", day=day,
            name=day + ".2", revision=self.hashes[3], state="measuring", created_at_s=now_s - 900,
            beside="it is older than the newest night")
        plan = json.dumps({"steps": [{"build": 0, "benchmark": 0}],
                           "benchmarks": [dict(PLAN, benchmark="mlp", variant="train-fp32")]})
        jobs = [("done", "", {"ended_at_s": now_s - 100, "worker_id": self.worker, "attempt": 1}),
                ("leased", "", {"worker_id": self.worker, "attempt": 1, "progress": "3 of 12 runs",
                                "lease_expires_at_s": int(time.monotonic()) + 10**7})]
        jobs += [("queued", "", {})] * 3
        jobs += [("parked", "its worker was lost three times", {"attempt": 3})]
        for state, message, more in jobs:
            job = self.add(
                "job", project_id=self.project, machine_class_id=self.on, purpose="nightly",
                state=state, priority=1, nightly_id=night, plan=plan, message=message,
                created_at_s=now_s - 900, **more)
            self.add("job_build", job_id=job, position=0, build_id=self.builds[3])
            if state in ("done", "leased"):
                over = {"ended_at_s": now_s - 100, "outcome": "done"} if state == "done" else {}
                self.add("attempt", job_id=job, number=1, worker_id=self.worker, recipe_digest="",
                         claimed_at_s=now_s - 800, **over)
        for number, (event, state, message) in enumerate((
                ("push", "acted", "looks at demo"), ("issues", "ignored", "issue 1 was labelled"))):
            self.add("delivery", external_id=f"delivery-{number}", event=event, body_digest="",
                     body=b"", state=state, message=message, received_at_s=now_s - 600)

    def make_hostile(self, names=HOSTILE + "x" * 4096):
        """Puts hostile words wherever strangers' words may stand; what must differ still does."""
        self.add("event", at_s=self.today_s, kind="regression.accepted", project_id=self.project,
                 subject="regression/1", message=names)  # what happened is never changed
        for table, columns in STRANGERS.items():
            for column in columns:
                self.db.execute(f"UPDATE {table} SET {column} = ?1 || {column}", (names,))
        for number, environment in enumerate(self.environments):
            facts = json.dumps({names: names, "kernel": names + str(number)})
            self.db.execute("UPDATE environment SET facts = ?1 WHERE id = ?2", (facts, environment))
        self.db.commit()


def config_of(folder, **http):
    config = past.config_of(folder, **http)
    project = config["projects"]["demo"]
    benchmark = dict(next(iter(project["suites"]["core"].values())),
                     variants={name: {} for name in (*VARIANTS, *WAYS)})
    project["suites"]["core"] = {name: benchmark for name in BENCHMARKS}
    # Nothing of it is to be measured here.
    project["schedule"] = {"cron": "0 0 1 1 *", "time_zone": "UTC"}
    config["public_url"] = "http://127.0.0.1"
    config["workers"]["xeon-2"] = {"machine_class": past.CLASS}
    return config


def start(folder, build, hostile=False, program="vigild", **http):
    """@return the Stage of such a daemon"""
    hashes = past.make_repository(folder / "repository", [f"Commit {n}" for n in range(NIGHTS)])
    stage = Stage(folder, build, program)
    today_s = math.floor(time.time() / DAY_S) * DAY_S
    try:
        stage.start_daemon(config_of(folder, **http))
        stage.stop()
        scene = Scene(stage.state_dir / "ledger.sqlite", hashes, today_s)
        scene.write()
        if hostile:
            scene.make_hostile()
        scene.db.close()
        stage.restart_daemon()
    except BaseException:
        stage.stop()
        raise
    return stage
