-- A search for an issue forgets itself when the daemon ends; what it cost its message does not.
ALTER TABLE outbox ADD COLUMN in_vain INTEGER NOT NULL DEFAULT 0; -- of its attempts: at a search
                                                                  -- that came no further since
