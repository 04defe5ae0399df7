-- Archives of the nights between a good night and a bad one are measured before any source is
-- built: a search of kind `nights`. What it leaves is searched by commits.
ALTER TABLE bisection RENAME COLUMN kind TO kind_before;
ALTER TABLE bisection ADD COLUMN kind TEXT NOT NULL DEFAULT 'change'
    CHECK (kind IN ('change', 'build', 'mending', 'asked', 'nights'));
UPDATE bisection SET kind = kind_before;
ALTER TABLE bisection DROP COLUMN kind_before;
ALTER TABLE bisection ADD COLUMN narrowed_by INTEGER REFERENCES bisection(id);  -- of kind nights
