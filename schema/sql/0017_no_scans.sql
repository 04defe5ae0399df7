-- What is looked up while a night goes on is found by an index: a ledger of years is as fast as one
-- of a month.
CREATE INDEX job_probe ON job(probe_id) WHERE probe_id IS NOT NULL;
DROP INDEX job_leased;
CREATE INDEX job_leased ON job(id) WHERE state = 'leased';
DROP INDEX job_nightly;
CREATE INDEX job_nightly ON job(nightly_id, state);
CREATE INDEX attempt_open ON attempt(job_id) WHERE outcome IS NULL;
CREATE INDEX attempt_lost ON attempt(job_id) WHERE outcome = 'lost';
CREATE INDEX nightly_project ON nightly(project_id);
CREATE INDEX nightly_build ON nightly(build_id);
CREATE INDEX nightly_revision ON nightly(revision);
CREATE INDEX nightly_ended ON nightly(project_id, ended_at_s);
CREATE INDEX nightly_created ON nightly(project_id, created_at_s);
CREATE INDEX nightly_open ON nightly(id) WHERE state IN ('measuring', 'confirming', 'searching');
CREATE INDEX session_nightly ON session(nightly_id);
DROP INDEX suspicion_nightly;
CREATE INDEX suspicion_nightly ON suspicion(nightly_id, state, verdict);
CREATE INDEX bisection_nightly ON bisection(nightly_id, state);
CREATE INDEX bisection_state ON bisection(state);
CREATE INDEX suspect_build ON suspect(bisection_id, build_id);
CREATE INDEX regression_nightly ON regression(nightly_id);
CREATE INDEX regression_bisection ON regression(bisection_id);
CREATE INDEX regression_series_series ON regression_series(series_id);
CREATE INDEX regression_series_recovered ON regression_series(recovered_nightly_id)
    WHERE recovered_nightly_id IS NOT NULL;
CREATE INDEX regression_series_suspicion ON regression_series(suspicion_id);
CREATE INDEX regression_culprit ON regression(culprit) WHERE culprit IS NOT NULL;
CREATE INDEX build_revision ON build(revision);
CREATE INDEX build_input ON build(input_digest);
CREATE INDEX product_digest ON product(digest);
CREATE INDEX artifact_digest ON artifact(digest);
CREATE INDEX trigger_project ON trigger_request(project_id);
CREATE INDEX trigger_created ON trigger_request(project_id, created_at_s);
CREATE INDEX artifact_created ON artifact(project_id, created_at_s);
CREATE INDEX trigger_done ON trigger_request(project_id, ended_at_s)
    WHERE state = 'done' AND nightly_id IS NOT NULL;
CREATE INDEX trouble_subject ON trouble(subject, kind);
CREATE INDEX trouble_untold ON trouble(id) WHERE ended_s IS NOT NULL AND told = 1;
CREATE INDEX outbox_dead ON outbox(id) WHERE state = 'dead';
CREATE INDEX tracker_write_open ON tracker_write(id) WHERE open = 1;
CREATE INDEX idempotency_age ON idempotency(created_at_s);
CREATE INDEX content_size ON content(size_bytes);
-- What a week held.
CREATE INDEX job_created ON job(created_at_s);
CREATE INDEX suspicion_created ON suspicion(created_at_s);
CREATE INDEX regression_created ON regression(created_at_s);
-- A query that names no kind finds it too.
DROP INDEX report_regression;
CREATE INDEX report_regression ON report(regression_id, version) WHERE regression_id IS NOT NULL;
DROP INDEX report_night;
CREATE INDEX report_night ON report(nightly_id, version) WHERE nightly_id IS NOT NULL;

-- Whose summary is not stored.
ALTER TABLE nightly ADD COLUMN summed_up INTEGER NOT NULL DEFAULT 0;
UPDATE nightly SET summed_up = 1 WHERE id IN (SELECT nightly_id FROM report WHERE kind = 'night');
CREATE INDEX nightly_unsummed ON nightly(id) WHERE summed_up = 0;

-- What changed since its report was compared with it, whatever the clock says.
ALTER TABLE regression ADD COLUMN unreported INTEGER NOT NULL DEFAULT 1;
UPDATE regression SET unreported = 0 WHERE state NOT IN ('confirmed', 'searching', 'attributed',
    'range') AND NOT EXISTS (SELECT 1 FROM report x WHERE x.regression_id = regression.id
    AND (x.seen_changed_at_s <> regression.changed_at_s
    OR regression.changed_at_s = x.checked_at_s));
CREATE INDEX regression_unreported ON regression(id) WHERE unreported = 1;
CREATE TRIGGER regression_changes AFTER UPDATE OF changed_at_s ON regression
BEGIN UPDATE regression SET unreported = 1 WHERE id = new.id; END;
ALTER TABLE report DROP COLUMN seen_changed_at_s;
