#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "service/pages/findings/inbox_rows.hpp"

using namespace vigil::service;
using nlohmann::json;

namespace {

json waiting(int id, std::int64_t found_s, double ratio, json due, const char* state = "reported") {
    return {
        {"id", id},
        {"state", state},
        {"muted", false},
        {"created_at_s", found_s},
        {"worst", {{"change_ratio", ratio}}},
        {"due_at_s", std::move(due)}};
}

std::string order(const json& items, InboxOrder by) {
    std::string ids;
    for (const auto& one : in_order(items, by)) ids += one.at("id").dump();
    return ids;
}

}  // namespace

TEST_CASE("What is filed and not acknowledged is due", "[service][pages]") {
    const auto one = waiting(1, 1000, 0.1, nullptr);
    CHECK(due_at_s(one, 500, std::nullopt) == 1500);
    CHECK_FALSE(due_at_s(one, 0, std::nullopt));
    CHECK(due_at_s(one, 500, 9000) == 9000);
    CHECK_FALSE(due_at_s(waiting(1, 1000, 0.1, nullptr, "acknowledged"), 500, std::nullopt));
}

TEST_CASE("The inbox is in the order that is asked for", "[service][pages]") {
    const json items = {
        waiting(3, 300, 0.3, 500), waiting(2, 200, 0.1, nullptr), waiting(1, 100, 0.2, 600)};
    CHECK(order(items, InboxOrder::due) == "312");
    CHECK(order(items, InboxOrder::age) == "123");
    CHECK(order(items, InboxOrder::size) == "312");
}

TEST_CASE("The inbox says first what waits", "[service][pages]") {
    CHECK(inbox_title(json::array(), 0) == "Nothing needs attention");
    CHECK(
        inbox_title(json::array({waiting(1, 1, 0.1, nullptr, "acknowledged")}), 0) ==
        "Nothing waits for an answer");
    CHECK(inbox_title(json::array({waiting(1, 1, 0.1, 100)}), 50) == "1 waits for an answer");
    CHECK(
        inbox_title({waiting(1, 1, 0.1, 100), waiting(2, 1, 0.1, 40)}, 50) ==
        "2 wait for an answer, 1 is late");
}
