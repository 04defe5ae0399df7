-- A token has one scope or several ("read,triage"), may end by itself, and says when it was last
-- used. What a column allows cannot be changed, so it is made anew. Nobody may do less than before.
ALTER TABLE token RENAME COLUMN scope TO scope_before;
ALTER TABLE token ADD COLUMN scope TEXT NOT NULL DEFAULT 'read';
UPDATE token SET scope = CASE scope_before WHEN 'write' THEN 'read,ingest,trigger,triage'
    WHEN 'worker' THEN 'read,worker' ELSE scope_before END;
ALTER TABLE token DROP COLUMN scope_before;
ALTER TABLE token ADD COLUMN expires_at_s INTEGER;  -- NULL: never
ALTER TABLE token ADD COLUMN used_at_s INTEGER;     -- at most an hour before its last use
