-- A token is known by its id: who gets the name of one that was revoked is somebody else. So a name
-- may stand in several rows, and in one only of those that are not revoked.
CREATE TABLE token_of_id (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    scope TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,              -- SHA-256 of the secret
    created_at_s INTEGER NOT NULL,
    expires_at_s INTEGER,                   -- NULL: never
    used_at_s INTEGER,                      -- at most an hour before its last use
    revoked_at_s INTEGER
) STRICT;
INSERT INTO token_of_id(id, name, scope, hash, created_at_s, expires_at_s, used_at_s, revoked_at_s)
    SELECT id, name, scope, hash, created_at_s, expires_at_s, used_at_s, revoked_at_s FROM token;
DROP TABLE token;
ALTER TABLE token_of_id RENAME TO token;
CREATE INDEX token_by_name ON token(name);
CREATE UNIQUE INDEX token_in_use ON token(name) WHERE revoked_at_s IS NULL;

ALTER TABLE audit ADD COLUMN token_id INTEGER;  -- whose name; NULL: no token's, or of before

-- What was answered to a token of the same name before this one was made is not its own.
DELETE FROM idempotency WHERE NOT EXISTS (
    SELECT 1 FROM token WHERE name = substr(key, 1, instr(key, ' ') - 1) AND revoked_at_s IS NULL
    AND token.created_at_s <= idempotency.created_at_s);
UPDATE idempotency SET key = 'token/' || (
    SELECT id FROM token WHERE name = substr(key, 1, instr(key, ' ') - 1) AND revoked_at_s IS NULL)
    || substr(key, instr(key, ' '));
