#pragma once

// One night of four commits in rows; @n stands for the full hash of commit n.

namespace vigil::service {

constexpr const char* ledger_rows = R"sql(
INSERT INTO project VALUES (1, 'tensorlab', 1000);
INSERT INTO machine_class VALUES (1, 'xeon');
INSERT INTO worker(id, name, machine_class_id, state, fingerprint, toolchain, first_seen_at_s,
    last_seen_at_s) VALUES (1, 'w1', 1, 'active', '{}', 'gcc12', 1000, 1000);
INSERT INTO environment VALUES (1, 'e1', '{"kernel":"6.1.0-26","cpu":"Xeon"}'),
    (2, 'e2', '{"kernel":"6.1.0-27","cpu":"Xeon"}');
INSERT INTO build VALUES (1, 1, '@0', 'source_tree', NULL, '', 1000),
    (2, 1, '@4', 'source_tree', NULL, '', 2000), (3, 1, '@1', 'source_tree', NULL, '', 2000),
    (4, 1, '@2', 'source_tree', NULL, '', 2000), (5, 1, '@3', 'source_tree', NULL, '', 2000);
INSERT INTO product (build_id, recipe_digest, toolchain, state, failures, digest, message,
    duration_ns, created_at_s) VALUES (1, 'r', 't', 'built', 0, 'd1', '', 1, 1000),
    (2, 'r', 't', 'built', 0, 'd2', '', 1, 1000), (4, 'r', 't', 'built', 0, 'd4', '', 1, 1000),
    (5, 'r', 't', 'built', 0, 'd5', '', 1, 1000),
    (3, 'r', 't', 'failed', 2, NULL, 'main.cpp:1: error: expected ;', 1, 1000);
INSERT INTO nightly (id, project_id, build_id, version, day, revision, state, message, created_at_s,
    ended_at_s) VALUES (1, 1, 1, '2026-11-19', '2026-11-19', '@0', 'done', '', 1000, 1500),
    (2, 1, 2, '2026-11-20', '2026-11-20', '@4', 'searching', '', 2000, NULL);
INSERT INTO session (id, project_id, a_build_id, b_build_id, benchmark, variant,
    machine_class_id, nightly_id, state, created_at_s, old_nights)
    VALUES (1, 1, 1, 2, 'mlp', 'train', 1, 2, 'done', 2100, '[1]');
INSERT INTO series (id, project_id, benchmark, variant, machine_class_id, metric, definition, unit,
    direction, told, judging) VALUES
    (1, 1, 'mlp', 'train', 1, 'cpu_time_ns', 1, 'ns', 'lower_is_better', 'lower_is_better',
     'as_metric'),
    (2, 1, 'mlp', 'train', 1, 'peak_process_bytes', 1, 'bytes', 'lower_is_better', 'lower_is_better',
     'as_metric'),
    (3, 1, 'mlp', 'train', 1, 'wall_time_ns', 1, 'ns', 'lower_is_better', 'lower_is_better',
     'as_metric');
INSERT INTO suspicion (id, series_id, nightly_id, good_nightly_id, session_id, kind, state, verdict,
    base, value, change_ratio, confirmed, reason, created_at_s, ended_at_s) VALUES
    (1, 1, 2, 1, 1, 'level', 'ended', 'regression', 1e7, 1.2e7, 0.2,
     '{"before":1e7,"after":1.21e7,"change_ratio":0.21,"low":0.19,"high":0.23,"above":0.999,'
     || '"runs_before":4,"runs_after":4,"finding":"worse"}', '+20.0 % above 7 %', 2050, 2200);
INSERT INTO bisection (id, project_id, nightly_id, good_revision, bad_revision, state, planner,
    settings, conclusion, created_at_s, ended_at_s, outer_id, merge, parent, regression_id,
    log_tail, kind)
    VALUES (1, 1, 2, '@0', '@4', 'done', 1, '{}', '{}', 2200, 2900, NULL,
    NULL, NULL, NULL, NULL, 'change');
INSERT INTO suspect VALUES
    (1, 0, '@0', '@9', 0, 'Start', 'Author One', 900, 1, '', '[]', 1, '', NULL),
    (1, 1, '@1', '@0', 0, 'Broken', 'Author Two', 1100, 3, '', '[]', 1, '', NULL),
    (1, 2, '@2', '@1', 0, 'Fine', 'Author One', 1200, 4, '', '[]', 1, '', NULL),
    (1, 3, '@3', '@2', 1, 'Slower, fixes #1 @all', 'Author Two', 1300, 5, '', '[]', 1, '', NULL),
    (1, 4, '@4', '@3', 0, 'Docs', 'Author One', 1400, 2, '', '[]', 1, '', NULL);
INSERT INTO regression VALUES (1, 1, 2, 'attributed', 1, 2, 1, NULL, '@3', '[]', 'verified', 2200,
    2900, 1, '', NULL);
INSERT INTO regression_series VALUES (1, 1, 1, NULL,
    '{"before":1e7,"after":1.2e7,"change_ratio":0.2,"low":0.18,"high":0.22,"above":0.99,'
    || '"runs_before":3,"runs_after":3,"finding":"worse"}');
INSERT INTO probe VALUES (1, 1, 0, '{}', 'done', 2300),
    (2, 1, 1, '{}', 'done', 2400);
INSERT INTO job (id, project_id, machine_class_id, purpose, state, priority, nightly_id, session_id,
    probe_id, plan, message, attempt, created_at_s, ended_at_s) VALUES
    (1, 1, 1, 'nightly', 'done', 1, 1, NULL, NULL, '{}', '', 1, 1000, 1100),
    (2, 1, 1, 'nightly', 'done', 1, 2, NULL, NULL, '{}', '', 1, 2000, 2040),
    (3, 1, 1, 'confirm', 'done', 2, 2, 1, NULL, '{}', '', 1, 2100, 2150),
    (4, 1, 1, 'probe', 'done', 3, 2, NULL, 1, '{}', '', 1, 2300, 2350),
    (5, 1, 1, 'verify', 'done', 3, 2, NULL, 2, '{}', '', 1, 2400, 2450),
    (6, 1, 1, 'nightly', 'parked', 1, 2, NULL, NULL, '{}', 'lost 3 times', 3, 2000, 2100);
INSERT INTO attempt (job_id, number, worker_id, recipe_digest, claimed_at_s, ended_at_s, outcome) VALUES
    (2, 1, 1, 'r', 2000, 2040, 'done'), (3, 1, 1, 'r', 2100, 2150, 'done'),
    (6, 3, 1, 'r', 2000, 2060, 'lost');
INSERT INTO run (id, job_id, attempt, step, build_id, benchmark, variant, machine_class_id,
    worker_id, environment_id, outcome, message, started_at_ns, duration_ns) VALUES
    (1, 1, 1, 0, 1, 'mlp', 'train', 1, 1, 1, 'passed', '', 1, 1),
    (2, 2, 1, 0, 2, 'mlp', 'train', 1, 1, 2, 'passed', '', 2, 1),
    (3, 3, 1, 0, 1, 'mlp', 'train', 1, 1, 2, 'passed', '', 3, 1),
    (4, 3, 1, 1, 2, 'mlp', 'train', 1, 1, 2, 'passed', '', 4, 1),
    (5, 4, 1, 0, 1, 'mlp', 'train', 1, 1, 2, 'passed', '', 5, 1),
    (6, 4, 1, 1, 4, 'mlp', 'train', 1, 1, 2, 'passed', '', 6, 1),
    (7, 5, 1, 0, 4, 'mlp', 'train', 1, 1, 2, 'passed', '', 7, 1),
    (8, 5, 1, 1, 5, 'mlp', 'train', 1, 1, 2, 'passed', '', 8, 1),
    (9, 5, 1, 2, 5, 'mlp', 'train', 1, 1, 2, 'oom', 'killed', 9, 1);
INSERT INTO measurement VALUES (1, 1, 1e7, 0, 1, x'00'), (2, 1, 1.2e7, 0, 1, x'00'),
    (2, 2, 1e8, 0, 1, x'00'), (2, 3, 1e8, 0, 1, x'00'), (3, 1, 1e7, 0, 1, x'00'),
    (4, 1, 1.21e7, 0, 1, x'00'), (5, 1, 1e7, 0, 1, x'00'), (6, 1, 1.001e7, 0, 1, x'00'),
    (7, 1, 1e7, 0, 1, x'00'), (8, 1, 1.2e7, 0, 1, x'00');
)sql";

