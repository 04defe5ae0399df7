-- What is remembered of a series from night to night, so that a night is judged without reading its
-- history. A cache: a row that is missing, stale or of another version is made anew from the
-- measurements.

CREATE TABLE series_state (
    series_id INTEGER PRIMARY KEY REFERENCES series(id),
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),  -- the newest night it knows
    level_nights INTEGER NOT NULL,                       -- nights of the level that verdicts set
    level_base REAL,                                     -- median of its first seven nights
    watch BLOB NOT NULL                                  -- bisect/trend/level_state, versioned
) STRICT;
