-- The ledger's schema at the last numbered patch, as SQLite has it. Ledgers of that version become
-- version 100 as they are: tests hold the files of schema/sql/ledger against this. Never edited.
CREATE TABLE project (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created_at_s INTEGER NOT NULL
) STRICT;
CREATE TABLE machine_class (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE worker (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    machine_class_id INTEGER NOT NULL REFERENCES machine_class(id),
    state TEXT NOT NULL CHECK (state IN ('active', 'draining', 'quarantined')),
    reason TEXT NOT NULL DEFAULT '',
    fingerprint TEXT NOT NULL,
    toolchain TEXT NOT NULL,
    first_seen_at_s INTEGER NOT NULL,
    last_seen_at_s INTEGER NOT NULL,
    held TEXT NOT NULL DEFAULT '',
    instance TEXT NOT NULL DEFAULT '',
    instance_before TEXT NOT NULL DEFAULT '',
    containment TEXT NOT NULL DEFAULT '{}'
) STRICT;
CREATE TABLE environment (
    id INTEGER PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    facts TEXT NOT NULL
) STRICT;
CREATE TABLE trigger_request (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES project(id),
    cause TEXT NOT NULL CHECK (cause IN ('schedule', 'request', 'delivery')),
    cause_key TEXT NOT NULL,
    revision TEXT,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'done', 'failed')),
    message TEXT NOT NULL DEFAULT '',
    nightly_id INTEGER REFERENCES nightly(id),
    created_at_s INTEGER NOT NULL,
    ended_at_s INTEGER,
    UNIQUE (project_id, cause_key)
) STRICT;
CREATE INDEX trigger_waiting ON trigger_request(id) WHERE state = 'waiting';
CREATE TABLE delivery (
    id INTEGER PRIMARY KEY,
    external_id TEXT NOT NULL UNIQUE,
    event TEXT NOT NULL,
    body_digest TEXT NOT NULL,
    body BLOB NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('received', 'acted', 'ignored')),
    message TEXT NOT NULL DEFAULT '',
    replays INTEGER NOT NULL DEFAULT 0,
    received_at_s INTEGER NOT NULL
) STRICT;
CREATE TABLE build (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES project(id),
    revision TEXT NOT NULL,
    input_kind TEXT NOT NULL CHECK (input_kind IN ('source_tree', 'archive')),
    input_digest TEXT,
    input_error TEXT NOT NULL DEFAULT '',
    created_at_s INTEGER NOT NULL,
    UNIQUE (project_id, revision, input_kind, input_digest)
) STRICT;
CREATE UNIQUE INDEX build_source ON build(project_id, revision) WHERE input_kind = 'source_tree';
CREATE TABLE product (
    id INTEGER PRIMARY KEY,
    build_id INTEGER NOT NULL REFERENCES build(id),
    recipe_digest TEXT NOT NULL,
    toolchain TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('built', 'failed')),
    failures INTEGER NOT NULL DEFAULT 0,
    digest TEXT,
    log_digest TEXT,
    message TEXT NOT NULL DEFAULT '',
    duration_ns INTEGER NOT NULL,
    created_at_s INTEGER NOT NULL,
    UNIQUE (build_id, recipe_digest, toolchain)
) STRICT;
CREATE TABLE nightly (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES project(id),
    build_id INTEGER NOT NULL REFERENCES build(id),
    version TEXT NOT NULL,
    day TEXT NOT NULL,
    revision TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('measuring', 'confirming', 'searching', 'done', 'failed')),
    message TEXT NOT NULL DEFAULT '',
    created_at_s INTEGER NOT NULL,
    ended_at_s INTEGER,
    summed_up INTEGER NOT NULL DEFAULT 0,
    beside TEXT,
    name TEXT,
    compared_series INTEGER,
    backfill_id INTEGER REFERENCES backfill(id),
    commits TEXT NOT NULL DEFAULT 'listing' CHECK (commits IN ('listing', 'listed', 'none')),
    UNIQUE (project_id, version, build_id)
) STRICT;
CREATE TABLE artifact (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES project(id),
    version TEXT NOT NULL,
    url TEXT NOT NULL,
    digest TEXT,
    size_bytes INTEGER,
    state TEXT NOT NULL CHECK (state IN ('fetched', 'refused')),
    message TEXT NOT NULL DEFAULT '',
    created_at_s INTEGER NOT NULL
) STRICT;
CREATE TABLE session (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES project(id),
    a_build_id INTEGER NOT NULL REFERENCES build(id),
    b_build_id INTEGER NOT NULL REFERENCES build(id),
    benchmark TEXT NOT NULL,
    variant TEXT NOT NULL,
    machine_class_id INTEGER NOT NULL REFERENCES machine_class(id),
    state TEXT NOT NULL CHECK (state IN ('open', 'done')),
    created_at_s INTEGER NOT NULL,
    old_nights TEXT NOT NULL DEFAULT '',
    nightly_id INTEGER REFERENCES nightly(id),
    request_id INTEGER REFERENCES request(id),
    message TEXT NOT NULL DEFAULT '',
    case_name TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX session_open ON session(state) WHERE state = 'open';
CREATE TABLE job (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES project(id),
    machine_class_id INTEGER NOT NULL REFERENCES machine_class(id),
    purpose TEXT NOT NULL CHECK (purpose IN ('nightly', 'confirm', 'probe', 'verify', 'request')),
    state TEXT NOT NULL CHECK (state IN ('queued', 'leased', 'done', 'failed', 'cancelled', 'parked')),
    priority INTEGER NOT NULL,
    nightly_id INTEGER REFERENCES nightly(id),
    session_id INTEGER REFERENCES session(id),
    probe_id INTEGER REFERENCES probe(id),
    plan TEXT NOT NULL,
    message TEXT NOT NULL DEFAULT '',
    attempt INTEGER NOT NULL DEFAULT 0,
    lost_attempts INTEGER NOT NULL DEFAULT 0,
    worker_id INTEGER REFERENCES worker(id),
    lease_expires_at_s INTEGER,
    progress TEXT NOT NULL DEFAULT '',
    created_at_s INTEGER NOT NULL,
    ended_at_s INTEGER,
    only_worker_id INTEGER REFERENCES worker(id),
    waits_since_s INTEGER
) STRICT;
CREATE INDEX job_waiting ON job(machine_class_id, priority DESC, id) WHERE state = 'queued';
CREATE INDEX job_session ON job(session_id);
CREATE TABLE job_build (
    job_id INTEGER NOT NULL REFERENCES job(id),
    position INTEGER NOT NULL,
    build_id INTEGER NOT NULL REFERENCES build(id),
    PRIMARY KEY (job_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX job_build_build ON job_build(build_id);
CREATE TABLE attempt (
    job_id INTEGER NOT NULL REFERENCES job(id),
    number INTEGER NOT NULL,
    worker_id INTEGER NOT NULL REFERENCES worker(id),
    recipe_digest TEXT NOT NULL,
    claimed_at_s INTEGER NOT NULL,
    ended_at_s INTEGER,
    outcome TEXT CHECK (outcome IN ('done', 'failed', 'lost', 'released', 'cancelled')),
    message TEXT NOT NULL DEFAULT '',
    stale_results INTEGER NOT NULL DEFAULT 0,
    result_digest TEXT,
    environment_before_id INTEGER REFERENCES environment(id),
    environment_after_id INTEGER REFERENCES environment(id),
    load TEXT NOT NULL DEFAULT '{}',
    key TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (job_id, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    job_id INTEGER NOT NULL REFERENCES job(id),
    attempt INTEGER NOT NULL,
    step INTEGER NOT NULL,
    build_id INTEGER NOT NULL REFERENCES build(id),
    benchmark TEXT NOT NULL,
    variant TEXT NOT NULL,
    machine_class_id INTEGER NOT NULL REFERENCES machine_class(id),
    worker_id INTEGER NOT NULL REFERENCES worker(id),
    environment_id INTEGER REFERENCES environment(id),
    outcome TEXT NOT NULL CHECK (outcome IN ('passed', 'failed', 'wrong', 'oom', 'timeout', 'unsupported')),
    message TEXT NOT NULL DEFAULT '',
    log_digest TEXT,
    started_at_ns INTEGER NOT NULL,
    duration_ns INTEGER NOT NULL,
    case_name TEXT NOT NULL DEFAULT '',
    UNIQUE (job_id, attempt, step)
) STRICT;
CREATE INDEX run_build ON run(build_id, benchmark, variant, machine_class_id);
CREATE TABLE measurement (
    run_id INTEGER NOT NULL REFERENCES run(id),
    series_id INTEGER NOT NULL REFERENCES series(id),
    median REAL NOT NULL,
    spread REAL NOT NULL,
    count INTEGER NOT NULL,
    samples BLOB NOT NULL,
    PRIMARY KEY (run_id, series_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX measurement_series ON measurement(series_id, run_id);
CREATE TABLE baseline (
    id INTEGER PRIMARY KEY,
    series_id INTEGER NOT NULL REFERENCES series(id),
    kind TEXT NOT NULL CHECK (kind IN ('rolling', 'pinned')),
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),
    reason TEXT NOT NULL,
    created_at_s INTEGER NOT NULL,
    after_nightly_id INTEGER,
    by_answer INTEGER NOT NULL DEFAULT 0,
    forgets INTEGER NOT NULL DEFAULT 0,
    withdrawn INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX baseline_series ON baseline(series_id, kind, id DESC);
CREATE TABLE suspicion (
    id INTEGER PRIMARY KEY,
    series_id INTEGER NOT NULL REFERENCES series(id),
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),
    good_nightly_id INTEGER NOT NULL REFERENCES nightly(id),
    session_id INTEGER REFERENCES session(id),
    kind TEXT NOT NULL CHECK (kind IN ('level', 'outcome')),
    state TEXT NOT NULL CHECK (state IN ('open', 'confirming', 'ended')),
    base REAL NOT NULL,
    value REAL NOT NULL,
    change_ratio REAL NOT NULL,
    confirmed TEXT NOT NULL DEFAULT '{}',
    reason TEXT NOT NULL,
    created_at_s INTEGER NOT NULL,
    ended_at_s INTEGER,
    score REAL NOT NULL DEFAULT 0,
    creep INTEGER NOT NULL DEFAULT 0,
    since_nightly_id INTEGER REFERENCES nightly(id),
    since_earliest_id INTEGER REFERENCES nightly(id),
    since_latest_id INTEGER REFERENCES nightly(id),
    is_check INTEGER NOT NULL DEFAULT 0,
    moved REAL NOT NULL DEFAULT 0,
    chance REAL NOT NULL DEFAULT 0,
    waited INTEGER NOT NULL DEFAULT 0,
    waits TEXT NOT NULL DEFAULT '',
    asked TEXT NOT NULL DEFAULT 'worse' CHECK (asked IN ('worse', 'better', 'recovered', 'either')),
    old_nights TEXT NOT NULL DEFAULT '',
    answer TEXT NOT NULL DEFAULT '',
    verdict TEXT CHECK (verdict IN ('regression', 'drift', 'noise', 'watch', 'environment', 'method_change', 'broken', 'leak', 'improvement', 'fixed', 'unconfirmed')),
    UNIQUE (series_id, nightly_id)
) STRICT;
CREATE TABLE regression (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES project(id),
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),
    state TEXT NOT NULL CHECK (state IN ('confirmed', 'searching', 'attributed', 'range', 'not_reproduced', 'reported', 'acknowledged', 'accepted', 'refuted', 'recovered', 'closed')),
    good_build_id INTEGER NOT NULL REFERENCES build(id),
    bad_build_id INTEGER NOT NULL REFERENCES build(id),
    bisection_id INTEGER REFERENCES bisection(id),
    split_from_id INTEGER REFERENCES regression(id),
    culprit TEXT,
    suspects TEXT NOT NULL DEFAULT '[]',
    reason TEXT NOT NULL DEFAULT '',
    created_at_s INTEGER NOT NULL,
    changed_at_s INTEGER NOT NULL,
    unreported INTEGER NOT NULL DEFAULT 1,
    assigned TEXT NOT NULL DEFAULT '',
    ended_as TEXT
) STRICT;
CREATE INDEX regression_project ON regression(project_id, state);
CREATE TABLE regression_series (
    regression_id INTEGER NOT NULL REFERENCES regression(id),
    series_id INTEGER NOT NULL REFERENCES series(id),
    suspicion_id INTEGER NOT NULL REFERENCES suspicion(id),
    recovered_nightly_id INTEGER REFERENCES nightly(id),
    verified TEXT NOT NULL DEFAULT '{}',
    PRIMARY KEY (regression_id, series_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE bisection (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES project(id),
    good_revision TEXT NOT NULL,
    bad_revision TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('listing', 'searching', 'verifying', 'done', 'failed')),
    planner INTEGER NOT NULL,
    settings TEXT NOT NULL,
    conclusion TEXT NOT NULL DEFAULT '{}',
    created_at_s INTEGER NOT NULL,
    ended_at_s INTEGER,
    outer_id INTEGER REFERENCES bisection(id),
    merge TEXT,
    parent INTEGER,
    regression_id INTEGER REFERENCES regression(id),
    log_tail TEXT,
    nightly_id INTEGER REFERENCES nightly(id),
    dependency TEXT NOT NULL DEFAULT '',
    kind TEXT NOT NULL DEFAULT 'change' CHECK (kind IN ('change', 'build', 'mending', 'asked', 'nights')),
    narrowed_by INTEGER REFERENCES bisection(id)
) STRICT;
CREATE TABLE suspect (
    bisection_id INTEGER NOT NULL REFERENCES bisection(id),
    position INTEGER NOT NULL,
    revision TEXT NOT NULL,
    parent TEXT,
    merge INTEGER NOT NULL,
    subject TEXT NOT NULL,
    author TEXT NOT NULL,
    authored_at_s INTEGER NOT NULL,
    build_id INTEGER REFERENCES build(id),
    pins TEXT NOT NULL DEFAULT '',
    brought TEXT NOT NULL DEFAULT '[]',
    commits INTEGER NOT NULL DEFAULT 1,
    dependency TEXT NOT NULL DEFAULT '',
    stands_for TEXT,
    PRIMARY KEY (bisection_id, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE probe (
    id INTEGER PRIMARY KEY,
    bisection_id INTEGER NOT NULL REFERENCES bisection(id),
    number INTEGER NOT NULL,
    plan TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'done')),
    created_at_s INTEGER NOT NULL,
    UNIQUE (bisection_id, number)
) STRICT;
CREATE TABLE idempotency (
    key TEXT PRIMARY KEY,
    request_digest TEXT NOT NULL,
    status INTEGER NOT NULL,
    body TEXT NOT NULL,
    created_at_s INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE schedule (
    project_id INTEGER PRIMARY KEY REFERENCES project(id),
    cron TEXT NOT NULL,
    checked_at_s INTEGER NOT NULL,
    since_s INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE event (
    id INTEGER PRIMARY KEY,
    at_s INTEGER NOT NULL,
    kind TEXT NOT NULL,
    project_id INTEGER REFERENCES project(id),
    subject TEXT NOT NULL,
    message TEXT NOT NULL,
    data TEXT NOT NULL DEFAULT '{}'
) STRICT;
CREATE INDEX event_subject ON event(subject, id);
CREATE TRIGGER event_keeps BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER event_stays BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TABLE drift (
    id INTEGER PRIMARY KEY,
    series_id INTEGER NOT NULL REFERENCES series(id),
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),
    since_nightly_id INTEGER NOT NULL REFERENCES nightly(id),
    since_earliest_id INTEGER NOT NULL REFERENCES nightly(id),
    since_latest_id INTEGER NOT NULL REFERENCES nightly(id),
    suspicion_id INTEGER REFERENCES suspicion(id),
    before REAL NOT NULL,
    after REAL NOT NULL,
    change_ratio REAL NOT NULL,
    low REAL NOT NULL,
    high REAL NOT NULL,
    created_at_s INTEGER NOT NULL,
    kind TEXT NOT NULL DEFAULT 'history' CHECK (kind IN ('history', 'measured', 'creep', 'past', 'unsure'))
) STRICT;
CREATE INDEX drift_series ON drift(series_id, id);
CREATE INDEX drift_nightly ON drift(nightly_id);
CREATE TABLE storm (
    id INTEGER PRIMARY KEY,
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),
    worker_id INTEGER NOT NULL REFERENCES worker(id),
    state TEXT NOT NULL CHECK (state IN ('checking', 'environment', 'code', 'mixed', 'given_up')),
    series INTEGER NOT NULL,
    suspicious INTEGER NOT NULL,
    moved_ratio REAL NOT NULL,
    rebased INTEGER NOT NULL DEFAULT 0,
    message TEXT NOT NULL DEFAULT '',
    created_at_s INTEGER NOT NULL,
    ended_at_s INTEGER,
    UNIQUE (nightly_id, worker_id)
) STRICT;
CREATE TABLE storm_series (
    storm_id INTEGER NOT NULL REFERENCES storm(id),
    series_id INTEGER NOT NULL REFERENCES series(id),
    job_id INTEGER NOT NULL REFERENCES job(id),
    base REAL NOT NULL,
    change_ratio REAL NOT NULL,
    PRIMARY KEY (storm_id, series_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX bisection_outer ON bisection(outer_id) WHERE outer_id IS NOT NULL;
CREATE TABLE canary_check (
    id INTEGER PRIMARY KEY,
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),
    worker_id INTEGER NOT NULL REFERENCES worker(id),
    definition TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('measuring', 'again', 'learning', 'steady', 'moved', 'missing')),
    job_id INTEGER REFERENCES job(id),
    series_id INTEGER REFERENCES series(id),
    value REAL,
    base REAL,
    moved_ratio REAL,
    message TEXT NOT NULL DEFAULT '',
    created_at_s INTEGER NOT NULL,
    ended_at_s INTEGER,
    UNIQUE (nightly_id, worker_id)
) STRICT;
CREATE INDEX canary_worker ON canary_check(worker_id, id);
CREATE TABLE trouble (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    project_id INTEGER REFERENCES project(id),
    message TEXT NOT NULL,
    since_s INTEGER NOT NULL,
    seen_s INTEGER NOT NULL,
    ended_s INTEGER,
    told INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX trouble_open ON trouble(kind, subject) WHERE ended_s IS NULL;
CREATE TABLE unjudged_measurement (
    run_id INTEGER NOT NULL REFERENCES run(id),
    series_id INTEGER NOT NULL REFERENCES series(id),
    reason TEXT NOT NULL,
    count INTEGER NOT NULL,
    samples BLOB NOT NULL,
    PRIMARY KEY (run_id, series_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX unjudged_measurement_series ON unjudged_measurement(series_id, run_id);
CREATE TABLE step_try (
    subject TEXT PRIMARY KEY,
    tries INTEGER NOT NULL,
    message TEXT NOT NULL,
    tried_at_s INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE clock (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    steady_s INTEGER NOT NULL
) STRICT;
CREATE INDEX job_unseen ON job(id) WHERE state = 'queued' AND waits_since_s IS NULL;
CREATE INDEX job_waits ON job(waits_since_s) WHERE state = 'queued';
CREATE TABLE marker_key (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    key TEXT NOT NULL
) STRICT;
CREATE TABLE tracker_write (
    id INTEGER PRIMARY KEY,
    server TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    open INTEGER NOT NULL,
    share TEXT NOT NULL DEFAULT 'report' CHECK (share IN ('report', 'check', 'answer', 'question'))
) STRICT;
CREATE INDEX tracker_write_server ON tracker_write(server, at_ms);
CREATE TABLE tracker_quiet (
    server TEXT PRIMARY KEY,
    until_s INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX job_probe ON job(probe_id) WHERE probe_id IS NOT NULL;
CREATE INDEX job_leased ON job(id) WHERE state = 'leased';
CREATE INDEX job_nightly ON job(nightly_id, state);
CREATE INDEX attempt_open ON attempt(job_id) WHERE outcome IS NULL;
CREATE INDEX attempt_lost ON attempt(job_id) WHERE outcome = 'lost';
CREATE INDEX nightly_project ON nightly(project_id);
CREATE INDEX nightly_build ON nightly(build_id);
CREATE INDEX nightly_revision ON nightly(revision);
CREATE INDEX nightly_ended ON nightly(project_id, ended_at_s);
CREATE INDEX nightly_created ON nightly(project_id, created_at_s);
CREATE INDEX nightly_open ON nightly(id) WHERE state IN ('measuring', 'confirming', 'searching');
CREATE INDEX bisection_state ON bisection(state);
CREATE INDEX suspect_build ON suspect(bisection_id, build_id);
CREATE INDEX regression_nightly ON regression(nightly_id);
CREATE INDEX regression_bisection ON regression(bisection_id);
CREATE INDEX regression_series_series ON regression_series(series_id);
CREATE INDEX regression_series_recovered ON regression_series(recovered_nightly_id) WHERE recovered_nightly_id IS NOT NULL;
CREATE INDEX regression_series_suspicion ON regression_series(suspicion_id);
CREATE INDEX regression_culprit ON regression(culprit) WHERE culprit IS NOT NULL;
CREATE INDEX build_revision ON build(revision);
CREATE INDEX build_input ON build(input_digest);
CREATE INDEX product_digest ON product(digest);
CREATE INDEX artifact_digest ON artifact(digest);
CREATE INDEX trigger_project ON trigger_request(project_id);
CREATE INDEX trigger_created ON trigger_request(project_id, created_at_s);
CREATE INDEX artifact_created ON artifact(project_id, created_at_s);
CREATE INDEX trigger_done ON trigger_request(project_id, ended_at_s) WHERE state = 'done' AND nightly_id IS NOT NULL;
CREATE INDEX trouble_subject ON trouble(subject, kind);
CREATE INDEX trouble_untold ON trouble(id) WHERE ended_s IS NOT NULL AND told = 1;
CREATE INDEX tracker_write_open ON tracker_write(id) WHERE open = 1;
CREATE INDEX idempotency_age ON idempotency(created_at_s);
CREATE INDEX job_created ON job(created_at_s);
CREATE INDEX suspicion_created ON suspicion(created_at_s);
CREATE INDEX regression_created ON regression(created_at_s);
CREATE INDEX nightly_unsummed ON nightly(id) WHERE summed_up = 0;
CREATE INDEX regression_unreported ON regression(id) WHERE unreported = 1;
CREATE TRIGGER regression_changes AFTER UPDATE OF changed_at_s ON regression BEGIN UPDATE regression SET unreported = 1 WHERE id = new.id; END;
CREATE UNIQUE INDEX nightly_name ON nightly(project_id, name);
CREATE TRIGGER nightly_is_named AFTER INSERT ON nightly WHEN new.name IS NULL BEGIN UPDATE nightly SET name = day || ifnull('.' || nullif((SELECT count(*) FROM nightly o WHERE o.project_id = new.project_id AND o.day = new.day AND o.id <= new.id), 1), '') WHERE id = new.id; END;
CREATE VIEW night AS SELECT * FROM nightly WHERE beside IS NULL;
CREATE INDEX night_of_project ON nightly(project_id) WHERE beside IS NULL;
CREATE TABLE series_record (
    series_id INTEGER PRIMARY KEY REFERENCES series(id),
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),
    record BLOB NOT NULL
) STRICT;
CREATE TABLE mending (
    id INTEGER PRIMARY KEY,
    regression_id INTEGER NOT NULL REFERENCES regression(id),
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),
    bad_nightly_id INTEGER NOT NULL REFERENCES nightly(id),
    state TEXT NOT NULL CHECK (state IN ('listing', 'listed', 'told')),
    commits TEXT NOT NULL DEFAULT '{}',
    told TEXT NOT NULL DEFAULT '{}',
    bisection_id INTEGER REFERENCES bisection(id),
    UNIQUE (regression_id, nightly_id)
) STRICT;
CREATE INDEX mending_listing ON mending(id) WHERE state = 'listing';
CREATE INDEX mending_nightly ON mending(nightly_id, state);
CREATE TABLE withdrawal (
    id INTEGER PRIMARY KEY,
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),
    worker_id INTEGER REFERENCES worker(id),
    reason TEXT NOT NULL,
    token TEXT NOT NULL,
    cut_off INTEGER NOT NULL,
    created_at_s INTEGER NOT NULL,
    restored_at_s INTEGER
) STRICT;
CREATE UNIQUE INDEX withdrawal_stands ON withdrawal(nightly_id, ifnull(worker_id, 0)) WHERE restored_at_s IS NULL;
CREATE VIEW left_out AS SELECT nightly_id, worker_id FROM canary_check WHERE state = 'moved' UNION ALL SELECT nightly_id, CAST(ifnull(worker_id, 0) AS INTEGER) FROM withdrawal WHERE restored_at_s IS NULL UNION ALL SELECT id, CAST(0 AS INTEGER) FROM nightly WHERE state = 'failed' AND compared_series IS NULL;
CREATE TABLE stale_record (
    series_id INTEGER PRIMARY KEY REFERENCES series(id)
) STRICT;
CREATE INDEX baseline_after ON baseline(after_nightly_id) WHERE by_answer = 1;
CREATE INDEX regression_left ON regression(suspects) WHERE suspects <> '[]';
CREATE INDEX mending_bisection ON mending(bisection_id) WHERE bisection_id IS NOT NULL;
CREATE TABLE audit (
    id INTEGER PRIMARY KEY,
    at_s INTEGER NOT NULL,
    who TEXT NOT NULL,
    address TEXT NOT NULL,
    action TEXT NOT NULL,
    object TEXT NOT NULL,
    reason TEXT NOT NULL,
    asked TEXT NOT NULL,
    request_id TEXT NOT NULL,
    token_id INTEGER
) STRICT;
CREATE INDEX audit_at ON audit(at_s);
CREATE TABLE mute (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES project(id),
    regression_id INTEGER REFERENCES regression(id),
    series_id INTEGER REFERENCES series(id),
    owner TEXT NOT NULL,
    reason TEXT NOT NULL,
    token TEXT NOT NULL,
    since_s INTEGER NOT NULL,
    until_s INTEGER NOT NULL,
    ended_s INTEGER,
    ended_why TEXT NOT NULL DEFAULT '',
    CHECK ((regression_id IS NULL) <> (series_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX mute_regression ON mute(regression_id) WHERE ended_s IS NULL AND regression_id IS NOT NULL;
CREATE UNIQUE INDEX mute_series ON mute(series_id) WHERE ended_s IS NULL AND series_id IS NOT NULL;
CREATE INDEX mute_until ON mute(until_s) WHERE ended_s IS NULL;
CREATE VIEW muted AS SELECT g.id AS regression_id FROM regression g WHERE EXISTS (SELECT 1 FROM mute m WHERE m.regression_id = g.id AND m.ended_s IS NULL) OR (EXISTS (SELECT 1 FROM regression_series x WHERE x.regression_id = g.id) AND NOT EXISTS (SELECT 1 FROM regression_series x WHERE x.regression_id = g.id AND NOT EXISTS (SELECT 1 FROM mute m WHERE m.series_id = x.series_id AND m.ended_s IS NULL)));
CREATE TABLE backfill (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES project(id),
    nights INTEGER NOT NULL,
    runs_budget INTEGER NOT NULL,
    token TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('listing', 'measuring', 'looking', 'done', 'cancelled', 'failed')),
    message TEXT NOT NULL DEFAULT '',
    night_runs INTEGER NOT NULL DEFAULT 0,
    looked_series INTEGER NOT NULL DEFAULT 0,
    cancelled_by TEXT NOT NULL DEFAULT '',
    created_at_s INTEGER NOT NULL,
    begun_at_s INTEGER,
    ended_at_s INTEGER
) STRICT;
CREATE UNIQUE INDEX backfill_open ON backfill(project_id) WHERE state IN ('listing', 'measuring', 'looking');
CREATE INDEX nightly_backfill ON nightly(backfill_id, state) WHERE backfill_id IS NOT NULL;
CREATE TABLE request (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES project(id),
    kind TEXT NOT NULL CHECK (kind IN ('run', 'comparison', 'bisection')),
    state TEXT NOT NULL CHECK (state IN ('naming', 'measuring', 'searching', 'done', 'failed', 'cancelled')),
    a TEXT NOT NULL,
    b TEXT NOT NULL,
    a_build_id INTEGER REFERENCES build(id),
    b_build_id INTEGER REFERENCES build(id),
    asked TEXT NOT NULL,
    token TEXT NOT NULL,
    message TEXT NOT NULL DEFAULT '',
    bisection_id INTEGER REFERENCES bisection(id),
    tries INTEGER NOT NULL DEFAULT 0,
    created_at_s INTEGER NOT NULL,
    ended_at_s INTEGER
) STRICT;
CREATE INDEX request_open ON request(id) WHERE state IN ('naming', 'measuring', 'searching');
CREATE INDEX request_naming ON request(id) WHERE state = 'naming';
CREATE INDEX request_bisection ON request(bisection_id) WHERE bisection_id IS NOT NULL;
CREATE INDEX session_nightly ON session(nightly_id);
CREATE INDEX session_request ON session(request_id) WHERE request_id IS NOT NULL;
CREATE TABLE request_verdict (
    session_id INTEGER NOT NULL REFERENCES session(id),
    series_id INTEGER NOT NULL REFERENCES series(id),
    verdict TEXT CHECK (verdict IN ('regression', 'drift', 'noise', 'watch', 'improvement')),
    comparison TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (session_id, series_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX bisection_nightly ON bisection(nightly_id, state);
CREATE INDEX nightly_sent ON nightly(project_id, revision, version);
CREATE INDEX suspicion_nightly ON suspicion(nightly_id, state, verdict);
CREATE TABLE callback (
    job_id INTEGER NOT NULL REFERENCES job(id),
    attempt INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'sent', 'dead')),
    tries INTEGER NOT NULL DEFAULT 0,
    next_try_at_s INTEGER NOT NULL,
    message TEXT NOT NULL DEFAULT '',
    in_flight INTEGER NOT NULL DEFAULT 0 CHECK (in_flight IN (0, 1)),
    PRIMARY KEY (job_id, attempt)
) STRICT, WITHOUT ROWID;
CREATE INDEX callback_pending ON callback(next_try_at_s) WHERE state = 'pending';
CREATE INDEX job_for_one ON job(only_worker_id) WHERE state = 'queued' AND only_worker_id IS NOT NULL;
CREATE INDEX build_missing ON build(project_id, id) WHERE input_kind = 'source_tree' AND input_digest IS NULL AND input_error = '';
CREATE INDEX run_rare ON run(outcome, id) WHERE outcome <> 'passed';
CREATE INDEX job_rare ON job(state, id) WHERE state <> 'done';
CREATE TABLE "content" (
    digest TEXT PRIMARY KEY,
    size_bytes INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('source', 'artifact', 'product', 'log', 'delivery')),
    created_at_s INTEGER NOT NULL,
    used_at_s INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX content_size ON content(size_bytes);
CREATE INDEX delivery_kept ON delivery(received_at_s) WHERE length(body) > 0;
CREATE TABLE day_runs (
    day INTEGER NOT NULL,
    project_id INTEGER NOT NULL REFERENCES project(id),
    purpose TEXT NOT NULL,
    runs INTEGER NOT NULL,
    PRIMARY KEY (day, project_id, purpose)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER day_runs_more AFTER INSERT ON run BEGIN INSERT INTO day_runs SELECT created_at_s / 86400, project_id, purpose, 1 FROM job WHERE id = new.job_id ON CONFLICT DO UPDATE SET runs = runs + 1; END;
CREATE TRIGGER day_runs_less AFTER DELETE ON run BEGIN UPDATE day_runs SET runs = runs - 1 WHERE (day, project_id, purpose) = (SELECT created_at_s / 86400, project_id, purpose FROM job WHERE id = old.job_id); END;
CREATE TABLE worker_environment (
    id INTEGER PRIMARY KEY,
    worker_id INTEGER NOT NULL REFERENCES worker(id),
    environment_id INTEGER NOT NULL REFERENCES environment(id),
    at_s INTEGER NOT NULL
) STRICT;
CREATE INDEX worker_environment_worker ON worker_environment(worker_id, id);
CREATE TRIGGER worker_environment_changes AFTER UPDATE OF environment_after_id ON attempt WHEN new.environment_after_id IS NOT NULL AND new.ended_at_s IS NOT NULL AND new.environment_after_id IS NOT (SELECT environment_id FROM worker_environment WHERE worker_id = new.worker_id ORDER BY id DESC LIMIT 1) BEGIN INSERT INTO worker_environment(worker_id, environment_id, at_s) VALUES (new.worker_id, new.environment_after_id, new.ended_at_s); END;
CREATE TABLE run_fact (
    run_id INTEGER NOT NULL REFERENCES run(id),
    name TEXT NOT NULL,
    value REAL,
    low REAL,
    high REAL,
    unit TEXT NOT NULL DEFAULT '',
    text TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (run_id, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE chosen_batch (
    project_id INTEGER NOT NULL REFERENCES project(id),
    benchmark TEXT NOT NULL,
    variant TEXT NOT NULL,
    machine_class_id INTEGER NOT NULL REFERENCES machine_class(id),
    batch INTEGER NOT NULL CHECK (batch > 0),
    run_id INTEGER NOT NULL REFERENCES run(id),
    PRIMARY KEY (project_id, benchmark, variant, machine_class_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE command (
    id INTEGER PRIMARY KEY,
    target TEXT NOT NULL,
    issue INTEGER NOT NULL,
    issue_url TEXT NOT NULL,
    comment INTEGER NOT NULL,
    login TEXT NOT NULL,
    words TEXT NOT NULL,
    answer TEXT NOT NULL DEFAULT '',
    state TEXT NOT NULL CHECK (state IN ('pending', 'sent', 'dead')),
    attempts INTEGER NOT NULL DEFAULT 0,
    in_flight INTEGER NOT NULL DEFAULT 0,
    next_attempt_at_s INTEGER NOT NULL,
    message TEXT NOT NULL DEFAULT '',
    created_at_s INTEGER NOT NULL,
    request_id INTEGER REFERENCES request(id),
    told INTEGER NOT NULL DEFAULT 1,
    is_pull INTEGER NOT NULL DEFAULT 0,
    is_member INTEGER NOT NULL DEFAULT 0,
    UNIQUE (target, comment)
) STRICT;
CREATE INDEX command_due ON command(next_attempt_at_s) WHERE state = 'pending';
CREATE INDEX command_untold ON command(request_id) WHERE told = 0;
CREATE TABLE notice (
    id INTEGER PRIMARY KEY,
    target TEXT NOT NULL,
    place TEXT NOT NULL,
    number INTEGER NOT NULL,
    revision TEXT NOT NULL DEFAULT '',
    status TEXT NOT NULL DEFAULT '' CHECK (status IN ('', 'queued', 'in_progress', 'success', 'neutral', 'failure')),
    title TEXT NOT NULL DEFAULT '',
    body TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,
    state TEXT NOT NULL CHECK (state IN ('pending', 'sent', 'dead')),
    attempts INTEGER NOT NULL DEFAULT 0,
    ambiguous INTEGER NOT NULL DEFAULT 0,
    in_flight INTEGER NOT NULL DEFAULT 0,
    next_attempt_at_s INTEGER NOT NULL,
    external_ref TEXT NOT NULL DEFAULT '',
    message TEXT NOT NULL DEFAULT '',
    changed_at_s INTEGER NOT NULL,
    given_up INTEGER NOT NULL DEFAULT 0,
    filings INTEGER NOT NULL DEFAULT 0,
    filed_at_s INTEGER NOT NULL DEFAULT 0,
    look_at_s INTEGER,
    UNIQUE (target, place)
) STRICT;
CREATE INDEX notice_due ON notice(next_attempt_at_s) WHERE state = 'pending';
CREATE TABLE pull (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES project(id),
    target TEXT NOT NULL,
    number INTEGER NOT NULL,
    head TEXT NOT NULL,
    base TEXT NOT NULL,
    is_fork INTEGER NOT NULL,
    asked_by TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('held', 'listing', 'measuring', 'done', 'failed', 'stopped')),
    told INTEGER NOT NULL DEFAULT 0,
    message TEXT NOT NULL DEFAULT '',
    request_id INTEGER REFERENCES request(id),
    seen_at_s INTEGER NOT NULL,
    created_at_s INTEGER NOT NULL,
    ended_at_s INTEGER,
    UNIQUE (target, number, head)
) STRICT;
CREATE INDEX pull_open ON pull(state, project_id) WHERE state IN ('listing', 'measuring');
CREATE INDEX pull_untold ON pull(id) WHERE told = 0;
CREATE TABLE author_email (
    revision TEXT PRIMARY KEY,
    email TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE report (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('regression', 'night', 'trouble', 'comment', 'week')),
    project_id INTEGER NOT NULL REFERENCES project(id),
    regression_id INTEGER REFERENCES regression(id),
    nightly_id INTEGER REFERENCES nightly(id),
    trouble_id INTEGER REFERENCES trouble(id),
    about_id INTEGER REFERENCES regression(id),
    part INTEGER NOT NULL DEFAULT 0,
    subject TEXT NOT NULL GENERATED ALWAYS AS (CASE kind WHEN 'regression' THEN 'regression/' || regression_id WHEN 'night' THEN 'nightly/' || nightly_id WHEN 'comment' THEN 'comment/' || about_id || '/' || part WHEN 'week' THEN 'week/' || project_id || '/' || part ELSE 'trouble/' || trouble_id END) STORED,
    version INTEGER NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at_s INTEGER NOT NULL,
    checked_at_s INTEGER NOT NULL DEFAULT 0,
    told_state TEXT,
    told_culprit TEXT,
    told_ratio REAL,
    told_broken INTEGER NOT NULL DEFAULT 0,
    told_ended_as TEXT
) STRICT;
CREATE UNIQUE INDEX report_subject ON report(subject, version);
CREATE INDEX report_regression ON report(regression_id, version) WHERE regression_id IS NOT NULL;
CREATE INDEX report_night ON report(nightly_id, version) WHERE nightly_id IS NOT NULL;
CREATE INDEX report_about ON report(about_id, part, version) WHERE about_id IS NOT NULL;
CREATE TABLE outbox (
    id INTEGER PRIMARY KEY,
    report_id INTEGER NOT NULL REFERENCES report(id),
    target TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'sent', 'dead')),
    attempts INTEGER NOT NULL DEFAULT 0,
    ambiguous INTEGER NOT NULL DEFAULT 0,
    next_attempt_at_s INTEGER NOT NULL,
    external_ref TEXT NOT NULL DEFAULT '',
    message TEXT NOT NULL DEFAULT '',
    in_flight INTEGER NOT NULL DEFAULT 0,
    filings INTEGER NOT NULL DEFAULT 0,
    filed_at_s INTEGER NOT NULL DEFAULT 0,
    closed INTEGER NOT NULL DEFAULT 0,
    in_vain INTEGER NOT NULL DEFAULT 0,
    UNIQUE (report_id, target)
) STRICT;
CREATE INDEX outbox_pending ON outbox(next_attempt_at_s) WHERE state = 'pending';
CREATE INDEX outbox_turn ON outbox(target, id) WHERE state = 'pending';
CREATE INDEX outbox_dead ON outbox(id) WHERE state = 'dead';
CREATE INDEX outbox_place ON outbox(external_ref) WHERE external_ref <> '';
CREATE INDEX report_week ON report(project_id, created_at_s) WHERE kind = 'week';
CREATE INDEX notice_given_up ON notice(target, changed_at_s) WHERE given_up = 1;
CREATE INDEX notice_look ON notice(look_at_s) WHERE look_at_s IS NOT NULL;
CREATE TABLE culprit_pull (
    id INTEGER PRIMARY KEY,
    regression_id INTEGER NOT NULL REFERENCES regression(id),
    target TEXT NOT NULL,
    revision TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('asking', 'found', 'none')),
    number INTEGER NOT NULL DEFAULT 0,
    told INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_attempt_at_s INTEGER NOT NULL,
    message TEXT NOT NULL DEFAULT '',
    UNIQUE (regression_id, target, revision)
) STRICT;
CREATE INDEX culprit_pull_asking ON culprit_pull(next_attempt_at_s) WHERE state = 'asking';
CREATE INDEX culprit_pull_untold ON culprit_pull(id) WHERE state = 'found' AND told = 0;
CREATE INDEX culprit_pull_place ON culprit_pull(target, number) WHERE state = 'found';
CREATE INDEX nightly_unlisted ON nightly(project_id, id) WHERE commits = 'listing' AND beside IS NULL;
CREATE TABLE night_range (
    nightly_id INTEGER PRIMARY KEY REFERENCES nightly(id),
    since_id INTEGER REFERENCES nightly(id),
    count INTEGER NOT NULL,
    message TEXT NOT NULL
) STRICT;
CREATE TABLE night_commit (
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),
    position INTEGER NOT NULL,
    revision TEXT NOT NULL,
    subject TEXT NOT NULL,
    author TEXT NOT NULL,
    authored_at_s INTEGER NOT NULL,
    PRIMARY KEY (nightly_id, position)
) STRICT, WITHOUT ROWID;
CREATE VIEW given_up AS SELECT o.id AS outbox_id, o.report_id, o.target FROM outbox o JOIN report r ON r.id = o.report_id WHERE o.state = 'dead' AND NOT EXISTS ( SELECT 1 FROM outbox later JOIN report n ON n.id = later.report_id WHERE later.target = o.target AND n.version > r.version AND n.subject = r.subject);
CREATE TABLE hooked_repository (
    name TEXT NOT NULL COLLATE NOCASE PRIMARY KEY,
    github_id INTEGER NOT NULL,
    seen_at_s INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE former_series (
    series_id INTEGER PRIMARY KEY REFERENCES series(id)
) STRICT;
CREATE TABLE machine_time (
    project_id INTEGER NOT NULL REFERENCES project(id),
    purpose TEXT NOT NULL,
    seconds INTEGER NOT NULL,
    PRIMARY KEY (project_id, purpose)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER machine_time_ended AFTER UPDATE OF ended_at_s ON attempt WHEN old.ended_at_s IS NULL AND new.ended_at_s > new.claimed_at_s BEGIN INSERT INTO machine_time SELECT project_id, purpose, new.ended_at_s - new.claimed_at_s FROM job WHERE id = new.job_id ON CONFLICT DO UPDATE SET seconds = seconds + excluded.seconds; END;
CREATE TRIGGER machine_time_made AFTER INSERT ON attempt WHEN new.ended_at_s > new.claimed_at_s BEGIN INSERT INTO machine_time SELECT project_id, purpose, new.ended_at_s - new.claimed_at_s FROM job WHERE id = new.job_id ON CONFLICT DO UPDATE SET seconds = seconds + excluded.seconds; END;
CREATE VIEW judged_measurement AS SELECT * FROM measurement WHERE (median = 0 OR median BETWEEN 1e-60 AND 1e60) AND spread BETWEEN 0 AND 1e60;
CREATE TABLE circuit (
    receiver TEXT PRIMARY KEY,
    failures INTEGER NOT NULL,
    until_s INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "token" (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    scope TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    created_at_s INTEGER NOT NULL,
    expires_at_s INTEGER,
    used_at_s INTEGER,
    revoked_at_s INTEGER,
    projects TEXT
) STRICT;
CREATE INDEX token_by_name ON token(name);
CREATE UNIQUE INDEX token_in_use ON token(name) WHERE revoked_at_s IS NULL;
CREATE TABLE "import" (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES project(id),
    digest TEXT NOT NULL,
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),
    job_id INTEGER NOT NULL REFERENCES job(id),
    closes INTEGER NOT NULL,
    received_at_s INTEGER NOT NULL,
    former INTEGER NOT NULL DEFAULT 0,
    token TEXT NOT NULL DEFAULT '',
    UNIQUE (project_id, digest)
) STRICT;
CREATE INDEX import_nightly ON import(nightly_id, received_at_s);
CREATE TABLE "night_value" (
    series_id INTEGER NOT NULL,
    nightly_id INTEGER NOT NULL,
    run_id INTEGER NOT NULL,
    worker_id INTEGER NOT NULL,
    environment_id INTEGER,
    median REAL NOT NULL,
    spread REAL NOT NULL,
    PRIMARY KEY (series_id, nightly_id, run_id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER night_value_comes AFTER INSERT ON measurement WHEN (new.median = 0 OR new.median BETWEEN 1e-60 AND 1e60) AND new.spread BETWEEN 0 AND 1e60 BEGIN INSERT INTO night_value SELECT new.series_id, job.nightly_id, run.id, run.worker_id, run.environment_id, new.median, new.spread FROM run CROSS JOIN job ON job.id = run.job_id AND job.attempt = run.attempt WHERE run.id = new.run_id AND run.outcome = 'passed' AND job.purpose = 'nightly' AND job.nightly_id IS NOT NULL; END;
CREATE TRIGGER night_value_goes AFTER DELETE ON measurement BEGIN DELETE FROM night_value WHERE series_id = old.series_id AND run_id = old.run_id AND nightly_id = (SELECT job.nightly_id FROM run JOIN job ON job.id = run.job_id WHERE run.id = old.run_id); END;
CREATE TRIGGER night_value_is_made_anew AFTER UPDATE OF attempt ON job WHEN new.attempt <> old.attempt AND new.purpose = 'nightly' BEGIN DELETE FROM night_value WHERE (series_id, nightly_id, run_id) IN (SELECT measurement.series_id, new.nightly_id, run.id FROM run CROSS JOIN measurement ON measurement.run_id = run.id WHERE run.job_id = new.id); END;
CREATE TABLE source_facts (
    build_id INTEGER PRIMARY KEY REFERENCES build(id),
    describe TEXT NOT NULL,
    committed_at_s INTEGER NOT NULL,
    notes TEXT NOT NULL
) STRICT;
CREATE TABLE past_archive (
    nightly_id INTEGER PRIMARY KEY,
    backfill_id INTEGER NOT NULL REFERENCES backfill(id),
    version TEXT NOT NULL,
    day TEXT NOT NULL,
    skipped TEXT
) STRICT;
CREATE INDEX past_archive_backfill ON past_archive(backfill_id);
CREATE TABLE missed (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES project(id),
    series_id INTEGER NOT NULL REFERENCES series(id),
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),
    good_nightly_id INTEGER NOT NULL REFERENCES nightly(id),
    believed TEXT NOT NULL DEFAULT '',
    reason TEXT NOT NULL DEFAULT '',
    token TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('measuring', 'confirmed', 'not_confirmed', 'undecided', 'taken_back')),
    message TEXT NOT NULL DEFAULT '',
    request_id INTEGER NOT NULL REFERENCES request(id),
    suspicion_id INTEGER REFERENCES suspicion(id),
    created_at_s INTEGER NOT NULL,
    ended_at_s INTEGER
) STRICT;
CREATE UNIQUE INDEX missed_stands ON missed(series_id, nightly_id) WHERE state <> 'taken_back';
CREATE INDEX missed_series ON missed(series_id);
CREATE INDEX missed_measuring ON missed(id) WHERE state = 'measuring';
CREATE INDEX missed_suspicion ON missed(suspicion_id) WHERE suspicion_id IS NOT NULL;
CREATE INDEX missed_created ON missed(created_at_s);
CREATE TABLE series (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES project(id),
    benchmark TEXT NOT NULL,
    variant TEXT NOT NULL,
    machine_class_id INTEGER NOT NULL REFERENCES machine_class(id),
    metric TEXT NOT NULL,
    definition INTEGER NOT NULL,
    unit TEXT NOT NULL,
    direction TEXT NOT NULL CHECK (direction IN ('lower_is_better', 'higher_is_better')),
    told TEXT CHECK (told IN ('lower_is_better', 'higher_is_better')),
    judging TEXT NOT NULL DEFAULT 'as_metric' CHECK (judging IN ('as_metric', 'always', 'never', 'no_direction')),
    case_name TEXT NOT NULL DEFAULT '',
    quantity TEXT NOT NULL DEFAULT '',
    threshold REAL,
    shown TEXT GENERATED ALWAYS AS (benchmark || iif(case_name = '', '', ': ' || case_name) || iif(quantity = '', '', ', ' || quantity)) VIRTUAL,
    UNIQUE (project_id, benchmark, variant, machine_class_id, metric, definition, case_name, quantity)
) STRICT;
CREATE INDEX series_no_direction ON series(project_id, id) WHERE judging = 'no_direction';
CREATE TABLE case_failure (
    run_id INTEGER NOT NULL REFERENCES run(id),
    case_name TEXT NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (run_id, case_name)
) STRICT, WITHOUT ROWID;
CREATE TABLE whole_case (
    project_id INTEGER NOT NULL REFERENCES project(id),
    benchmark TEXT NOT NULL,
    variant TEXT NOT NULL,
    case_name TEXT NOT NULL,
    arguments TEXT NOT NULL,
    PRIMARY KEY (project_id, benchmark, variant, case_name)
) STRICT, WITHOUT ROWID;
INSERT INTO clock (id, steady_s) VALUES (1, unixepoch());
INSERT INTO marker_key VALUES (1, lower(hex(randomblob(32))));
