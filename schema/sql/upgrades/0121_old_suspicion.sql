-- Suspicions that measuring again refuted are kept short once their night is rolled up.
CREATE TABLE old_suspicion (
    id INTEGER PRIMARY KEY,                 -- as it was suspicion.id
    series_id INTEGER NOT NULL REFERENCES series(id),  -- as suspicion has these
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),
    good_nightly_id INTEGER NOT NULL REFERENCES nightly(id),
    session_id INTEGER REFERENCES session(id),
    since_nightly_id INTEGER REFERENCES nightly(id),
    since_earliest_id INTEGER REFERENCES nightly(id),
    since_latest_id INTEGER REFERENCES nightly(id),
    created_at_s INTEGER NOT NULL,
    took_s INTEGER NOT NULL,                -- until it ended
    is_check INTEGER NOT NULL,
    change_ratio REAL NOT NULL,
    runs_before INTEGER NOT NULL,           -- of its comparison; 0: nothing was measured
    runs_after INTEGER NOT NULL,
    measured_ratio REAL NOT NULL,           -- Comparison.change_ratio
    low REAL NOT NULL,
    high REAL NOT NULL,
    asked TEXT NOT NULL,                    -- from here on: the answer, as the loop was told it
    old_nights TEXT,                        -- NULL: good_nightly_id alone
    is_creep INTEGER NOT NULL,
    is_measured INTEGER NOT NULL,
    builds INTEGER NOT NULL,
    moved REAL NOT NULL,
    old_moved REAL NOT NULL,
    sum REAL NOT NULL,
    above REAL NOT NULL,
    change REAL NOT NULL,
    variance REAL NOT NULL,
    freedom REAL NOT NULL,
    UNIQUE (series_id, nightly_id)
) STRICT;
CREATE INDEX old_suspicion_nightly ON old_suspicion(nightly_id);
CREATE INDEX old_suspicion_created ON old_suspicion(created_at_s);

-- All that nights ever asked, as far as every suspicion tells it.
CREATE VIEW every_suspicion AS SELECT id, series_id, nightly_id, good_nightly_id, session_id, kind,
    state, verdict, change_ratio, confirmed, waits, created_at_s, ended_at_s, is_check,
    since_nightly_id, since_earliest_id, since_latest_id FROM suspicion
    UNION ALL SELECT id, series_id, nightly_id, good_nightly_id, session_id, 'level', 'ended',
    'noise', change_ratio, iif(runs_before + runs_after = 0, '{}', printf('{"before":0,'
    || '"after":0,"change_ratio":%!.17g,"low":%!.17g,"high":%!.17g,"above":%!.17g,'
    || '"runs_before":%d,"runs_after":%d,"finding":"unknown"}', measured_ratio, low, high, above,
    runs_before, runs_after)), '', created_at_s,
    created_at_s + took_s, is_check, since_nightly_id, since_earliest_id, since_latest_id
    FROM old_suspicion;

ALTER TABLE rolled_night ADD COLUMN
    next_suspicion_id INTEGER NOT NULL DEFAULT 0;  -- the suspicions before it were looked at
ALTER TABLE rolled_night ADD COLUMN
    suspicions INTEGER NOT NULL DEFAULT 0;  -- that were refuted, and are in old_suspicion now

-- A suspicion that goes is looked for in no table as a whole.
CREATE INDEX drift_suspicion ON drift(suspicion_id) WHERE suspicion_id IS NOT NULL;

-- What happened to a job or a suspicion goes with it.
DROP TRIGGER event_stays;
CREATE TRIGGER event_stays BEFORE DELETE ON event
    WHEN NOT EXISTS (SELECT 1 FROM job JOIN nightly ON nightly.id = job.nightly_id
        WHERE old.subject = 'job/' || job.id AND job.id = CAST(substr(old.subject, 5) AS INTEGER)
        AND nightly.rolled_up_at_s IS NOT NULL)
    AND NOT EXISTS (SELECT 1 FROM old_suspicion WHERE old.subject = 'suspicion/' || id
        AND id = CAST(substr(old.subject, 11) AS INTEGER))
BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
