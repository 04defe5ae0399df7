#include "service/pages/fleet/machine_words.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace vigil::service;
using nlohmann::json;

TEST_CASE("What is stuck has its reason, and what has it tried again", "[service][pages]") {
    const json troubles = {
        {{"subject", "class/xeon"}, {"message", "no worker serves it"}, {"since_s", 100}}};
    const json workers = {
        {{"name", "w1"}, {"state", "active"}, {"unseen_s", nullptr}, {"last_seen_at_s", 100}},
        {{"name", "w2"}, {"state", "active"}, {"unseen_s", 90}, {"last_seen_at_s", 100}},
        {{"name", "w3"},
         {"state", "quarantined"},
         {"reason", "its fan"},
         {"unseen_s", nullptr},
         {"last_seen_at_s", 100}}};
    const json jobs = {{{"id", 4}, {"message", "lost 3 times"}, {"created_at_s", 100}}};
    const json messages = {
        {{"id", 5}, {"target", "issues"}, {"message", ""}, {"created_at_s", 100}}};
    const auto notice = [](int id, const char* revision) -> json {
        return {
            {"id", id},
            {"target", "issues"},
            {"number", 7},
            {"revision", revision == nullptr ? json() : json(revision)},
            {"message", "GitHub answers 403"},
            {"changed_at_s", 100}};
    };
    const json notices = {
        notice(6, nullptr), notice(8, "c0ffee0000000000000000000000000000000000")};
    const auto rows = stuck_rows({troubles, workers, jobs, messages, notices}, 200);
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

TEST_CASE("A machine's history is each fact that changed", "[service][pages]") {
    const json environments = {
        {{"at_s", 200},
         {"changed",
          {{{"fact", "kernel"}, {"before", "6.1"}, {"after", "6.2"}},
           {{"fact", "gpu"}, {"before", nullptr}, {"after", "A100"}}}}},
        {{"at_s", 100}, {"changed", json::array()}}};
    const auto rows = environment_rows(environments, 300);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].at("fact") == "kernel");
    CHECK(rows[1].at("before") == "");
    CHECK(rows[1].at("after") == "A100");
    CHECK(environment_rows(json::array(), 300).empty());
}
