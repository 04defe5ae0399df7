-- Work: what is measured, the jobs of workers, what they brought, and what asks for a night.
-- Owner: service/store/work.

-- What a project offered once: a revision as source tree or as archive. Equal input, one row.
CREATE TABLE build (
    id INTEGER PRIMARY KEY,                 -- its number
    project_id INTEGER NOT NULL REFERENCES project(id),  -- whose
    revision TEXT NOT NULL,                 -- full hash of the commit
    -- what it is made of
    input_kind TEXT NOT NULL CHECK (input_kind IN ('source_tree', 'archive')),
    -- of that in the content store. Of an archive: known before the row exists. Of a source tree:
    -- NULL until it is exported, and again when it was removed.
    input_digest TEXT,
    -- why it can never be had (the object is gone, ...); empty: it can
    input_error TEXT NOT NULL DEFAULT '',
    created_at_s INTEGER NOT NULL,          -- UTC
    UNIQUE (project_id, revision, input_kind, input_digest)
) STRICT;
CREATE UNIQUE INDEX build_source ON build(project_id, revision) WHERE input_kind = 'source_tree';
CREATE INDEX build_revision ON build(revision);
CREATE INDEX build_input ON build(input_digest);
-- A source that is yet to be had is found without a look at all jobs that wait.
CREATE INDEX build_missing ON build(project_id, id)
    WHERE input_kind = 'source_tree' AND input_digest IS NULL AND input_error = '';

-- What a build's commands are told of its source tree, and what a failed one says of it. A row for
-- each tree that was exported.
CREATE TABLE source_facts (
    build_id INTEGER PRIMARY KEY REFERENCES build(id),  -- of the tree
    describe TEXT NOT NULL,                 -- git describe
    committed_at_s INTEGER NOT NULL,        -- UTC
    notes TEXT NOT NULL                     -- what differs from a checkout; may be empty
) STRICT;

-- What one build becomes by one recipe and one toolchain.
CREATE TABLE product (
    id INTEGER PRIMARY KEY,                 -- its number
    build_id INTEGER NOT NULL REFERENCES build(id),  -- that was built
    recipe_digest TEXT NOT NULL,            -- of the recipe's commands
    toolchain TEXT NOT NULL,                -- as worker.toolchain
    state TEXT NOT NULL CHECK (state IN ('built', 'failed')),  -- a built one never fails again
    failures INTEGER NOT NULL DEFAULT 0,    -- a failed one may be tried again once
    digest TEXT,                            -- of the packed outputs; NULL when it failed
    log_digest TEXT,                        -- of the build's log; NULL: none was kept
    message TEXT NOT NULL DEFAULT '',       -- why it failed; empty: it did not
    duration_ns INTEGER NOT NULL,           -- that the build took
    created_at_s INTEGER NOT NULL,          -- UTC
    UNIQUE (build_id, recipe_digest, toolchain)
) STRICT;
CREATE INDEX product_digest ON product(digest);
CREATE INDEX product_log ON product(log_digest) WHERE log_digest IS NOT NULL;

