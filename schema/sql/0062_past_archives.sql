-- Nightlies that a backfill takes from the archives of a source. Each is fetched when its turn
-- comes: a year of archives fits no disk.
CREATE TABLE past_archive (
    nightly_id INTEGER PRIMARY KEY,  -- of the night that it becomes; then the row goes
    backfill_id INTEGER NOT NULL REFERENCES backfill(id),
    version TEXT NOT NULL,
    day TEXT NOT NULL,               -- YYYY-MM-DD
    skipped TEXT                     -- why it is no night; NULL: it waits
) STRICT;
CREATE INDEX past_archive_backfill ON past_archive(backfill_id);
