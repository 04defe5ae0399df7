-- What a person asks to be measured: runs of one build, a comparison of two, or the search of a
-- range, which begins with the comparison of its ends.
CREATE TABLE request (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES project(id),
    kind TEXT NOT NULL CHECK (kind IN ('run', 'comparison', 'bisection')),
    -- naming: the project's source is asked what a name means; measuring: its sessions go on
    state TEXT NOT NULL
        CHECK (state IN ('naming', 'measuring', 'searching', 'done', 'failed', 'cancelled')),
    a TEXT NOT NULL,                         -- as it was named: a hash, a version, a night
    b TEXT NOT NULL,                         -- the same of the later one; of a run what `a` is
    a_build_id INTEGER REFERENCES build(id), -- NULL: not known yet
    b_build_id INTEGER REFERENCES build(id),
    asked TEXT NOT NULL,                     -- JSON: what is measured, and how often
    token TEXT NOT NULL,                     -- name of the token that asked for it
    message TEXT NOT NULL DEFAULT '',        -- what came of it
    bisection_id INTEGER REFERENCES bisection(id),
    -- Of its step, counted before it begins, so that one that ends the daemon is counted too.
    tries INTEGER NOT NULL DEFAULT 0,
    created_at_s INTEGER NOT NULL,
    ended_at_s INTEGER
) STRICT;
CREATE INDEX request_open ON request(id) WHERE state IN ('naming', 'measuring', 'searching');
CREATE INDEX request_naming ON request(id) WHERE state = 'naming';
CREATE INDEX request_bisection ON request(bisection_id) WHERE bisection_id IS NOT NULL;

-- A session is of a night or of a request. What a column allows cannot be changed, so it is made
-- anew.
DROP INDEX session_nightly;
ALTER TABLE session RENAME COLUMN nightly_id TO nightly_before;
ALTER TABLE session ADD COLUMN nightly_id INTEGER REFERENCES nightly(id);
UPDATE session SET nightly_id = nightly_before;
ALTER TABLE session DROP COLUMN nightly_before;
CREATE INDEX session_nightly ON session(nightly_id);
ALTER TABLE session ADD COLUMN request_id INTEGER REFERENCES request(id);
CREATE INDEX session_request ON session(request_id) WHERE request_id IS NOT NULL;
ALTER TABLE session ADD COLUMN message TEXT NOT NULL DEFAULT '';  -- of a request's: how it ended

-- What the runs of a request's session say of one series.
CREATE TABLE request_verdict (
    session_id INTEGER NOT NULL REFERENCES session(id),
    series_id INTEGER NOT NULL REFERENCES series(id),
    verdict TEXT CHECK (verdict IN ('regression', 'drift', 'noise', 'watch', 'improvement')),
    comparison TEXT NOT NULL,                -- JSON Comparison, also while there is no verdict
    reason TEXT NOT NULL,
    PRIMARY KEY (session_id, series_id)
) STRICT, WITHOUT ROWID;

-- A bisection that a request asked for is of no night.
DROP INDEX bisection_nightly;
ALTER TABLE bisection RENAME COLUMN nightly_id TO nightly_before;
ALTER TABLE bisection ADD COLUMN nightly_id INTEGER REFERENCES nightly(id);
UPDATE bisection SET nightly_id = nightly_before;
ALTER TABLE bisection DROP COLUMN nightly_before;
CREATE INDEX bisection_nightly ON bisection(nightly_id, state);
ALTER TABLE bisection RENAME COLUMN kind TO kind_before;
ALTER TABLE bisection ADD COLUMN kind TEXT NOT NULL DEFAULT 'change'
    CHECK (kind IN ('change', 'build', 'mending', 'asked'));
UPDATE bisection SET kind = kind_before;
ALTER TABLE bisection DROP COLUMN kind_before;
