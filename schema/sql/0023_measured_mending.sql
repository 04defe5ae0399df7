-- Where no text names the commit that mended a regression, a bisection measures which it was: its
-- good end is the build that was still bad, its bad end the one that is back. What a column allows
-- cannot be changed, so it is made anew.
ALTER TABLE bisection RENAME COLUMN kind TO kind_before;
ALTER TABLE bisection ADD COLUMN kind TEXT NOT NULL DEFAULT 'change'
    CHECK (kind IN ('change', 'build', 'mending'));
UPDATE bisection SET kind = kind_before;
ALTER TABLE bisection DROP COLUMN kind_before;

ALTER TABLE mending ADD COLUMN bisection_id INTEGER REFERENCES bisection(id);  -- it measures it
CREATE INDEX mending_bisection ON mending(bisection_id) WHERE bisection_id IS NOT NULL;
UPDATE mending SET told = json_set(told, '$.candidates', json('[]'))
    WHERE told <> '{}' AND json_valid(told);
