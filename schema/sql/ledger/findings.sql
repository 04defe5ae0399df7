-- Findings: regressions and the searches for their causes, and what people ask to be measured.
-- Owner: service/store/findings.

-- A change for the worse with one cause, in one series or several.
CREATE TABLE regression (
    id INTEGER PRIMARY KEY,                 -- its number
    project_id INTEGER NOT NULL REFERENCES project(id),  -- whose
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),  -- that showed it
    -- see the drawing in docs/architecture.md; ended_as says how a closed one ended
    state TEXT NOT NULL
        CHECK (state IN ('searching', 'attributed', 'range', 'reported', 'acknowledged',
        'accepted', 'refuted', 'closed')),
    good_build_id INTEGER NOT NULL REFERENCES build(id),  -- last build without it that was measured
    bad_build_id INTEGER NOT NULL REFERENCES build(id),  -- first build with it that was measured
    bisection_id INTEGER REFERENCES bisection(id),  -- that searches it; NULL: it cannot be searched
    -- whose search told it apart; NULL: it was found as it is
    split_from_id INTEGER REFERENCES regression(id),
    -- revision, only after verification; NULL: there is none
    culprit TEXT,
    suspects TEXT NOT NULL DEFAULT '[]',    -- JSON: revisions left when there is no culprit
    reason TEXT NOT NULL DEFAULT '',        -- why only a range, or why not reproduced; may be empty
    created_at_s INTEGER NOT NULL,          -- UTC
    changed_at_s INTEGER NOT NULL,          -- UTC; when what is told of it last changed
    -- 1: it changed since its report was compared with it, whatever the clock says
    unreported INTEGER NOT NULL DEFAULT 1,
    assigned TEXT NOT NULL DEFAULT '',      -- whom a person named to look at it; empty: nobody
    -- recovered, not_reproduced, joined; NULL: it is not closed
    ended_as TEXT
) STRICT;
CREATE INDEX regression_project ON regression(project_id, state);
CREATE INDEX regression_nightly ON regression(nightly_id);
CREATE INDEX regression_bisection ON regression(bisection_id);
CREATE INDEX regression_culprit ON regression(culprit) WHERE culprit IS NOT NULL;
CREATE INDEX regression_created ON regression(created_at_s);
CREATE INDEX regression_unreported ON regression(id) WHERE unreported = 1;
CREATE TRIGGER regression_changes AFTER UPDATE OF changed_at_s ON regression
BEGIN UPDATE regression SET unreported = 1 WHERE id = new.id; END;
-- Searches that end at the same commits, which cannot be told apart, are found by them.
CREATE INDEX regression_left ON regression(suspects) WHERE suspects <> '[]';

