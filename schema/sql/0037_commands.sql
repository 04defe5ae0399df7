-- What people ask by a comment of an issue, each comment once, and the answer on its way.
CREATE TABLE command (
    id INTEGER PRIMARY KEY,
    target TEXT NOT NULL,                   -- name of the report target in the config
    issue INTEGER NOT NULL,                 -- its number
    issue_url TEXT NOT NULL,                -- as outbox.external_ref has it
    comment INTEGER NOT NULL,               -- GitHub's id
    login TEXT NOT NULL,                    -- who wrote it
    words TEXT NOT NULL,                    -- its line; a stranger's text
    answer TEXT NOT NULL DEFAULT '',        -- Markdown; empty: not decided yet
    state TEXT NOT NULL CHECK (state IN ('pending', 'sent', 'dead')),
    attempts INTEGER NOT NULL DEFAULT 0,
    ambiguous INTEGER NOT NULL DEFAULT 0,   -- 1: the answer may be there; look before sending
    in_flight INTEGER NOT NULL DEFAULT 0,
    next_attempt_at_s INTEGER NOT NULL,     -- steady
    external_ref TEXT NOT NULL DEFAULT '',  -- address of the answer
    message TEXT NOT NULL DEFAULT '',       -- why it was not sent
    created_at_s INTEGER NOT NULL,
    UNIQUE (target, comment)
) STRICT;
CREATE INDEX command_due ON command(next_attempt_at_s) WHERE state = 'pending';
CREATE INDEX outbox_place ON outbox(external_ref) WHERE external_ref <> '';
