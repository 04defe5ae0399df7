-- The ledger's first schema. Times are UTC integers (_s, _ns); digests are 64 lower-case hex
-- digits; revisions are full hashes; JSON columns hold what schema/wire writes. Migrations are
-- forward only and never edited after merge.

-- Who we watch -----------------------------------------------------------------------------------

CREATE TABLE project (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created_at_s INTEGER NOT NULL
) STRICT;

CREATE TABLE machine_class (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

-- A worker is known by its token's name. Its fingerprint is what it showed last; one that differs
-- from what the class demands is quarantined and gets no jobs.
CREATE TABLE worker (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    machine_class_id INTEGER NOT NULL REFERENCES machine_class(id),
    state TEXT NOT NULL CHECK (state IN ('active', 'draining', 'quarantined')),
    reason TEXT NOT NULL DEFAULT '',
    fingerprint TEXT NOT NULL,              -- JSON
    toolchain TEXT NOT NULL,                -- digest of compiler and library versions
    first_seen_at_s INTEGER NOT NULL,
    last_seen_at_s INTEGER NOT NULL
) STRICT;

-- Recorded facts that can move a number unasked. Equal facts are one row.
CREATE TABLE environment (
    id INTEGER PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    facts TEXT NOT NULL                     -- JSON object of strings
) STRICT;

CREATE TABLE token (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    scope TEXT NOT NULL CHECK (scope IN ('read', 'write', 'worker', 'admin')),
    hash TEXT NOT NULL UNIQUE,              -- SHA-256 of the secret
    created_at_s INTEGER NOT NULL,
    revoked_at_s INTEGER
) STRICT;

-- How a night begins -----------------------------------------------------------------------------

-- One wish that a project's newest nightly be looked at. `cause_key` makes it happen once:
-- "schedule:<due_s>", "request:<idempotency key>", "delivery:<id>".
CREATE TABLE trigger_request (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES project(id),
    cause TEXT NOT NULL CHECK (cause IN ('schedule', 'request', 'delivery')),
    cause_key TEXT NOT NULL,
    revision TEXT,                          -- NULL: whatever is newest
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
    external_id TEXT NOT NULL UNIQUE,       -- X-GitHub-Delivery
    event TEXT NOT NULL,
    body_digest TEXT NOT NULL,
    body BLOB NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('received', 'acted', 'ignored')),
    message TEXT NOT NULL DEFAULT '',
    replays INTEGER NOT NULL DEFAULT 0,
    received_at_s INTEGER NOT NULL
) STRICT;

-- What is measured -------------------------------------------------------------------------------

-- What a project offered once: a revision as source tree or as archive. Equal input, one row.
CREATE TABLE build (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES project(id),
    revision TEXT NOT NULL,
    input_kind TEXT NOT NULL CHECK (input_kind IN ('source_tree', 'archive')),
    -- Of an archive: known before the row exists. Of a source tree: NULL until it was exported.
    input_digest TEXT,
    input_error TEXT NOT NULL DEFAULT '',   -- why it can never be had (the object is gone, ...)
    created_at_s INTEGER NOT NULL,
    UNIQUE (project_id, revision, input_kind, input_digest)
) STRICT;
CREATE UNIQUE INDEX build_source ON build(project_id, revision) WHERE input_kind = 'source_tree';

-- The installable result of one build by one recipe and one toolchain.
CREATE TABLE product (
    id INTEGER PRIMARY KEY,
    build_id INTEGER NOT NULL REFERENCES build(id),
    recipe_digest TEXT NOT NULL,
    toolchain TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('built', 'failed')),
    failures INTEGER NOT NULL DEFAULT 0,    -- a failed one may be tried again once
    digest TEXT,                            -- of the packed outputs; NULL when it failed
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
    version TEXT NOT NULL,                  -- the source's own name for it
    day TEXT NOT NULL,                      -- YYYY-MM-DD, from the source
    revision TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('measuring', 'confirming', 'searching', 'done', 'failed')),
    message TEXT NOT NULL DEFAULT '',
    created_at_s INTEGER NOT NULL,
    ended_at_s INTEGER,
    UNIQUE (project_id, version, build_id)
) STRICT;

CREATE TABLE artifact (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES project(id),
    version TEXT NOT NULL,
    url TEXT NOT NULL,                      -- where it came from
    digest TEXT,                            -- NULL when it was refused
    size_bytes INTEGER,
    state TEXT NOT NULL CHECK (state IN ('fetched', 'refused')),
    message TEXT NOT NULL DEFAULT '',
    created_at_s INTEGER NOT NULL
) STRICT;

-- Work -------------------------------------------------------------------------------------------

-- An A/B session of a confirmation: blocks of the same pair of builds on one benchmark variant and
-- machine class. Each block is a job; several suspicions (time, memory) may stand on one session.
CREATE TABLE session (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES project(id),
    a_build_id INTEGER NOT NULL REFERENCES build(id),
    b_build_id INTEGER NOT NULL REFERENCES build(id),
    benchmark TEXT NOT NULL,
    variant TEXT NOT NULL,
    machine_class_id INTEGER NOT NULL REFERENCES machine_class(id),
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),
    state TEXT NOT NULL CHECK (state IN ('open', 'done')),
    created_at_s INTEGER NOT NULL
) STRICT;
CREATE INDEX session_open ON session(state) WHERE state = 'open';

