-- What a command asked to be measured, so that what came of it is told below the issue.
ALTER TABLE command ADD COLUMN request_id INTEGER REFERENCES request(id);
ALTER TABLE command ADD COLUMN told INTEGER NOT NULL DEFAULT 1;     -- 0: its request goes on
CREATE INDEX command_untold ON command(request_id) WHERE told = 0;

-- Comments and check runs that are kept up to date in place: their newest words, on their way.
CREATE TABLE notice (
    id INTEGER PRIMARY KEY,
    target TEXT NOT NULL,                   -- name of the report target in the config
    place TEXT NOT NULL,                    -- 'command/7', 'pull/7', 'check/HASH': one notice each
    number INTEGER NOT NULL,                -- of the issue or pull request
    revision TEXT NOT NULL DEFAULT '',      -- of a check run: its commit
    status TEXT NOT NULL DEFAULT '' CHECK
        (status IN ('', 'queued', 'in_progress', 'success', 'neutral', 'failure')),
    title TEXT NOT NULL DEFAULT '',         -- of a check run
    body TEXT NOT NULL,                     -- Markdown without its marker
    version INTEGER NOT NULL DEFAULT 1,     -- of the words
    state TEXT NOT NULL CHECK (state IN ('pending', 'sent', 'dead')),
    attempts INTEGER NOT NULL DEFAULT 0,
    ambiguous INTEGER NOT NULL DEFAULT 0,   -- 1: it may be there; look before it is made
    in_flight INTEGER NOT NULL DEFAULT 0,
    next_attempt_at_s INTEGER NOT NULL,     -- steady
    external_ref TEXT NOT NULL DEFAULT '',  -- GitHub's id of it
    message TEXT NOT NULL DEFAULT '',       -- why it was not sent
    changed_at_s INTEGER NOT NULL,
    UNIQUE (target, place)
) STRICT;
CREATE INDEX notice_due ON notice(next_attempt_at_s) WHERE state = 'pending';
