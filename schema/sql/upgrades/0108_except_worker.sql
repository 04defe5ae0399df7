-- A verification is repeated on another machine than the one that made it.
ALTER TABLE job ADD COLUMN
    -- that may not take it: a verification is repeated on another machine; NULL: all may
    except_worker_id INTEGER REFERENCES worker(id);
CREATE INDEX job_except ON job(except_worker_id)
    WHERE state = 'queued' AND except_worker_id IS NOT NULL;
