-- A program may measure many cases in one run, and several quantities of each: each has a series of
-- its own. SQLite cannot change what has to be unique: the table is made anew.
PRAGMA defer_foreign_keys = ON;
CREATE TABLE series_kept AS SELECT * FROM series;
DROP TABLE series;
CREATE TABLE series (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES project(id),
    benchmark TEXT NOT NULL,
    variant TEXT NOT NULL,
    machine_class_id INTEGER NOT NULL REFERENCES machine_class(id),
    metric TEXT NOT NULL,
    definition INTEGER NOT NULL,            -- a new definition is a new series
    unit TEXT NOT NULL,
    direction TEXT NOT NULL CHECK (direction IN ('lower_is_better', 'higher_is_better')),
    told TEXT CHECK (told IN ('lower_is_better', 'higher_is_better')),
    judging TEXT NOT NULL DEFAULT 'as_metric'
        CHECK (judging IN ('as_metric', 'always', 'never', 'no_direction')),
    case_name TEXT NOT NULL DEFAULT '',     -- of the program; empty: it is one benchmark
    quantity TEXT NOT NULL DEFAULT '',      -- a counter's own name; empty: the metric says it
    threshold REAL,                         -- change ratio above which worse counts, by a rule
                                            -- of the config; NULL: the project's
    shown TEXT GENERATED ALWAYS AS (benchmark || iif(case_name = '', '', ': ' || case_name)
        || iif(quantity = '', '', ', ' || quantity)) VIRTUAL,  -- for people
    UNIQUE (project_id, benchmark, variant, machine_class_id, metric, definition, case_name,
        quantity)
) STRICT;
INSERT INTO series(id, project_id, benchmark, variant, machine_class_id, metric, definition, unit,
    direction, told, judging) SELECT id, project_id, benchmark, variant, machine_class_id, metric,
    definition, unit, direction, told, judging FROM series_kept;
DROP TABLE series_kept;
CREATE INDEX series_no_direction ON series(project_id, id) WHERE judging = 'no_direction';

-- What was run: one case alone; empty: the whole program. Runs of both are never compared.
ALTER TABLE run ADD COLUMN case_name TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN case_name TEXT NOT NULL DEFAULT '';

-- Cases that ended with an error in a run that measured others.
CREATE TABLE case_failure (
    run_id INTEGER NOT NULL REFERENCES run(id),
    case_name TEXT NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (run_id, case_name)
) STRICT, WITHOUT ROWID;

-- Cases that their program does not run alone by these arguments: it is run whole for them.
CREATE TABLE whole_case (
    project_id INTEGER NOT NULL REFERENCES project(id),
    benchmark TEXT NOT NULL,
    variant TEXT NOT NULL,
    case_name TEXT NOT NULL,
    arguments TEXT NOT NULL,                -- JSON: case_arguments of the config
    PRIMARY KEY (project_id, benchmark, variant, case_name)
) STRICT, WITHOUT ROWID;
