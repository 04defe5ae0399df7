-- Nights: nightlies, their commits, what was withdrawn of them, and earlier ones that are made.
-- Owner: service/store/nights.

-- A build that is measured as a whole: a night, or one that was asked for by name and is measured
-- beside the nights. Nights come in the order of their commits, which is that of their ids.
CREATE TABLE nightly (
    id INTEGER PRIMARY KEY,                 -- of those sent from elsewhere it follows their times
    project_id INTEGER NOT NULL REFERENCES project(id),  -- whose
    build_id INTEGER NOT NULL REFERENCES build(id),  -- that is measured
    version TEXT NOT NULL,                  -- the source's own name for it
    day TEXT NOT NULL,                      -- YYYY-MM-DD, from the source
    revision TEXT NOT NULL,                 -- of the build, full hash
    -- see the drawing in docs/architecture.md
    state TEXT NOT NULL CHECK (state IN ('measuring', 'confirming', 'searching', 'done', 'failed')),
    message TEXT NOT NULL DEFAULT '',       -- why it failed; empty: it did not
    created_at_s INTEGER NOT NULL,          -- UTC
    ended_at_s INTEGER,                     -- UTC; NULL: it goes on
    summed_up INTEGER NOT NULL DEFAULT 0,   -- 1: its summary is stored, or none is written
    -- why it is measured beside the nights, in words; NULL: it is a night
    beside TEXT,
    -- its day, and from the second one of a day on its number after a dot: 2026-11-22,
    -- 2026-11-22.2. The trigger gives it.
    name TEXT,
    -- judged series that were held against an earlier night; NULL: it is not judged
    compared_series INTEGER,
    backfill_id INTEGER REFERENCES backfill(id),  -- that made it; NULL: it came by itself
    -- listing: the git lane is asked for them; listed: they are here; none: night_range says why
    commits TEXT NOT NULL DEFAULT 'listing' CHECK (commits IN ('listing', 'listed', 'none')),
    rolled_up_at_s INTEGER,                 -- UTC; when its runs began to go; NULL: they are here
    UNIQUE (project_id, version, build_id)
) STRICT;
CREATE INDEX nightly_project ON nightly(project_id);
CREATE INDEX nightly_build ON nightly(build_id);
CREATE INDEX nightly_revision ON nightly(revision);
CREATE INDEX nightly_ended ON nightly(project_id, ended_at_s);
CREATE INDEX nightly_created ON nightly(project_id, created_at_s);
CREATE INDEX nightly_open ON nightly(id) WHERE state IN ('measuring', 'confirming', 'searching');
CREATE INDEX nightly_unsummed ON nightly(id) WHERE summed_up = 0;
CREATE UNIQUE INDEX nightly_name ON nightly(project_id, name);
-- Whoever writes the row: its name is given with it, and stays.
CREATE TRIGGER nightly_is_named AFTER INSERT ON nightly WHEN new.name IS NULL BEGIN
    UPDATE nightly SET name = day || ifnull('.' || nullif((SELECT count(*) FROM nightly o
        WHERE o.project_id = new.project_id AND o.day = new.day AND o.id <= new.id), 1), '')
    WHERE id = new.id;
END;
-- "The night before" and "the newest night" are asked of this, and not of the table.
CREATE VIEW night AS SELECT * FROM nightly WHERE beside IS NULL;
CREATE INDEX night_of_project ON nightly(project_id) WHERE beside IS NULL;
CREATE INDEX nightly_backfill ON nightly(backfill_id, state) WHERE backfill_id IS NOT NULL;
-- A night is found by its revision and the name its sender gave it.
CREATE INDEX nightly_sent ON nightly(project_id, revision, version);
CREATE INDEX nightly_unlisted ON nightly(project_id, id)
    WHERE commits = 'listing' AND beside IS NULL;
-- Those whose runs are here, oldest first: what is to be rolled up is found at the beginning.
CREATE INDEX nightly_raw ON nightly(project_id, id) WHERE rolled_up_at_s IS NULL;

