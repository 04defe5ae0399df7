-- What moves a dependency's revision in a file (a GIT_TAG of CMake) and does nothing else is
-- searched inside, as what moves a submodule is. The columns of 0063 hold either.
ALTER TABLE bisection RENAME COLUMN submodule TO dependency;  -- its place; '': of a merge
ALTER TABLE suspect RENAME COLUMN submodule TO dependency;    -- the one that it moves
