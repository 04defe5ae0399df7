-- Series: what is measured again and again, how it is judged, and what its nights ask.
-- Owner: service/store/series.

-- Values of one quantity of one benchmark variant on one machine class, night by night.
CREATE TABLE series (
    id INTEGER PRIMARY KEY,                 -- its number
    project_id INTEGER NOT NULL REFERENCES project(id),  -- whose
    benchmark TEXT NOT NULL,                -- as the plan or the sender names it
    variant TEXT NOT NULL,                  -- likewise
    machine_class_id INTEGER NOT NULL REFERENCES machine_class(id),  -- on which it is measured
    metric TEXT NOT NULL,                   -- our word for the quantity, as wall_time_ns
    definition INTEGER NOT NULL,            -- of the metric; a new definition is a new series
    unit TEXT NOT NULL,                     -- of its values
    -- which way is better, as it counts: a rule of the config goes before what is told
    direction TEXT NOT NULL CHECK (direction IN ('lower_is_better', 'higher_is_better')),
    -- which way is better, as results or plan told it; NULL: nothing did
    told TEXT CHECK (told IN ('lower_is_better', 'higher_is_better')),
    -- no_direction: it is not judged until somebody says which way is better
    judging TEXT NOT NULL DEFAULT 'as_metric'
        CHECK (judging IN ('as_metric', 'always', 'never', 'no_direction')),
    case_name TEXT NOT NULL DEFAULT '',     -- of the program; empty: it is one benchmark
    quantity TEXT NOT NULL DEFAULT '',      -- a counter's own name; empty: the metric says it
    -- change ratio above which worse counts, by a rule of the config; NULL: the project's
    threshold REAL,
    -- its name for people, without variant and metric
    shown TEXT GENERATED ALWAYS AS (benchmark || iif(case_name = '', '', ': ' || case_name)
        || iif(quantity = '', '', ', ' || quantity)) VIRTUAL,
    UNIQUE (project_id, benchmark, variant, machine_class_id, metric, definition, case_name,
        quantity)
) STRICT;
CREATE INDEX series_no_direction ON series(project_id, id) WHERE judging = 'no_direction';

-- What the nights' own runs measured, by series and night: a history is a range of neighbouring
-- rows, and not a look into four tables for each of its nights. The triggers alone write it. Until
-- its night is rolled up it says nothing that run, job and measurement do not say; then it is what
-- is left of them. It refers to no table: each run that goes would be looked for in all of it.
CREATE TABLE night_value (
    series_id INTEGER NOT NULL,             -- that was measured
    nightly_id INTEGER NOT NULL,            -- whose own job it was
    run_id INTEGER NOT NULL,                -- that passed
    worker_id INTEGER NOT NULL,             -- that measured it
    environment_id INTEGER,                 -- facts of the machine; NULL: not told
    median REAL NOT NULL,                   -- as measurement.median
    spread REAL NOT NULL,                   -- as measurement.spread
    count INTEGER NOT NULL DEFAULT 0,       -- as measurement.count
    -- of a night that is rolled up: more runs of the same worker, environment and count
    run2_id INTEGER,                        -- NULL: the row has one run
    run3_id INTEGER,                        -- NULL: the row has two
    median2 REAL,                           -- as median, of run2_id
    median3 REAL,                           -- and of run3_id
    spread2 REAL,                           -- likewise
    spread3 REAL,                           -- likewise
    PRIMARY KEY (series_id, nightly_id, run_id)
) STRICT, WITHOUT ROWID;
-- A run that passed, of the attempt that counts; only what can be judged.
CREATE TRIGGER night_value_comes AFTER INSERT ON measurement
    WHEN (new.median = 0 OR new.median BETWEEN 1e-60 AND 1e60)
    AND new.spread BETWEEN 0 AND 1e60 BEGIN
    INSERT INTO night_value(series_id, nightly_id, run_id, worker_id, environment_id, median,
        spread, count) SELECT new.series_id, job.nightly_id, run.id, run.worker_id,
        run.environment_id, new.median, new.spread, new.count
        FROM run CROSS JOIN job ON job.id = run.job_id AND job.attempt = run.attempt
        WHERE run.id = new.run_id AND run.outcome = 'passed' AND job.purpose = 'nightly'
        AND job.nightly_id IS NOT NULL;
