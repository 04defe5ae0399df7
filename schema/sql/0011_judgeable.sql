-- What a run measured and no series can be judged by: not above 0, or so large or small that
-- comparing it overflows. It is kept beside the measurements, with the reason.
CREATE TABLE unjudged_measurement (
    run_id INTEGER NOT NULL REFERENCES run(id),
    series_id INTEGER NOT NULL REFERENCES series(id),
    reason TEXT NOT NULL,
    count INTEGER NOT NULL,
    samples BLOB NOT NULL,                  -- count little-endian IEEE doubles, in order
    PRIMARY KEY (run_id, series_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX unjudged_measurement_series ON unjudged_measurement(series_id, run_id);

-- What decisions read: the bounds are service/schedule/judgeable.hpp's.
CREATE VIEW judged_measurement AS SELECT * FROM measurement
WHERE median BETWEEN 1e-60 AND 1e60 AND spread BETWEEN 0 AND 1e60;

-- The states of their series are followed anew.
DELETE FROM series_state WHERE series_id IN (SELECT series_id FROM measurement
    WHERE NOT (median BETWEEN 1e-60 AND 1e60 AND spread BETWEEN 0 AND 1e60));
INSERT INTO unjudged_measurement(run_id, series_id, reason, count, samples)
    SELECT run_id, series_id, 'its value is ' || median ||
    '; only values from 1e-60 to 1e60 can be compared', count, samples FROM measurement
    WHERE NOT (median BETWEEN 1e-60 AND 1e60 AND spread BETWEEN 0 AND 1e60);
DELETE FROM measurement
    WHERE NOT (median BETWEEN 1e-60 AND 1e60 AND spread BETWEEN 0 AND 1e60);

-- Tries of a step that has not worked yet, counted before the step begins: one that kills the
-- daemon is counted too.
CREATE TABLE step_try (
    subject TEXT PRIMARY KEY,               -- nightly/3
    tries INTEGER NOT NULL,
    message TEXT NOT NULL,                  -- what the last one threw; '' when it was cut off
    tried_at_s INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
