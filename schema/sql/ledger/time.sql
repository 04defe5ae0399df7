-- Time: what workers spent on jobs. Triggers alone write it. Owner: service/store/work.

-- Seconds that workers have spent on the jobs of a project, by their purpose: what /metrics tells
-- is a few rows, and not every attempt of years. It says nothing that attempt and job do not say:
-- the triggers alone write it.
CREATE TABLE machine_time (
    project_id INTEGER NOT NULL REFERENCES project(id),  -- whose jobs
    purpose TEXT NOT NULL,                  -- as job.purpose
    seconds INTEGER NOT NULL,               -- from claim to end, over all attempts
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

-- The time of each attempt that ended, and what it was for. The work is the job's purpose; canary:
-- a frozen build that tells of its machine. The day is that of the claim, since 1970, UTC.
CREATE VIEW attempt_time AS SELECT a.job_id, a.number, j.project_id, j.nightly_id,
    j.machine_class_id, a.claimed_at_s / 86400 AS day,
    iif(j.purpose = 'request' AND j.session_id IS NULL, 'canary', j.purpose) AS work,
    a.ended_at_s - a.claimed_at_s AS seconds,
    min(a.build_s, a.ended_at_s - a.claimed_at_s) AS build_s
    FROM job j JOIN attempt a ON a.job_id = j.id WHERE a.ended_at_s > a.claimed_at_s;

-- The same summed up: what a year cost is a few rows a day, and not every attempt. It says nothing
-- that attempt and job do not say: the triggers alone write it.
CREATE TABLE day_time (
    project_id INTEGER NOT NULL REFERENCES project(id),  -- whose jobs
    day INTEGER NOT NULL,                   -- as attempt_time has it
    machine_class_id INTEGER NOT NULL REFERENCES machine_class(id),  -- of the jobs
    work TEXT NOT NULL                      -- as attempt_time has it
        CHECK (work IN ('nightly', 'confirm', 'probe', 'verify', 'request', 'canary')),
    seconds INTEGER NOT NULL,               -- from claim to end, over all attempts
    build_s INTEGER NOT NULL,               -- of these: builds
    PRIMARY KEY (project_id, day, machine_class_id, work)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER day_time_ended AFTER UPDATE OF ended_at_s ON attempt
    WHEN old.ended_at_s IS NULL AND new.ended_at_s > new.claimed_at_s BEGIN
    INSERT INTO day_time SELECT project_id, day, machine_class_id, work, seconds, build_s
        FROM attempt_time WHERE job_id = new.job_id AND number = new.number
        ON CONFLICT DO UPDATE SET seconds = seconds + excluded.seconds,
            build_s = build_s + excluded.build_s;
END;
CREATE TRIGGER day_time_made AFTER INSERT ON attempt
    WHEN new.ended_at_s > new.claimed_at_s BEGIN
    INSERT INTO day_time SELECT project_id, day, machine_class_id, work, seconds, build_s
        FROM attempt_time WHERE job_id = new.job_id AND number = new.number
        ON CONFLICT DO UPDATE SET seconds = seconds + excluded.seconds,
            build_s = build_s + excluded.build_s;
END;
