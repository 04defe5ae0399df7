-- Whether taking a verified culprit back from the newest revision would help.
CREATE TABLE revert_check (
    regression_id INTEGER PRIMARY KEY REFERENCES regression(id),  -- whose culprit it is about
    -- waiting: for the day's budget; applying: the git lane is asked whether it reverts;
    -- measuring: the newest revision against its revert; comparing: the culprit's parent against
    -- the newest revision
    state TEXT NOT NULL CHECK (state IN ('waiting', 'applying', 'measuring', 'comparing', 'done')),
    culprit TEXT NOT NULL,                  -- revision, full hash
    by_hand INTEGER NOT NULL,               -- 1: a person asked; the budget does not hold it back
    series_id INTEGER REFERENCES series(id),  -- that is measured; NULL: none was chosen
    size TEXT,                              -- JSON: the culprit's change of it; NULL: likewise
    parent TEXT,                            -- revision, the culprit's first parent; NULL: not known
    head TEXT,                              -- the newest revision; NULL: not known
    made TEXT,                              -- the same without the culprit; NULL: there is none
    conflicts TEXT NOT NULL DEFAULT '[]',   -- JSON: the first files that conflict
    conflicting INTEGER NOT NULL DEFAULT 0,  -- how many there are
    request_id INTEGER REFERENCES request(id),  -- the newest that measures; NULL: none does
    reverted TEXT,                          -- JSON: `made` against `head`; NULL: not measured
    still TEXT,                             -- JSON: `head` against `parent`; NULL: not measured
    -- as schema/model/revert_check.hpp; NULL: it goes on
    outcome TEXT,
    message TEXT NOT NULL DEFAULT '',       -- why nothing is known; empty: it is, or not yet
    created_at_s INTEGER NOT NULL,          -- UTC
    begun_at_s INTEGER,                     -- UTC; the git lane was asked; NULL: it was not
    ended_at_s INTEGER                      -- UTC; NULL: it goes on
) STRICT;
CREATE INDEX revert_open ON revert_check(state, regression_id) WHERE state <> 'done';
CREATE INDEX revert_begun ON revert_check(begun_at_s) WHERE begun_at_s IS NOT NULL;