END;
CREATE TRIGGER night_value_goes AFTER DELETE ON measurement
    WHEN (SELECT nightly.rolled_up_at_s FROM run JOIN job ON job.id = run.job_id
        JOIN nightly ON nightly.id = job.nightly_id WHERE run.id = old.run_id) IS NULL BEGIN
    DELETE FROM night_value WHERE series_id = old.series_id AND run_id = old.run_id
        AND nightly_id = (SELECT job.nightly_id FROM run JOIN job ON job.id = run.job_id
            WHERE run.id = old.run_id);
END;
-- What an earlier attempt measured counts no more.
CREATE TRIGGER night_value_is_made_anew AFTER UPDATE OF attempt ON job
    WHEN new.attempt <> old.attempt AND new.purpose = 'nightly' BEGIN
    DELETE FROM night_value WHERE (series_id, nightly_id, run_id) IN (SELECT measurement.series_id,
        new.nightly_id, run.id FROM run CROSS JOIN measurement ON measurement.run_id = run.id
        WHERE run.job_id = new.id);
END;
-- The values of night_value, a row for each run.
CREATE VIEW night_run AS SELECT v.series_id, v.nightly_id, CASE place.number WHEN 1 THEN v.run_id
    WHEN 2 THEN v.run2_id ELSE v.run3_id END AS run_id, v.worker_id, v.environment_id,
    CASE place.number WHEN 1 THEN v.median WHEN 2 THEN v.median2 ELSE v.median3 END AS median,
    CASE place.number WHEN 1 THEN v.spread WHEN 2 THEN v.spread2 ELSE v.spread3 END AS spread,
    v.count FROM night_value v
    CROSS JOIN (SELECT 1 AS number UNION ALL SELECT 2 UNION ALL SELECT 3) place
    WHERE place.number = 1 OR (place.number = 2 AND v.run2_id IS NOT NULL)
    OR (place.number = 3 AND v.run3_id IS NOT NULL);
-- What is left of the runs of a night that is rolled up.
CREATE VIEW rolled_value AS SELECT n.id AS nightly_id, v.series_id, v.run_id, v.worker_id,
    v.environment_id, v.median, v.spread, v.count FROM nightly n
    CROSS JOIN series s ON s.project_id = n.project_id
    CROSS JOIN night_run v ON v.series_id = s.id AND v.nightly_id = n.id
    WHERE n.rolled_up_at_s IS NOT NULL AND NOT EXISTS (SELECT 1 FROM measurement m
        WHERE m.run_id = v.run_id AND m.series_id = v.series_id);

-- What the loop of a series remembers: a cache. A row that is missing or of another version is made
-- anew from the measurements and from what the loop was told.
CREATE TABLE series_record (
    series_id INTEGER PRIMARY KEY REFERENCES series(id),  -- whose
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),  -- the newest night it knows
    record BLOB NOT NULL                    -- bisect/detect/series_record, versioned
) STRICT;

-- Series whose history changed: their records are made anew, when the next night asks or before.
CREATE TABLE stale_record (
    series_id INTEGER PRIMARY KEY REFERENCES series(id)  -- whose record
) STRICT;

-- What the series is compared with: where levels of it begin, and which night is pinned.
CREATE TABLE baseline (
    id INTEGER PRIMARY KEY,                 -- in the order they were begun
    series_id INTEGER NOT NULL REFERENCES series(id),  -- whose
    -- rolling: a level that starts over at a night; pinned: one night, and stays
    kind TEXT NOT NULL CHECK (kind IN ('rolling', 'pinned')),
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),  -- first night of the level, or the pin
    reason TEXT NOT NULL,                   -- why it was begun, in words
    created_at_s INTEGER NOT NULL,          -- UTC
    -- newest night of the series when it was begun; NULL: a pin, a step of the past, or there was
    -- none
    after_nightly_id INTEGER,
    -- 1: it follows from an answer or a night's values, and the loop begins it by itself
    by_answer INTEGER NOT NULL DEFAULT 0,
    -- 1: what earlier nights taught of the noise no longer holds
    forgets INTEGER NOT NULL DEFAULT 0,
    -- 1: a night that is withdrawn began it by its answer, and nothing was done upon that
    withdrawn INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX baseline_series ON baseline(series_id, kind, id DESC);
