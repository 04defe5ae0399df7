-- The names under which a repository sent its deliveries. GitHub's id outlives a new name, and a
-- name is that repository's which had it last.
CREATE TABLE hooked_repository (
    name TEXT NOT NULL COLLATE NOCASE PRIMARY KEY,
    github_id INTEGER NOT NULL,
    seen_at_s INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
