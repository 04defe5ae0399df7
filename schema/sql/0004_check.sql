-- A series whose nights cannot tell a change is measured against its good build all the same.

ALTER TABLE suspicion ADD COLUMN is_check INTEGER NOT NULL DEFAULT 0;  -- 1: nothing looked worse
