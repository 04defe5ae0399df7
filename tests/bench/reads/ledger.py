"""Years of nights of the project toy, as rows: as the daemon would have written them, by SQL alone.
Each night has a job with one run of each benchmark on each class, and each run a measurement of
each metric. Some series were suspected, and some of these are regressions, most of them closed."""

import sqlite3

NIGHTS, CLASSES = 1100, 3
METRICS = ("cpu_time_ns", "wall_time_ns", "peak_process_bytes", "peak_growth_bytes")
SUSPICIONS = 20  # a night
MEASURED_AGAIN = 20  # of the newest nights, what was suspected was measured again
FIRST_S = 1_600_000_000


# Of every benchmark, what a daemon's own plan says.
PLAN = """{"kind": "command", "command": ["true"], "environment": {}, "interleave": 1,
"samples": {"format": "lines", "printed": "cpu_time_ns", "unit": "ns",
"direction": "lower_is_better", "select": ""}, "limits": {"wall_time_s": 600,
"memory_bytes": 1073741824, "processes": 100, "output_bytes": 1048576, "disk_bytes": 1073741824},
"wrong_exit_code": 3, "unsupported_exit_code": 4}"""


def benchmarks_of(measurements):
    """How many benchmarks make about that many measurements."""
    return max(1, round(measurements / (NIGHTS * CLASSES * len(METRICS))))