-- What is gone of a night that is rolled up: its uneventful jobs with their runs. night_value keeps
-- what they measured. The row comes before the first job goes.
CREATE TABLE rolled_night (
    nightly_id INTEGER PRIMARY KEY REFERENCES nightly(id),  -- whose runs go
    next_job_id INTEGER NOT NULL DEFAULT 0,  -- the jobs before it were looked at
    going_job_id INTEGER,                   -- that is being taken apart; NULL: none is
    kept_jobs INTEGER NOT NULL DEFAULT 0,   -- that stay as they were
    last_run_id INTEGER NOT NULL DEFAULT 0,  -- newest run that is gone
    ended_at_s INTEGER,                     -- UTC; NULL: it goes on
    next_suspicion_id INTEGER NOT NULL DEFAULT 0,  -- the suspicions before it were looked at
    suspicions INTEGER NOT NULL DEFAULT 0,  -- that were refuted, and are in old_suspicion now
    packed INTEGER NOT NULL DEFAULT 0       -- 1: its values come three to a row
) STRICT;
CREATE INDEX rolled_night_open ON rolled_night(nightly_id) WHERE ended_at_s IS NULL;
CREATE INDEX rolled_night_loose ON rolled_night(nightly_id) WHERE packed = 0;

-- Nights of a project whose values are being packed, series by series.
CREATE TABLE packing (
    project_id INTEGER PRIMARY KEY REFERENCES project(id),  -- whose
    first_id INTEGER NOT NULL REFERENCES nightly(id),  -- first of these nights
    last_id INTEGER NOT NULL REFERENCES nightly(id),  -- last of them
    next_series_id INTEGER NOT NULL         -- the series before it are packed
) STRICT;

-- The jobs that are gone, by machine class and purpose: what a night tells of its jobs counts them
-- too.
CREATE TABLE rolled_jobs (
    nightly_id INTEGER NOT NULL REFERENCES rolled_night(nightly_id),  -- whose own jobs they were
    machine_class_id INTEGER NOT NULL REFERENCES machine_class(id),  -- of the jobs
    purpose TEXT NOT NULL,                  -- as job.purpose
    jobs INTEGER NOT NULL,                  -- all of them done
    passed INTEGER NOT NULL,                -- runs that passed
    unsupported INTEGER NOT NULL,           -- runs that were not supported; there were no others
    measurements INTEGER NOT NULL,          -- of these runs, those too that cannot be judged
    samples INTEGER NOT NULL,               -- of these measurements
    seconds INTEGER NOT NULL,               -- as attempt_time has it
    build_s INTEGER NOT NULL,               -- of these: builds
    PRIMARY KEY (nightly_id, machine_class_id, purpose)
) STRICT, WITHOUT ROWID;

-- Where the commits of a night begin. A row once they were listed, or cannot be.
CREATE TABLE night_range (
    nightly_id INTEGER PRIMARY KEY REFERENCES nightly(id),  -- whose commits
    since_id INTEGER REFERENCES nightly(id),  -- the night before; NULL: there is none
    count INTEGER NOT NULL,                 -- of all commits; night_commit has the newest of them
    message TEXT NOT NULL                   -- why there are none; else ''
) STRICT;

-- The commits between a night and the one before it, listed once on the project's git lane. The
-- suspects of a search are no place for them: they are of its own ends, and a part of its state.
CREATE TABLE night_commit (
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),  -- whose commit
    position INTEGER NOT NULL,              -- from 0, oldest first
    revision TEXT NOT NULL,                 -- full hash
    subject TEXT NOT NULL,                  -- a stranger's text
    author TEXT NOT NULL,                   -- a stranger's text
    authored_at_s INTEGER NOT NULL,         -- UTC
    PRIMARY KEY (nightly_id, position)
) STRICT, WITHOUT ROWID;

