#include "service/pages/fleet/machine_words.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace vigil::service;
using nlohmann::json;

TEST_CASE("What is stuck has its reason, and what has it tried again", "[service][pages]") {
    const auto worker = [](const char* name, const char* state, const char* reason) {
        ListedWorker one;
        one.name = name;
        one.state = state;
        one.reason = reason;
        return one;
    };
    const auto notice = [](int id, std::optional<std::string> revision) {
        return ListedNotice{{id, "issues", "GitHub answers 403"}, 7, std::move(revision), 100};
    };
    StuckThings stuck{
        {{"class/xeon", "no worker serves it", 100, "class.no_workers"}},
        {worker("w1", "active", ""),
         worker("w2", "active", ""),
         worker("w3", "quarantined", "its fan")},
        {ListedJob{4, "lab", "nightly", "lost 3 times", {}, {}, {}, 100}},
        {ListedMessage{{5, "issues", ""}, "title", "dead", 3, {}, 100}},
        {notice(6, {}), notice(8, "c0ffee0000000000000000000000000000000000")}};
    stuck.workers[1].unseen_s = 90;
    const auto rows = stuck_rows(stuck, 200);
    REQUIRE(rows.size() == 7);
    CHECK(rows[0].at("why") == "no worker serves it");
    CHECK(rows[1].at("why") == "it was not heard of for 1 min 30 s");
    CHECK(rows[2].at("why") == "its fan");
    CHECK(rows[2].at("again").is_null());
    CHECK(rows[3].at("again").at("action") == "/jobs/4/retry");
    CHECK(rows[4].at("again").at("action") == "/outbox/5/retry");
    CHECK(rows[5].at("why") == "comment on #7 for issues: GitHub answers 403");
    CHECK(rows[5].at("again").at("action") == "/notices/6/retry");
    CHECK(rows[5].at("again").at("label") == "Send notice 6 again");
    CHECK(rows[6].at("why").get<std::string>().starts_with("check of c0ffee0"));
    CHECK(stuck_title(rows, 3) == "7 things are stuck");
    CHECK(stuck_title(json::array(), 3) == "Nothing is stuck");
}

TEST_CASE("A worker that gets no jobs is one thing, with what to do", "[service][pages]") {
    StuckThings stuck;
    ListedWorker worker;
    worker.id = 3;
    worker.name = "w3";
    worker.state = "quarantined";
    worker.reason = "its fan";
    stuck.workers = {worker};
    stuck.troubles = {
        {"worker/3", "worker w3 gets no jobs: its fan; release it", 100, "worker.quarantined"},
        {"worker/3", "it counts nothing", 100, "worker.counts_nothing"},
        {"worker/4", "worker w4 gets no jobs", 100, "worker.quarantined"}};
    const auto rows = stuck_rows(stuck, 200);
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].at("what") == "worker");
    CHECK(rows[0].at("name") == "w3");
    CHECK(rows[0].at("why") == "worker w3 gets no jobs: its fan; release it");
    CHECK(rows[1].at("what") == "trouble");
    CHECK(rows[2].at("name") == "worker/4");
}

TEST_CASE("A machine's history is each fact that changed", "[service][pages]") {
    const std::vector<ListedEnvironment> environments = {
        {200, {{"kernel", {"6.1"}, {"6.2"}}, {"gpu", {}, {"A100"}}}}, {100, {}}};
    const auto rows = environment_rows(environments, 300);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].at("fact") == "kernel");
    CHECK(rows[1].at("before") == "");
    CHECK(rows[1].at("after") == "A100");
    CHECK(environment_rows({}, 300).empty());
}
