-- The ledger's second half: what we make of the measurements, what we say, and bookkeeping. One
-- schema with 0001, in two files because a file has 400 lines at most.

-- What we make of it -----------------------------------------------------------------------------

-- What the series is compared with. 'rolling' starts over at a night whose level was accepted as
-- new (a filed regression, an improvement); 'pinned' names one night and stays.
CREATE TABLE baseline (
    id INTEGER PRIMARY KEY,
    series_id INTEGER NOT NULL REFERENCES series(id),
    kind TEXT NOT NULL CHECK (kind IN ('rolling', 'pinned')),
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),  -- first night of the level, or the pin
    reason TEXT NOT NULL,
    created_at_s INTEGER NOT NULL
) STRICT;
CREATE INDEX baseline_series ON baseline(series_id, kind, id DESC);

CREATE TABLE suspicion (
    id INTEGER PRIMARY KEY,
    series_id INTEGER NOT NULL REFERENCES series(id),
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),
    good_nightly_id INTEGER NOT NULL REFERENCES nightly(id),  -- the A of A/B
    session_id INTEGER REFERENCES session(id),
    kind TEXT NOT NULL CHECK (kind IN ('level', 'outcome')),  -- outcome: it no longer runs
    state TEXT NOT NULL CHECK (state IN ('open', 'confirming', 'ended')),
    verdict TEXT CHECK (verdict IN ('regression', 'drift', 'noise', 'watch', 'environment',
        'method_change', 'broken', 'leak', 'improvement', 'fixed')),
    base REAL NOT NULL,                     -- baseline's level, metric's unit
    value REAL NOT NULL,                    -- the night's value
    change_ratio REAL NOT NULL,             -- of the night against the baseline
    confirmed TEXT NOT NULL DEFAULT '{}',   -- JSON Comparison of the session
    reason TEXT NOT NULL,                   -- the rule that spoke, in words
    created_at_s INTEGER NOT NULL,
    ended_at_s INTEGER,
    UNIQUE (series_id, nightly_id)
) STRICT;
CREATE INDEX suspicion_nightly ON suspicion(nightly_id);

CREATE TABLE regression (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES project(id),
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),
    state TEXT NOT NULL CHECK (state IN ('confirmed', 'searching', 'attributed', 'range',
        'not_reproduced', 'reported', 'acknowledged', 'accepted', 'refuted', 'recovered',
        'closed')),
    good_build_id INTEGER NOT NULL REFERENCES build(id),
    bad_build_id INTEGER NOT NULL REFERENCES build(id),
    bisection_id INTEGER REFERENCES bisection(id),
    split_from_id INTEGER REFERENCES regression(id),
    culprit TEXT,                           -- revision, only after verification
    suspects TEXT NOT NULL DEFAULT '[]',    -- JSON: revisions left when there is no culprit
    reason TEXT NOT NULL DEFAULT '',        -- why only a range, or why not reproduced
    created_at_s INTEGER NOT NULL,
    changed_at_s INTEGER NOT NULL
) STRICT;
CREATE INDEX regression_project ON regression(project_id, state);

