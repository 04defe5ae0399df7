-- Tables and a column that nothing fills go, and one that nothing reads.
DROP TABLE former_series;
DROP TABLE artifact;
ALTER TABLE import DROP COLUMN former;
ALTER TABLE step_try DROP COLUMN tried_at_s;

-- So do words that no row has, from the checks of three columns. A check says nothing of what is
-- stored, so its text is changed in place, as https://sqlite.org/lang_altertable.html has it: these
-- tables are referred to, and one that is made anew would leave its references behind.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(replace(replace(sql,
    '''confirmed'',', ''), '''not_reproduced'',', ''), '''recovered'',', '')
    WHERE type = 'table' AND name = 'regression';
UPDATE sqlite_schema SET sql = replace(sql, '''method_change'',', '')
    WHERE type = 'table' AND name = 'suspicion';
UPDATE sqlite_schema SET sql = replace(sql, '''received'',', '')
    WHERE type = 'table' AND name = 'delivery';
PRAGMA writable_schema = RESET;
