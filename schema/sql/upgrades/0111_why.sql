-- Why a verified culprit is slower: culprit and parent are profiled once each.
CREATE TABLE why (
    regression_id INTEGER PRIMARY KEY REFERENCES regression(id),  -- whose culprit is profiled
    -- listing: the git lane is asked for the files that it changes; waiting: for a worker and the
    -- day's budget; profiling: its job goes on
    state TEXT NOT NULL CHECK (state IN ('listing', 'waiting', 'profiling', 'done')),
    culprit TEXT NOT NULL,                  -- revision, full hash
    by_hand INTEGER NOT NULL,               -- 1: a person asked; the budget does not hold it back
    touched TEXT NOT NULL DEFAULT '[]',     -- JSON: files that the culprit changes
    job_id INTEGER REFERENCES job(id),      -- that profiles both; NULL: none was asked for
    series_id INTEGER REFERENCES series(id),  -- whose benchmark is profiled; NULL: likewise
    found TEXT,                             -- JSON: what the profiles say; NULL: nothing
    message TEXT NOT NULL DEFAULT '',       -- why nothing is known; empty: it is, or not yet
    created_at_s INTEGER NOT NULL,          -- UTC
    begun_at_s INTEGER,                     -- UTC; its job was asked for; NULL: it was not
    ended_at_s INTEGER                      -- UTC; NULL: it goes on
) STRICT;
CREATE INDEX why_open ON why(state, regression_id) WHERE state <> 'done';
CREATE INDEX why_begun ON why(begun_at_s) WHERE begun_at_s IS NOT NULL;
CREATE INDEX why_job ON why(job_id) WHERE job_id IS NOT NULL;

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
