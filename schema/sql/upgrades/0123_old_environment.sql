-- Suspicions that were the machine's are kept short, too.
ALTER TABLE old_suspicion ADD COLUMN
    verdict TEXT NOT NULL DEFAULT 'noise';  -- as suspicion has it: noise or environment
DROP VIEW every_suspicion;
CREATE VIEW every_suspicion AS SELECT id, series_id, nightly_id, good_nightly_id, session_id, kind,
    state, verdict, change_ratio, confirmed, waits, created_at_s, ended_at_s, is_check,
    since_nightly_id, since_earliest_id, since_latest_id FROM suspicion
    UNION ALL SELECT id, series_id, nightly_id, good_nightly_id, session_id, 'level', 'ended',
    verdict, change_ratio, iif(runs_before + runs_after = 0, '{}', printf('{"before":0,'
    || '"after":0,"change_ratio":%!.17g,"low":%!.17g,"high":%!.17g,"above":%!.17g,'
    || '"runs_before":%d,"runs_after":%d,"finding":"unknown"}', measured_ratio, low, high, above,
    runs_before, runs_after)), '', created_at_s,
    created_at_s + took_s, is_check, since_nightly_id, since_earliest_id, since_latest_id
    FROM old_suspicion;
