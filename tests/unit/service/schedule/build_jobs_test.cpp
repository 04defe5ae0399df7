#include "service/schedule/build_jobs.hpp"

#include <catch2/catch.hpp>

#include "service/schedule/job_rules.hpp"

namespace vigil::service {
namespace {

constexpr int of_night = static_cast<int>(Priority::nightly);
constexpr int of_probe = static_cast<int>(Priority::probe);

ClassBuild needed_by(std::int64_t oldest, int priority) {
    ClassBuild build;
    build.oldest_waiting = JobId{oldest};
    build.priority = priority;
    return build;
}

TEST_CASE("A build for another class gets one job, as urgent as its need", "[service][schedule]") {
    auto build = needed_by(5, of_probe);
    CHECK(next_step(build) == BuildStep::add);
    build.newest_job = {JobId{6}, JobState::queued, of_night};
    CHECK(next_step(build) == BuildStep::raise);
    build.newest_job->priority = of_probe;
    CHECK(next_step(build) == BuildStep::none);
    build.newest_job->state = JobState::leased;
    CHECK(next_step(build) == BuildStep::none);
    build.built = true;
    CHECK(next_step(build) == BuildStep::none);
}

TEST_CASE("A build that fails is tried twice, one without an answer given up", "[schedule]") {
    auto build = needed_by(5, of_night);
    build.newest_job = {JobId{6}, JobState::done, of_night};
    build.failures = 1;
    CHECK(next_step(build) == BuildStep::add);
    build.failures = 2;
    CHECK(next_step(build) == BuildStep::none);
    build.failures = 0;
    for (const auto state : {JobState::parked, JobState::failed}) {
        build.newest_job = {JobId{6}, state, of_night};
        build.oldest_waiting = JobId{5};
        CHECK(next_step(build) == BuildStep::give_up);
        build.oldest_waiting = JobId{7};  // asked for since
        CHECK(next_step(build) == BuildStep::add);
    }
    build.newest_job = {JobId{9}, JobState::cancelled, of_night};
    CHECK(next_step(build) == BuildStep::add);
}

TEST_CASE("A job begins without building what another class builds", "[service][schedule]") {
    NeededBuild build;
    build.has_input = true;
    CHECK(can_begin({build}));
    build.built_elsewhere = true;
    CHECK_FALSE(can_begin({build}));
    build.unbuildable = true;
    CHECK(can_begin({build}));
    build.unbuildable = false;
    build.has_product = true;
    CHECK(can_begin({build}));
}

TEST_CASE("A product is of use where the toolchain is the same text", "[service][schedule]") {
    CHECK(is_usable({"gcc 12"}, "gcc 12"));
    CHECK_FALSE(is_usable({"gcc 12"}, "gcc 13"));
    CHECK(is_usable({}, "gcc 13"));  // nobody has measured there yet
}

TEST_CASE("Only a night's own builds are a nightly's", "[service][schedule]") {
    CHECK(build_purpose(Purpose::nightly) == Purpose::nightly);
    CHECK(build_purpose(Purpose::confirm) == Purpose::confirm);
    CHECK(build_purpose(Purpose::request) == Purpose::probe);
}

}  // namespace
}  // namespace vigil::service
