-- Reports: documents, what carries them to their targets, and what comes back from there.
-- Owner: service/store/reports. Times of attempts are steady, see the table clock.

-- A version of a document. All versions of one document share its subject.
CREATE TABLE report (
    id INTEGER PRIMARY KEY,                 -- its number
    -- what it is about
    kind TEXT NOT NULL CHECK (kind IN ('regression', 'night', 'trouble', 'comment', 'week')),
    project_id INTEGER NOT NULL REFERENCES project(id),  -- whose
    regression_id INTEGER REFERENCES regression(id),  -- of kind regression; else NULL
    nightly_id INTEGER REFERENCES nightly(id),  -- of kind night; else NULL
    trouble_id INTEGER REFERENCES trouble(id),  -- of kind trouble; else NULL
    about_id INTEGER REFERENCES regression(id),  -- of a comment: below whose issue; else NULL
    part INTEGER NOT NULL DEFAULT 0,        -- a comment's number, a week's day as 20261123
    subject TEXT NOT NULL GENERATED ALWAYS AS (CASE kind
        WHEN 'regression' THEN 'regression/' || regression_id
        WHEN 'night' THEN 'nightly/' || nightly_id
        WHEN 'comment' THEN 'comment/' || about_id || '/' || part
        WHEN 'week' THEN 'week/' || project_id || '/' || part
        ELSE 'trouble/' || trouble_id END) STORED,  -- what it is about, as "regression/7"
    version INTEGER NOT NULL,               -- of the same document, from 1
    title TEXT NOT NULL,                    -- one line, no Markdown
    body TEXT NOT NULL,                     -- Markdown
    created_at_s INTEGER NOT NULL,          -- UTC
    -- UTC; when it was last compared with what it speaks of
    checked_at_s INTEGER NOT NULL DEFAULT 0,
    -- of a regression, as this version tells it; NULL: of others
    told_state TEXT,
    told_culprit TEXT,                      -- revision; NULL: it tells of none
    told_ratio REAL,                        -- the largest change ratio; NULL: it has none
    told_broken INTEGER NOT NULL DEFAULT 0,  -- 1: something no longer runs
    told_ended_as TEXT                      -- as regression.ended_as; NULL: it tells of no end
) STRICT;
CREATE UNIQUE INDEX report_subject ON report(subject, version);
CREATE INDEX report_regression ON report(regression_id, version) WHERE regression_id IS NOT NULL;
CREATE INDEX report_night ON report(nightly_id, version) WHERE nightly_id IS NOT NULL;
CREATE INDEX report_about ON report(about_id, part, version) WHERE about_id IS NOT NULL;
-- When the summary of a week was last written.
CREATE INDEX report_week ON report(project_id, created_at_s) WHERE kind = 'week';

-- A report on its way to one target.
CREATE TABLE outbox (
    id INTEGER PRIMARY KEY,                 -- whose turn it is at a target
    report_id INTEGER NOT NULL REFERENCES report(id),  -- that is sent
    target TEXT NOT NULL,                   -- name of the report target in the config
    -- dead: given up, or replaced by a newer version
    state TEXT NOT NULL CHECK (state IN ('pending', 'sent', 'dead')),
    attempts INTEGER NOT NULL DEFAULT 0,    -- that failed
    ambiguous INTEGER NOT NULL DEFAULT 0,   -- 1: may have been sent; look before sending again
    next_attempt_at_s INTEGER NOT NULL,     -- steady
    external_ref TEXT NOT NULL DEFAULT '',  -- issue URL, file path; empty: not known
    message TEXT NOT NULL DEFAULT '',       -- why it was not sent; may be empty
    in_flight INTEGER NOT NULL DEFAULT 0,   -- 1: an attempt has begun
    filings INTEGER NOT NULL DEFAULT 0,     -- requests that may have filed it
    filed_at_s INTEGER NOT NULL DEFAULT 0,  -- steady; when the last of them ended
    closed INTEGER NOT NULL DEFAULT 0,      -- 1: sent as closed
    -- of its attempts: at a search that came no further since
    in_vain INTEGER NOT NULL DEFAULT 0,
    UNIQUE (report_id, target)
) STRICT;
CREATE INDEX outbox_pending ON outbox(next_attempt_at_s) WHERE state = 'pending';
-- Whose turn it is at one target.
CREATE INDEX outbox_turn ON outbox(target, id) WHERE state = 'pending';
CREATE INDEX outbox_dead ON outbox(id) WHERE state = 'dead';
CREATE INDEX outbox_place ON outbox(external_ref) WHERE external_ref <> '';
-- What a report target did not take for good, and nothing replaced: it can be sent again. A newer
-- version of the same report for the same target is sent instead of an older one.
CREATE VIEW given_up AS
    SELECT o.id AS outbox_id, o.report_id, o.target FROM outbox o
    JOIN report r ON r.id = o.report_id
    WHERE o.state = 'dead' AND NOT EXISTS (
        SELECT 1 FROM outbox later JOIN report n ON n.id = later.report_id
        WHERE later.target = o.target AND n.version > r.version AND n.subject = r.subject);

