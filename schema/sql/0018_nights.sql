-- Which nightlies are nights, how each of them is called, and of how many series a night could say
-- anything.

-- Nights come in the order of their commits. A nightly that was asked for by name and is not newer
-- than the newest night is measured beside them: this says why, in words; NULL: it is a night.
ALTER TABLE nightly ADD COLUMN beside TEXT;
-- Its day, and from the second one of a day on its number after a dot: 2026-11-22, 2026-11-22.2.
ALTER TABLE nightly ADD COLUMN name TEXT;
-- Judged series that were held against an earlier night; NULL: the night is not judged, or was
-- before this was counted.
ALTER TABLE nightly ADD COLUMN compared_series INTEGER;

UPDATE nightly SET name = day || ifnull('.' || nullif((SELECT count(*) FROM nightly o
    WHERE o.project_id = nightly.project_id AND o.day = nightly.day
    AND o.id <= nightly.id), 1), '');
CREATE UNIQUE INDEX nightly_name ON nightly(project_id, name);

-- Whoever writes the row: its name is given with it, and stays.
CREATE TRIGGER nightly_is_named AFTER INSERT ON nightly WHEN new.name IS NULL BEGIN
    UPDATE nightly SET name = day || ifnull('.' || nullif((SELECT count(*) FROM nightly o
        WHERE o.project_id = new.project_id AND o.day = new.day AND o.id <= new.id), 1), '')
    WHERE id = new.id;
END;

-- "The night before" and "the newest night" are asked of this, and not of the table.
CREATE VIEW night AS SELECT * FROM nightly WHERE beside IS NULL;
CREATE INDEX night_of_project ON nightly(project_id) WHERE beside IS NULL;
