-- Which process of a worker claims, what holds its jobs, and whose lease a result is of.

ALTER TABLE worker ADD COLUMN instance TEXT NOT NULL DEFAULT '';         -- its process, by lot
ALTER TABLE worker ADD COLUMN instance_before TEXT NOT NULL DEFAULT '';  -- the one before that
ALTER TABLE worker ADD COLUMN containment TEXT NOT NULL DEFAULT '{}';    -- JSON: layer -> method
ALTER TABLE attempt ADD COLUMN key TEXT NOT NULL DEFAULT '';  -- by lot: which ledger's attempt
