-- A regression that a person tells of, because it was not found: measured again by a request, and
-- counted against what was found (recall).
CREATE TABLE missed (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES project(id),
    series_id INTEGER NOT NULL REFERENCES series(id),
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),       -- the first bad night
    good_nightly_id INTEGER NOT NULL REFERENCES nightly(id),  -- the one before that has a value
    believed TEXT NOT NULL DEFAULT '',      -- revision: the person's guess, which decides nothing
    reason TEXT NOT NULL DEFAULT '',
    token TEXT NOT NULL,                    -- name of the token that told it
    -- measuring: its request goes on; confirmed: it is a regression now; not_confirmed: it is not
    -- there; undecided: the request could not tell
    state TEXT NOT NULL
        CHECK (state IN ('measuring', 'confirmed', 'not_confirmed', 'undecided', 'taken_back')),
    message TEXT NOT NULL DEFAULT '',       -- what came of it
    request_id INTEGER NOT NULL REFERENCES request(id),
    suspicion_id INTEGER REFERENCES suspicion(id),  -- which its regression holds
    created_at_s INTEGER NOT NULL,
    ended_at_s INTEGER                      -- it was measured, or taken back
) STRICT;
CREATE UNIQUE INDEX missed_stands ON missed(series_id, nightly_id) WHERE state <> 'taken_back';
CREATE INDEX missed_series ON missed(series_id);
CREATE INDEX missed_measuring ON missed(id) WHERE state = 'measuring';
CREATE INDEX missed_suspicion ON missed(suspicion_id) WHERE suspicion_id IS NOT NULL;
CREATE INDEX missed_created ON missed(created_at_s);
