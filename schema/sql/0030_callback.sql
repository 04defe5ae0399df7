-- Runs that are asked of who measures a project elsewhere: one row for each attempt of a job that
-- is under lease to the worker that stands for the machines there. Times are steady.
CREATE TABLE callback (
    job_id INTEGER NOT NULL REFERENCES job(id),
    attempt INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'sent', 'dead')),
    tries INTEGER NOT NULL DEFAULT 0,       -- sendings that began
    next_try_at_s INTEGER NOT NULL,
    message TEXT NOT NULL DEFAULT '',       -- why it is not sent, one line
    PRIMARY KEY (job_id, attempt)
) STRICT, WITHOUT ROWID;
CREATE INDEX callback_pending ON callback(next_try_at_s) WHERE state = 'pending';

-- What waits for a worker of its own is found without a look at the whole queue.
CREATE INDEX job_for_one ON job(only_worker_id)
    WHERE state = 'queued' AND only_worker_id IS NOT NULL;
