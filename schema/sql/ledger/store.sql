-- What all stores stand on: names, workers, tokens, what happened, what is wrong, stored content.
-- Owner: service/store itself.
--
-- Of all of these files: times are integers, UTC or steady (the table clock), with their unit (_s,
-- _ms, _ns). Digests are 64 lower-case hex digits, revisions full hashes. A flag is 0 or 1. JSON
-- columns hold what schema/wire writes. How a change is made: docs/contributing.md.

-- A project under watch; a row for each name that the config ever had.
CREATE TABLE project (
    id INTEGER PRIMARY KEY,                 -- referred to by nearly every table
    name TEXT NOT NULL UNIQUE,              -- as the config has it
    created_at_s INTEGER NOT NULL           -- UTC; when the config first named it
) STRICT;

-- Machines whose values may be compared; a row for each name that the config ever had.
CREATE TABLE machine_class (
    id INTEGER PRIMARY KEY,                 -- its number
    name TEXT NOT NULL UNIQUE               -- as the config has it
) STRICT;

-- A worker, known by its token's name. Its fingerprint is what it showed last; one that differs
-- from what its class demands is quarantined and gets no jobs. Where a project is measured
-- elsewhere, a worker that is always draining stands for the machines there.
CREATE TABLE worker (
    id INTEGER PRIMARY KEY,                 -- its number
    name TEXT NOT NULL UNIQUE,              -- of its token
    machine_class_id INTEGER NOT NULL REFERENCES machine_class(id),  -- that it says it is of
    -- active: it may have jobs; draining: no new ones
    state TEXT NOT NULL CHECK (state IN ('active', 'draining', 'quarantined')),
    reason TEXT NOT NULL DEFAULT '',        -- why it is quarantined, one line; empty: it is not
    fingerprint TEXT NOT NULL,              -- JSON: facts of its machine that its class fixes
    toolchain TEXT NOT NULL,                -- digest of compiler and library versions
    first_seen_at_s INTEGER NOT NULL,       -- UTC
    last_seen_at_s INTEGER NOT NULL,        -- UTC; when it last showed itself
    -- why it gets no jobs until a person releases it; empty: nothing holds it
    held TEXT NOT NULL DEFAULT '',
    instance TEXT NOT NULL DEFAULT '',      -- its process, by lot
    instance_before TEXT NOT NULL DEFAULT '',  -- the process before that
    containment TEXT NOT NULL DEFAULT '{}'  -- JSON: layer -> method, what holds its jobs
) STRICT;

-- A bearer token, known by its id. A name may stand in several rows: who gets the name of a revoked
-- token is somebody else.
CREATE TABLE token (
    id INTEGER PRIMARY KEY,                 -- its number
    name TEXT NOT NULL,                     -- whose it is; of tokens not revoked each name once
    scope TEXT NOT NULL,                    -- one scope or several, as "read,triage"
    hash TEXT NOT NULL UNIQUE,              -- SHA-256 of the secret
    created_at_s INTEGER NOT NULL,          -- UTC
    expires_at_s INTEGER,                   -- UTC; NULL: never
    used_at_s INTEGER,                      -- UTC, at most an hour before its last use; NULL: never
    revoked_at_s INTEGER,                   -- UTC; NULL: it may be used
    -- JSON: names of those whose results it may send; NULL: all
    projects TEXT
) STRICT;
CREATE INDEX token_by_name ON token(name);
CREATE UNIQUE INDEX token_in_use ON token(name) WHERE revoked_at_s IS NULL;

-- What people and programs changed by REST, and who made the first admin token: one row in the
-- transaction of each change. It is bounded: see service/store/audit.hpp.
CREATE TABLE audit (
    id INTEGER PRIMARY KEY,                 -- in the order of the changes
    at_s INTEGER NOT NULL,                  -- UTC
    who TEXT NOT NULL,                      -- name of the token
    address TEXT NOT NULL,                  -- the request came from; empty: from the daemon itself
    action TEXT NOT NULL,                   -- "regression.state"
    object TEXT NOT NULL,                   -- "regression/7"
    reason TEXT NOT NULL,                   -- in the caller's words; empty: none was given
    asked TEXT NOT NULL,                    -- JSON: the rest of the body; {} where it is long
    request_id TEXT NOT NULL,               -- as in the reply and in the log
    token_id INTEGER                        -- whose name that is; NULL: no token's
) STRICT;
CREATE INDEX audit_at ON audit(at_s);

