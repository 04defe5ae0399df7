-- A night measures again what it has runs for, the most valuable first; the rest waits.

-- Over the baseline, log: tonight; of what waited, the mean of the nights it waited.
ALTER TABLE suspicion ADD COLUMN moved REAL NOT NULL DEFAULT 0;
ALTER TABLE suspicion ADD COLUMN chance REAL NOT NULL DEFAULT 0;     -- of more than the threshold
ALTER TABLE suspicion ADD COLUMN waited INTEGER NOT NULL DEFAULT 0;  -- nights, before this one
ALTER TABLE suspicion ADD COLUMN waits TEXT NOT NULL DEFAULT '';     -- why it goes on another night

-- A frozen build measured by a worker each night that it measured for; its own control chart.
CREATE TABLE canary_check (
    id INTEGER PRIMARY KEY,
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),
    worker_id INTEGER NOT NULL REFERENCES worker(id),
    definition TEXT NOT NULL,               -- digest of build, plan, metric: one chart
    state TEXT NOT NULL
        CHECK (state IN ('measuring', 'again', 'learning', 'steady', 'moved', 'missing')),
    job_id INTEGER REFERENCES job(id),      -- the newest: after the first look, the second
    series_id INTEGER REFERENCES series(id),
    value REAL,                             -- metric's unit; of the second look where there was one
    base REAL,                              -- level of the chart
    moved_ratio REAL,                       -- of the value against it
    message TEXT NOT NULL DEFAULT '',
    created_at_s INTEGER NOT NULL,
    ended_at_s INTEGER,
    UNIQUE (nightly_id, worker_id)
) STRICT;
CREATE INDEX canary_worker ON canary_check(worker_id, id);
