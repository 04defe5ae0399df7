-- The regressions that the self-test plants, and whether each was reported in time.
CREATE TABLE self_test (
    number INTEGER PRIMARY KEY,             -- of its night, from 1
    -- planting: its row comes before its commits; quiet: it plants none; waiting: for the report;
    -- reported: the report is out; missed: it was not out in time, and may come yet
    state TEXT NOT NULL
        CHECK (state IN ('planting', 'quiet', 'waiting', 'reported', 'missed')),
    benchmark TEXT NOT NULL DEFAULT '',     -- that is slower; empty: none, or not yet
    revision TEXT,                          -- of the planted commit; NULL: likewise
    planted_at_s INTEGER NOT NULL,          -- UTC
    due_at_s INTEGER,                       -- UTC; by then it is reported; NULL: nothing is due
    reported_at_s INTEGER                   -- UTC; NULL: it is not
) STRICT;
CREATE INDEX self_test_planting ON self_test(number) WHERE state = 'planting';
CREATE INDEX self_test_waiting ON self_test(number) WHERE state = 'waiting';
CREATE INDEX self_test_missed ON self_test(number) WHERE state = 'missed';
CREATE INDEX self_test_reported ON self_test(planted_at_s) WHERE state = 'reported';
