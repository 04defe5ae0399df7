-- What the history says: since when a suspicion is, and changes that are listed and not filed.

ALTER TABLE suspicion ADD COLUMN score REAL NOT NULL DEFAULT 0;     -- nats; docs/detection.md
ALTER TABLE suspicion ADD COLUMN creep INTEGER NOT NULL DEFAULT 0;  -- 1: a sum of small changes
-- The likeliest first night of what is suspected, and its plausible range; NULL: not known.
ALTER TABLE suspicion ADD COLUMN since_nightly_id INTEGER REFERENCES nightly(id);
ALTER TABLE suspicion ADD COLUMN since_earliest_id INTEGER REFERENCES nightly(id);
ALTER TABLE suspicion ADD COLUMN since_latest_id INTEGER REFERENCES nightly(id);

-- A change that is certain and not filed: not above the threshold, or not confirmed to be.
CREATE TABLE drift (
    id INTEGER PRIMARY KEY,
    series_id INTEGER NOT NULL REFERENCES series(id),
    -- history: levels of the series, not measured again; measured: an A/B session; creep: such a
    -- session of a sum of small changes
    kind TEXT NOT NULL CHECK (kind IN ('history', 'measured', 'creep')),
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),           -- whose judgement found it
    since_nightly_id INTEGER NOT NULL REFERENCES nightly(id),     -- likeliest first night
    since_earliest_id INTEGER NOT NULL REFERENCES nightly(id),
    since_latest_id INTEGER NOT NULL REFERENCES nightly(id),
    suspicion_id INTEGER REFERENCES suspicion(id),                -- NULL: history
    before REAL NOT NULL,                                         -- metric's unit
    after REAL NOT NULL,
    change_ratio REAL NOT NULL,                                   -- how much worse
    low REAL NOT NULL,                                            -- 90 % interval
    high REAL NOT NULL,
    created_at_s INTEGER NOT NULL
) STRICT;
CREATE INDEX drift_series ON drift(series_id, id);
CREATE INDEX drift_nightly ON drift(nightly_id);
