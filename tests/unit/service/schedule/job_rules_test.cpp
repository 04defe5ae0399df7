#include "service/schedule/job_rules.hpp"

#include <catch2/catch.hpp>

namespace vigil::service {
namespace {

TEST_CASE("A job begins when each build has its input and nobody makes it", "[service][schedule]") {
    const NeededBuild ready{.has_input = true, .has_product = true, .being_built = false};
    const NeededBuild to_build{.has_input = true, .has_product = false, .being_built = false};
    const NeededBuild elsewhere{.has_input = true, .has_product = false, .being_built = true};
    const NeededBuild no_input{.has_input = false, .has_product = false, .being_built = false};
    CHECK(can_begin({ready}));
    CHECK(can_begin({ready, to_build}));
    CHECK_FALSE(can_begin({ready, elsewhere}));
    CHECK_FALSE(can_begin({no_input, ready}));
}

TEST_CASE(
    "A product that is there needs no waiting for who makes it again", "[service][schedule]") {
    CHECK(can_begin({{.has_input = true, .has_product = true, .being_built = true}}));
}

TEST_CASE("A lost job waits again until it was lost too often", "[service][schedule]") {
    CHECK(after_loss(1, 1, 1, 3) == JobState::queued);
    CHECK(after_loss(2, 1, 1, 3) == JobState::queued);
    CHECK(after_loss(3, 1, 1, 3) == JobState::parked);
    CHECK(after_loss(3, 2, 2, 3) == JobState::parked);
}

TEST_CASE(
    "Where a second worker exists, it is asked before a job is parked", "[service][schedule]") {
    CHECK(after_loss(3, 1, 2, 3) == JobState::queued);
    CHECK(after_loss(4, 2, 2, 3) == JobState::parked);
    CHECK(after_loss(6, 1, 2, 3) == JobState::parked);  // the second never comes
}

TEST_CASE("Four states are for ever", "[service][schedule]") {
    CHECK_FALSE(is_over(JobState::queued));
    CHECK_FALSE(is_over(JobState::leased));
    CHECK(is_over(JobState::done));
    CHECK(is_over(JobState::failed));
    CHECK(is_over(JobState::cancelled));
    CHECK(is_over(JobState::parked));
}

}  // namespace
}  // namespace vigil::service
