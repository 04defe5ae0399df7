#include "service/pages/night_words.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace vigil::service;
using namespace vigil;
using nlohmann::json;

namespace {

NightSummary night_of(NightlyState state, std::map<std::string, std::int64_t> jobs) {
    NightSummary night;
    night.facts.state = state;
    night.facts.started_at_s = 1000;
    night.jobs = std::move(jobs);
    return night;
}

}  // namespace

TEST_CASE("A night that runs says how far it is and what is left", "[service][pages]") {
    const auto night =
        night_of(NightlyState::measuring, {{"done", 3}, {"queued", 5}, {"leased", 1}});
    const auto progress = night_progress(night, 1300);
    CHECK(progress.at("ended") == 3);
    CHECK(progress.at("all") == 9);
    CHECK(progress.at("left") == "about 10 min 00 s left");
    CHECK(
        night_progress(night_of(NightlyState::measuring, {{"queued", 5}}), 1300).at("left") == "");
    CHECK(night_progress(night_of(NightlyState::done, {{"done", 9}}), 1300).is_null());
    CHECK(night_progress(night_of(NightlyState::searching, {}), 1300).is_null());
}

TEST_CASE("A page says of a night what its headline says", "[service][pages]") {
    auto night = night_of(NightlyState::done, {{"done", 3}});
    const auto said = [&] {
        night.headline = headline_of(night.facts);
        return night_headline(night);
    };
    CHECK(said().words == "Nothing measured");
    night.facts.measured_series = 500;
    night.facts.compared_series = 0;
    CHECK(said().words == "Nothing to compare with");
    night.facts.compared_series = 500;
    CHECK(said().words == "All clear");
    CHECK(said().mood == Mood::good);
    night.facts.missing = {{"a", "why"}, {"b", "why"}};
    CHECK(said().words == "2 missing");
    CHECK(said().mood == Mood::quiet);
    night.facts.beside = "an old commit";
    CHECK(said().words == "Measured beside the nights");
    night.facts.withdrawn = "withdrawn by ada: hot";
    CHECK(said().words == "Withdrawn");
    CHECK(said().mood == Mood::quiet);
    night.facts.regressions.emplace_back().state = RegressionState::reported;
    CHECK(said().words == "Withdrawn, 1 open");
    CHECK(said().mood == Mood::bad);
    night = night_of(NightlyState::confirming, {{"done", 3}, {"queued", 5}, {"leased", 1}});
    CHECK(said().words == "Measuring again: 3 of 9 jobs ended");
    CHECK(said().mood == Mood::busy);
    night.facts.state = NightlyState::failed;
    CHECK(said().mood == Mood::bad);
}

TEST_CASE("A night says what it has spent and has left", "[service][pages]") {
    auto night = night_of(NightlyState::confirming, {{"done", 3}, {"leased", 1}});
    night.facts.work[Purpose::nightly] = {{}, 30, 100};
    night.facts.work[Purpose::confirm] = {{}, 12, 20};
    night.again = detect::RunBudget(2000);
    night.again->count_ended(24);
    const auto budget = night_budget(night, 1300);
    CHECK(budget.at("jobs") == "3 of 4");
    CHECK(budget.at("runs") == 42);
    CHECK(budget.at("machine_time") == "2 min 00 s");
    CHECK(budget.at("again") == "24 of 2000");
    CHECK(budget.at("again_left") == "1976");
    CHECK(night_costs(night).at(1).at("more") == "of 2000 runs");
    night.again.reset();  // the project left the config
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
    CHECK(night_improvements({}).is_null());
    NightImprovement one;
    one.benchmark = "mlp";
    one.confirmed.runs_after = one.verified.runs_after = 8;
    one.confirmed.change_ratio = -0.2;
    one.verified.change_ratio = -0.19;
    one.others = 3;
    one.culprit = Revision("0123456789abcdef0123456789abcdef01234567");
    one.subject = "Cache <b>";
    const auto row = [&] {
        NightFacts facts;
        facts.improvements = {one};
        return night_improvements(facts).at("one").at(0);
    };
    CHECK(row().at("change") == "-20.0 %");
    CHECK(row().at("others") == "and 3 more series");
    CHECK(row().at("by").at("revision") == "0123456789");
    CHECK(row().at("by").at("size") == "-19.0 %");
    CHECK(row().at("said") == "");
    one.culprit = {};
    one.is_searched = true;
    one.others = 0;
    CHECK(row().at("others") == "");
    CHECK(row().at("said") == "its commit is being searched");
    one.is_searched = false;
    one.message = "all probes are spent";
    CHECK(row().at("said") == "its commit is not known: all probes are spent");
}
