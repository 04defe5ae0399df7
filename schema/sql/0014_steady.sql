-- Ages and terms are counted in steady time: it began as the time of day, goes on only while a
-- daemon runs, and never jumps. Leases and the outbox's retries stand in it.
CREATE TABLE clock (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    steady_s INTEGER NOT NULL               -- as it was a minute ago at most
) STRICT;
INSERT INTO clock (id, steady_s) VALUES (1, unixepoch());
ALTER TABLE job ADD COLUMN waits_since_s INTEGER;  -- steady; when it was first seen to wait
CREATE INDEX job_unseen ON job(id) WHERE state = 'queued' AND waits_since_s IS NULL;
CREATE INDEX job_waits ON job(waits_since_s) WHERE state = 'queued';
-- From when on a schedule is kept: what it named before is nobody's wish.
ALTER TABLE schedule ADD COLUMN since_s INTEGER NOT NULL DEFAULT 0;
