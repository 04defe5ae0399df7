-- Each project has its own queue: no other one's jobs stand before it.
DROP INDEX job_waiting;
CREATE INDEX job_waiting ON job(machine_class_id, project_id, priority DESC, id)
    WHERE state = 'queued';
