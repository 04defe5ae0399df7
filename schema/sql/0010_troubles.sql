-- What is wrong and lasts: one row for each cause, from its first sight until it ends.
CREATE TABLE trouble (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,                     -- thing.state: source.failed, class.no_workers
    subject TEXT NOT NULL,                  -- what has it: project/json, class/a100, report/3
    project_id INTEGER REFERENCES project(id),
    message TEXT NOT NULL,                  -- for a person: what, why, what to do
    since_s INTEGER NOT NULL,
    seen_s INTEGER NOT NULL,                -- last time it was met
    ended_s INTEGER,
    told INTEGER NOT NULL DEFAULT 0         -- a message about it is in the outbox
) STRICT;
CREATE UNIQUE INDEX trouble_open ON trouble(kind, subject) WHERE ended_s IS NULL;
