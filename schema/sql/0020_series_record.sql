-- The loop of a series (bisect/detect/series_loop) is fed from the ledger: what it remembers is a
-- cache, and what it was told stands in these columns, so that it can be made anew.

DROP TABLE series_state;
CREATE TABLE series_record (
    series_id INTEGER PRIMARY KEY REFERENCES series(id),
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),  -- the newest night it knows
    record BLOB NOT NULL                                 -- bisect/detect/series_record, versioned
) STRICT;

ALTER TABLE suspicion ADD COLUMN asked TEXT NOT NULL DEFAULT 'worse'
    CHECK (asked IN ('worse', 'better', 'recovered', 'either'));
-- JSON: the nightlies whose builds are side A in turn; the first is good_nightly_id
ALTER TABLE suspicion ADD COLUMN old_nights TEXT NOT NULL DEFAULT '';
ALTER TABLE suspicion ADD COLUMN answer TEXT NOT NULL DEFAULT '';  -- JSON: what the loop was told
UPDATE suspicion SET old_nights = '[' || good_nightly_id || ']';
UPDATE suspicion SET asked = CASE WHEN is_check = 1 THEN 'either' WHEN change_ratio <= 0
    THEN 'better' ELSE 'worse' END WHERE kind = 'level';

-- The same list: a session is of one night, variant, class and one list of old builds.
ALTER TABLE session ADD COLUMN old_nights TEXT NOT NULL DEFAULT '';
UPDATE session SET old_nights = ifnull((SELECT u.old_nights FROM suspicion u
    WHERE u.session_id = session.id LIMIT 1), '');

-- The newest night of the series when this level was begun; NULL: an older ledger did not say.
ALTER TABLE baseline ADD COLUMN after_nightly_id INTEGER;
ALTER TABLE baseline ADD COLUMN by_answer INTEGER NOT NULL DEFAULT 0;  -- it follows from an answer
-- What earlier nights taught of the noise no longer holds.
ALTER TABLE baseline ADD COLUMN forgets INTEGER NOT NULL DEFAULT 0;
