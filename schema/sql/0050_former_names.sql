-- Readers of other programs' files put into a benchmark's name whatever tells two results apart.
-- Which name a series of before gets, only the next file can say; until then it stands here.
CREATE TABLE former_series (series_id INTEGER PRIMARY KEY REFERENCES series(id)) STRICT;
INSERT INTO former_series SELECT id FROM series WHERE project_id IN (SELECT project_id FROM import);

-- 1: taken under former names, so that its digest is not that of the same file read today.
ALTER TABLE import ADD COLUMN former INTEGER NOT NULL DEFAULT 0;
UPDATE import SET former = 1;
