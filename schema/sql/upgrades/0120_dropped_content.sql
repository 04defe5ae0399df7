-- Content goes by its age, too, and what went is listed.
CREATE INDEX content_unused ON content(kind, used_at_s);
CREATE TABLE dropped_content (
    id INTEGER PRIMARY KEY,                 -- in the order of the days
    day INTEGER NOT NULL,                   -- since 1970, UTC
    kind TEXT NOT NULL,                     -- as content.kind
    -- run_gone: its run was rolled up; unused: for longer than the config says; no_room: the store
    -- was larger than the config says
    reason TEXT NOT NULL CHECK (reason IN ('run_gone', 'unused', 'no_room')),
    files INTEGER NOT NULL,                 -- that went
    bytes INTEGER NOT NULL,                 -- of these files
    UNIQUE (day, kind, reason)
) STRICT;