CREATE INDEX baseline_after ON baseline(after_nightly_id) WHERE by_answer = 1;

-- Builds that are measured again side by side, on one benchmark variant and machine class. Each
-- block is a job; several suspicions (time, memory) may stand on one session. It is of a night or
-- of a request.
CREATE TABLE session (
    id INTEGER PRIMARY KEY,                 -- its number
    project_id INTEGER NOT NULL REFERENCES project(id),  -- whose
    -- old side; of a night's session that of its first old night
    a_build_id INTEGER NOT NULL REFERENCES build(id),
    -- new side; of a request for runs the same build
    b_build_id INTEGER NOT NULL REFERENCES build(id),
    benchmark TEXT NOT NULL,                -- as the plan names it
    variant TEXT NOT NULL,                  -- as the plan names it
    machine_class_id INTEGER NOT NULL REFERENCES machine_class(id),  -- on which it is measured
    state TEXT NOT NULL CHECK (state IN ('open', 'done')),  -- open: its suspicions wait for runs
    created_at_s INTEGER NOT NULL,          -- UTC
    -- JSON: nightlies whose builds are side A in turn; empty: of a request
    old_nights TEXT NOT NULL DEFAULT '',
    nightly_id INTEGER REFERENCES nightly(id),  -- that asked; NULL: it is of a request
    request_id INTEGER REFERENCES request(id),  -- that asked; NULL: it is of a night
    message TEXT NOT NULL DEFAULT '',       -- of a request's: how it ended
    case_name TEXT NOT NULL DEFAULT '',     -- that runs alone; empty: the whole program runs
    runs INTEGER NOT NULL DEFAULT 0         -- that its jobs made; the triggers alone write it
) STRICT;
CREATE INDEX session_open ON session(state) WHERE state = 'open';
CREATE INDEX session_nightly ON session(nightly_id);
CREATE INDEX session_request ON session(request_id) WHERE request_id IS NOT NULL;
CREATE TRIGGER session_runs_more AFTER INSERT ON run BEGIN
    UPDATE session SET runs = runs + 1
        WHERE id = (SELECT session_id FROM job WHERE id = new.job_id);
END;
CREATE TRIGGER session_runs_less AFTER DELETE ON run
    WHEN (SELECT nightly.rolled_up_at_s FROM job JOIN nightly ON nightly.id = job.nightly_id
        WHERE job.id = old.job_id) IS NULL BEGIN
    UPDATE session SET runs = runs - 1
        WHERE id = (SELECT session_id FROM job WHERE id = old.job_id);
END;

