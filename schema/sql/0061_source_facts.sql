-- What a build's commands are told of its source tree, and what a failed one says of it. A build
-- without a row has no tree, or one of before, in which submodules were empty folders.
CREATE TABLE source_facts (
    build_id INTEGER PRIMARY KEY REFERENCES build(id),
    describe TEXT NOT NULL,                 -- git describe
    committed_at_s INTEGER NOT NULL,
    notes TEXT NOT NULL                     -- what differs from a checkout; may be empty
) STRICT;
-- They are made anew when a job needs them.
UPDATE build SET input_digest = NULL WHERE input_kind = 'source_tree';
