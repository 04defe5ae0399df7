-- A series whose nights cannot tell a change is measured against its good build whatever they say.

ALTER TABLE suspicion ADD COLUMN is_check INTEGER NOT NULL DEFAULT 0;  -- 1: of such a series
