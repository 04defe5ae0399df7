-- Values of nights that are rolled up come three to a row.
ALTER TABLE night_value ADD COLUMN
    run2_id INTEGER;                        -- of the same worker; NULL: the row has one run
ALTER TABLE night_value ADD COLUMN
    run3_id INTEGER;                        -- NULL: the row has two
ALTER TABLE night_value ADD COLUMN
    median2 REAL;
ALTER TABLE night_value ADD COLUMN
    median3 REAL;
ALTER TABLE night_value ADD COLUMN
    spread2 REAL;
ALTER TABLE night_value ADD COLUMN
    spread3 REAL;
DROP TRIGGER night_value_comes;
CREATE TRIGGER night_value_comes AFTER INSERT ON measurement
    WHEN (new.median = 0 OR new.median BETWEEN 1e-60 AND 1e60)
    AND new.spread BETWEEN 0 AND 1e60 BEGIN
    INSERT INTO night_value(series_id, nightly_id, run_id, worker_id, environment_id, median,
        spread, count) SELECT new.series_id, job.nightly_id, run.id, run.worker_id,
        run.environment_id, new.median, new.spread, new.count
        FROM run CROSS JOIN job ON job.id = run.job_id AND job.attempt = run.attempt
        WHERE run.id = new.run_id AND run.outcome = 'passed' AND job.purpose = 'nightly'
        AND job.nightly_id IS NOT NULL;
END;
-- The values of night_value, a row for each run.
CREATE VIEW night_run AS SELECT v.series_id, v.nightly_id, CASE place.number WHEN 1 THEN v.run_id
    WHEN 2 THEN v.run2_id ELSE v.run3_id END AS run_id, v.worker_id, v.environment_id,
    CASE place.number WHEN 1 THEN v.median WHEN 2 THEN v.median2 ELSE v.median3 END AS median,
    CASE place.number WHEN 1 THEN v.spread WHEN 2 THEN v.spread2 ELSE v.spread3 END AS spread,
    v.count FROM night_value v
    CROSS JOIN (SELECT 1 AS number UNION ALL SELECT 2 UNION ALL SELECT 3) place
    WHERE place.number = 1 OR (place.number = 2 AND v.run2_id IS NOT NULL)
    OR (place.number = 3 AND v.run3_id IS NOT NULL);
DROP VIEW rolled_value;
CREATE VIEW rolled_value AS SELECT n.id AS nightly_id, v.series_id, v.run_id, v.worker_id,
    v.environment_id, v.median, v.spread, v.count FROM nightly n
    CROSS JOIN series s ON s.project_id = n.project_id
    CROSS JOIN night_run v ON v.series_id = s.id AND v.nightly_id = n.id
    WHERE n.rolled_up_at_s IS NOT NULL AND NOT EXISTS (SELECT 1 FROM measurement m
        WHERE m.run_id = v.run_id AND m.series_id = v.series_id);

ALTER TABLE rolled_night ADD COLUMN
    packed INTEGER NOT NULL DEFAULT 0;      -- 1: so are its values
CREATE INDEX rolled_night_loose ON rolled_night(nightly_id) WHERE packed = 0;
-- Nights of a project whose values are being packed, series by series.
CREATE TABLE packing (
    project_id INTEGER PRIMARY KEY REFERENCES project(id),  -- whose
    first_id INTEGER NOT NULL REFERENCES nightly(id),  -- first of these nights
    last_id INTEGER NOT NULL REFERENCES nightly(id),  -- last of them
    next_series_id INTEGER NOT NULL         -- the series before it are packed
) STRICT;
