-- Earlier nights of a git branch, measured so that a new project has a history.

CREATE TABLE backfill (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES project(id),
    nights INTEGER NOT NULL,                -- so many days before the newest known night
    runs_budget INTEGER NOT NULL,           -- what it may plan
    token TEXT NOT NULL,                    -- name of the token that asked for it
    -- listing: the git lane is asked for the commits; measuring: its nights, two at a time;
    -- looking: they are nights now, and their series are looked at for steps
    state TEXT NOT NULL
        CHECK (state IN ('listing', 'measuring', 'looking', 'done', 'cancelled', 'failed')),
    message TEXT NOT NULL DEFAULT '',
    night_runs INTEGER NOT NULL DEFAULT 0,  -- that one of its nights plans
    looked_series INTEGER NOT NULL DEFAULT 0,  -- while looking: the last series that was looked at
    cancelled_by TEXT NOT NULL DEFAULT '',  -- name of the token
    created_at_s INTEGER NOT NULL,
    begun_at_s INTEGER,                     -- its commits are known
    ended_at_s INTEGER
) STRICT;
CREATE UNIQUE INDEX backfill_open ON backfill(project_id)
    WHERE state IN ('listing', 'measuring', 'looking');

-- Its nights are made at once, in the order of their commits, and are measured beside the nights
-- until it has measured all of them. One without jobs waits for its turn.
ALTER TABLE nightly ADD COLUMN backfill_id INTEGER REFERENCES backfill(id);
CREATE INDEX nightly_backfill ON nightly(backfill_id, state) WHERE backfill_id IS NOT NULL;

-- A step that a backfill found is listed like a drift: 'past' is certain, 'unsure' lies too near
-- the newest night to be. What a column allows cannot be changed, so it is made anew.
ALTER TABLE drift RENAME COLUMN kind TO kind_before;
ALTER TABLE drift ADD COLUMN kind TEXT NOT NULL DEFAULT 'history'
    CHECK (kind IN ('history', 'measured', 'creep', 'past', 'unsure'));
UPDATE drift SET kind = kind_before;
ALTER TABLE drift DROP COLUMN kind_before;
