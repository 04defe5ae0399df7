-- What a report target did not take for good, and nothing replaced: it can be sent again. A newer
-- version of the same report for the same target is sent instead of an older one.
CREATE VIEW given_up AS
    SELECT o.id AS outbox_id, o.report_id, o.target FROM outbox o
    JOIN report r ON r.id = o.report_id
    WHERE o.state = 'dead' AND NOT EXISTS (
        SELECT 1 FROM outbox later JOIN report n ON n.id = later.report_id
        WHERE later.target = o.target AND n.version > r.version AND n.subject = r.subject);
