-- Long bodies of deliveries lie in the content store, under delivery.body_digest.
CREATE TABLE content_new (
    digest TEXT PRIMARY KEY,
    size_bytes INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('source', 'artifact', 'product', 'log', 'delivery')),
    created_at_s INTEGER NOT NULL,
    used_at_s INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO content_new SELECT digest, size_bytes, kind, created_at_s, used_at_s FROM content;
DROP TABLE content;
ALTER TABLE content_new RENAME TO content;
CREATE INDEX content_size ON content(size_bytes);

-- Bodies that are still kept, oldest first.
CREATE INDEX delivery_kept ON delivery(received_at_s) WHERE length(body) > 0;
