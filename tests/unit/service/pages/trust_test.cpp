#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "service/pages/findings/trust_words.hpp"

using namespace vigil::service;

namespace {

PrecisionFacts some_facts(int upheld, int refuted) {
    PrecisionFacts facts;
    facts.nights = 20;
    facts.regressions = 8;
    facts.upheld = upheld;
    facts.refuted = refuted;
    facts.suspicions = 40;
    facts.confirmed = 8;
    facts.found = 6;
    facts.told_regressions = facts.told_undecided = 1;
    facts.timed = 3;
    facts.median_verdict_s = 190;
    facts.slow_verdict_s = 250;
    facts.confirm_runs = 300;
    facts.search_runs = 80;
    return facts;
}

}  // namespace

TEST_CASE("Trust says first what people upheld", "[service][pages]") {
    CHECK(trust_title(some_facts(5, 1)) == "5 of 6 regressions that somebody answered were upheld");
    CHECK(trust_title(some_facts(1, 0)) == "1 of 1 regression that somebody answered was upheld");
    CHECK(trust_title(some_facts(0, 0)) == "Nobody has answered a regression yet");
    auto none = some_facts(0, 0);
    none.regressions = 0;
    CHECK(trust_title(none) == "Nothing was found yet");
}

TEST_CASE("Trust tells shares, times and costs", "[service][pages]") {
    const auto facts = some_facts(5, 1);
    CHECK(answered_rows(facts).at(0).at("share") == "62.5 %");
    CHECK(suspicion_rows(facts).at(0).at("share") == "20.0 %");
    CHECK(suspicion_rows(facts).at(1).at("count") == 0);
    const auto figures = trust_figures(facts);
    CHECK(figures.at(1).at("value") == "3 min 10 s");
    CHECK(figures.at(1).at("more") == "nine of ten within 4 min 10 s");
    CHECK(figures.at(2).at("value") == "75 %");
    CHECK(figures.at(2).at("more") == "6 found, 2 missed, of which 1 undecided");
    CHECK(figures.at(4).at("value") == "380");
    CHECK(noisy_rows(facts).empty());
    CHECK(threshold_rows({{.threshold = 0.07, .worse = 3}}).at(0).at("threshold") == "7 %");
}
