-- Confirmed improvements whose commit is searched by a request, or why nothing searches it
-- (search.improvements): one row for the series that moved together.
CREATE TABLE improvement (
    suspicion_id INTEGER PRIMARY KEY REFERENCES suspicion(id),  -- of the series that changed most
    project_id INTEGER NOT NULL REFERENCES project(id),  -- whose
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),  -- that confirmed it
    others INTEGER NOT NULL,                -- series that moved with it
    request_id INTEGER REFERENCES request(id),  -- NULL: nothing searches it
    culprit TEXT,                           -- revision of the commit; NULL: not known
    subject TEXT NOT NULL DEFAULT '',       -- of that commit; a stranger's text
    verified TEXT NOT NULL DEFAULT '{}',    -- JSON Comparison of that commit with its parent
    message TEXT NOT NULL DEFAULT '',       -- what came of it
    told_nightly_id INTEGER REFERENCES nightly(id),  -- whose summary told the end; NULL: none yet
    ended_at_s INTEGER                      -- UTC; NULL: it is searched
) STRICT;
CREATE INDEX improvement_nightly ON improvement(nightly_id);
CREATE INDEX improvement_told ON improvement(told_nightly_id);
CREATE INDEX improvement_untold ON improvement(project_id) WHERE told_nightly_id IS NULL;
CREATE INDEX improvement_searched ON improvement(suspicion_id) WHERE ended_at_s IS NULL;
