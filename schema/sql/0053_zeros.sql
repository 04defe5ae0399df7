-- 0 is a value of what is counted or taken. Of a time, a rate or a whole process it is a fault,
-- which never comes to `measurement`.
DROP TRIGGER night_value_comes;
DROP VIEW judged_measurement;
CREATE VIEW judged_measurement AS SELECT * FROM measurement
WHERE (median = 0 OR median BETWEEN 1e-60 AND 1e60) AND spread BETWEEN 0 AND 1e60;
CREATE TRIGGER night_value_comes AFTER INSERT ON measurement
    WHEN (new.median = 0 OR new.median BETWEEN 1e-60 AND 1e60)
    AND new.spread BETWEEN 0 AND 1e60 BEGIN
    INSERT INTO night_value SELECT new.series_id, job.nightly_id, run.id, run.worker_id,
        run.environment_id, new.median, new.spread
        FROM run CROSS JOIN job ON job.id = run.job_id AND job.attempt = run.attempt
        WHERE run.id = new.run_id AND run.outcome = 'passed' AND job.purpose = 'nightly'
        AND job.nightly_id IS NOT NULL;
END;

-- What was set aside for being 0 is history, and its series' records are made anew.
INSERT OR IGNORE INTO stale_record SELECT series_id FROM unjudged_measurement
    WHERE reason GLOB 'its value is 0[;.]*' AND series_id IN (SELECT id FROM series
    WHERE direction = 'lower_is_better' AND metric NOT GLOB '*_time_ns'
    AND metric <> 'peak_process_bytes');
INSERT INTO measurement(run_id, series_id, median, spread, count, samples)
    SELECT run_id, series_id, 0, 0, count, samples FROM unjudged_measurement
    WHERE reason GLOB 'its value is 0[;.]*' AND series_id IN (SELECT id FROM series
    WHERE direction = 'lower_is_better' AND metric NOT GLOB '*_time_ns'
    AND metric <> 'peak_process_bytes');
DELETE FROM unjudged_measurement
    WHERE reason GLOB 'its value is 0[;.]*' AND series_id IN (SELECT id FROM series
    WHERE direction = 'lower_is_better' AND metric NOT GLOB '*_time_ns'
    AND metric <> 'peak_process_bytes');
