-- Suspicions that were the machine's are kept short, too. Counting them makes no text of each.
ALTER TABLE old_suspicion ADD COLUMN
    -- as suspicion has it
    verdict TEXT NOT NULL DEFAULT 'noise' CHECK (verdict IN ('noise', 'environment'));
DROP VIEW every_suspicion;
-- All that nights ever asked, as far as every suspicion tells it.
CREATE VIEW every_suspicion AS SELECT id, series_id, nightly_id, good_nightly_id, session_id, kind,
    state, verdict, change_ratio, waits, created_at_s, ended_at_s, is_check, since_nightly_id,
    since_earliest_id, since_latest_id FROM suspicion
    UNION ALL SELECT id, series_id, nightly_id, good_nightly_id, session_id, 'level', 'ended',
    verdict, change_ratio, '', created_at_s, created_at_s + took_s, is_check, since_nightly_id,
    since_earliest_id, since_latest_id FROM old_suspicion;

-- What was measured of old ones, as suspicion.confirmed has it. Apart: a view of both would make
-- this text for each row that is counted.
CREATE VIEW old_comparison AS SELECT id, iif(runs_before + runs_after = 0, '{}',
    printf('{"before":0,"after":0,"change_ratio":%!.17g,"low":%!.17g,"high":%!.17g,'
    || '"above":%!.17g,"runs_before":%d,"runs_after":%d,"finding":"unknown"}', measured_ratio, low,
    high, above, runs_before, runs_after)) AS confirmed FROM old_suspicion;