# Ids are numbered through, so that a row finds another without being asked for it: pair is a
# benchmark on a class, spot a pair in a night.
STATEMENTS = """
CREATE TEMP TABLE night(nr INTEGER PRIMARY KEY);
WITH RECURSIVE n(nr) AS (SELECT 0 UNION ALL SELECT nr + 1 FROM n WHERE nr + 1 < :nights)
    INSERT INTO temp.night SELECT nr FROM n;
CREATE TEMP TABLE pair(nr INTEGER PRIMARY KEY, bench TEXT, class INTEGER, worker INTEGER);
WITH RECURSIVE n(nr) AS (SELECT 0 UNION ALL SELECT nr + 1 FROM n WHERE nr + 1 < :pairs)
    INSERT INTO temp.pair SELECT n.nr, 'b' || (n.nr / :classes), machine_class_id, id
    FROM n JOIN worker ON name = 'worker-' || (n.nr % :classes);
CREATE TEMP TABLE metric(nr INTEGER PRIMARY KEY, name TEXT, unit TEXT);
INSERT INTO temp.metric VALUES (0, 'cpu_time_ns', 'ns'), (1, 'wall_time_ns', 'ns'),
    (2, 'peak_process_bytes', 'bytes'), (3, 'peak_growth_bytes', 'bytes');
INSERT INTO build(id, project_id, revision, input_kind, input_digest, created_at_s)
    SELECT nr + 1, 1, printf('%040x', nr * 7919 + 1), 'archive', printf('%064x', nr + 1),
    :first_s + nr * 86400 FROM temp.night;
INSERT INTO nightly(id, project_id, build_id, version, day, revision, state, created_at_s,
    ended_at_s, name, summed_up, compared_series, commits)
    SELECT nr + 1, 1, nr + 1, 'v' || nr, date(:first_s + nr * 86400, 'unixepoch'),
    printf('%040x', nr * 7919 + 1), 'done', :first_s + nr * 86400, :first_s + nr * 86400 + 7200,
    date(:first_s + nr * 86400, 'unixepoch'), 1, :pairs * 4, 'none' FROM temp.night;
INSERT INTO night_range(nightly_id, since_id, count, message)
    SELECT nr + 1, nullif(nr, 0), 0, 'there is no repository' FROM temp.night;
INSERT INTO series(id, project_id, benchmark, variant, machine_class_id, metric, definition, unit,
    direction) SELECT pair.nr * 4 + metric.nr + 1, 1, bench, 'default', class, metric.name, 1,
    unit, 'lower_is_better' FROM temp.pair CROSS JOIN temp.metric;
INSERT INTO job(id, project_id, machine_class_id, purpose, state, priority, nightly_id, plan,
    attempt, worker_id, created_at_s, ended_at_s)
    SELECT night.nr * :pairs + pair.nr + 1, 1, class, 'nightly', 'done', 2, night.nr + 1,
    json_object('benchmarks', json_array(json_patch(:plan,
    json_object('benchmark', bench, 'variant', 'default'))), 'steps',
    json('[{"build": 0, "benchmark": 0}]')), 1, worker, :first_s + night.nr * 86400,
    :first_s + night.nr * 86400 + 3600 FROM temp.night CROSS JOIN temp.pair;
INSERT INTO job_build SELECT night.nr * :pairs + pair.nr + 1, 0, night.nr + 1
    FROM temp.night CROSS JOIN temp.pair;
INSERT INTO attempt(job_id, number, worker_id, recipe_digest, claimed_at_s, ended_at_s, outcome)
    SELECT night.nr * :pairs + pair.nr + 1, 1, worker, '', :first_s + night.nr * 86400 + 3540,
    :first_s + night.nr * 86400 + 3600, 'done' FROM temp.night CROSS JOIN temp.pair;
INSERT INTO run(id, job_id, attempt, step, build_id, benchmark, variant, machine_class_id,
    worker_id, outcome, started_at_ns, duration_ns)
    SELECT night.nr * :pairs + pair.nr + 1, night.nr * :pairs + pair.nr + 1, 1, 0, night.nr + 1,
    bench, 'default', class, worker, 'passed', (:first_s + night.nr * 86400 + 3540) * 1000000000,
    60000000000 FROM temp.night CROSS JOIN temp.pair;
INSERT INTO measurement SELECT night.nr * :pairs + pair.nr + 1, pair.nr * 4 + metric.nr + 1,
    1e6 + (night.nr * 7919 + pair.nr * 104729) % 9973, 1000.0 + (night.nr * 31) % 97, 5,
    zeroblob(40) FROM temp.night CROSS JOIN temp.pair CROSS JOIN temp.metric;
INSERT INTO night_value(series_id, nightly_id, run_id, worker_id, environment_id, median, spread,
  count) SELECT pair.nr * 4 + metric.nr + 1, night.nr + 1,
    night.nr * :pairs + pair.nr + 1, worker, NULL,
    1e6 + (night.nr * 7919 + pair.nr * 104729) % 9973, 1000.0 + (night.nr * 31) % 97, 5
    FROM temp.pair CROSS JOIN temp.metric CROSS JOIN temp.night;
INSERT INTO suspicion(id, series_id, nightly_id, good_nightly_id, kind, state, verdict, base,
    value, change_ratio, reason, created_at_s, ended_at_s, old_nights)
    SELECT night.nr * :suspicions + n.nr, (night.nr * 97 + n.nr * 4) % (:pairs * 4) + 1,
    night.nr + 1, max(1, night.nr), 'level', 'ended',
    iif(night.nr % 4 = 0 AND n.nr < 3, 'regression', 'noise'), 1e6, 1.1e6, 0.1,
    'above its level', :first_s + night.nr * 86400, :first_s + night.nr * 86400 + 7200,
    '[' || max(1, night.nr) || ']'
    FROM temp.night CROSS JOIN temp.night AS n ON n.nr < min(:suspicions, :pairs);
INSERT INTO session(id, project_id, a_build_id, b_build_id, benchmark, variant, machine_class_id,
    nightly_id, state, created_at_s, old_nights) SELECT u.id, 1, u.good_nightly_id, u.nightly_id,
    s.benchmark, s.variant, s.machine_class_id, u.nightly_id, 'done', u.created_at_s, u.old_nights
    FROM suspicion u JOIN series s ON s.id = u.series_id WHERE u.nightly_id > :nights - :again;
UPDATE suspicion SET session_id = id WHERE nightly_id > :nights - :again;
CREATE TEMP TABLE block AS SELECT x.*, n.nr, :nights * :pairs + x.id * 3 + n.nr AS job,
    w.id AS worker FROM session x JOIN worker w ON w.machine_class_id = x.machine_class_id
    AND w.name LIKE 'worker-%' JOIN temp.night AS n ON n.nr < 3;
INSERT INTO job(id, project_id, machine_class_id, purpose, state, priority, nightly_id, session_id,
    plan, attempt, worker_id, created_at_s, ended_at_s) SELECT job, 1, machine_class_id, 'confirm',
    'done', 1, nightly_id, id, '{"steps": [0, 1, 1, 0]}', 1, worker, created_at_s,
    created_at_s + 3600 FROM temp.block;
INSERT INTO run(id, job_id, attempt, step, build_id, benchmark, variant, machine_class_id,
    worker_id, outcome, started_at_ns, duration_ns)
    SELECT job * 4 + step.nr, job, 1, step.nr, iif(block.nr % 2 = (step.nr IN (1, 2)), b_build_id,
    a_build_id), benchmark, variant, machine_class_id, worker, 'passed',
    created_at_s * 1000000000, 60000000000
    FROM temp.block JOIN temp.night AS step ON step.nr < 4;
INSERT INTO measurement SELECT r.id, u.series_id, (1e6 + r.id * 7919 % 9973)
    * iif(r.build_id = u.nightly_id AND u.verdict = 'regression', 1.1, 1), 1000.0, 5, zeroblob(40)
    FROM temp.block JOIN run r ON r.job_id = block.job JOIN suspicion u ON u.id = block.id;
INSERT INTO day_runs SELECT job.created_at_s / 86400, project_id, purpose, count(*)
    FROM run CROSS JOIN job ON job.id = run.job_id GROUP BY 1, 2, 3;
INSERT INTO regression(id, project_id, nightly_id, state, good_build_id, bad_build_id, culprit,
    created_at_s, changed_at_s, unreported) SELECT nr / 4 + 1, 1, nr + 1,
    iif(nr > :nights * 9 / 10, 'reported', 'closed'), max(1, nr), nr + 1,
    printf('%040x', nr * 7919 + 1), :first_s + nr * 86400, :first_s + nr * 86400, 0
    FROM temp.night WHERE nr % 4 = 0;
INSERT INTO regression_series(regression_id, series_id, suspicion_id)
    SELECT nightly_id / 4 + 1, series_id, id FROM suspicion WHERE verdict = 'regression'
"""