-- A list of steps for one worker, and what it is for.
CREATE TABLE job (
    id INTEGER PRIMARY KEY,                 -- in the order they were asked for
    project_id INTEGER NOT NULL REFERENCES project(id),  -- whose
    machine_class_id INTEGER NOT NULL REFERENCES machine_class(id),  -- whose workers may take it
    -- confirm: a session's; probe, verify: a bisection's, verify also of culprits that are
    -- profiled; request: a person's
    purpose TEXT NOT NULL CHECK (purpose IN ('nightly', 'confirm', 'probe', 'verify', 'request')),
    -- parked: its attempts were lost too often
    state TEXT NOT NULL
        CHECK (state IN ('queued', 'leased', 'done', 'failed', 'cancelled', 'parked')),
    priority INTEGER NOT NULL,              -- larger first
    -- of a nightly's own jobs and of its frozen builds; NULL: of others
    nightly_id INTEGER REFERENCES nightly(id),
    session_id INTEGER REFERENCES session(id),  -- of purpose confirm and request; NULL: of others
    probe_id INTEGER REFERENCES probe(id),  -- of purpose probe and verify; NULL: of others
    plan TEXT NOT NULL,                     -- JSON: benchmarks and steps, frozen when planned
    message TEXT NOT NULL DEFAULT '',       -- why it is in its state; may be empty
    -- number of the newest attempt, 0: none yet; refuses late results
    attempt INTEGER NOT NULL DEFAULT 0,
    -- leases that expired, or whose worker's process was gone
    lost_attempts INTEGER NOT NULL DEFAULT 0,
    -- while leased; once done or cancelled, who had it; else NULL
    worker_id INTEGER REFERENCES worker(id),
    lease_expires_at_s INTEGER,             -- steady; NULL: it is not leased
    progress TEXT NOT NULL DEFAULT '',      -- last heartbeat's words
    created_at_s INTEGER NOT NULL,          -- UTC
    ended_at_s INTEGER,                     -- UTC; NULL: it is not over
    -- nobody else may take it; NULL: all of the class may
    only_worker_id INTEGER REFERENCES worker(id),
    waits_since_s INTEGER,                  -- steady; when it was first seen to wait; NULL: not yet
    -- that may not take it: a verification is repeated on another machine; NULL: all may
    except_worker_id INTEGER REFERENCES worker(id)
) STRICT;
CREATE INDEX job_waiting ON job(machine_class_id, project_id, priority DESC, id)
    WHERE state = 'queued';
CREATE INDEX job_session ON job(session_id);
CREATE INDEX job_unseen ON job(id) WHERE state = 'queued' AND waits_since_s IS NULL;
CREATE INDEX job_waits ON job(waits_since_s) WHERE state = 'queued';
CREATE INDEX job_probe ON job(probe_id) WHERE probe_id IS NOT NULL;
CREATE INDEX job_leased ON job(id) WHERE state = 'leased';
CREATE INDEX job_nightly ON job(nightly_id, state);
-- What a week held.
CREATE INDEX job_created ON job(created_at_s);
-- What waits for a worker of its own is found without a look at the whole queue.
CREATE INDEX job_for_one ON job(only_worker_id)
    WHERE state = 'queued' AND only_worker_id IS NOT NULL;
-- The same of what waits for any other worker than one.
CREATE INDEX job_except ON job(except_worker_id)
    WHERE state = 'queued' AND except_worker_id IS NOT NULL;
-- What few rows have is found without a look at all of them.
CREATE INDEX job_rare ON job(state, id) WHERE state <> 'done';

