-- Answers to commands are notices like all that stands below issues: looked for, once, given up
-- aloud. What was decided and not answered yet moves there.
INSERT INTO notice(target, place, number, body, state, next_attempt_at_s, changed_at_s)
    SELECT target, 'answer/' || id, issue, answer || char(10), 'pending', 0, created_at_s
    FROM command WHERE state = 'pending' AND answer <> '';
UPDATE command SET state = 'sent', in_flight = 0 WHERE state = 'pending' AND answer <> '';
ALTER TABLE command DROP COLUMN ambiguous;
ALTER TABLE command DROP COLUMN external_ref;