-- What a night asks of a series, and what it came to.
CREATE TABLE suspicion (
    id INTEGER PRIMARY KEY,                 -- its number
    series_id INTEGER NOT NULL REFERENCES series(id),  -- that is asked about
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),  -- that asks
    good_nightly_id INTEGER NOT NULL REFERENCES nightly(id),  -- the A of A/B; of several the first
    session_id INTEGER REFERENCES session(id),  -- it stands on; NULL: none yet, or it had none
    -- outcome: it no longer runs, or it leaks
    kind TEXT NOT NULL CHECK (kind IN ('level', 'outcome')),
    -- see the drawing in docs/architecture.md
    state TEXT NOT NULL CHECK (state IN ('open', 'confirming', 'ended')),
    base REAL NOT NULL,                     -- baseline's level, metric's unit
    value REAL NOT NULL,                    -- the night's value, metric's unit
    change_ratio REAL NOT NULL,             -- of the night against the baseline
    -- JSON Comparison of the session; {}: nothing was measured
    confirmed TEXT NOT NULL DEFAULT '{}',
    reason TEXT NOT NULL,                   -- the rule that spoke, and what came of it, in words
    created_at_s INTEGER NOT NULL,          -- UTC
    ended_at_s INTEGER,                     -- UTC; NULL: it has not ended
    score REAL NOT NULL DEFAULT 0,          -- nats; docs/detection.md
    creep INTEGER NOT NULL DEFAULT 0,       -- 1: a sum of small changes
    -- likeliest first night of what is suspected; NULL: not known
    since_nightly_id INTEGER REFERENCES nightly(id),
    -- its plausible range begins here; NULL: not known
    since_earliest_id INTEGER REFERENCES nightly(id),
    since_latest_id INTEGER REFERENCES nightly(id),  -- and ends here; NULL: not known
    -- 1: the series' nights cannot tell a change: it is asked whatever they say
    is_check INTEGER NOT NULL DEFAULT 0,
    -- over the baseline, log: tonight; of what waited, the mean of the nights it waited
    moved REAL NOT NULL DEFAULT 0,
    chance REAL NOT NULL DEFAULT 0,         -- of a true change above the threshold, 0 to 1
    waited INTEGER NOT NULL DEFAULT 0,      -- nights without a turn, before this one
    waits TEXT NOT NULL DEFAULT '',         -- why it goes on another night; empty: it had its turn
    -- what the loop asks: what it is held to be
    asked TEXT NOT NULL DEFAULT 'worse' CHECK (asked IN ('worse', 'better', 'recovered', 'either')),
    -- JSON: nightlies whose builds are side A in turn; the first is good_nightly_id
    old_nights TEXT NOT NULL DEFAULT '',
    answer TEXT NOT NULL DEFAULT '',        -- JSON: what the loop was told; empty: nothing
    -- NULL: it has not ended
    verdict TEXT
        CHECK (verdict IN ('regression', 'drift', 'noise', 'watch', 'environment', 'broken',
        'leak', 'improvement', 'fixed', 'unconfirmed')),
    UNIQUE (series_id, nightly_id)
) STRICT;
CREATE INDEX suspicion_created ON suspicion(created_at_s);
CREATE INDEX suspicion_nightly ON suspicion(nightly_id, state, verdict);
-- From a suspicion to the first one about the same change.
CREATE INDEX suspicion_pair ON suspicion(series_id, good_nightly_id, id);

-- What is left of a suspicion that was no change of the build, once its night is rolled up: what
-- the loop was told, and what is counted and summed up. Its words and its events are gone. None on
-- which something stands is here: no regression, drift or improvement, nothing that a person told.
CREATE TABLE old_suspicion (
    id INTEGER PRIMARY KEY,                 -- as it was suspicion.id
    series_id INTEGER NOT NULL REFERENCES series(id),  -- that was asked about
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),  -- that asked
    good_nightly_id INTEGER NOT NULL REFERENCES nightly(id),  -- the A of A/B
    session_id INTEGER REFERENCES session(id),  -- it stood on; NULL: it had none
    since_nightly_id INTEGER REFERENCES nightly(id),  -- as suspicion has it
    since_earliest_id INTEGER REFERENCES nightly(id),  -- likewise
    since_latest_id INTEGER REFERENCES nightly(id),  -- likewise
    created_at_s INTEGER NOT NULL,          -- UTC
    took_s INTEGER NOT NULL,                -- until it ended
    is_check INTEGER NOT NULL,              -- 1: asked although nothing looked different
    change_ratio REAL NOT NULL,             -- of the night against its baseline
    runs_before INTEGER NOT NULL,           -- of its comparison; 0: nothing was measured
    runs_after INTEGER NOT NULL,            -- likewise
    measured_ratio REAL NOT NULL,           -- Comparison.change_ratio
    low REAL NOT NULL,                      -- of its 90 % interval
    high REAL NOT NULL,                     -- likewise
    asked TEXT NOT NULL,                    -- from here on: the answer, as the loop was told it
    old_nights TEXT,                        -- NULL: good_nightly_id alone
    is_creep INTEGER NOT NULL,              -- Answer.is_creep
    is_measured INTEGER NOT NULL,           -- Answer.is_measured
    builds INTEGER NOT NULL,                -- SessionEvidence.builds
    moved REAL NOT NULL,                    -- Answer.moved
    old_moved REAL NOT NULL,                -- Answer.old_moved
    sum REAL NOT NULL,                      -- Answer.sum
    above REAL NOT NULL,                    -- Answer.above
    change REAL NOT NULL,                   -- SessionEvidence.change
    variance REAL NOT NULL,                 -- SessionEvidence.variance
    freedom REAL NOT NULL,                  -- SessionEvidence.freedom
    -- as suspicion has it
    verdict TEXT NOT NULL DEFAULT 'noise' CHECK (verdict IN ('noise', 'environment')),
    UNIQUE (series_id, nightly_id)
) STRICT;
CREATE INDEX old_suspicion_nightly ON old_suspicion(nightly_id);
CREATE INDEX old_suspicion_created ON old_suspicion(created_at_s);

