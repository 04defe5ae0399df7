-- A copy of content in a store that speaks S3: a row before it is sent. When the content is gone,
-- the object goes first, then the row.
CREATE TABLE object_copy (
    bucket TEXT NOT NULL,                   -- its address
    digest TEXT NOT NULL,                   -- of the content; the object's name
    sent_at_s INTEGER,                      -- UTC; NULL: it may be there, or not
    PRIMARY KEY (bucket, digest)
) STRICT, WITHOUT ROWID;
CREATE INDEX content_shared ON content(digest) WHERE kind IN ('artifact', 'product');
