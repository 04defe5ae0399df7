-- Where the culprit is a merge, a further bisection searches what one of its parents brought.

ALTER TABLE suspect ADD COLUMN brought TEXT NOT NULL DEFAULT '[]';  -- JSON: further parents

-- Of a bisection inside of a merge; NULL: of any other.
ALTER TABLE bisection ADD COLUMN outer_id INTEGER REFERENCES bisection(id);  -- it named the merge
ALTER TABLE bisection ADD COLUMN merge TEXT;      -- revision
ALTER TABLE bisection ADD COLUMN parent INTEGER;  -- which parent brought the suspects, from 2
ALTER TABLE bisection ADD COLUMN regression_id INTEGER REFERENCES regression(id);  -- it is for this
CREATE INDEX bisection_outer ON bisection(outer_id) WHERE outer_id IS NOT NULL;

-- A nightly that does not build: the commit that broke it is searched by builds alone.
ALTER TABLE bisection ADD COLUMN kind TEXT NOT NULL DEFAULT 'change'
    CHECK (kind IN ('change', 'build'));
ALTER TABLE bisection ADD COLUMN log_tail TEXT;  -- of a breaking commit's build; NULL: not read yet
