#include <catch2/catch.hpp>

#include "service/pages/findings/inbox_rows.hpp"

using namespace vigil::service;

namespace {

InboxRow waiting(
    int id,
    std::int64_t found_s,
    double ratio,
    std::optional<std::int64_t> due_s,
    const char* state = "reported") {
    InboxRow row;
    row.id = id;
    row.state = state;
    row.created_at_s = found_s;
    row.series.emplace_back().change_ratio = ratio;
    row.due_at_s = due_s;
    return row;
}

std::string order(const std::vector<InboxRow>& rows, InboxOrder by) {
    std::string ids;
    for (const auto& one : in_order(rows, by)) ids += std::to_string(one.id);
    return ids;
}

}  // namespace

TEST_CASE("What is filed and not acknowledged is due", "[service][pages]") {
    const auto one = waiting(1, 1000, 0.1, std::nullopt);
    CHECK(due_at_s(one, 500, std::nullopt) == 1500);
    CHECK_FALSE(due_at_s(one, 0, std::nullopt));
    CHECK(due_at_s(one, 500, 9000) == 9000);
    CHECK_FALSE(due_at_s(waiting(1, 1000, 0.1, std::nullopt, "acknowledged"), 500, std::nullopt));
}

TEST_CASE("The inbox is in the order that is asked for", "[service][pages]") {
    const std::vector<InboxRow> items = {
        waiting(3, 300, 0.3, 500), waiting(2, 200, 0.1, std::nullopt), waiting(1, 100, 0.2, 600)};
    CHECK(order(items, InboxOrder::due) == "312");
    CHECK(order(items, InboxOrder::age) == "123");
    CHECK(order(items, InboxOrder::size) == "312");
}

TEST_CASE("The inbox says first what waits", "[service][pages]") {
    CHECK(inbox_title({}, 0) == "Nothing needs attention");
    CHECK(
        inbox_title({waiting(1, 1, 0.1, std::nullopt, "acknowledged")}, 0) ==
        "Nothing waits for an answer");
    CHECK(inbox_title({waiting(1, 1, 0.1, 100)}, 50) == "1 waits for an answer");
    CHECK(
        inbox_title({waiting(1, 1, 0.1, 100), waiting(2, 1, 0.1, 40)}, 50) ==
        "2 wait for an answer, 1 is late");
}
