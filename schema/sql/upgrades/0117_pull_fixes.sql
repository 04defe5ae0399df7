-- A pull request that says which issue it fixes.
ALTER TABLE pull ADD COLUMN
    -- whose issue it says that it fixes; NULL: none's
    fixes_id INTEGER REFERENCES regression(id);
