-- Runs of each session are counted as they come: what a session cost stays known when its runs are
-- rolled up, and is one number instead of a look at all of them.
ALTER TABLE session ADD COLUMN
    runs INTEGER NOT NULL DEFAULT 0;        -- that its jobs made; the triggers alone write it
UPDATE session SET runs = (SELECT count(*) FROM job JOIN run ON run.job_id = job.id
    WHERE job.session_id = session.id);
CREATE TRIGGER session_runs_more AFTER INSERT ON run BEGIN
    UPDATE session SET runs = runs + 1
        WHERE id = (SELECT session_id FROM job WHERE id = new.job_id);
END;
CREATE TRIGGER session_runs_less AFTER DELETE ON run
    WHEN (SELECT nightly.rolled_up_at_s FROM job JOIN nightly ON nightly.id = job.nightly_id
        WHERE job.id = old.job_id) IS NULL BEGIN
    UPDATE session SET runs = runs - 1
        WHERE id = (SELECT session_id FROM job WHERE id = old.job_id);
END;

-- What happened to a job goes with it.
DROP TRIGGER event_stays;
CREATE TRIGGER event_stays BEFORE DELETE ON event
    WHEN NOT EXISTS (SELECT 1 FROM job JOIN nightly ON nightly.id = job.nightly_id
        WHERE old.subject = 'job/' || job.id AND job.id = CAST(substr(old.subject, 5) AS INTEGER)
        AND nightly.rolled_up_at_s IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;

-- From a suspicion to the first one about the same change.
CREATE INDEX suspicion_pair ON suspicion(series_id, good_nightly_id, id);

-- Logs go with their runs, unless another run or build has the same.
CREATE INDEX run_log ON run(log_digest) WHERE log_digest IS NOT NULL;
CREATE INDEX product_log ON product(log_digest) WHERE log_digest IS NOT NULL;
CREATE INDEX content_released ON content(digest) WHERE used_at_s = 0;
