-- Under which address a commit was written, so that its author can be asked. A stranger's text.
CREATE TABLE author_email (
    revision TEXT PRIMARY KEY,
    email TEXT NOT NULL
) STRICT, WITHOUT ROWID;
