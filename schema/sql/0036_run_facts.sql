-- What a run says of itself beside its samples: a metric that is no series, or what it chose.
CREATE TABLE run_fact (
    run_id INTEGER NOT NULL REFERENCES run(id),
    name TEXT NOT NULL,                     -- "compile_time_ns", "throughput", "leak", "batch"
    value REAL,
    low REAL,                               -- of its interval at 95 %
    high REAL,
    unit TEXT NOT NULL DEFAULT '',
    text TEXT NOT NULL DEFAULT '',          -- a verdict, a word, or why there is no value
    PRIMARY KEY (run_id, name)
) STRICT, WITHOUT ROWID;

-- The batch that the first run of a variant with `--batch auto` chose. All later ones take it.
CREATE TABLE chosen_batch (
    project_id INTEGER NOT NULL REFERENCES project(id),
    benchmark TEXT NOT NULL,
    variant TEXT NOT NULL,
    machine_class_id INTEGER NOT NULL REFERENCES machine_class(id),
    batch INTEGER NOT NULL CHECK (batch > 0),
    run_id INTEGER NOT NULL REFERENCES run(id),
    PRIMARY KEY (project_id, benchmark, variant, machine_class_id)
) STRICT, WITHOUT ROWID;
