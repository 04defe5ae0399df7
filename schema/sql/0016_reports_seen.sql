-- What a regression's reports have seen of it: compared for being another time, and not for being a
-- later one, since somebody may set the clock back.
ALTER TABLE report ADD COLUMN seen_changed_at_s INTEGER NOT NULL DEFAULT 0;
UPDATE report SET seen_changed_at_s = (SELECT min(r.changed_at_s, report.checked_at_s)
    FROM regression r WHERE r.id = report.regression_id) WHERE regression_id IS NOT NULL;
