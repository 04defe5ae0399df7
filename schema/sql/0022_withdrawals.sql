-- A history that changes: what a person takes out of all judgement, and what follows for what is
-- remembered.

-- A night whose own values count for nothing, whole or what one worker measured of it. Builds, and
-- what sessions and searches measured of them, stay. Once restored, the row tells that it was so.
CREATE TABLE withdrawal (
    id INTEGER PRIMARY KEY,
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),
    worker_id INTEGER REFERENCES worker(id),  -- NULL: the whole night
    reason TEXT NOT NULL,
    token TEXT NOT NULL,                      -- name of the token that asked for it
    cut_off INTEGER NOT NULL,                 -- 1: the night was being confirmed
    created_at_s INTEGER NOT NULL,
    restored_at_s INTEGER                     -- NULL: it is withdrawn
) STRICT;
CREATE UNIQUE INDEX withdrawal_stands ON withdrawal(nightly_id, ifnull(worker_id, 0))
    WHERE restored_at_s IS NULL;

-- What the nightlies' own runs measured and nothing is judged by; worker_id 0: all of the night. A
-- night that failed before it was judged is fed to no series. Columns of one type: then each part
-- is looked up by its index.
CREATE VIEW left_out AS
    SELECT nightly_id, worker_id FROM canary_check WHERE state = 'moved'
    UNION ALL SELECT nightly_id, CAST(ifnull(worker_id, 0) AS INTEGER) FROM withdrawal
    WHERE restored_at_s IS NULL
    UNION ALL SELECT id, CAST(0 AS INTEGER) FROM nightly
    WHERE state = 'failed' AND compared_series IS NULL;

-- Series whose history changed: their records are made anew, when the next night asks or before.
CREATE TABLE stale_record (series_id INTEGER PRIMARY KEY REFERENCES series(id)) STRICT;
INSERT INTO stale_record SELECT id FROM series WHERE project_id IN (SELECT project_id FROM nightly
    WHERE state = 'failed' AND compared_series IS NULL
    AND EXISTS (SELECT 1 FROM run WHERE run.build_id = nightly.build_id));

-- 1: a night that is withdrawn began it by its answer, and nothing was done upon that.
ALTER TABLE baseline ADD COLUMN withdrawn INTEGER NOT NULL DEFAULT 0;
CREATE INDEX baseline_after ON baseline(after_nightly_id) WHERE by_answer = 1;

-- Searches that end at the same commits, which cannot be told apart, are found by them.
CREATE INDEX regression_left ON regression(suspects) WHERE suspects <> '[]';
