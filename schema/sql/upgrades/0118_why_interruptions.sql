-- A profile ends when something is to be measured, and is asked for once more.
ALTER TABLE why ADD COLUMN
    interruptions INTEGER NOT NULL DEFAULT 0;  -- so often its job ended for what is measured
