-- A token of scope ingest may be for some projects alone.
ALTER TABLE token ADD COLUMN projects TEXT;  -- JSON: their names; NULL: all
