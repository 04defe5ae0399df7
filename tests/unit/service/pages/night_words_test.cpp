#include "service/pages/night_words.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace vigil::service;
using nlohmann::json;

namespace {

json night_of(const char* state, json jobs) {
    return {{"nightly", {{"state", state}, {"created_at_s", 1000}}}, {"jobs", std::move(jobs)}};
}

}  // namespace

TEST_CASE("A night that runs says how far it is and what is left", "[service][pages]") {
    const auto night = night_of("measuring", {{"done", 3}, {"queued", 5}, {"leased", 1}});
    const auto progress = night_progress(night, 1300);
    CHECK(progress.at("ended") == 3);
    CHECK(progress.at("all") == 9);
    CHECK(progress.at("left") == "about 10 min 00 s left");
    CHECK(night_progress(night_of("measuring", {{"queued", 5}}), 1300).at("left") == "");
    CHECK(night_progress(night_of("done", {{"done", 9}}), 1300).is_null());
    CHECK(night_progress(night_of("searching", json::object()), 1300).is_null());
}

TEST_CASE(
    "A night that compared something is not clear while something is missing", "[service][pages]") {
    auto night = night_of("done", {{"done", 3}});
    night.update(
        {{"open", json::array()},
         {"all_clear", false},
         {"compared", 500},
         {"missing", json::array({"a", "b"})},
         {"waiting", 0}});
    CHECK(night_headline(night).words == "Nothing worse, 2 missing");
    CHECK(night_headline(night).mood == Mood::quiet);
    night["waiting"] = 3;
    CHECK(night_headline(night).words == "Nothing worse, 2 missing, 3 undecided");
    night["compared"] = nullptr;
    CHECK(night_headline(night).words == "Nothing was compared");
    night["all_clear"] = true;
    CHECK(night_headline(night).words == "All clear");
}

TEST_CASE("A night says what it has spent and has left", "[service][pages]") {
    auto night = night_of("confirming", {{"done", 3}, {"leased", 1}});
    night["nightly"].update(
        {{"id", 7},
         {"project", "lab"},
         {"name", "2025-01-02"},
         {"version", "v1"},
         {"revision", "abc"},
         {"message", ""},
         {"ended_at_s", nullptr}});
    night["spent"] = {
        {"nightly", {{"runs", 30}, {"machine_s", 100}}},
        {"confirm", {{"runs", 12}, {"machine_s", 20}}}};
    night["confirm_runs"] = {{"limit", 2000}, {"taken", 24}};
    const auto budget = night_budget(night, 1300);
    CHECK(budget.at("jobs") == "3 of 4");
    CHECK(budget.at("runs") == 42);
    CHECK(budget.at("machine_time") == "2 min 00 s");
    CHECK(budget.at("again") == "24 of 2000");
    CHECK(budget.at("again_left") == "1976");
    CHECK(night_costs(night).at(1).at("more") == "of 2000 runs");
    night["confirm_runs"] = nullptr;  // the project left the config
    CHECK(night_budget(night, 1300).at("again") == "");
    CHECK(night_costs(night).size() == 1);
}

TEST_CASE("A night that nobody judged has no green tick", "[service][pages]") {
    CHECK(night_mood("done", 0).mood == Mood::good);
    const auto history = night_mood("done", 0, JudgedNight::no);
    CHECK(history.mood == Mood::quiet);
    CHECK(history.words == "history, not judged");
    CHECK(night_mood("failed", 0, JudgedNight::no).mood == Mood::bad);
}

TEST_CASE("A night tells by which commit something got better, or why not", "[service][pages]") {
    CHECK(night_improvements({{"improvements", json::array()}}).is_null());
    json one = {
        {"benchmark", "mlp"},
        {"variant", "infer"},
        {"machine_class", "fast"},
        {"metric", "cpu_time_ns"},
        {"change_ratio", -0.2},
        {"others", 3},
        {"state", "found"},
        {"culprit", "0123456789abcdef"},
        {"subject", "Cache <b>"},
        {"culprit_ratio", -0.19},
        {"message", ""}};
    const auto row = [&] {
        return night_improvements({{"improvements", json::array({one})}}).at("one").at(0);
    };
    CHECK(row().at("change") == "-20.0 %");
    CHECK(row().at("others") == "and 3 more series");
    CHECK(row().at("by").at("revision") == "0123456789");
    CHECK(row().at("by").at("size") == "-19.0 %");
    CHECK(row().at("said") == "");
    one.update({{"state", "searching"}, {"culprit", nullptr}, {"others", 0}});
    CHECK(row().at("others") == "");
    CHECK(row().at("said") == "its commit is being searched");
    one.update({{"state", "not_known"}, {"message", "all probes are spent"}});
    CHECK(row().at("said") == "its commit is not known: all probes are spent");
}
