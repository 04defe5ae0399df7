-- How a closed regression ended. Its state was `recovered` or `not_reproduced` only within the
-- transaction that closed it; of rows from before, what they hold says which it was.
ALTER TABLE regression ADD COLUMN ended_as TEXT;  -- recovered, not_reproduced, joined; NULL: open

UPDATE regression SET ended_as = state, state = 'closed'
    WHERE state IN ('recovered', 'not_reproduced');
UPDATE regression SET ended_as = CASE
        WHEN NOT EXISTS (SELECT 1 FROM regression_series s WHERE s.regression_id = regression.id)
            THEN 'joined'
        WHEN NOT EXISTS (SELECT 1 FROM regression_series s WHERE s.regression_id = regression.id
            AND s.recovered_nightly_id IS NULL) THEN 'recovered'
        ELSE 'not_reproduced' END
    WHERE state = 'closed' AND ended_as IS NULL;
UPDATE regression SET state = iif(bisection_id IS NULL, 'range', 'searching')
    WHERE state = 'confirmed';

-- How the version of a report tells that it ended.
ALTER TABLE report ADD COLUMN told_ended_as TEXT;
UPDATE report SET told_state = 'closed', told_ended_as = told_state
    WHERE told_state IN ('recovered', 'not_reproduced');
UPDATE report SET told_ended_as = (SELECT ended_as FROM regression WHERE id = report.regression_id)
    WHERE told_state = 'closed' AND told_ended_as IS NULL;
