-- Seconds that workers have spent on the jobs of a project, by their purpose: what /metrics tells
-- is a few rows, and not every attempt of years. It says nothing that attempt and job do not say:
-- the triggers alone write it.
CREATE TABLE machine_time (
    project_id INTEGER NOT NULL REFERENCES project(id),
    purpose TEXT NOT NULL,
    seconds INTEGER NOT NULL,
    PRIMARY KEY (project_id, purpose)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER machine_time_ended AFTER UPDATE OF ended_at_s ON attempt
    WHEN old.ended_at_s IS NULL AND new.ended_at_s > new.claimed_at_s BEGIN
    INSERT INTO machine_time SELECT project_id, purpose, new.ended_at_s - new.claimed_at_s FROM job
        WHERE id = new.job_id ON CONFLICT DO UPDATE SET seconds = seconds + excluded.seconds;
END;
CREATE TRIGGER machine_time_made AFTER INSERT ON attempt
    WHEN new.ended_at_s > new.claimed_at_s BEGIN
    INSERT INTO machine_time SELECT project_id, purpose, new.ended_at_s - new.claimed_at_s FROM job
        WHERE id = new.job_id ON CONFLICT DO UPDATE SET seconds = seconds + excluded.seconds;
END;

INSERT INTO machine_time
    SELECT job.project_id, job.purpose, sum(attempt.ended_at_s - attempt.claimed_at_s)
    FROM attempt CROSS JOIN job ON job.id = attempt.job_id
    WHERE attempt.ended_at_s > attempt.claimed_at_s GROUP BY 1, 2;
