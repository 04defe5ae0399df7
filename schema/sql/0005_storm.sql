-- Many series of one worker moved in one night: the old build of a few of them is measured again on
-- that worker, to tell the machine from the code, before anything else is measured.

CREATE TABLE storm (
    id INTEGER PRIMARY KEY,
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),
    worker_id INTEGER NOT NULL REFERENCES worker(id),
    state TEXT NOT NULL CHECK (state IN ('checking', 'environment', 'code', 'mixed', 'given_up')),
    series INTEGER NOT NULL,                -- of the worker that night whose nights can tell
    suspicious INTEGER NOT NULL,            -- of these
    moved_ratio REAL NOT NULL,              -- middle of the series; once judged, of the old builds
    rebased INTEGER NOT NULL DEFAULT 0,     -- series that start a new baseline
    message TEXT NOT NULL DEFAULT '',
    created_at_s INTEGER NOT NULL,
    ended_at_s INTEGER,
    UNIQUE (nightly_id, worker_id)
) STRICT;

-- The series whose old build is measured again.
CREATE TABLE storm_series (
    storm_id INTEGER NOT NULL REFERENCES storm(id),
    series_id INTEGER NOT NULL REFERENCES series(id),
    job_id INTEGER NOT NULL REFERENCES job(id),
    base REAL NOT NULL,                     -- baseline's level, metric's unit
    change_ratio REAL NOT NULL,             -- of the night against it
    PRIMARY KEY (storm_id, series_id)
) STRICT, WITHOUT ROWID;

ALTER TABLE worker ADD COLUMN held TEXT NOT NULL DEFAULT '';  -- why it gets no jobs until released
ALTER TABLE job ADD COLUMN only_worker_id INTEGER REFERENCES worker(id);  -- nobody else may take it
