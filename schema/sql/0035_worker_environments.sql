-- How the facts of a worker's machine changed: a row where an attempt ended with others than the
-- one before. It says nothing that attempts do not say: the trigger alone writes it.
CREATE TABLE worker_environment (
    id INTEGER PRIMARY KEY,
    worker_id INTEGER NOT NULL REFERENCES worker(id),
    environment_id INTEGER NOT NULL REFERENCES environment(id),
    at_s INTEGER NOT NULL
) STRICT;
CREATE INDEX worker_environment_worker ON worker_environment(worker_id, id);

CREATE TRIGGER worker_environment_changes AFTER UPDATE OF environment_after_id ON attempt
    WHEN new.environment_after_id IS NOT NULL AND new.ended_at_s IS NOT NULL
    AND new.environment_after_id IS NOT (SELECT environment_id FROM worker_environment
        WHERE worker_id = new.worker_id ORDER BY id DESC LIMIT 1) BEGIN
    INSERT INTO worker_environment(worker_id, environment_id, at_s)
        VALUES (new.worker_id, new.environment_after_id, new.ended_at_s);
END;

INSERT INTO worker_environment(worker_id, environment_id, at_s)
    SELECT worker_id, environment_after_id, ended_at_s FROM (
        SELECT worker_id, environment_after_id, ended_at_s, job_id,
            lag(environment_after_id) OVER (PARTITION BY worker_id ORDER BY ended_at_s, job_id)
            AS before FROM attempt
        WHERE environment_after_id IS NOT NULL AND ended_at_s IS NOT NULL)
    WHERE environment_after_id IS NOT before ORDER BY ended_at_s, job_id;
