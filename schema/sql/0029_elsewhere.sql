-- Results from elsewhere: what other programs measured on machines that run no worker of ours.

-- What was taken, by the digest of what it says: sent again it changes nothing. `closes` is 1 where
-- its sender says that the night has all its results.
CREATE TABLE import (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES project(id),
    digest TEXT NOT NULL,
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),
    job_id INTEGER NOT NULL REFERENCES job(id),
    closes INTEGER NOT NULL,
    received_at_s INTEGER NOT NULL,
    UNIQUE (project_id, digest)
) STRICT;
CREATE INDEX import_nightly ON import(nightly_id, received_at_s);

-- A night is found by its revision and the name its sender gave it.
CREATE INDEX nightly_sent ON nightly(project_id, revision, version);

-- A verdict more. What a column allows cannot be changed: the column is made anew.
DROP INDEX suspicion_nightly;
ALTER TABLE suspicion RENAME COLUMN verdict TO verdict_before;
ALTER TABLE suspicion ADD COLUMN verdict TEXT CHECK (verdict IN ('regression', 'drift', 'noise',
    'watch', 'environment', 'method_change', 'broken', 'leak', 'improvement', 'fixed',
    'unconfirmed'));
UPDATE suspicion SET verdict = verdict_before;
ALTER TABLE suspicion DROP COLUMN verdict_before;
CREATE INDEX suspicion_nightly ON suspicion(nightly_id, state, verdict);
