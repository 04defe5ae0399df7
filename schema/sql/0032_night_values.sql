-- What the nights' own runs measured, by series and night: a history is a range of neighbouring
-- rows, and not a look into four tables for each of its nights. It says nothing that run, job and
-- measurement do not say: the triggers alone write it.
CREATE TABLE night_value (
    series_id INTEGER NOT NULL REFERENCES series(id),
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),
    run_id INTEGER NOT NULL REFERENCES run(id),
    worker_id INTEGER NOT NULL REFERENCES worker(id),
    environment_id INTEGER REFERENCES environment(id),
    median REAL NOT NULL,
    spread REAL NOT NULL,
    PRIMARY KEY (series_id, nightly_id, run_id)
) STRICT, WITHOUT ROWID;

-- A run that passed, of the attempt that counts; only what can be judged.
CREATE TRIGGER night_value_comes AFTER INSERT ON measurement
    WHEN new.median BETWEEN 1e-60 AND 1e60 AND new.spread BETWEEN 0 AND 1e60 BEGIN
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
-- What an earlier attempt measured counts no more.
CREATE TRIGGER night_value_is_made_anew AFTER UPDATE OF attempt ON job
    WHEN new.attempt <> old.attempt AND new.purpose = 'nightly' BEGIN
    DELETE FROM night_value WHERE (series_id, nightly_id, run_id) IN (SELECT measurement.series_id,
        new.nightly_id, run.id FROM run CROSS JOIN measurement ON measurement.run_id = run.id
        WHERE run.job_id = new.id);
END;

-- By the order of the jobs, which is the order of the rows: then it is sorted once.
INSERT INTO night_value SELECT measurement.series_id, job.nightly_id, run.id, run.worker_id,
    run.environment_id, measurement.median, measurement.spread
    FROM job CROSS JOIN run ON run.job_id = job.id AND run.attempt = job.attempt
    AND run.outcome = 'passed'
    CROSS JOIN judged_measurement AS measurement ON measurement.run_id = run.id
    WHERE job.purpose = 'nightly' AND job.nightly_id IS NOT NULL ORDER BY 1, 2, 3;