# A project beside it whose suite is wide: two nights of models by variants, on one class. Of the
# newest one, some became slower and some did not pass.
MODELS, VARIANTS = 100, 12
WIDE = """
INSERT INTO project(id, name, created_at_s) VALUES (2, 'wide', :first_s);
CREATE TEMP TABLE cell(nr INTEGER PRIMARY KEY, model TEXT, variant TEXT, outcome TEXT);
WITH RECURSIVE n(nr) AS (SELECT 0 UNION ALL SELECT nr + 1 FROM n WHERE nr + 1 < :models * :variants)
    INSERT INTO temp.cell SELECT nr, printf('model%03d', nr / :variants),
    printf('variant%02d', nr % :variants), CASE WHEN nr % 50 THEN 'passed' WHEN nr % 100 THEN 'oom'
    ELSE 'failed' END FROM n;
INSERT INTO build(id, project_id, revision, input_kind, input_digest, created_at_s)
    VALUES (10001, 2, printf('%040x', 1), 'archive', printf('%064x', 1), :last_s),
    (10002, 2, printf('%040x', 2), 'archive', printf('%064x', 2), :last_s + 86400);
INSERT INTO nightly(id, project_id, build_id, version, day, revision, state, created_at_s,
    ended_at_s, name, summed_up, compared_series, commits) SELECT id, 2, id, 'w' || id,
    date(created_at_s, 'unixepoch'), revision, 'done', created_at_s, created_at_s + 7200,
    date(created_at_s, 'unixepoch'), 1, 0, 'none' FROM build WHERE project_id = 2;
INSERT INTO night_range(nightly_id, since_id, count, message)
    SELECT id, NULL, 0, 'there is no repository' FROM nightly WHERE project_id = 2;
INSERT INTO series(id, project_id, benchmark, variant, machine_class_id, metric, definition, unit,
    direction) SELECT 100000 + nr, 2, model, variant, :class, 'cpu_time_ns', 1, 'ns',
    'lower_is_better' FROM temp.cell;
INSERT INTO job(id, project_id, machine_class_id, purpose, state, priority, nightly_id, plan,
    attempt, worker_id, created_at_s, ended_at_s) SELECT nightly.id * 100000 + nr, 2, :class,
    'nightly', 'done', 2, nightly.id, '{"steps": [0]}', 1, :worker, created_at_s,
    created_at_s + 3600 FROM nightly CROSS JOIN temp.cell WHERE project_id = 2;
INSERT INTO run(id, job_id, attempt, step, build_id, benchmark, variant, machine_class_id,
    worker_id, outcome, started_at_ns, duration_ns) SELECT job.id, job.id, 1, 0, nightly_id, model,
    variant, :class, :worker, iif(nightly_id = 10002, outcome, 'passed'),
    job.created_at_s * 1000000000, 60 FROM job JOIN temp.cell ON nr = job.id % 100000
    WHERE project_id = 2;
INSERT INTO measurement SELECT run.id, 100000 + nr,
    1e6 * iif(build_id = 10002, 1 + (nr * 7919 % 41 - 20) / 100.0, 1), 1000.0, 5, zeroblob(40)
    FROM run JOIN temp.cell ON nr = run.id % 100000
    WHERE build_id > 10000 AND run.outcome = 'passed'
"""


