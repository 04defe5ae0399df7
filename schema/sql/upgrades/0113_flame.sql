-- The stacks of both sides, drawn.
ALTER TABLE why ADD COLUMN
    flame TEXT NOT NULL DEFAULT '';         -- SVG; empty: the profiler has no true stacks
