-- Machines: was it the machine? Frozen builds of workers, and storms of series that move at once.
-- Owner: service/store/machines.

-- A frozen build measured by a worker each night that it measured for; its own control chart.
CREATE TABLE canary_check (
    id INTEGER PRIMARY KEY,                 -- in the order they were begun
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),  -- the night
    worker_id INTEGER NOT NULL REFERENCES worker(id),  -- that measures it
    definition TEXT NOT NULL,               -- digest of build, plan, metric: one chart
    -- see the drawing in docs/architecture.md
    state TEXT NOT NULL
        CHECK (state IN ('measuring', 'again', 'learning', 'steady', 'moved', 'missing')),
    -- the newest: after the first look, the second; NULL: it cannot be measured
    job_id INTEGER REFERENCES job(id),
    series_id INTEGER REFERENCES series(id),  -- that holds its values; NULL: none yet
    -- metric's unit; of the second look where there was one; NULL: none
    value REAL,
    base REAL,                              -- level of the chart; NULL: it is too short
    moved_ratio REAL,                       -- of the value against it; NULL: likewise
    message TEXT NOT NULL DEFAULT '',       -- why it is in its state; may be empty
    created_at_s INTEGER NOT NULL,          -- UTC
    ended_at_s INTEGER,                     -- UTC; NULL: it goes on
    UNIQUE (nightly_id, worker_id)
) STRICT;
CREATE INDEX canary_worker ON canary_check(worker_id, id);
CREATE INDEX canary_job ON canary_check(job_id) WHERE job_id IS NOT NULL;

-- Many series of one worker moved in one night: the old build of a few of them is measured again on
-- that worker, to tell the machine from the code, before anything else is measured.
CREATE TABLE storm (
    id INTEGER PRIMARY KEY,                 -- in the order they were found
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),  -- in which they moved
    worker_id INTEGER NOT NULL REFERENCES worker(id),  -- that measured them
    -- see the drawing in docs/architecture.md
    state TEXT NOT NULL CHECK (state IN ('checking', 'environment', 'code', 'mixed', 'given_up')),
    series INTEGER NOT NULL,                -- of the worker that night whose nights can tell
    suspicious INTEGER NOT NULL,            -- of these
    moved_ratio REAL NOT NULL,              -- middle of the series; once judged, of the old builds
    rebased INTEGER NOT NULL DEFAULT 0,     -- series that start a new baseline
    message TEXT NOT NULL DEFAULT '',       -- what came of it, in words; empty: nothing yet
    created_at_s INTEGER NOT NULL,          -- UTC
    ended_at_s INTEGER,                     -- UTC; NULL: it goes on
    UNIQUE (nightly_id, worker_id)
) STRICT;

-- The series whose old build is measured again.
CREATE TABLE storm_series (
    storm_id INTEGER NOT NULL REFERENCES storm(id),  -- of which storm
    series_id INTEGER NOT NULL REFERENCES series(id),  -- of which series
    job_id INTEGER NOT NULL REFERENCES job(id),  -- that measures it
    base REAL NOT NULL,                     -- baseline's level, metric's unit
    change_ratio REAL NOT NULL,             -- of the night against it
    PRIMARY KEY (storm_id, series_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX storm_job ON storm_series(job_id);

-- What the machines of a class of the fleet are: a cluster may have others for it, whose values
-- belong to no series of the class.
CREATE TABLE class_fingerprint (
    machine_class_id INTEGER PRIMARY KEY REFERENCES machine_class(id),  -- the class
    fingerprint TEXT NOT NULL,              -- JSON: as most of its workers show it
    since_s INTEGER NOT NULL                -- UTC
) STRICT;

-- A worker whose machine differs from its class. It is held until it differs no more, or until a
-- person releases it as it is.
CREATE TABLE differing_worker (
    worker_id INTEGER PRIMARY KEY REFERENCES worker(id),  -- who differs
    fingerprint TEXT NOT NULL,              -- JSON: that it was found with
    -- why it is held; where worker.held is something else, it is not held for this
    words TEXT NOT NULL,
    found_at_s INTEGER NOT NULL,            -- UTC
    -- UTC; when the scheduler was to be asked to drain its machine; NULL: it is not
    drain_planned_at_s INTEGER,
    drain_answered_at_s INTEGER             -- UTC; when that was done or refused; NULL: not yet
) STRICT;
