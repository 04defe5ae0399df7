-- A commit may do no more than move a dependency: a submodule, or a line that pins one.

ALTER TABLE suspect ADD COLUMN pins TEXT NOT NULL DEFAULT '';  -- what it moves, in words
