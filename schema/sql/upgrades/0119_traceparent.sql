-- Which trace the work that somebody asked for belongs to.
ALTER TABLE trigger_request ADD COLUMN
    traceparent TEXT NOT NULL DEFAULT '';   -- W3C trace context, sent or new; empty: of before
CREATE INDEX trigger_nightly ON trigger_request(nightly_id) WHERE nightly_id IS NOT NULL;
ALTER TABLE request ADD COLUMN
    traceparent TEXT NOT NULL DEFAULT '';   -- W3C trace context, sent or new; empty: of before