-- Which builds a job needs; a job is claimable when all of them have their input.
CREATE TABLE job_build (
    job_id INTEGER NOT NULL REFERENCES job(id),  -- that needs it
    position INTEGER NOT NULL,              -- index used by the plan's steps, from 0
    build_id INTEGER NOT NULL REFERENCES build(id),  -- that it needs
    PRIMARY KEY (job_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX job_build_build ON job_build(build_id);

-- Recorded facts that can move a value unasked. Equal facts are one row.
CREATE TABLE environment (
    id INTEGER PRIMARY KEY,                 -- its number
    digest TEXT NOT NULL UNIQUE,            -- SHA-256 of the facts
    facts TEXT NOT NULL                     -- JSON object of strings
) STRICT;

-- A lease of a job: a row from its claim on.
CREATE TABLE attempt (
    job_id INTEGER NOT NULL REFERENCES job(id),  -- that was claimed
    number INTEGER NOT NULL,                -- of the job's attempts, from 1
    worker_id INTEGER NOT NULL REFERENCES worker(id),  -- that claimed it
    recipe_digest TEXT NOT NULL,            -- of the recipe that the lease carried
    claimed_at_s INTEGER NOT NULL,          -- UTC
    ended_at_s INTEGER,                     -- UTC; NULL: it goes on
    -- how it ended; released: its worker failed before anything ran; NULL: it goes on
    outcome TEXT CHECK (outcome IN ('done', 'failed', 'lost', 'released', 'cancelled')),
    message TEXT NOT NULL DEFAULT '',       -- why it ended so; may be empty
    stale_results INTEGER NOT NULL DEFAULT 0,  -- results that came after it was over
    -- of the accepted result: again changes nothing; NULL: none was accepted
    result_digest TEXT,
    -- facts of the machine as it began; NULL: not told
    environment_before_id INTEGER REFERENCES environment(id),
    -- the same as it ended; NULL: not told
    environment_after_id INTEGER REFERENCES environment(id),
    load TEXT NOT NULL DEFAULT '{}',        -- JSON: load, temperature, clocks before and after
    key TEXT NOT NULL DEFAULT '',           -- by lot: which ledger's attempt a result is of
    build_s INTEGER NOT NULL DEFAULT 0,     -- of its time: builds, as its result has them
    PRIMARY KEY (job_id, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX attempt_open ON attempt(job_id) WHERE outcome IS NULL;
CREATE INDEX attempt_lost ON attempt(job_id) WHERE outcome = 'lost';

-- How the facts of a worker's machine changed: a row where an attempt ended with others than the
-- one before. It says nothing that attempts do not say: the trigger alone writes it.
CREATE TABLE worker_environment (
    id INTEGER PRIMARY KEY,                 -- in the order of the changes
    worker_id INTEGER NOT NULL REFERENCES worker(id),  -- whose machine
    environment_id INTEGER NOT NULL REFERENCES environment(id),  -- its facts from then on
    at_s INTEGER NOT NULL                   -- UTC
) STRICT;
CREATE INDEX worker_environment_worker ON worker_environment(worker_id, id);
CREATE TRIGGER worker_environment_changes AFTER UPDATE OF environment_after_id ON attempt
    WHEN new.environment_after_id IS NOT NULL AND new.ended_at_s IS NOT NULL
    AND new.environment_after_id IS NOT (SELECT environment_id FROM worker_environment
        WHERE worker_id = new.worker_id ORDER BY id DESC LIMIT 1) BEGIN
    INSERT INTO worker_environment(worker_id, environment_id, at_s)
        VALUES (new.worker_id, new.environment_after_id, new.ended_at_s);
END;

-- One step of a job: a fresh process of one variant on one build.
CREATE TABLE run (
    id INTEGER PRIMARY KEY,                 -- in the order they came
    job_id INTEGER NOT NULL REFERENCES job(id),  -- whose step
    attempt INTEGER NOT NULL,               -- of the job, that ran it
    step INTEGER NOT NULL,                  -- index in the plan
    build_id INTEGER NOT NULL REFERENCES build(id),  -- that was run
    benchmark TEXT NOT NULL,                -- as the plan names it
    variant TEXT NOT NULL,                  -- as the plan names it
    machine_class_id INTEGER NOT NULL REFERENCES machine_class(id),  -- of the job
    worker_id INTEGER NOT NULL REFERENCES worker(id),  -- that ran it
    environment_id INTEGER REFERENCES environment(id),  -- facts of its machine; NULL: not told
    -- wrong: it ran, and its results are not right; oom: out of memory
    outcome TEXT NOT NULL
        CHECK (outcome IN ('passed', 'failed', 'wrong', 'oom', 'timeout', 'unsupported')),
    message TEXT NOT NULL DEFAULT '',       -- why it did not pass; may be empty
    log_digest TEXT,                        -- of its output; NULL: none was kept
    started_at_ns INTEGER NOT NULL,         -- UTC
    duration_ns INTEGER NOT NULL,           -- of the whole process
    -- one case that ran alone; empty: the whole program. Runs of both are never compared.
    case_name TEXT NOT NULL DEFAULT '',
    UNIQUE (job_id, attempt, step)
) STRICT;
CREATE INDEX run_build ON run(build_id, benchmark, variant, machine_class_id);
CREATE INDEX run_log ON run(log_digest) WHERE log_digest IS NOT NULL;
-- What few rows have is found without a look at all of them.
CREATE INDEX run_rare ON run(outcome, id) WHERE outcome <> 'passed';

-- What a run says of itself beside its samples: a metric that is no series, or what it chose.
CREATE TABLE run_fact (
    run_id INTEGER NOT NULL REFERENCES run(id),  -- that says it
    name TEXT NOT NULL,                     -- "compile_time_ns", "throughput", "leak", "batch"
    value REAL,                             -- in its unit; NULL: it is a word, or there is none
    low REAL,                               -- of its interval at 95 %; NULL: it has none
    high REAL,                              -- likewise
    unit TEXT NOT NULL DEFAULT '',          -- of the value; may be empty
    text TEXT NOT NULL DEFAULT '',          -- a verdict, a word, or why there is no value
    PRIMARY KEY (run_id, name)
) STRICT, WITHOUT ROWID;

-- What callgrind counted of the steps of a job that profiles. It goes when it has been compared.
CREATE TABLE profiled_step (
    job_id INTEGER NOT NULL REFERENCES job(id),  -- whose
    step INTEGER NOT NULL,                  -- index into the plan's steps
    outcome TEXT NOT NULL,                  -- as run.outcome
    message TEXT NOT NULL,                  -- why it did not pass; a stranger's text
    duration_ns INTEGER NOT NULL,           -- of the process
    profile TEXT NOT NULL,                  -- JSON of schema/profile; empty: there is none
    PRIMARY KEY (job_id, step)
) STRICT;

-- The batch that the first run of a variant with `--batch auto` chose. All later ones take it.
CREATE TABLE chosen_batch (
    project_id INTEGER NOT NULL REFERENCES project(id),  -- whose
    benchmark TEXT NOT NULL,                -- as the plan names it
    variant TEXT NOT NULL,                  -- as the plan names it
    machine_class_id INTEGER NOT NULL REFERENCES machine_class(id),  -- on which it was chosen
    batch INTEGER NOT NULL CHECK (batch > 0),  -- examples in one iteration
    run_id INTEGER NOT NULL REFERENCES run(id),  -- that chose it
    PRIMARY KEY (project_id, benchmark, variant, machine_class_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX chosen_batch_run ON chosen_batch(run_id);

-- Cases that ended with an error in a run that measured others.
CREATE TABLE case_failure (
    run_id INTEGER NOT NULL REFERENCES run(id),  -- that passed as a whole
    case_name TEXT NOT NULL,                -- that failed
    message TEXT NOT NULL,                  -- the program's words; a stranger's text
    PRIMARY KEY (run_id, case_name)
) STRICT, WITHOUT ROWID;

-- Cases that their program does not run alone by these arguments: it is run whole for them.
CREATE TABLE whole_case (
    project_id INTEGER NOT NULL REFERENCES project(id),  -- whose
    benchmark TEXT NOT NULL,                -- as the plan names it
    variant TEXT NOT NULL,                  -- as the plan names it
    case_name TEXT NOT NULL,                -- that is not run alone
    arguments TEXT NOT NULL,                -- JSON: case_arguments of the config
    PRIMARY KEY (project_id, benchmark, variant, case_name)
) STRICT, WITHOUT ROWID;

-- A run's samples of one series, summed up.
CREATE TABLE measurement (
    run_id INTEGER NOT NULL REFERENCES run(id),  -- that measured
    series_id INTEGER NOT NULL REFERENCES series(id),  -- of which
    -- of the samples, metric's unit; a time or a rate of 0 is a fault, and not here
    median REAL NOT NULL,
    spread REAL NOT NULL,                   -- scaled median absolute deviation, metric's unit
    count INTEGER NOT NULL,                 -- of the samples
    samples BLOB NOT NULL,                  -- count little-endian IEEE doubles, in order
    PRIMARY KEY (run_id, series_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX measurement_series ON measurement(series_id, run_id);

-- What a run measured and no series can be judged by: below 0, a time of 0, or so large or small
-- that comparing it overflows. It is kept beside the measurements, with the reason.
CREATE TABLE unjudged_measurement (
    run_id INTEGER NOT NULL REFERENCES run(id),  -- that measured
    series_id INTEGER NOT NULL REFERENCES series(id),  -- of which
    reason TEXT NOT NULL,                   -- why it cannot be judged, in words
    count INTEGER NOT NULL,                 -- of the samples
    samples BLOB NOT NULL,                  -- count little-endian IEEE doubles, in order
    PRIMARY KEY (run_id, series_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX unjudged_measurement_series ON unjudged_measurement(series_id, run_id);
-- What decisions read: the bounds are service/schedule/judgeable.hpp's.
CREATE VIEW judged_measurement AS SELECT * FROM measurement
WHERE (median = 0 OR median BETWEEN 1e-60 AND 1e60) AND spread BETWEEN 0 AND 1e60;

-- How many runs the jobs of each day made: what was spent in a stretch of time is a few rows, and
-- not every run of years. It says nothing that run and job do not say: the triggers alone write it.
CREATE TABLE day_runs (
    day INTEGER NOT NULL,                   -- since 1970, UTC, in which the job was asked for
    project_id INTEGER NOT NULL REFERENCES project(id),  -- whose jobs
    purpose TEXT NOT NULL,                  -- as job.purpose
    runs INTEGER NOT NULL,                  -- of these jobs
    PRIMARY KEY (day, project_id, purpose)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER day_runs_more AFTER INSERT ON run BEGIN
    INSERT INTO day_runs SELECT created_at_s / 86400, project_id, purpose, 1 FROM job
        WHERE id = new.job_id ON CONFLICT DO UPDATE SET runs = runs + 1;
END;
-- Not by a roll-up: what is spent stays spent.
CREATE TRIGGER day_runs_less AFTER DELETE ON run
    WHEN (SELECT nightly.rolled_up_at_s FROM job JOIN nightly ON nightly.id = job.nightly_id
        WHERE job.id = old.job_id) IS NULL BEGIN
    UPDATE day_runs SET runs = runs - 1 WHERE (day, project_id, purpose) =
        (SELECT created_at_s / 86400, project_id, purpose FROM job WHERE id = old.job_id);
END;

-- Results that were measured elsewhere, as they were taken. Sent again they change nothing. An
-- import can be undone: its row goes, and its number does not come back, for the audit log names
-- it.
CREATE TABLE import (
    id INTEGER PRIMARY KEY AUTOINCREMENT,   -- its number
    project_id INTEGER NOT NULL REFERENCES project(id),  -- whose
    digest TEXT NOT NULL,                   -- of what was sent
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),  -- that it is of
    job_id INTEGER NOT NULL REFERENCES job(id),  -- that holds its runs
    closes INTEGER NOT NULL,                -- 1: its sender says that the night has all its results
    received_at_s INTEGER NOT NULL,         -- UTC
    token TEXT NOT NULL DEFAULT '',         -- name of the token that sent it
    UNIQUE (project_id, digest)
) STRICT;
CREATE INDEX import_nightly ON import(nightly_id, received_at_s);
CREATE INDEX import_job ON import(job_id);

-- One wish that a project's newest nightly be looked at.
CREATE TABLE trigger_request (
    id INTEGER PRIMARY KEY,                 -- in the order they came
    project_id INTEGER NOT NULL REFERENCES project(id),  -- whose
    -- what asked: the schedule, a person, or a webhook
    cause TEXT NOT NULL CHECK (cause IN ('schedule', 'request', 'delivery')),
    -- makes it happen once: "schedule:<due_s>", "request:<idempotency key>", "delivery:<id>"
    cause_key TEXT NOT NULL,
    -- full hash or version that is asked for; NULL: whatever is newest
    revision TEXT,
    -- waiting: the source is yet to be asked
    state TEXT NOT NULL CHECK (state IN ('waiting', 'done', 'failed')),
    message TEXT NOT NULL DEFAULT '',       -- what came of it; empty while it waits
    nightly_id INTEGER REFERENCES nightly(id),  -- that came of it; NULL: none yet, or none at all
    created_at_s INTEGER NOT NULL,          -- UTC
    ended_at_s INTEGER,                     -- UTC; NULL: it waits
    traceparent TEXT NOT NULL DEFAULT '',   -- W3C trace context, sent or new; empty: of before
    UNIQUE (project_id, cause_key)
) STRICT;
CREATE INDEX trigger_nightly ON trigger_request(nightly_id) WHERE nightly_id IS NOT NULL;
CREATE INDEX trigger_waiting ON trigger_request(id) WHERE state = 'waiting';
CREATE INDEX trigger_project ON trigger_request(project_id);
CREATE INDEX trigger_created ON trigger_request(project_id, created_at_s);
CREATE INDEX trigger_done ON trigger_request(project_id, ended_at_s)
    WHERE state = 'done' AND nightly_id IS NOT NULL;

-- When each schedule fired last: a time missed while down runs once.
CREATE TABLE schedule (
    project_id INTEGER PRIMARY KEY REFERENCES project(id),  -- whose
    cron TEXT NOT NULL,                     -- as the config had it then; another one begins anew
    checked_at_s INTEGER NOT NULL,          -- UTC; due times up to here were acted on
    -- UTC; from when it is kept: what it named before is nobody's wish
    since_s INTEGER NOT NULL DEFAULT 0
) STRICT;

-- What a webhook brought. The row stays, so that a delivery is acted on once for ever.
CREATE TABLE delivery (
    id INTEGER PRIMARY KEY,                 -- in the order they came
    external_id TEXT NOT NULL UNIQUE,       -- X-GitHub-Delivery
    event TEXT NOT NULL,                    -- X-GitHub-Event
    -- SHA-256 of the body; a long one lies in the content store under it
    body_digest TEXT NOT NULL,
    -- a stranger's text; empty: it is long, or was forgotten after a month
    body BLOB NOT NULL,
    -- acted: something was made of it
    state TEXT NOT NULL CHECK (state IN ('acted', 'ignored')),
    message TEXT NOT NULL DEFAULT '',       -- what was made of it
    replays INTEGER NOT NULL DEFAULT 0,     -- how often it came again
    received_at_s INTEGER NOT NULL          -- UTC
) STRICT;
-- Bodies that are still kept, oldest first.
CREATE INDEX delivery_kept ON delivery(received_at_s) WHERE length(body) > 0;

-- The names under which a repository sent its deliveries. GitHub's id outlives a new name, and a
-- name is that repository's which had it last.
CREATE TABLE hooked_repository (
    name TEXT NOT NULL COLLATE NOCASE PRIMARY KEY,  -- owner/name, any case
    github_id INTEGER NOT NULL,             -- of the repository
    seen_at_s INTEGER NOT NULL              -- UTC; last time it had this name
) STRICT, WITHOUT ROWID;

-- Replies that are given again to a request that is sent again with the same key.
CREATE TABLE idempotency (
    key TEXT PRIMARY KEY,                   -- token id or name, route and the client's key
    -- SHA-256 of the request: another one with this key is refused
    request_digest TEXT NOT NULL,
    status INTEGER NOT NULL,                -- of the reply, as HTTP has it
    body TEXT NOT NULL,                     -- of the reply
    created_at_s INTEGER NOT NULL           -- UTC; it is kept for a time only
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_age ON idempotency(created_at_s);

-- The regressions that the self-test plants, and whether each was reported in time.
CREATE TABLE self_test (
    number INTEGER PRIMARY KEY,             -- of its night, from 1
    -- planting: its row comes before its commits; quiet: it plants none; waiting: for the report;
    -- reported: the report is out; missed: it was not out in time, and may come yet
    state TEXT NOT NULL
        CHECK (state IN ('planting', 'quiet', 'waiting', 'reported', 'missed')),
    benchmark TEXT NOT NULL DEFAULT '',     -- that is slower; empty: none, or not yet
    revision TEXT,                          -- of the planted commit; NULL: likewise
    planted_at_s INTEGER NOT NULL,          -- UTC
    due_at_s INTEGER,                       -- UTC; by then it is reported; NULL: nothing is due
    reported_at_s INTEGER                   -- UTC; NULL: it is not
) STRICT;
CREATE INDEX self_test_planting ON self_test(number) WHERE state = 'planting';
CREATE INDEX self_test_waiting ON self_test(number) WHERE state = 'waiting';
CREATE INDEX self_test_missed ON self_test(number) WHERE state = 'missed';
CREATE INDEX self_test_reported ON self_test(planted_at_s) WHERE state = 'reported';
