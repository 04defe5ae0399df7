-- A commit that moves one submodule and does nothing else is searched inside, as a merge is. The
-- suspects are commits of the project that only the daemon's own mirror has: each is the commit
-- with the submodule where one of its own commits would put it.
ALTER TABLE bisection ADD COLUMN submodule TEXT NOT NULL DEFAULT '';  -- its path; '': of a merge
ALTER TABLE suspect ADD COLUMN submodule TEXT NOT NULL DEFAULT '';    -- the one that it moves
ALTER TABLE suspect ADD COLUMN stands_for TEXT;                        -- the submodule's commit
