-- What becomes of a notice that was given up, and of one that may be there twice.
ALTER TABLE notice ADD COLUMN given_up INTEGER NOT NULL DEFAULT 0;  -- 1: and it is waited for
ALTER TABLE notice ADD COLUMN filings INTEGER NOT NULL DEFAULT 0;  -- requests that may have made it
ALTER TABLE notice ADD COLUMN filed_at_s INTEGER NOT NULL DEFAULT 0;  -- when the last of them ended
ALTER TABLE notice ADD COLUMN look_at_s INTEGER;  -- steady; when to look whether it is there twice
CREATE INDEX notice_given_up ON notice(target, changed_at_s) WHERE given_up = 1;
CREATE INDEX notice_look ON notice(look_at_s) WHERE look_at_s IS NOT NULL;

-- Verified culprits, and which pull requests brought them: there one comment tells of them.
CREATE TABLE culprit_pull (
    id INTEGER PRIMARY KEY,
    regression_id INTEGER NOT NULL REFERENCES regression(id),
    target TEXT NOT NULL,                   -- name of the report target in the config
    revision TEXT NOT NULL,                 -- the culprit
    state TEXT NOT NULL CHECK (state IN ('asking', 'found', 'none')),
    number INTEGER NOT NULL DEFAULT 0,      -- of the pull request
    told INTEGER NOT NULL DEFAULT 0,        -- 1: the comment says how the regression stands
    attempts INTEGER NOT NULL DEFAULT 0,
    next_attempt_at_s INTEGER NOT NULL,     -- steady
    message TEXT NOT NULL DEFAULT '',       -- why none was found
    UNIQUE (regression_id, target, revision)
) STRICT;
CREATE INDEX culprit_pull_asking ON culprit_pull(next_attempt_at_s) WHERE state = 'asking';
CREATE INDEX culprit_pull_untold ON culprit_pull(id) WHERE state = 'found' AND told = 0;
CREATE INDEX culprit_pull_place ON culprit_pull(target, number) WHERE state = 'found';