-- What happened, for the live feed and the log. Rows are only ever added; those of a job and of a
-- refuted suspicion go with it when its night is rolled up.
CREATE TABLE event (
    id INTEGER PRIMARY KEY,                 -- in the order of what happened
    at_s INTEGER NOT NULL,                  -- UTC
    kind TEXT NOT NULL,                     -- "job.leased", "nightly.none", ...
    project_id INTEGER REFERENCES project(id),  -- whose; NULL: of no project
    subject TEXT NOT NULL,                  -- the row it happened to: "job/12", "regression/3"
    message TEXT NOT NULL,                  -- one line for a person
    data TEXT NOT NULL DEFAULT '{}'         -- JSON object: what programs want to know of it
) STRICT;
CREATE INDEX event_subject ON event(subject, id);
CREATE TRIGGER event_keeps BEFORE UPDATE ON event
BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER event_stays BEFORE DELETE ON event
    WHEN NOT EXISTS (SELECT 1 FROM job JOIN nightly ON nightly.id = job.nightly_id
        WHERE old.subject = 'job/' || job.id AND job.id = CAST(substr(old.subject, 5) AS INTEGER)
        AND nightly.rolled_up_at_s IS NOT NULL)
    AND NOT EXISTS (SELECT 1 FROM old_suspicion WHERE old.subject = 'suspicion/' || id
        AND id = CAST(substr(old.subject, 11) AS INTEGER))
BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;

-- What is wrong and lasts: one row for each cause, from its first sight until it ends.
CREATE TABLE trouble (
    id INTEGER PRIMARY KEY,                 -- its number
    kind TEXT NOT NULL,                     -- thing.state: source.failed, class.no_workers
    subject TEXT NOT NULL,                  -- what has it: project/json, class/a100, report/3
    project_id INTEGER REFERENCES project(id),  -- whose; NULL: of no project
    message TEXT NOT NULL,                  -- for a person: what, why, what to do
    since_s INTEGER NOT NULL,               -- UTC; first time it was met
    seen_s INTEGER NOT NULL,                -- UTC; last time it was met
    ended_s INTEGER,                        -- UTC; NULL: it lasts
    told INTEGER NOT NULL DEFAULT 0         -- 1: a message about it is in the outbox
) STRICT;
CREATE UNIQUE INDEX trouble_open ON trouble(kind, subject) WHERE ended_s IS NULL;
CREATE INDEX trouble_subject ON trouble(subject, kind);
CREATE INDEX trouble_untold ON trouble(id) WHERE ended_s IS NOT NULL AND told = 1;

-- A file of the content store. The row goes before the file does.
CREATE TABLE content (
    digest TEXT PRIMARY KEY,                -- SHA-256 of the content, which is its name
    size_bytes INTEGER NOT NULL,            -- of the file
    -- source: a packed tree; artifact: an archive of a source
    kind TEXT NOT NULL CHECK (kind IN ('source', 'artifact', 'product', 'log', 'delivery')),
    created_at_s INTEGER NOT NULL,          -- UTC
    -- UTC; what was longest unused goes first; 0: it goes next; 2^60: it stays for ever
    used_at_s INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX content_size ON content(size_bytes);
CREATE INDEX content_unused ON content(kind, used_at_s);
CREATE INDEX content_released ON content(digest) WHERE used_at_s = 0;
CREATE INDEX content_shared ON content(digest) WHERE kind IN ('artifact', 'product');

-- How much content went, and why: a row for each day, kind and reason, so that years of it are few.
CREATE TABLE dropped_content (
    id INTEGER PRIMARY KEY,                 -- in the order of the days
    day INTEGER NOT NULL,                   -- since 1970, UTC
    kind TEXT NOT NULL,                     -- as content.kind
    -- run_gone: its run was rolled up; unused: for longer than the config says; no_room: the store
    -- was larger than the config says
    reason TEXT NOT NULL CHECK (reason IN ('run_gone', 'unused', 'no_room')),
    files INTEGER NOT NULL,                 -- that went
    bytes INTEGER NOT NULL,                 -- of these files
    UNIQUE (day, kind, reason)
) STRICT;

-- A copy of content in a store that speaks S3: a row before it is sent. When the content is gone,
-- the object goes first, then the row.
CREATE TABLE object_copy (
    bucket TEXT NOT NULL,                   -- its address
    digest TEXT NOT NULL,                   -- of the content; the object's name
    sent_at_s INTEGER,                      -- UTC; NULL: it may be there, or not
    PRIMARY KEY (bucket, digest)
) STRICT, WITHOUT ROWID;

-- How much room the disk had, day by day: what fills it is told before it is full.
CREATE TABLE disk_day (
    day INTEGER PRIMARY KEY,                -- since 1970, UTC
    free_bytes INTEGER NOT NULL             -- where the state folder lies, at the day's first look
) STRICT;

-- Steady time: it began as the time of day, goes on only while a daemon runs, and never jumps. Ages
-- and terms are counted in it. One row.
CREATE TABLE clock (
    id INTEGER PRIMARY KEY CHECK (id = 1),  -- always 1
    steady_s INTEGER NOT NULL               -- as it was a minute ago at most
) STRICT;
INSERT INTO clock (id, steady_s) VALUES (1, unixepoch());
