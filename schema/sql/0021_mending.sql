-- What brought series of a regression back: the commits after the last night that was measured as
-- still bad, up to the night that was measured as back at its level, and what their texts say.
CREATE TABLE mending (
    id INTEGER PRIMARY KEY,
    regression_id INTEGER NOT NULL REFERENCES regression(id),
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),      -- measured as back, or asked about it
    bad_nightly_id INTEGER NOT NULL REFERENCES nightly(id),  -- the last that was measured as bad
    -- listing: the git lane is asked for the commits; listed: they are here; told: series are back,
    -- and what the commits say of it is decided
    state TEXT NOT NULL CHECK (state IN ('listing', 'listed', 'told')),
    commits TEXT NOT NULL DEFAULT '{}',  -- JSON, while listed: what is decided from
    told TEXT NOT NULL DEFAULT '{}',     -- JSON: what was decided
    UNIQUE (regression_id, nightly_id)
) STRICT;
CREATE INDEX mending_listing ON mending(id) WHERE state = 'listing';
CREATE INDEX mending_nightly ON mending(nightly_id, state);
