-- Receivers that did not answer: while the time has not come nothing is sent to them.
CREATE TABLE circuit (
    receiver TEXT PRIMARY KEY,              -- its server, or the target where none is known
    failures INTEGER NOT NULL,              -- attempts in a row to which nobody answered
    until_s INTEGER NOT NULL                -- steady; then one more is made
) STRICT, WITHOUT ROWID;
