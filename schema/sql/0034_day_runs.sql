-- How many runs the jobs of each day made: what was spent in a stretch of time is a few rows, and
-- not every run of years. It says nothing that run and job do not say: the triggers alone write it.
CREATE TABLE day_runs (
    day INTEGER NOT NULL,  -- since 1970, UTC, in which the job was asked for
    project_id INTEGER NOT NULL REFERENCES project(id),
    purpose TEXT NOT NULL,
    runs INTEGER NOT NULL,
    PRIMARY KEY (day, project_id, purpose)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER day_runs_more AFTER INSERT ON run BEGIN
    INSERT INTO day_runs SELECT created_at_s / 86400, project_id, purpose, 1 FROM job
        WHERE id = new.job_id ON CONFLICT DO UPDATE SET runs = runs + 1;
END;
CREATE TRIGGER day_runs_less AFTER DELETE ON run BEGIN
    UPDATE day_runs SET runs = runs - 1 WHERE (day, project_id, purpose) =
        (SELECT created_at_s / 86400, project_id, purpose FROM job WHERE id = old.job_id);
END;

INSERT INTO day_runs SELECT job.created_at_s / 86400, job.project_id, job.purpose, count(*)
    FROM run CROSS JOIN job ON job.id = run.job_id GROUP BY 1, 2, 3;
