-- Reports may also be comments below an issue and summaries of a week, and a report of a regression
-- knows what it told. The tables are made anew, since what a column allows cannot be changed.
DROP INDEX report_subject;
DROP INDEX report_regression;
DROP INDEX report_night;
DROP INDEX outbox_pending;
DROP INDEX outbox_turn;
DROP INDEX outbox_dead;
DROP INDEX outbox_place;
ALTER TABLE outbox RENAME TO outbox_before;
ALTER TABLE report RENAME TO report_before;

CREATE TABLE report (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('regression', 'night', 'trouble', 'comment', 'week')),
    project_id INTEGER NOT NULL REFERENCES project(id),
    regression_id INTEGER REFERENCES regression(id),
    nightly_id INTEGER REFERENCES nightly(id),
    trouble_id INTEGER REFERENCES trouble(id),
    about_id INTEGER REFERENCES regression(id), -- of a comment: below whose issue
    part INTEGER NOT NULL DEFAULT 0,        -- a comment's number, a week's day as 20261123
    subject TEXT NOT NULL GENERATED ALWAYS AS (CASE kind
        WHEN 'regression' THEN 'regression/' || regression_id
        WHEN 'night' THEN 'nightly/' || nightly_id
        WHEN 'comment' THEN 'comment/' || about_id || '/' || part
        WHEN 'week' THEN 'week/' || project_id || '/' || part
        ELSE 'trouble/' || trouble_id END) STORED,
    version INTEGER NOT NULL,               -- of the same document, from 1
    title TEXT NOT NULL,
    body TEXT NOT NULL,                     -- Markdown
    created_at_s INTEGER NOT NULL,
    checked_at_s INTEGER NOT NULL DEFAULT 0, -- when it was last compared with what it speaks of
    told_state TEXT,                        -- of a regression, as this version tells it
    told_culprit TEXT,
    told_ratio REAL,                        -- the largest change ratio; NULL: it has none
    told_broken INTEGER NOT NULL DEFAULT 0  -- 1: something no longer runs
) STRICT;
INSERT INTO report(id, kind, project_id, regression_id, nightly_id, trouble_id, version, title,
    body, created_at_s, checked_at_s)
    SELECT id, kind, project_id, regression_id, nightly_id, trouble_id, version, title, body,
    created_at_s, checked_at_s FROM report_before;
CREATE UNIQUE INDEX report_subject ON report(subject, version);
CREATE INDEX report_regression ON report(regression_id, version) WHERE regression_id IS NOT NULL;
CREATE INDEX report_night ON report(nightly_id, version) WHERE nightly_id IS NOT NULL;
CREATE INDEX report_about ON report(about_id, part, version) WHERE about_id IS NOT NULL;

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
    in_flight INTEGER NOT NULL DEFAULT 0,   -- 1: an attempt has begun
    filings INTEGER NOT NULL DEFAULT 0,     -- requests that may have filed it
    filed_at_s INTEGER NOT NULL DEFAULT 0,  -- when the last of them ended
    closed INTEGER NOT NULL DEFAULT 0,      -- 1: sent as closed
    in_vain INTEGER NOT NULL DEFAULT 0,     -- of its attempts: at a search
    UNIQUE (report_id, target)
) STRICT;
INSERT INTO outbox SELECT id, report_id, target, state, attempts, ambiguous, next_attempt_at_s,
    external_ref, message, in_flight, filings, filed_at_s, closed, in_vain FROM outbox_before;
CREATE INDEX outbox_pending ON outbox(next_attempt_at_s) WHERE state = 'pending';
CREATE INDEX outbox_turn ON outbox(target, id) WHERE state = 'pending';
CREATE INDEX outbox_dead ON outbox(id) WHERE state = 'dead';
CREATE INDEX outbox_place ON outbox(external_ref) WHERE external_ref <> '';
DROP TABLE outbox_before;
DROP TABLE report_before;
