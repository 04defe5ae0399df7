-- Commits of pull requests that are to be measured, each against where it left its branch.
CREATE TABLE pull (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES project(id),
    target TEXT NOT NULL,                   -- name of the report target in the config
    number INTEGER NOT NULL,                -- of the pull request
    head TEXT NOT NULL,                     -- the commit that is measured
    base TEXT NOT NULL,                     -- tip of the branch that it is to come into
    is_fork INTEGER NOT NULL,
    asked_by TEXT NOT NULL,                 -- 'label', or who said so
    -- held: of a fork, nobody has said that it may be built; listing: the git lane has it
    state TEXT NOT NULL CHECK
        (state IN ('held', 'listing', 'measuring', 'done', 'failed', 'stopped')),
    told INTEGER NOT NULL DEFAULT 0,        -- 1: its check run and its comment say this state
    message TEXT NOT NULL DEFAULT '',       -- why it failed or was stopped
    request_id INTEGER REFERENCES request(id),  -- the newest
    seen_at_s INTEGER NOT NULL,             -- GitHub's time of the newest that it said of it
    created_at_s INTEGER NOT NULL,
    ended_at_s INTEGER,
    UNIQUE (target, number, head)
) STRICT;
CREATE INDEX pull_open ON pull(state, project_id) WHERE state IN ('listing', 'measuring');
CREATE INDEX pull_untold ON pull(id) WHERE told = 0;

-- 1: its comment stands below a pull request.
ALTER TABLE command ADD COLUMN is_pull INTEGER NOT NULL DEFAULT 0;
