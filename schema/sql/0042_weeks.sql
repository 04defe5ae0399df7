-- When the summary of a week was last written.
CREATE INDEX report_week ON report(project_id, created_at_s) WHERE kind = 'week';