CREATE TABLE job (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES project(id),
    machine_class_id INTEGER NOT NULL REFERENCES machine_class(id),
    purpose TEXT NOT NULL CHECK (purpose IN ('nightly', 'confirm', 'probe', 'verify', 'request')),
    state TEXT NOT NULL
        CHECK (state IN ('queued', 'leased', 'done', 'failed', 'cancelled', 'parked')),
    priority INTEGER NOT NULL,              -- larger first
    nightly_id INTEGER REFERENCES nightly(id),
    session_id INTEGER REFERENCES session(id),
    probe_id INTEGER REFERENCES probe(id),
    plan TEXT NOT NULL,                     -- JSON: benchmarks and steps, frozen when planned
    message TEXT NOT NULL DEFAULT '',
    attempt INTEGER NOT NULL DEFAULT 0,     -- number of the newest attempt; refuses late results
    lost_attempts INTEGER NOT NULL DEFAULT 0,
    worker_id INTEGER REFERENCES worker(id),-- while leased
    lease_expires_at_s INTEGER,             -- while leased
    progress TEXT NOT NULL DEFAULT '',      -- last heartbeat's words
    created_at_s INTEGER NOT NULL,
    ended_at_s INTEGER
) STRICT;
CREATE INDEX job_waiting ON job(machine_class_id, priority DESC, id) WHERE state = 'queued';
CREATE INDEX job_leased ON job(lease_expires_at_s) WHERE state = 'leased';
CREATE INDEX job_nightly ON job(nightly_id);
CREATE INDEX job_session ON job(session_id);

-- Which builds a job needs; a job is claimable when all of them have their input.
CREATE TABLE job_build (
    job_id INTEGER NOT NULL REFERENCES job(id),
    position INTEGER NOT NULL,              -- index used by the plan's steps
    build_id INTEGER NOT NULL REFERENCES build(id),
    PRIMARY KEY (job_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX job_build_build ON job_build(build_id);

CREATE TABLE attempt (
    job_id INTEGER NOT NULL REFERENCES job(id),
    number INTEGER NOT NULL,
    worker_id INTEGER NOT NULL REFERENCES worker(id),
    recipe_digest TEXT NOT NULL,            -- of the recipe that the lease carried
    claimed_at_s INTEGER NOT NULL,
    ended_at_s INTEGER,
    outcome TEXT CHECK (outcome IN ('done', 'failed', 'lost', 'released', 'cancelled')),
    message TEXT NOT NULL DEFAULT '',
    stale_results INTEGER NOT NULL DEFAULT 0,
    result_digest TEXT,                     -- of the accepted result: again changes nothing
    environment_before_id INTEGER REFERENCES environment(id),
    environment_after_id INTEGER REFERENCES environment(id),
    load TEXT NOT NULL DEFAULT '{}',        -- JSON: load, temperature, clocks before and after
    PRIMARY KEY (job_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    job_id INTEGER NOT NULL REFERENCES job(id),
    attempt INTEGER NOT NULL,
    step INTEGER NOT NULL,                  -- index in the plan
    build_id INTEGER NOT NULL REFERENCES build(id),
    benchmark TEXT NOT NULL,
    variant TEXT NOT NULL,
    machine_class_id INTEGER NOT NULL REFERENCES machine_class(id),
    worker_id INTEGER NOT NULL REFERENCES worker(id),
    environment_id INTEGER REFERENCES environment(id),
    outcome TEXT NOT NULL
        CHECK (outcome IN ('passed', 'failed', 'wrong', 'oom', 'timeout', 'unsupported')),
    message TEXT NOT NULL DEFAULT '',
    log_digest TEXT,
    started_at_ns INTEGER NOT NULL,
    duration_ns INTEGER NOT NULL,
    UNIQUE (job_id, attempt, step)
) STRICT;
CREATE INDEX run_build ON run(build_id, benchmark, variant, machine_class_id);

CREATE TABLE series (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES project(id),
    benchmark TEXT NOT NULL,
    variant TEXT NOT NULL,
    machine_class_id INTEGER NOT NULL REFERENCES machine_class(id),
    metric TEXT NOT NULL,
    definition INTEGER NOT NULL,            -- a new definition is a new series
    unit TEXT NOT NULL,
    direction TEXT NOT NULL CHECK (direction IN ('lower_is_better', 'higher_is_better')),
    UNIQUE (project_id, benchmark, variant, machine_class_id, metric, definition)
) STRICT;

CREATE TABLE measurement (
    run_id INTEGER NOT NULL REFERENCES run(id),
    series_id INTEGER NOT NULL REFERENCES series(id),
    median REAL NOT NULL,
    spread REAL NOT NULL,                   -- scaled median absolute deviation
    count INTEGER NOT NULL,
    samples BLOB NOT NULL,                  -- count little-endian IEEE doubles, in order
    PRIMARY KEY (run_id, series_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX measurement_series ON measurement(series_id, run_id);
