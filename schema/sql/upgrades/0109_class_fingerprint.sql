-- Machines of a fleet's class that differ from it measure nothing for it.
CREATE TABLE class_fingerprint (
    machine_class_id INTEGER PRIMARY KEY REFERENCES machine_class(id),  -- the class
    fingerprint TEXT NOT NULL,              -- JSON: as most of its workers show it
    since_s INTEGER NOT NULL                -- UTC
) STRICT;
CREATE TABLE differing_worker (
    worker_id INTEGER PRIMARY KEY REFERENCES worker(id),  -- who differs
    fingerprint TEXT NOT NULL,              -- JSON: that it was found with
    -- why it is held; where worker.held is something else, it is not held for this
    words TEXT NOT NULL,
    found_at_s INTEGER NOT NULL,            -- UTC
    -- UTC; when the scheduler was to be asked to drain its machine; NULL: it is not
    drain_planned_at_s INTEGER,
    drain_answered_at_s INTEGER             -- UTC; when that was done or refused; NULL: not yet
) STRICT;