-- By what a ledger knows its own issues. One row.
CREATE TABLE marker_key (
    id INTEGER PRIMARY KEY CHECK (id = 1),  -- always 1
    key TEXT NOT NULL                       -- secret of this ledger, 64 hex digits
) STRICT;
INSERT INTO marker_key VALUES (1, lower(hex(randomblob(32))));

-- Writes to a tracker in the last hour, by its server and port, over all targets.
CREATE TABLE tracker_write (
    id INTEGER PRIMARY KEY,                 -- in the order they were allowed
    server TEXT NOT NULL,                   -- name and port
    at_ms INTEGER NOT NULL,                 -- steady; when it ended, or was allowed
    open INTEGER NOT NULL,                  -- 1: allowed, its end is not known
    -- what it was for: each kind has a share of its own
    share TEXT NOT NULL DEFAULT 'report' CHECK (share IN ('report', 'check', 'answer', 'question'))
) STRICT;
CREATE INDEX tracker_write_server ON tracker_write(server, at_ms);
CREATE INDEX tracker_write_open ON tracker_write(id) WHERE open = 1;

-- Trackers that asked to be left alone.
CREATE TABLE tracker_quiet (
    server TEXT PRIMARY KEY,                -- name and port
    until_s INTEGER NOT NULL                -- steady
) STRICT, WITHOUT ROWID;

-- Receivers that did not answer: while the time has not come nothing is sent to them.
CREATE TABLE circuit (
    receiver TEXT PRIMARY KEY,              -- its server, or the target where none is known
    failures INTEGER NOT NULL,              -- attempts in a row to which nobody answered
    until_s INTEGER NOT NULL                -- steady; then one more is made
) STRICT, WITHOUT ROWID;

-- Runs that are asked of who measures a project elsewhere: one row for each attempt of a job that
-- is under lease to the worker that stands for the machines there.
CREATE TABLE callback (
    job_id INTEGER NOT NULL REFERENCES job(id),  -- whose attempt
    attempt INTEGER NOT NULL,               -- its number
    state TEXT NOT NULL CHECK (state IN ('pending', 'sent', 'dead')),  -- dead: given up
    tries INTEGER NOT NULL DEFAULT 0,       -- sendings that began
    next_try_at_s INTEGER NOT NULL,         -- steady
    message TEXT NOT NULL DEFAULT '',       -- why it is not sent, one line; may be empty
    -- 1: its sending began and has not ended: after an end of the daemon it is asked again
    in_flight INTEGER NOT NULL DEFAULT 0 CHECK (in_flight IN (0, 1)),
    PRIMARY KEY (job_id, attempt)
) STRICT, WITHOUT ROWID;
CREATE INDEX callback_pending ON callback(next_try_at_s) WHERE state = 'pending';

-- What people ask by a comment of an issue, each comment once.
CREATE TABLE command (
    id INTEGER PRIMARY KEY,                 -- in the order they were read
    target TEXT NOT NULL,                   -- name of the report target in the config
    issue INTEGER NOT NULL,                 -- its number
    issue_url TEXT NOT NULL,                -- as outbox.external_ref has it
    comment INTEGER NOT NULL,               -- GitHub's id
    login TEXT NOT NULL,                    -- who wrote it
    words TEXT NOT NULL,                    -- its line; a stranger's text
    answer TEXT NOT NULL DEFAULT '',        -- Markdown; empty: not decided yet
    -- pending: it is yet to be decided; dead: given up
    state TEXT NOT NULL CHECK (state IN ('pending', 'sent', 'dead')),
    attempts INTEGER NOT NULL DEFAULT 0,    -- to decide it that failed
    in_flight INTEGER NOT NULL DEFAULT 0,   -- 1: an attempt has begun
    next_attempt_at_s INTEGER NOT NULL,     -- steady
    message TEXT NOT NULL DEFAULT '',       -- why it was not decided; may be empty
    created_at_s INTEGER NOT NULL,          -- UTC
    request_id INTEGER REFERENCES request(id),  -- that it asked to be measured; NULL: none
    -- 0: its request goes on, and what comes of it is to be told
    told INTEGER NOT NULL DEFAULT 1,
    is_pull INTEGER NOT NULL DEFAULT 0,     -- 1: it stands below a pull request
    -- 1: GitHub calls its author a member, who is asked about before strangers
    is_member INTEGER NOT NULL DEFAULT 0,
    UNIQUE (target, comment)
) STRICT;
CREATE INDEX command_due ON command(next_attempt_at_s) WHERE state = 'pending';
CREATE INDEX command_untold ON command(request_id) WHERE told = 0;

