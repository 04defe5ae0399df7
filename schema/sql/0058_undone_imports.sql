-- An import can be undone: its rows go, and what is derived of them. Its number does not come back,
-- for the audit log names it.
CREATE TABLE import_by_number (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES project(id),
    digest TEXT NOT NULL,
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),
    job_id INTEGER NOT NULL REFERENCES job(id),
    closes INTEGER NOT NULL,
    received_at_s INTEGER NOT NULL,
    former INTEGER NOT NULL DEFAULT 0,
    token TEXT NOT NULL DEFAULT '',         -- name of the token that sent it; empty: of before
    UNIQUE (project_id, digest)
) STRICT;
INSERT INTO import_by_number(id, project_id, digest, nightly_id, job_id, closes, received_at_s,
    former) SELECT id, project_id, digest, nightly_id, job_id, closes, received_at_s, former
    FROM import;
DROP TABLE import;
ALTER TABLE import_by_number RENAME TO import;
CREATE INDEX import_nightly ON import(nightly_id, received_at_s);
DELETE FROM sqlite_sequence WHERE NOT EXISTS (SELECT 1 FROM import);  -- as a new ledger has it

-- Made of measurements by the triggers below, which keep it: where it refers to runs, each run that
-- goes is looked for in all of it.
DROP TRIGGER night_value_comes;
DROP TRIGGER night_value_goes;
DROP TRIGGER night_value_is_made_anew;
CREATE TABLE night_value_kept (
    series_id INTEGER NOT NULL,
    nightly_id INTEGER NOT NULL,
    run_id INTEGER NOT NULL,
    worker_id INTEGER NOT NULL,
    environment_id INTEGER,
    median REAL NOT NULL,
    spread REAL NOT NULL,
    PRIMARY KEY (series_id, nightly_id, run_id)
) STRICT, WITHOUT ROWID;
INSERT INTO night_value_kept(series_id, nightly_id, run_id, worker_id, environment_id, median,
    spread) SELECT series_id, nightly_id, run_id, worker_id, environment_id, median, spread
    FROM night_value;
DROP TABLE night_value;
ALTER TABLE night_value_kept RENAME TO night_value;
CREATE TRIGGER night_value_comes AFTER INSERT ON measurement
    WHEN (new.median = 0 OR new.median BETWEEN 1e-60 AND 1e60)
    AND new.spread BETWEEN 0 AND 1e60 BEGIN
    INSERT INTO night_value SELECT new.series_id, job.nightly_id, run.id, run.worker_id,
        run.environment_id, new.median, new.spread
        FROM run CROSS JOIN job ON job.id = run.job_id AND job.attempt = run.attempt
        WHERE run.id = new.run_id AND run.outcome = 'passed' AND job.purpose = 'nightly'
        AND job.nightly_id IS NOT NULL;
END;
CREATE TRIGGER night_value_goes AFTER DELETE ON measurement BEGIN
    DELETE FROM night_value WHERE series_id = old.series_id AND run_id = old.run_id
        AND nightly_id = (SELECT job.nightly_id FROM run JOIN job ON job.id = run.job_id
            WHERE run.id = old.run_id);
END;
CREATE TRIGGER night_value_is_made_anew AFTER UPDATE OF attempt ON job
    WHEN new.attempt <> old.attempt AND new.purpose = 'nightly' BEGIN
    DELETE FROM night_value WHERE (series_id, nightly_id, run_id) IN (SELECT measurement.series_id,
        new.nightly_id, run.id FROM run CROSS JOIN measurement ON measurement.run_id = run.id
        WHERE run.job_id = new.id);
END;