-- Which series a regression holds.
CREATE TABLE regression_series (
    regression_id INTEGER NOT NULL REFERENCES regression(id),  -- that holds it
    series_id INTEGER NOT NULL REFERENCES series(id),  -- that is worse
    suspicion_id INTEGER NOT NULL REFERENCES suspicion(id),  -- that confirmed it
    -- that was measured as back; NULL: it is not back
    recovered_nightly_id INTEGER REFERENCES nightly(id),
    -- JSON Comparison of culprit against parent; {}: not measured
    verified TEXT NOT NULL DEFAULT '{}',
    PRIMARY KEY (regression_id, series_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX regression_series_series ON regression_series(series_id);
CREATE INDEX regression_series_recovered ON regression_series(recovered_nightly_id)
    WHERE recovered_nightly_id IS NOT NULL;
CREATE INDEX regression_series_suspicion ON regression_series(suspicion_id);

-- A regression that a person tells of, because it was not found: measured again by a request, and
-- counted against what was found (recall).
CREATE TABLE missed (
    id INTEGER PRIMARY KEY,                 -- its number
    project_id INTEGER NOT NULL REFERENCES project(id),  -- whose
    series_id INTEGER NOT NULL REFERENCES series(id),  -- that is worse
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),  -- the first bad night
    good_nightly_id INTEGER NOT NULL REFERENCES nightly(id),  -- the one before that has a value
    -- revision: the person's guess, which decides nothing; may be empty
    believed TEXT NOT NULL DEFAULT '',
    reason TEXT NOT NULL DEFAULT '',        -- in the person's words; may be empty
    token TEXT NOT NULL,                    -- name of the token that told it
    -- measuring: its request goes on; confirmed: it is a regression now; not_confirmed: it is not
    -- there; undecided: the request could not tell
    state TEXT NOT NULL
        CHECK (state IN ('measuring', 'confirmed', 'not_confirmed', 'undecided', 'taken_back')),
    message TEXT NOT NULL DEFAULT '',       -- what came of it; empty: nothing yet
    request_id INTEGER NOT NULL REFERENCES request(id),  -- that measures it
    -- which its regression holds; NULL: there is none
    suspicion_id INTEGER REFERENCES suspicion(id),
    created_at_s INTEGER NOT NULL,          -- UTC
    -- UTC; it was measured, or taken back; NULL: it is measured
    ended_at_s INTEGER
) STRICT;
CREATE UNIQUE INDEX missed_stands ON missed(series_id, nightly_id) WHERE state <> 'taken_back';
CREATE INDEX missed_series ON missed(series_id);
CREATE INDEX missed_measuring ON missed(id) WHERE state = 'measuring';
CREATE INDEX missed_suspicion ON missed(suspicion_id) WHERE suspicion_id IS NOT NULL;
CREATE INDEX missed_created ON missed(created_at_s);

-- A regression, or all that is found of a series, is not spoken of until then. It always ends.
CREATE TABLE mute (
    id INTEGER PRIMARY KEY,                 -- its number
    project_id INTEGER NOT NULL REFERENCES project(id),  -- whose
    regression_id INTEGER REFERENCES regression(id),  -- that is muted; NULL: a series is
    series_id INTEGER REFERENCES series(id),  -- that is muted; NULL: a regression is
    owner TEXT NOT NULL,                    -- who answers for it
    reason TEXT NOT NULL,                   -- in the person's words
    token TEXT NOT NULL,                    -- name of the token that asked for it
    since_s INTEGER NOT NULL,               -- UTC
    until_s INTEGER NOT NULL,               -- UTC
    ended_s INTEGER,                        -- UTC; NULL: it stands
    ended_why TEXT NOT NULL DEFAULT '',     -- in words; empty: it stands
    CHECK ((regression_id IS NULL) <> (series_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX mute_regression ON mute(regression_id)
    WHERE ended_s IS NULL AND regression_id IS NOT NULL;
CREATE UNIQUE INDEX mute_series ON mute(series_id) WHERE ended_s IS NULL AND series_id IS NOT NULL;
CREATE INDEX mute_until ON mute(until_s) WHERE ended_s IS NULL;
-- Regressions of which nothing is said now: they are muted, or all their series are.
CREATE VIEW muted AS
    SELECT g.id AS regression_id FROM regression g
    WHERE EXISTS (SELECT 1 FROM mute m WHERE m.regression_id = g.id AND m.ended_s IS NULL)
    OR (EXISTS (SELECT 1 FROM regression_series x WHERE x.regression_id = g.id)
        AND NOT EXISTS (SELECT 1 FROM regression_series x WHERE x.regression_id = g.id
            AND NOT EXISTS (SELECT 1 FROM mute m
                WHERE m.series_id = x.series_id AND m.ended_s IS NULL)));

-- What brought series of a regression back: the commits after the last night that was measured as
-- still bad, up to the night that was measured as back at its level, and what their texts say.
CREATE TABLE mending (
    id INTEGER PRIMARY KEY,                 -- its number
    regression_id INTEGER NOT NULL REFERENCES regression(id),  -- that came back, or may have
    -- measured as back, asked about it, or looked through for a revert
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),
    -- the last that was measured as bad; for a revert, the one that found it
    bad_nightly_id INTEGER NOT NULL REFERENCES nightly(id),
    -- listing: the git lane is asked for the commits; listed: they are here; told: series are back,
    -- and what the commits say of it is decided
    state TEXT NOT NULL CHECK (state IN ('listing', 'listed', 'told')),
    commits TEXT NOT NULL DEFAULT '{}',     -- JSON, while listed: what is decided from
    told TEXT NOT NULL DEFAULT '{}',        -- JSON: what was decided; {}: nothing yet
    -- that measures which commit it was; NULL: none does
    bisection_id INTEGER REFERENCES bisection(id),
    UNIQUE (regression_id, nightly_id)
) STRICT;
CREATE INDEX mending_listing ON mending(id) WHERE state = 'listing';
CREATE INDEX mending_nightly ON mending(nightly_id, state);
CREATE INDEX mending_bisection ON mending(bisection_id) WHERE bisection_id IS NOT NULL;

-- A search among the commits, or the nights, between a good end and a bad one.
CREATE TABLE bisection (
    id INTEGER PRIMARY KEY,                 -- its number
    project_id INTEGER NOT NULL REFERENCES project(id),  -- whose
    good_revision TEXT NOT NULL,            -- good end, full hash
    bad_revision TEXT NOT NULL,             -- bad end, full hash
    -- listing: the git lane is asked for the suspects; searching: probes; verifying: A/B of
    -- culprits
    state TEXT NOT NULL CHECK (state IN ('listing', 'searching', 'verifying', 'done', 'failed')),
    planner INTEGER NOT NULL,               -- version of the search; its state is the probes
    settings TEXT NOT NULL,                 -- JSON: thresholds, budget, series in order
    conclusion TEXT NOT NULL DEFAULT '{}',  -- JSON: per series culprit or set, and why; {}: not yet
    created_at_s INTEGER NOT NULL,          -- UTC
    ended_at_s INTEGER,                     -- UTC; NULL: it goes on
    -- it named the merge that this one searches inside of; NULL: it is on the line
    outer_id INTEGER REFERENCES bisection(id),
    -- revision of that merge, or of what moves a dependency; NULL: likewise
    merge TEXT,
    -- which parent of the merge brought the suspects, from 2; NULL: likewise
    parent INTEGER,
    -- that it is for, inside of a merge; NULL: it is on the line, or was asked for
    regression_id INTEGER REFERENCES regression(id),
    -- of a breaking commit's build, a stranger's text; NULL: not read yet
    log_tail TEXT,
    nightly_id INTEGER REFERENCES nightly(id),  -- that began it; NULL: a request did
    -- place of the dependency whose commits are searched; empty: none
    dependency TEXT NOT NULL DEFAULT '',
    -- of what: change: of values; build: of a build that fails; mending: of what brought series
    -- back, its ends turned; asked: of a request; nights: of archives between two nights
    kind TEXT NOT NULL DEFAULT 'change'
        CHECK (kind IN ('change', 'build', 'mending', 'asked', 'nights')),
    -- of kind nights, whose range this one goes on with; NULL: none
    narrowed_by INTEGER REFERENCES bisection(id)
) STRICT;
CREATE INDEX bisection_outer ON bisection(outer_id) WHERE outer_id IS NOT NULL;
CREATE INDEX bisection_state ON bisection(state);
CREATE INDEX bisection_nightly ON bisection(nightly_id, state);

-- The commits that a bisection searches, by position.
CREATE TABLE suspect (
    bisection_id INTEGER NOT NULL REFERENCES bisection(id),  -- that searches it
    position INTEGER NOT NULL,              -- 0 is the good end, then oldest first
    revision TEXT NOT NULL,                 -- full hash
    parent TEXT,                            -- first parent; NULL for the good end
    merge INTEGER NOT NULL,                 -- 1: has more than one parent
    subject TEXT NOT NULL,                  -- a stranger's text
    author TEXT NOT NULL,                   -- a stranger's text
    authored_at_s INTEGER NOT NULL,         -- UTC
    build_id INTEGER REFERENCES build(id),  -- once it was probed; else NULL
    -- what it moves of dependencies, in words; empty: nothing, or more than that
    pins TEXT NOT NULL DEFAULT '',
    brought TEXT NOT NULL DEFAULT '[]',     -- JSON: further parents
    -- of the range that came with it, itself counted: a change more likely came with a merge of
    -- many
    commits INTEGER NOT NULL DEFAULT 1,
    dependency TEXT NOT NULL DEFAULT '',    -- that it moves, and does nothing else; empty: none
    -- the dependency's commit, where the suspect was made for it; NULL: it is the project's own
    stands_for TEXT,
    PRIMARY KEY (bisection_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX suspect_build ON suspect(bisection_id, build_id);

-- What a bisection asked to be measured, each one job.
CREATE TABLE probe (
    id INTEGER PRIMARY KEY,                 -- its number
    bisection_id INTEGER NOT NULL REFERENCES bisection(id),  -- that asked
    number INTEGER NOT NULL,                -- order of asking, from 0
    plan TEXT NOT NULL,                     -- JSON: machine class, ordered positions, series, why
    state TEXT NOT NULL CHECK (state IN ('open', 'done')),  -- open: its job goes on
    created_at_s INTEGER NOT NULL,          -- UTC
    UNIQUE (bisection_id, number)
) STRICT;

-- Why a verified culprit is slower: culprit and parent are profiled once each.
CREATE TABLE why (
    regression_id INTEGER PRIMARY KEY REFERENCES regression(id),  -- whose culprit is profiled
    -- listing: the git lane is asked for the files that it changes; waiting: for a worker and the
    -- day's budget; profiling: its job goes on
    state TEXT NOT NULL CHECK (state IN ('listing', 'waiting', 'profiling', 'done')),
    culprit TEXT NOT NULL,                  -- revision, full hash
    by_hand INTEGER NOT NULL,               -- 1: a person asked; the budget does not hold it back
    touched TEXT NOT NULL DEFAULT '[]',     -- JSON: files that the culprit changes
    job_id INTEGER REFERENCES job(id),      -- that profiles both; NULL: none was asked for
    series_id INTEGER REFERENCES series(id),  -- whose benchmark is profiled; NULL: likewise
    found TEXT,                             -- JSON: what the profiles say; NULL: nothing
    message TEXT NOT NULL DEFAULT '',       -- why nothing is known; empty: it is, or not yet
    created_at_s INTEGER NOT NULL,          -- UTC
    begun_at_s INTEGER,                     -- UTC; its job was asked for; NULL: it was not
    ended_at_s INTEGER,                     -- UTC; NULL: it goes on
    flame TEXT NOT NULL DEFAULT '',         -- SVG; empty: the profiler has no true stacks
    interruptions INTEGER NOT NULL DEFAULT 0  -- so often its job ended for what is measured
) STRICT;
CREATE INDEX why_open ON why(state, regression_id) WHERE state <> 'done';
CREATE INDEX why_begun ON why(begun_at_s) WHERE begun_at_s IS NOT NULL;
CREATE INDEX why_job ON why(job_id) WHERE job_id IS NOT NULL;

-- Whether taking a verified culprit back from the newest revision would help.
CREATE TABLE revert_check (
    regression_id INTEGER PRIMARY KEY REFERENCES regression(id),  -- whose culprit it is about
    -- waiting: for the day's budget; applying: the git lane is asked whether it reverts;
    -- measuring: the newest revision against its revert; comparing: the culprit's parent against
    -- the newest revision
    state TEXT NOT NULL CHECK (state IN ('waiting', 'applying', 'measuring', 'comparing', 'done')),
    culprit TEXT NOT NULL,                  -- revision, full hash
    by_hand INTEGER NOT NULL,               -- 1: a person asked; the budget does not hold it back
    series_id INTEGER REFERENCES series(id),  -- that is measured; NULL: none was chosen
    size TEXT,                              -- JSON: the culprit's change of it; NULL: likewise
    parent TEXT,                            -- revision, the culprit's first parent; NULL: not known
    head TEXT,                              -- the newest revision; NULL: not known
    made TEXT,                              -- the same without the culprit; NULL: there is none
    conflicts TEXT NOT NULL DEFAULT '[]',   -- JSON: the first files that conflict
    conflicting INTEGER NOT NULL DEFAULT 0,  -- how many there are
    request_id INTEGER REFERENCES request(id),  -- the newest that measures; NULL: none does
    reverted TEXT,                          -- JSON: `made` against `head`; NULL: not measured
    still TEXT,                             -- JSON: `head` against `parent`; NULL: not measured
    -- as schema/model/revert_check.hpp; NULL: it goes on
    outcome TEXT,
    message TEXT NOT NULL DEFAULT '',       -- why nothing is known; empty: it is, or not yet
    created_at_s INTEGER NOT NULL,          -- UTC
    begun_at_s INTEGER,                     -- UTC; the git lane was asked; NULL: it was not
    ended_at_s INTEGER                      -- UTC; NULL: it goes on
) STRICT;
CREATE INDEX revert_open ON revert_check(state, regression_id) WHERE state <> 'done';
CREATE INDEX revert_begun ON revert_check(begun_at_s) WHERE begun_at_s IS NOT NULL;

-- Under which address a commit was written, so that its author can be asked.
CREATE TABLE author_email (
    revision TEXT PRIMARY KEY,              -- full hash
    email TEXT NOT NULL                     -- a stranger's text
) STRICT, WITHOUT ROWID;

-- What a person asks to be measured: runs of one build, a comparison of two, or the search of a
-- range, which begins with the comparison of its ends.
CREATE TABLE request (
    id INTEGER PRIMARY KEY,                 -- its number
    project_id INTEGER NOT NULL REFERENCES project(id),  -- whose
    kind TEXT NOT NULL CHECK (kind IN ('run', 'comparison', 'bisection')),  -- what is asked
    -- naming: the project's source is asked what a name means; measuring: its sessions go on
    state TEXT NOT NULL
        CHECK (state IN ('naming', 'measuring', 'searching', 'done', 'failed', 'cancelled')),
    a TEXT NOT NULL,                        -- as it was named: a hash, a version, a night
    b TEXT NOT NULL,                        -- the same of the later one; of a run what `a` is
    a_build_id INTEGER REFERENCES build(id),  -- NULL: not known yet
    b_build_id INTEGER REFERENCES build(id),  -- NULL: not known yet
    asked TEXT NOT NULL,                    -- JSON: what is measured, and how often
    token TEXT NOT NULL,                    -- name of the token that asked for it
    message TEXT NOT NULL DEFAULT '',       -- what came of it; empty: nothing yet
    bisection_id INTEGER REFERENCES bisection(id),  -- that searches the range; NULL: none does
    -- of its step since one has worked, counted before it begins, so that one that ends the daemon
    -- is counted too
    tries INTEGER NOT NULL DEFAULT 0,
    created_at_s INTEGER NOT NULL,          -- UTC
    ended_at_s INTEGER,                     -- UTC; NULL: it goes on
    traceparent TEXT NOT NULL DEFAULT ''    -- W3C trace context, sent or new; empty: of before
) STRICT;
CREATE INDEX request_open ON request(id) WHERE state IN ('naming', 'measuring', 'searching');
CREATE INDEX request_naming ON request(id) WHERE state = 'naming';
CREATE INDEX request_bisection ON request(bisection_id) WHERE bisection_id IS NOT NULL;

-- What the runs of a request's session say of one series.
CREATE TABLE request_verdict (
    session_id INTEGER NOT NULL REFERENCES session(id),  -- whose runs
    series_id INTEGER NOT NULL REFERENCES series(id),  -- of which
    -- NULL: undecided so far
    verdict TEXT CHECK (verdict IN ('regression', 'drift', 'noise', 'watch', 'improvement')),
    comparison TEXT NOT NULL,               -- JSON Comparison, also while there is no verdict
    reason TEXT NOT NULL,                   -- one line, for a person
    PRIMARY KEY (session_id, series_id)
) STRICT, WITHOUT ROWID;

-- Commits of pull requests that are to be measured, each against where it left its branch.
CREATE TABLE pull (
    id INTEGER PRIMARY KEY,                 -- its number
    project_id INTEGER NOT NULL REFERENCES project(id),  -- whose
    target TEXT NOT NULL,                   -- name of the report target in the config
    number INTEGER NOT NULL,                -- of the pull request
    head TEXT NOT NULL,                     -- the commit that is measured
    base TEXT NOT NULL,                     -- tip of the branch that it is to come into
    is_fork INTEGER NOT NULL,               -- 1: another repository has the commit
    asked_by TEXT NOT NULL,                 -- 'label', or who said so
    -- held: of a fork, nobody has said that it may be built; listing: the git lane has it
    state TEXT NOT NULL
        CHECK (state IN ('held', 'listing', 'measuring', 'done', 'failed', 'stopped')),
    told INTEGER NOT NULL DEFAULT 0,        -- 1: its check run and its comment say this state
    message TEXT NOT NULL DEFAULT '',       -- why it failed or was stopped; may be empty
    request_id INTEGER REFERENCES request(id),  -- the newest; NULL: none yet
    seen_at_s INTEGER NOT NULL,             -- GitHub's time of the newest that it said of it
    created_at_s INTEGER NOT NULL,          -- UTC
    ended_at_s INTEGER,                     -- UTC; NULL: it goes on
    -- whose issue it says that it fixes; NULL: none's
    fixes_id INTEGER REFERENCES regression(id),
    UNIQUE (target, number, head)
) STRICT;
CREATE INDEX pull_open ON pull(state, project_id) WHERE state IN ('listing', 'measuring');
CREATE INDEX pull_untold ON pull(id) WHERE told = 0;

-- Confirmed improvements whose commit is searched by a request, or why nothing searches it
-- (search.improvements): one row for the series that moved together.
CREATE TABLE improvement (
    suspicion_id INTEGER PRIMARY KEY REFERENCES suspicion(id),  -- of the series that changed most
    project_id INTEGER NOT NULL REFERENCES project(id),  -- whose
    nightly_id INTEGER NOT NULL REFERENCES nightly(id),  -- that confirmed it
    others INTEGER NOT NULL,                -- series that moved with it
    request_id INTEGER REFERENCES request(id),  -- NULL: nothing searches it
    culprit TEXT,                           -- revision of the commit; NULL: not known
    subject TEXT NOT NULL DEFAULT '',       -- of that commit; a stranger's text
    verified TEXT NOT NULL DEFAULT '{}',    -- JSON Comparison of that commit with its parent
    message TEXT NOT NULL DEFAULT '',       -- what came of it
    told_nightly_id INTEGER REFERENCES nightly(id),  -- whose summary told the end; NULL: none yet
    ended_at_s INTEGER                      -- UTC; NULL: it is searched
) STRICT;
CREATE INDEX improvement_nightly ON improvement(nightly_id);
CREATE INDEX improvement_told ON improvement(told_nightly_id);
CREATE INDEX improvement_untold ON improvement(project_id) WHERE told_nightly_id IS NULL;
CREATE INDEX improvement_searched ON improvement(suspicion_id) WHERE ended_at_s IS NULL;
