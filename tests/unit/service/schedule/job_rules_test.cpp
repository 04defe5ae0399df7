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

TEST_CASE("A worker counts once, however often it lost a job", "[service][schedule]") {
    const auto attempt = [](std::int64_t worker, std::optional<AttemptOutcome> outcome) {
        AttemptRow row;
        row.worker = WorkerId{worker};
        row.outcome = outcome;
        return row;
    };
    const std::vector<AttemptRow> attempts{
        attempt(1, AttemptOutcome::lost),
        attempt(1, AttemptOutcome::failed),
        attempt(2, AttemptOutcome::released),
        attempt(3, AttemptOutcome::cancelled),
        attempt(4, std::nullopt)};
    CHECK(
        workers_of(attempts, {AttemptOutcome::lost, AttemptOutcome::failed}) ==
        std::set{WorkerId{1}});
    CHECK(workers_of(attempts, {AttemptOutcome::released}) == std::set{WorkerId{2}});
    CHECK(workers_of({}, {AttemptOutcome::lost}).empty());
}

TEST_CASE("Who is there can be asked, and who lost the job was asked", "[service][schedule]") {
    constexpr std::int64_t seen_after_s = 100;
    const std::vector<ClassWorker> workers{
        {.id = WorkerId{1}, .name = {}, .state = "active", .reason = {}, .last_seen_at_s = 101},
        {.id = WorkerId{2}, .name = {}, .state = "active", .reason = {}, .last_seen_at_s = 100},
        {.id = WorkerId{3}, .name = {}, .state = "draining", .reason = {}, .last_seen_at_s = 101}};
    CHECK(count_askable(workers, {}, seen_after_s) == 1);
    CHECK(count_askable(workers, {WorkerId{1}, WorkerId{3}}, seen_after_s) == 2);
    CHECK(count_askable(workers, {WorkerId{9}}, seen_after_s) == 1);
}

TEST_CASE("A worker with a lease is there, whatever the clock says", "[service][schedule]") {
    ClassWorker waiting;
    waiting.state = "active";
    waiting.last_seen_at_s = 100;
    CHECK(is_there(waiting, 99));
    CHECK_FALSE(is_there(waiting, 100));
    waiting.has_lease = true;
    waiting.state = "draining";
    CHECK(is_there(waiting, 100));
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