-- All that nights ever asked, as far as every suspicion tells it.
CREATE VIEW every_suspicion AS SELECT id, series_id, nightly_id, good_nightly_id, session_id, kind,
    state, verdict, change_ratio, waits, created_at_s, ended_at_s, is_check, since_nightly_id,
    since_earliest_id, since_latest_id FROM suspicion
    UNION ALL SELECT id, series_id, nightly_id, good_nightly_id, session_id, 'level', 'ended',
    verdict, change_ratio, '', created_at_s, created_at_s + took_s, is_check, since_nightly_id,
    since_earliest_id, since_latest_id FROM old_suspicion;

-- What was measured of old ones, as suspicion.confirmed has it. Apart: a view of both would make
-- this text for each row that is counted.
CREATE VIEW old_comparison AS SELECT id, iif(runs_before + runs_after = 0, '{}',
    printf('{"before":0,"after":0,"change_ratio":%!.17g,"low":%!.17g,"high":%!.17g,'
    || '"above":%!.17g,"runs_before":%d,"runs_after":%d,"finding":"unknown"}', measured_ratio, low,
    high, above, runs_before, runs_after)) AS confirmed FROM old_suspicion;

-- A change that is certain and not filed: not above the threshold, or not confirmed to be.
CREATE TABLE drift (
    id INTEGER PRIMARY KEY,                 -- its number
    series_id INTEGER NOT NULL REFERENCES series(id),  -- that changed
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),  -- whose judgement found it
    since_nightly_id INTEGER NOT NULL REFERENCES nightly(id),  -- likeliest first night
    -- first night of its plausible range
    since_earliest_id INTEGER NOT NULL REFERENCES nightly(id),
    since_latest_id INTEGER NOT NULL REFERENCES nightly(id),  -- last night of that
    -- whose session measured it; NULL: it was not measured again
    suspicion_id INTEGER REFERENCES suspicion(id),
    before REAL NOT NULL,                   -- level before, metric's unit
    after REAL NOT NULL,                    -- level since, metric's unit
    change_ratio REAL NOT NULL,             -- how much worse
    low REAL NOT NULL,                      -- of its 90 % interval
    high REAL NOT NULL,                     -- likewise
    created_at_s INTEGER NOT NULL,          -- UTC
    -- history: levels of the series, not measured again; measured: a session; creep: a session of a
    -- sum of small changes; past: found by a backfill; unsure: the same, too near the newest night
    -- to be certain
    kind TEXT NOT NULL DEFAULT 'history'
        CHECK (kind IN ('history', 'measured', 'creep', 'past', 'unsure'))
) STRICT;
CREATE INDEX drift_series ON drift(series_id, id);
CREATE INDEX drift_nightly ON drift(nightly_id);
CREATE INDEX drift_suspicion ON drift(suspicion_id) WHERE suspicion_id IS NOT NULL;
