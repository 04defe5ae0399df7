-- How much room the disk had, day by day: what fills it is told before it is full.
CREATE TABLE disk_day (
    day INTEGER PRIMARY KEY,                -- since 1970, UTC
    free_bytes INTEGER NOT NULL             -- where the state folder lies, at the day's first look
) STRICT;
