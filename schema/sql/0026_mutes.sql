-- Whom a person named to look at a regression.
ALTER TABLE regression ADD COLUMN assigned TEXT NOT NULL DEFAULT '';

-- A regression, or all that is found of a series, is not spoken of until then. It always ends.
CREATE TABLE mute (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES project(id),
    regression_id INTEGER REFERENCES regression(id),
    series_id INTEGER REFERENCES series(id),
    owner TEXT NOT NULL,                    -- who answers for it
    reason TEXT NOT NULL,
    token TEXT NOT NULL,                    -- name of the token that asked for it
    since_s INTEGER NOT NULL,
    until_s INTEGER NOT NULL,
    ended_s INTEGER,                        -- NULL: it stands
    ended_why TEXT NOT NULL DEFAULT '',
    CHECK ((regression_id IS NULL) <> (series_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX mute_regression ON mute(regression_id)
    WHERE ended_s IS NULL AND regression_id IS NOT NULL;
CREATE UNIQUE INDEX mute_series ON mute(series_id) WHERE ended_s IS NULL AND series_id IS NOT NULL;
CREATE INDEX mute_until ON mute(until_s) WHERE ended_s IS NULL;

-- Regressions of which nothing is said now: they are muted, or all their series are.
CREATE VIEW muted AS
    SELECT g.id AS regression_id FROM regression g
    WHERE EXISTS (SELECT 1 FROM mute m WHERE m.regression_id = g.id AND m.ended_s IS NULL)
    OR (EXISTS (SELECT 1 FROM regression_series x WHERE x.regression_id = g.id)
        AND NOT EXISTS (SELECT 1 FROM regression_series x WHERE x.regression_id = g.id
            AND NOT EXISTS (SELECT 1 FROM mute m
                WHERE m.series_id = x.series_id AND m.ended_s IS NULL)));
