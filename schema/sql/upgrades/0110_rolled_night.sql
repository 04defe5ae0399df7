-- Old nights are rolled up: their uneventful jobs go, with their runs.
ALTER TABLE nightly ADD COLUMN
    rolled_up_at_s INTEGER;                 -- UTC; when its runs began to go; NULL: they are here
CREATE INDEX nightly_raw ON nightly(project_id, id) WHERE rolled_up_at_s IS NULL;
CREATE TABLE rolled_night (
    nightly_id INTEGER PRIMARY KEY REFERENCES nightly(id),  -- whose runs go
    next_job_id INTEGER NOT NULL DEFAULT 0,  -- the jobs before it were looked at
    going_job_id INTEGER,                   -- that is being taken apart; NULL: none is
    kept_jobs INTEGER NOT NULL DEFAULT 0,   -- that stay as they were
    last_run_id INTEGER NOT NULL DEFAULT 0,  -- newest run that is gone
    ended_at_s INTEGER                      -- UTC; NULL: it goes on
) STRICT;
CREATE INDEX rolled_night_open ON rolled_night(nightly_id) WHERE ended_at_s IS NULL;

-- The jobs that are gone, by machine class: what a night tells of its jobs counts them too.
CREATE TABLE rolled_jobs (
    nightly_id INTEGER NOT NULL REFERENCES rolled_night(nightly_id),  -- whose own jobs they were
    machine_class_id INTEGER NOT NULL REFERENCES machine_class(id),  -- of the jobs
    purpose TEXT NOT NULL,                  -- as job.purpose
    jobs INTEGER NOT NULL,                  -- all of them done
    passed INTEGER NOT NULL,                -- runs that passed
    unsupported INTEGER NOT NULL,           -- runs that were not supported; there were no others
    measurements INTEGER NOT NULL,          -- of these runs, those too that cannot be judged
    samples INTEGER NOT NULL,               -- of these measurements
    seconds INTEGER NOT NULL,               -- as attempt_time has it
    build_s INTEGER NOT NULL,               -- of these: builds
    PRIMARY KEY (nightly_id, machine_class_id, purpose)
) STRICT, WITHOUT ROWID;

-- What is left of a night's runs tells of how many samples they were.
ALTER TABLE night_value ADD COLUMN
    count INTEGER NOT NULL DEFAULT 0;       -- as measurement.count
UPDATE night_value SET count = ifnull((SELECT measurement.count FROM measurement
    WHERE measurement.run_id = night_value.run_id
    AND measurement.series_id = night_value.series_id), 0);
DROP TRIGGER night_value_comes;
CREATE TRIGGER night_value_comes AFTER INSERT ON measurement
    WHEN (new.median = 0 OR new.median BETWEEN 1e-60 AND 1e60)
    AND new.spread BETWEEN 0 AND 1e60 BEGIN
    INSERT INTO night_value SELECT new.series_id, job.nightly_id, run.id, run.worker_id,
        run.environment_id, new.median, new.spread, new.count
        FROM run CROSS JOIN job ON job.id = run.job_id AND job.attempt = run.attempt
        WHERE run.id = new.run_id AND run.outcome = 'passed' AND job.purpose = 'nightly'
        AND job.nightly_id IS NOT NULL;
END;
-- What goes because it is rolled up is undone by nobody.
DROP TRIGGER night_value_goes;
CREATE TRIGGER night_value_goes AFTER DELETE ON measurement
    WHEN (SELECT nightly.rolled_up_at_s FROM run JOIN job ON job.id = run.job_id
        JOIN nightly ON nightly.id = job.nightly_id WHERE run.id = old.run_id) IS NULL BEGIN
    DELETE FROM night_value WHERE series_id = old.series_id AND run_id = old.run_id
        AND nightly_id = (SELECT job.nightly_id FROM run JOIN job ON job.id = run.job_id
            WHERE run.id = old.run_id);
END;
DROP TRIGGER day_runs_less;
CREATE TRIGGER day_runs_less AFTER DELETE ON run
    WHEN (SELECT nightly.rolled_up_at_s FROM job JOIN nightly ON nightly.id = job.nightly_id
        WHERE job.id = old.job_id) IS NULL BEGIN
    UPDATE day_runs SET runs = runs - 1 WHERE (day, project_id, purpose) =
        (SELECT created_at_s / 86400, project_id, purpose FROM job WHERE id = old.job_id);
END;
-- What is left of the runs of a night that is rolled up.
CREATE VIEW rolled_value AS SELECT n.id AS nightly_id, v.series_id, v.run_id, v.worker_id,
    v.environment_id, v.median, v.spread, v.count FROM nightly n
    CROSS JOIN series s ON s.project_id = n.project_id
    CROSS JOIN night_value v ON v.series_id = s.id AND v.nightly_id = n.id
    WHERE n.rolled_up_at_s IS NOT NULL AND NOT EXISTS (SELECT 1 FROM measurement m
        WHERE m.run_id = v.run_id AND m.series_id = v.series_id);

-- A job that goes is looked for in no table as a whole.
CREATE INDEX chosen_batch_run ON chosen_batch(run_id);
CREATE INDEX import_job ON import(job_id);
CREATE INDEX canary_job ON canary_check(job_id) WHERE job_id IS NOT NULL;
CREATE INDEX storm_job ON storm_series(job_id);
