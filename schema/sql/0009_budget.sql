-- A night measures again what it has runs for, the most valuable first; the rest waits.

-- Over the baseline, log: tonight; of what waited, the mean of the nights it waited.
ALTER TABLE suspicion ADD COLUMN moved REAL NOT NULL DEFAULT 0;
ALTER TABLE suspicion ADD COLUMN chance REAL NOT NULL DEFAULT 0;     -- of more than the threshold
ALTER TABLE suspicion ADD COLUMN waited INTEGER NOT NULL DEFAULT 0;  -- nights, before this one
ALTER TABLE suspicion ADD COLUMN waits TEXT NOT NULL DEFAULT '';     -- why it goes on another night