-- Comments and check runs that are kept up to date in place: their newest words, on their way.
CREATE TABLE notice (
    id INTEGER PRIMARY KEY,                 -- its number
    target TEXT NOT NULL,                   -- name of the report target in the config
    place TEXT NOT NULL,                    -- 'command/7', 'pull/7', 'check/HASH': one notice each
    number INTEGER NOT NULL,                -- of the issue or pull request
    revision TEXT NOT NULL DEFAULT '',      -- of a check run: its commit
    -- of a check run; empty: it is a comment
    status TEXT NOT NULL DEFAULT ''
        CHECK (status IN ('', 'queued', 'in_progress', 'success', 'neutral', 'failure')),
    title TEXT NOT NULL DEFAULT '',         -- of a check run
    body TEXT NOT NULL,                     -- Markdown without its marker
    version INTEGER NOT NULL DEFAULT 1,     -- of the words
    state TEXT NOT NULL CHECK (state IN ('pending', 'sent', 'dead')),  -- dead: given up
    attempts INTEGER NOT NULL DEFAULT 0,    -- that failed
    ambiguous INTEGER NOT NULL DEFAULT 0,   -- 1: it may be there; look before it is made
    in_flight INTEGER NOT NULL DEFAULT 0,   -- 1: an attempt has begun
    next_attempt_at_s INTEGER NOT NULL,     -- steady
    external_ref TEXT NOT NULL DEFAULT '',  -- GitHub's id of it; empty: not known
    message TEXT NOT NULL DEFAULT '',       -- why it was not sent; may be empty
    changed_at_s INTEGER NOT NULL,          -- UTC; when its words changed
    given_up INTEGER NOT NULL DEFAULT 0,    -- 1: it was given up, and is waited for
    filings INTEGER NOT NULL DEFAULT 0,     -- requests that may have made it
    filed_at_s INTEGER NOT NULL DEFAULT 0,  -- steady; when the last of them ended
    -- steady; when to look whether it is there twice; NULL: no need
    look_at_s INTEGER,
    UNIQUE (target, place)
) STRICT;
CREATE INDEX notice_due ON notice(next_attempt_at_s) WHERE state = 'pending';
CREATE INDEX notice_given_up ON notice(target, changed_at_s) WHERE given_up = 1;
CREATE INDEX notice_look ON notice(look_at_s) WHERE look_at_s IS NOT NULL;

-- Verified culprits, and which pull requests brought them: there one comment tells of them.
CREATE TABLE culprit_pull (
    id INTEGER PRIMARY KEY,                 -- its number
    regression_id INTEGER NOT NULL REFERENCES regression(id),  -- whose culprit
    target TEXT NOT NULL,                   -- name of the report target in the config
    revision TEXT NOT NULL,                 -- the culprit
    -- asking: the tracker is asked which it was
    state TEXT NOT NULL CHECK (state IN ('asking', 'found', 'none')),
    number INTEGER NOT NULL DEFAULT 0,      -- of the pull request; 0: not known
    told INTEGER NOT NULL DEFAULT 0,        -- 1: the comment says how the regression stands
    attempts INTEGER NOT NULL DEFAULT 0,    -- to ask that failed
    next_attempt_at_s INTEGER NOT NULL,     -- steady
    message TEXT NOT NULL DEFAULT '',       -- why none was found; may be empty
    UNIQUE (regression_id, target, revision)
) STRICT;
CREATE INDEX culprit_pull_asking ON culprit_pull(next_attempt_at_s) WHERE state = 'asking';
CREATE INDEX culprit_pull_untold ON culprit_pull(id) WHERE state = 'found' AND told = 0;
CREATE INDEX culprit_pull_place ON culprit_pull(target, number) WHERE state = 'found';
