-- How many commits of its range a suspect brought, itself counted: where a merge brings many, the
-- change more likely came with it.
ALTER TABLE suspect ADD COLUMN commits INTEGER NOT NULL DEFAULT 1;
