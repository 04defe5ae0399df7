-- What keeps one report one issue: a key for its marker, what may have been filed, and the pace.

CREATE TABLE marker_key (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    key TEXT NOT NULL                       -- secret of this ledger, 64 hex digits
) STRICT;
INSERT INTO marker_key VALUES (1, lower(hex(randomblob(32))));

ALTER TABLE outbox ADD COLUMN in_flight INTEGER NOT NULL DEFAULT 0; -- 1: an attempt has begun
ALTER TABLE outbox ADD COLUMN filings INTEGER NOT NULL DEFAULT 0; -- requests that may have filed it
ALTER TABLE outbox ADD COLUMN filed_at_s INTEGER NOT NULL DEFAULT 0; -- when the last of them ended
ALTER TABLE outbox ADD COLUMN closed INTEGER NOT NULL DEFAULT 0; -- 1: sent as closed
UPDATE outbox SET in_flight = ambiguous, filings = min(attempts, 1) WHERE state = 'pending';

-- Whose turn it is at one target.
CREATE INDEX outbox_turn ON outbox(target, id) WHERE state = 'pending';

-- Writes to a tracker in the last hour, by its server and port, over all targets.
CREATE TABLE tracker_write (
    id INTEGER PRIMARY KEY,
    server TEXT NOT NULL,
    at_ms INTEGER NOT NULL,                 -- steady; when it ended, or was allowed
    open INTEGER NOT NULL                   -- 1: allowed, its end is not known
) STRICT;
CREATE INDEX tracker_write_server ON tracker_write(server, at_ms);

CREATE TABLE tracker_quiet (
    server TEXT PRIMARY KEY,
    until_s INTEGER NOT NULL                -- steady; it asked to be left alone
) STRICT, WITHOUT ROWID;
