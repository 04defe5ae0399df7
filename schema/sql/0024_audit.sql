-- What people and programs changed by REST, and who made the first admin token: one row in the
-- transaction of each change. It is bounded: see service/store/audit.hpp.
CREATE TABLE audit (
    id INTEGER PRIMARY KEY,
    at_s INTEGER NOT NULL,
    who TEXT NOT NULL,                      -- the token's name
    address TEXT NOT NULL,                  -- the request came from; empty: from the daemon itself
    action TEXT NOT NULL,                   -- "regression.state"
    object TEXT NOT NULL,                   -- "regression/7"
    reason TEXT NOT NULL,
    asked TEXT NOT NULL,                    -- JSON: the rest of the body; {} where it is long
    request_id TEXT NOT NULL
) STRICT;
CREATE INDEX audit_at ON audit(at_s);