CREATE TABLE regression_series (
    regression_id INTEGER NOT NULL REFERENCES regression(id),
    series_id INTEGER NOT NULL REFERENCES series(id),
    suspicion_id INTEGER NOT NULL REFERENCES suspicion(id),
    recovered_nightly_id INTEGER REFERENCES nightly(id),
    verified TEXT NOT NULL DEFAULT '{}',    -- JSON Comparison of culprit against parent
    PRIMARY KEY (regression_id, series_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE bisection (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES project(id),
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),
    good_revision TEXT NOT NULL,
    bad_revision TEXT NOT NULL,
    -- listing: the git lane is asked for the suspects; searching: probes; verifying: A/B of
    -- culprits
    state TEXT NOT NULL CHECK (state IN ('listing', 'searching', 'verifying', 'done', 'failed')),
    planner INTEGER NOT NULL,               -- version of the search; its state is the probes
    settings TEXT NOT NULL,                 -- JSON: thresholds, budget, series in order
    conclusion TEXT NOT NULL DEFAULT '{}',  -- JSON: per series culprit or set, and why
    created_at_s INTEGER NOT NULL,
    ended_at_s INTEGER
) STRICT;

CREATE TABLE suspect (
    bisection_id INTEGER NOT NULL REFERENCES bisection(id),
    position INTEGER NOT NULL,              -- 0 is the good end, then oldest first
    revision TEXT NOT NULL,
    parent TEXT,                            -- first parent; NULL for the good end
    merge INTEGER NOT NULL,                 -- 1: has more than one parent
    subject TEXT NOT NULL,                  -- a stranger's text
    author TEXT NOT NULL,                   -- a stranger's text
    authored_at_s INTEGER NOT NULL,
    build_id INTEGER REFERENCES build(id),  -- once it was probed
    PRIMARY KEY (bisection_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE probe (
    id INTEGER PRIMARY KEY,
    bisection_id INTEGER NOT NULL REFERENCES bisection(id),
    number INTEGER NOT NULL,                -- order of asking, from 0
    plan TEXT NOT NULL,                     -- JSON: machine class, ordered positions, series, why
    state TEXT NOT NULL CHECK (state IN ('open', 'done')),
    created_at_s INTEGER NOT NULL,
    UNIQUE (bisection_id, number)
) STRICT;

-- What we say ------------------------------------------------------------------------------------

CREATE TABLE report (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('regression', 'night')),
    project_id INTEGER NOT NULL REFERENCES project(id),
    regression_id INTEGER REFERENCES regression(id),
    nightly_id INTEGER REFERENCES nightly(id),
    version INTEGER NOT NULL,               -- of the same document, from 1
    title TEXT NOT NULL,
    body TEXT NOT NULL,                     -- Markdown
    created_at_s INTEGER NOT NULL,
    checked_at_s INTEGER NOT NULL DEFAULT 0 -- when it was last compared with what it speaks of
) STRICT;
CREATE UNIQUE INDEX report_regression ON report(regression_id, version) WHERE kind = 'regression';
CREATE UNIQUE INDEX report_night ON report(nightly_id, version) WHERE kind = 'night';

CREATE TABLE outbox (
    id INTEGER PRIMARY KEY,
    report_id INTEGER NOT NULL REFERENCES report(id),
    target TEXT NOT NULL,                   -- name of the report target in the config
    state TEXT NOT NULL CHECK (state IN ('pending', 'sent', 'dead')),
    attempts INTEGER NOT NULL DEFAULT 0,
    ambiguous INTEGER NOT NULL DEFAULT 0,   -- 1: may have been sent; look before sending again
    next_attempt_at_s INTEGER NOT NULL,
    external_ref TEXT NOT NULL DEFAULT '',  -- issue URL, file path
    message TEXT NOT NULL DEFAULT '',
    UNIQUE (report_id, target)
) STRICT;
CREATE INDEX outbox_pending ON outbox(next_attempt_at_s) WHERE state = 'pending';

-- Bookkeeping ------------------------------------------------------------------------------------

CREATE TABLE content (
    digest TEXT PRIMARY KEY,
    size_bytes INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('source', 'artifact', 'product', 'log')),
    created_at_s INTEGER NOT NULL,
    used_at_s INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency (
    key TEXT PRIMARY KEY,                   -- token name, route and the client's key
    request_digest TEXT NOT NULL,
    status INTEGER NOT NULL,
    body TEXT NOT NULL,
    created_at_s INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- When each schedule fired last: a time missed while down runs once.
CREATE TABLE schedule (
    project_id INTEGER PRIMARY KEY REFERENCES project(id),
    cron TEXT NOT NULL,
    checked_at_s INTEGER NOT NULL           -- due times up to here were acted on
) STRICT;

-- Append-only: the audit log, and the source of the live feed.
CREATE TABLE event (
    id INTEGER PRIMARY KEY,
    at_s INTEGER NOT NULL,
    kind TEXT NOT NULL,                     -- "job.leased", "nightly.none", ...
    project_id INTEGER REFERENCES project(id),
    subject TEXT NOT NULL,                  -- "job/12", "regression/3"
    message TEXT NOT NULL,
    data TEXT NOT NULL DEFAULT '{}'         -- JSON
) STRICT;
CREATE INDEX event_subject ON event(subject, id);
CREATE TRIGGER event_keeps BEFORE UPDATE ON event
BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER event_stays BEFORE DELETE ON event
BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
