#include "service/store/work/traces.hpp"

#include <catch2/catch.hpp>

#include "schema/wire/traceparent.hpp"
#include "tests/support/job_scene.hpp"

namespace vigil::service {
namespace {

const std::string of_night = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const std::string of_request = "00-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-bbbbbbbbbbbbbbbb-01";

/// A nightly that two triggers came to, a session and a search of it, and the same of a request.
constexpr auto origins = R"(
INSERT INTO nightly(id, project_id, build_id, version, day, revision, state, created_at_s)
    VALUES (1, 1, 1, 'v', '2026-11-01', 'r', 'measuring', 1);
INSERT INTO trigger_request(id, project_id, cause, cause_key, state, nightly_id, created_at_s,
    traceparent) VALUES (1, 1, 'request', 'a', 'done', 1, 1, ''),
    (2, 1, 'request', 'b', 'done', 1, 2, '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'),
    (3, 1, 'request', 'c', 'done', 1, 3, '00-cccccccccccccccccccccccccccccccc-dddddddddddddddd-01');
INSERT INTO bisection(id, project_id, good_revision, bad_revision, state, planner, settings,
    created_at_s, nightly_id) VALUES (1, 1, 'g', 'b', 'searching', 1, '{}', 1, 1),
    (2, 1, 'g', 'b', 'searching', 1, '{}', 1, NULL);
INSERT INTO request(id, project_id, kind, state, a, b, asked, token, created_at_s, bisection_id,
    traceparent) VALUES (1, 1, 'comparison', 'measuring', 'a', 'b', '{}', 't', 1, 2,
    '00-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-bbbbbbbbbbbbbbbb-01');
INSERT INTO session(id, project_id, a_build_id, b_build_id, benchmark, variant, machine_class_id,
    state, created_at_s, nightly_id, request_id) VALUES (1, 1, 1, 1, 'b', 'v', 1, 'open', 1, 1, NULL),
    (2, 1, 1, 1, 'b', 'v', 1, 'open', 1, NULL, 1);
INSERT INTO probe(id, bisection_id, number, plan, state, created_at_s) VALUES
    (1, 1, 0, '{}', 'open', 1), (2, 2, 0, '{}', 'open', 1);
)";

TEST_CASE("A job belongs to the trace of what asked for it", "[service][schedule]") {
    test::JobScene scene;
    const auto build = scene.add_build();
    scene.db.execute_script(origins);
    const auto of = [&](std::string_view column, int id) {
        const auto job = scene.add_job({build});
        scene.db.execute("UPDATE job SET " + std::string(column) + " = ?2 WHERE id = ?1", job, id);
        return find_traceparent(scene.db, job);
    };
    CHECK(of("nightly_id", 1) == of_night);
    CHECK(of("session_id", 1) == of_night);
    CHECK(of("session_id", 2) == of_request);
    CHECK(of("probe_id", 1) == of_night);
    CHECK(of("probe_id", 2) == of_request);
    CHECK(find_traceparent(scene.db, scene.add_job({build})) == std::nullopt);
}

TEST_CASE("Builds and runs of a lease find their trace", "[service][schedule]") {
    test::JobScene scene;
    const auto build = scene.add_build();
    scene.db.execute_script(origins);
    const auto job = scene.add_job({build});
    scene.db.execute("UPDATE job SET nightly_id = 1 WHERE id = ?1", job);
    const auto lease = claim_job(scene.db, scene.config, scene.one, {scene.now_s, scene.now_s});
    REQUIRE(lease);
    CHECK(lease->environment.at(wire::traceparent_variable) == of_night);
    CHECK(lease->builds.at(0).recipe.environment.at(wire::traceparent_variable) == of_night);
}

TEST_CASE(
    "A job that nobody asked for has a trace, and the config has its say", "[service][schedule]") {
    test::JobScene scene;
    scene.add_job({scene.add_build()});
    scene.config.projects["toy"].recipe.environment[wire::traceparent_variable] = "mine";
    const auto lease = claim_job(scene.db, scene.config, scene.one, {scene.now_s, scene.now_s});
    REQUIRE(lease);
    CHECK(wire::is_traceparent(lease->environment.at(wire::traceparent_variable)));
    CHECK(lease->builds.at(0).recipe.environment.at(wire::traceparent_variable) == "mine");
}

}  // namespace
}  // namespace vigil::service
