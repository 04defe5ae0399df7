-- A trouble may be reported: the document is about exactly one regression, night or trouble, which
-- `subject` names. The tables are made anew, since what a column allows cannot be changed.
DROP INDEX report_regression;
DROP INDEX report_night;
DROP INDEX outbox_pending;
ALTER TABLE outbox RENAME TO outbox_before;
ALTER TABLE report RENAME TO report_before;

CREATE TABLE report (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('regression', 'night', 'trouble')),
    project_id INTEGER NOT NULL REFERENCES project(id),
    regression_id INTEGER REFERENCES regression(id),
    nightly_id INTEGER REFERENCES nightly(id),
    trouble_id INTEGER REFERENCES trouble(id),
    subject TEXT NOT NULL GENERATED ALWAYS AS (CASE kind
        WHEN 'regression' THEN 'regression/' || regression_id
        WHEN 'night' THEN 'nightly/' || nightly_id
        ELSE 'trouble/' || trouble_id END) STORED,
    version INTEGER NOT NULL,               -- of the same document, from 1
    title TEXT NOT NULL,
    body TEXT NOT NULL,                     -- Markdown
    created_at_s INTEGER NOT NULL,
    checked_at_s INTEGER NOT NULL DEFAULT 0 -- when it was last compared with what it speaks of
) STRICT;
INSERT INTO report(id, kind, project_id, regression_id, nightly_id, version, title, body,
    created_at_s, checked_at_s)
    SELECT id, kind, project_id, regression_id, nightly_id, version, title, body, created_at_s,
    checked_at_s FROM report_before;
CREATE UNIQUE INDEX report_subject ON report(subject, version);
CREATE INDEX report_regression ON report(regression_id, version) WHERE kind = 'regression';
CREATE INDEX report_night ON report(nightly_id, version) WHERE kind = 'night';

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
INSERT INTO outbox(id, report_id, target, state, attempts, ambiguous, next_attempt_at_s,
    external_ref, message)
    SELECT id, report_id, target, state, attempts, ambiguous, next_attempt_at_s, external_ref,
    message FROM outbox_before;
CREATE INDEX outbox_pending ON outbox(next_attempt_at_s) WHERE state = 'pending';
DROP TABLE outbox_before;
DROP TABLE report_before;