// What the merge @3 brought: @7 by its parent 2; @6 and @8 by its parent 3.
constexpr const char* inside_rows = R"sql(
INSERT INTO bisection (id, project_id, nightly_id, good_revision, bad_revision, state, planner,
    settings, conclusion, created_at_s, ended_at_s, outer_id, merge, parent, regression_id,
    log_tail, kind)
    VALUES
    (2, 1, 2, '@1', '@7', 'done', 1, '{}', '{}', 2500, 2600, 1, '@3', 2, 1, NULL,
     'change'),
    (3, 1, 2, '@1', '@8', 'failed', 1, '{}', '{}', 2600, 2700, 1, '@3', 3, 1, NULL,
     'change');
INSERT INTO suspect VALUES
    (2, 0, '@1', NULL, 0, '', '', 0, 3, '', '[]', 1, '', NULL),
    (2, 1, '@7', '@1', 0, 'Aside', 'Author One', 1150, NULL, '', '[]', 1, '', NULL),
    (3, 0, '@1', NULL, 0, '', '', 0, 3, '', '[]', 1, '', NULL),
    (3, 1, '@6', '@1', 0, 'Slower', 'Author One', 1150, NULL, '', '[]', 1, '', NULL),
    (3, 2, '@8', '@6', 0, 'Docs', 'Author One', 1160, NULL, '', '[]', 1, '', NULL);
)sql";

}  // namespace vigil::service
