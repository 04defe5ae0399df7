-- A source that is yet to be had is found without a look at all jobs that wait.
CREATE INDEX build_missing ON build(project_id, id)
    WHERE input_kind = 'source_tree' AND input_digest IS NULL AND input_error = '';

-- What few rows have is found without a look at all of them.
CREATE INDEX run_rare ON run(outcome, id) WHERE outcome <> 'passed';
CREATE INDEX job_rare ON job(state, id) WHERE state <> 'done';

-- A question whose sending began and has not ended: after an end of the daemon it is asked again.
ALTER TABLE callback ADD COLUMN in_flight INTEGER NOT NULL DEFAULT 0 CHECK (in_flight IN (0, 1));
