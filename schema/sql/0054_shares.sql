-- What a write to a tracker was for: each kind has a share of its own.
ALTER TABLE tracker_write ADD COLUMN share TEXT NOT NULL DEFAULT 'report'
    CHECK (share IN ('report', 'check', 'answer', 'question'));

-- Whom GitHub calls a member of the repository is asked about before strangers.
ALTER TABLE command ADD COLUMN is_member INTEGER NOT NULL DEFAULT 0;