-- A night whose own values count for nothing, whole or what one worker measured of it. Builds, and
-- what sessions and searches measured of them, stay. Once restored, the row tells that it was so.
CREATE TABLE withdrawal (
    id INTEGER PRIMARY KEY,                 -- its number
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),  -- that is withdrawn
    worker_id INTEGER REFERENCES worker(id),  -- whose values; NULL: the whole night
    reason TEXT NOT NULL,                   -- in the person's words
    token TEXT NOT NULL,                    -- name of the token that asked for it
    cut_off INTEGER NOT NULL,               -- 1: the night was being confirmed
    created_at_s INTEGER NOT NULL,          -- UTC
    restored_at_s INTEGER                   -- UTC; NULL: it is withdrawn
) STRICT;
CREATE UNIQUE INDEX withdrawal_stands ON withdrawal(nightly_id, ifnull(worker_id, 0))
    WHERE restored_at_s IS NULL;
-- What the nightlies' own runs measured and nothing is judged by; worker_id 0: all of the night. A
-- night that failed before it was judged is fed to no series. Columns of one type: then each part
-- is looked up by its index.
CREATE VIEW left_out AS
    SELECT nightly_id, worker_id FROM canary_check WHERE state = 'moved'
    UNION ALL SELECT nightly_id, CAST(ifnull(worker_id, 0) AS INTEGER) FROM withdrawal
    WHERE restored_at_s IS NULL
    UNION ALL SELECT id, CAST(0 AS INTEGER) FROM nightly
    WHERE state = 'failed' AND compared_series IS NULL;

-- Earlier nights of a project, measured so that it has a history.
CREATE TABLE backfill (
    id INTEGER PRIMARY KEY,                 -- its number
    project_id INTEGER NOT NULL REFERENCES project(id),  -- whose
    nights INTEGER NOT NULL,                -- so many days before the newest known night
    runs_budget INTEGER NOT NULL,           -- runs that it may plan
    token TEXT NOT NULL,                    -- name of the token that asked for it
    -- listing: its source is asked for the nights; measuring: they are, two at a time; looking:
    -- they are nights now, and their series are looked at for steps
    state TEXT NOT NULL
        CHECK (state IN ('listing', 'measuring', 'looking', 'done', 'cancelled', 'failed')),
    message TEXT NOT NULL DEFAULT '',       -- why it is in its state; may be empty
    night_runs INTEGER NOT NULL DEFAULT 0,  -- that one of its nights plans; 0: not known yet
    -- while looking: id of the last series that was looked at
    looked_series INTEGER NOT NULL DEFAULT 0,
    cancelled_by TEXT NOT NULL DEFAULT '',  -- name of the token; empty: nobody
    created_at_s INTEGER NOT NULL,          -- UTC
    begun_at_s INTEGER,                     -- UTC; NULL: its nights are not known yet
    ended_at_s INTEGER                      -- UTC; NULL: it goes on
) STRICT;
CREATE UNIQUE INDEX backfill_open ON backfill(project_id)
    WHERE state IN ('listing', 'measuring', 'looking');

-- Nightlies that a backfill takes from the archives of a source. Each is fetched when its turn
-- comes: a year of archives fits no disk.
CREATE TABLE past_archive (
    nightly_id INTEGER PRIMARY KEY,         -- of the night that it becomes; then the row goes
    backfill_id INTEGER NOT NULL REFERENCES backfill(id),  -- that takes it
    version TEXT NOT NULL,                  -- the source's own name for it
    day TEXT NOT NULL,                      -- YYYY-MM-DD
    skipped TEXT                            -- why it is no night; NULL: it waits
) STRICT;
CREATE INDEX past_archive_backfill ON past_archive(backfill_id);

-- Tries of a step that has not worked yet, counted before the step begins: one that kills the
-- daemon is counted too.
CREATE TABLE step_try (
    subject TEXT PRIMARY KEY,               -- nightly/3
    tries INTEGER NOT NULL,                 -- so far
    message TEXT NOT NULL                   -- what the last one threw; '' when it was cut off
) STRICT, WITHOUT ROWID;
