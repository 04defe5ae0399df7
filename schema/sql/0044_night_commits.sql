-- The commits between a night and the one before it, listed once on the project's git lane. The
-- suspects of a search are no place for them: they are of its own ends, and a part of its state.
-- listing: the git lane is asked for them; listed: they are here; none: night_range says why.
ALTER TABLE nightly ADD COLUMN commits TEXT NOT NULL DEFAULT 'listing'
    CHECK (commits IN ('listing', 'listed', 'none'));
CREATE INDEX nightly_unlisted ON nightly(project_id, id)
    WHERE commits = 'listing' AND beside IS NULL;

CREATE TABLE night_range (
    nightly_id INTEGER PRIMARY KEY REFERENCES nightly(id),
    since_id INTEGER REFERENCES nightly(id),  -- the night before; NULL: there is none
    count INTEGER NOT NULL,                   -- of all commits; night_commit has the newest of them
    message TEXT NOT NULL                     -- why there are none; else ''
) STRICT;

CREATE TABLE night_commit (
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),
    position INTEGER NOT NULL,                -- from 0, oldest first
    revision TEXT NOT NULL,
    subject TEXT NOT NULL,                    -- a stranger's text
    author TEXT NOT NULL,                     -- a stranger's text
    authored_at_s INTEGER NOT NULL,
    PRIMARY KEY (nightly_id, position)
) STRICT, WITHOUT ROWID;

-- Of an older ledger the last thirty nights are listed: each may have to ask for its commits.
UPDATE nightly SET commits = 'none'
    WHERE id <= (SELECT newer.id FROM nightly newer WHERE newer.project_id = nightly.project_id
                 ORDER BY newer.id DESC LIMIT 1 OFFSET 30);
INSERT INTO night_range(nightly_id, since_id, count, message)
    SELECT id, NULL, 0, 'the night is older than these lists' FROM nightly WHERE commits = 'none';