def fill_wide(file):
    """Beside what fill() wrote. @return  how a heat map of it is asked for"""
    db = sqlite3.connect(file, isolation_level=None)
    values = {"models": MODELS, "variants": VARIANTS, "first_s": FIRST_S,
              "last_s": FIRST_S + NIGHTS * 86400}
    values["worker"], values["class"] = db.execute(
        "SELECT id, machine_class_id FROM worker WHERE name = 'worker-0'").fetchone()
    db.execute("BEGIN")
    for statement in WIDE.split(";\n"):
        db.execute(statement, values)
    db.execute("COMMIT")
    db.close()
    return "project=wide&machine_class=class-0&metric=cpu_time_ns&nightly=10002&against=10001"


def fill(file, measurements):
    """The ledger has the project and its workers, and nothing else. @return  what was written"""
    pairs = benchmarks_of(measurements) * CLASSES
    values = {"nights": NIGHTS, "classes": CLASSES, "pairs": pairs, "first_s": FIRST_S,
              "suspicions": SUSPICIONS, "again": MEASURED_AGAIN, "plan": PLAN}
    db = sqlite3.connect(file, isolation_level=None)
    for pragma in ("journal_mode = MEMORY", "synchronous = OFF", "cache_size = -2000000",
                   "temp_store = MEMORY"):
        db.execute(f"PRAGMA {pragma}").fetchall()
    db.execute("BEGIN")
    # Made at the end they are sorted once, instead of filled in ten thousand places at a time.
    later = db.execute("SELECT type, name, sql FROM sqlite_schema WHERE sql <> '' AND"
                       " type IN ('index', 'trigger') AND"
                       " tbl_name IN ('job', 'job_build', 'attempt', 'run', 'measurement')")
    later = later.fetchall()
    for kind, name, _ in later:
        db.execute(f"DROP {kind} {name}")
    for statement in STATEMENTS.split(";\n") + [sql for _, _, sql in later]:
        db.execute(statement, values)
    db.execute("COMMIT")
    count = db.execute("SELECT count(*) FROM measurement").fetchone()[0]
    db.execute("PRAGMA journal_mode = WAL").fetchall()
    db.close()
    return {"measurements": count, "runs": NIGHTS * pairs, "nights": NIGHTS, "series": pairs * 4}
