-- Which way a series is better, as results or plan told it (NULL: nothing did), and whether it is
-- judged. `direction` is what counts: a rule of the config goes before what is told.
ALTER TABLE series ADD COLUMN told TEXT CHECK (told IN ('lower_is_better', 'higher_is_better'));
ALTER TABLE series ADD COLUMN judging TEXT NOT NULL DEFAULT 'as_metric'
    CHECK (judging IN ('as_metric', 'always', 'never', 'no_direction'));
UPDATE series SET told = direction;
CREATE INDEX series_no_direction ON series(project_id, id) WHERE judging = 'no_direction';
