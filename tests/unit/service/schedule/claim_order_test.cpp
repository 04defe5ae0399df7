#include "service/schedule/claim_order.hpp"

#include <catch2/catch.hpp>

namespace vigil::service {
namespace {

/// A project with jobs of these priorities; their ids begin at `first_id`.
ProjectTurn turn_of(std::int64_t first_id, const std::vector<Priority>& priorities) {
    ProjectTurn turn;
    for (const auto priority : priorities) {
        WaitingJob waiting;
        waiting.job.id = JobId{first_id++};
        waiting.priority = static_cast<int>(priority);
        turn.jobs.push_back(waiting);
    }
    return turn;
}

std::vector<std::int64_t> order_of(const std::vector<ProjectTurn>& turns, int leased = 0) {
    std::vector<std::int64_t> ids;
    for (const auto& job : claim_order(turns, leased)) ids.push_back(job.id.value);
    return ids;
}

using Ids = std::vector<std::int64_t>;

TEST_CASE("Confirmations and searches go before nights of other projects", "[service][schedule]") {
    const auto night = turn_of(1, {Priority::nightly, Priority::nightly, Priority::backfill});
    const auto search = turn_of(10, {Priority::confirm, Priority::probe, Priority::request});
    CHECK(order_of({night, search}) == Ids{10, 11, 1, 2, 12, 3});
    CHECK(order_of({night}) == Ids{1, 2, 3});
    CHECK(order_of({}).empty());
    CHECK(order_of({ProjectTurn{}, night}) == Ids{1, 2, 3});
}

TEST_CASE("Among equals fewer leases go first, then less machine time", "[service][schedule]") {
    auto older = turn_of(1, {Priority::nightly});
    auto other = turn_of(10, {Priority::nightly});
    CHECK(order_of({older, other}) == Ids{1, 10});
    older.spent_s[1] = 60;
    CHECK(order_of({older, other}) == Ids{10, 1});
    other.leased = 1;
    CHECK(order_of({older, other}, 1) == Ids{1, 10});
}

TEST_CASE("Urgent work shares after its head start", "[service][schedule]") {
    auto night = turn_of(1, {Priority::nightly, Priority::backfill});
    auto search = turn_of(10, {Priority::probe, Priority::nightly});
    search.spent_s = {head_start_s, 100'000, 0};  // its night took nothing from anybody's share
    CHECK_FALSE(is_owed(night, search, 0));
    search.spent_s[0] += 1;
    CHECK(is_owed(night, search, 0));
    CHECK(order_of({night, search}) == Ids{1, 10, 11, 2});
    night.spent_s[1] = 1000;
    CHECK_FALSE(is_owed(night, search, 0));
    search.spent_s[0] += 3000;
    CHECK(is_owed(night, search, 0));
    CHECK_FALSE(is_owed(search, night, 0));
}

TEST_CASE("A share is a quarter of the leases at most", "[service][schedule]") {
    auto night = turn_of(1, {Priority::nightly});
    auto search = turn_of(10, {Priority::probe});
    search.spent_s[0] = 100 * head_start_s;
    CHECK(is_owed(night, search, 3));
    night.leased = 1;
    CHECK_FALSE(is_owed(night, search, 3));
    CHECK(is_owed(night, search, 4));
}

TEST_CASE("Requests have a share of what nights take, backfills have none", "[service][schedule]") {
    auto night = turn_of(1, {Priority::nightly});
    night.spent_s[1] = head_start_s + 1;
    CHECK(is_owed(turn_of(10, {Priority::request}), night, 0));
    CHECK_FALSE(is_owed(turn_of(10, {Priority::backfill}), night, 0));
    CHECK(level_of(MachineWork::canary) == WorkLevel::urgent);
    CHECK(level_of(MachineWork::request) == WorkLevel::later);
}

}  // namespace
}  // namespace vigil::service
