-- A machine that was asked for: a row before it is asked for, found again by its name.
CREATE TABLE allocation (
    id INTEGER PRIMARY KEY,                 -- in the order they were planned
    machine_class_id INTEGER NOT NULL REFERENCES machine_class(id),  -- of which class
    name TEXT NOT NULL UNIQUE,              -- of the scheduler's job; no other ever has it
    -- see the drawing in docs/architecture.md
    state TEXT NOT NULL
        CHECK (state IN ('planned', 'pending', 'running', 'leaving', 'ended')),
    cluster_job INTEGER,                    -- the scheduler's number; NULL: it gave none yet
    machine TEXT NOT NULL DEFAULT '',       -- that it is on, was on, or needs; empty: any
    -- how it ended; NULL: it goes on
    outcome TEXT CHECK (outcome IN ('finished', 'cancelled', 'taken_back', 'preempted',
        'machine_failed', 'timed_out', 'out_of_memory', 'failed', 'refused', 'impossible', 'lost')),
    reason TEXT NOT NULL DEFAULT '',        -- why it waits or ended; may be empty
    created_at_s INTEGER NOT NULL,          -- UTC
    seen_at_s INTEGER,                      -- UTC; when the scheduler last told of it; NULL: never
    started_at_s INTEGER,                   -- UTC; when it was first seen on a machine; NULL: never
    ended_at_s INTEGER                      -- UTC; NULL: it goes on
) STRICT;
CREATE INDEX allocation_open ON allocation(id) WHERE state <> 'ended';
CREATE INDEX allocation_created ON allocation(machine_class_id, created_at_s);
