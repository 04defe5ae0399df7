#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "service/pages/findings/trust_words.hpp"

using namespace vigil::service;
using nlohmann::json;

namespace {

json some_facts(int upheld, int refuted) {
    return {
        {"nights", 20},
        {"regressions",
         {{"opened", 8},
          {"upheld", upheld},
          {"refuted", refuted},
          {"not_found_again", 1},
          {"recovered", 1}}},
        {"suspicions", {{"opened", 40}, {"confirmed", 8}}},
        {"recall",
         {{"found", 6}, {"missed", 2}, {"measuring", 0}, {"undecided", 1}, {"share", 0.75}}},
        {"time_to_verdict", {{"median_s", 190}, {"nine_of_ten_s", nullptr}}},
        {"runs", {{"nightly", 5000}, {"confirm", 300}, {"search", 80}}},
        {"noisiest", json::array()}};
}

}  // namespace

TEST_CASE("Trust says first what people upheld", "[service][pages]") {
    CHECK(trust_title(some_facts(5, 1)) == "5 of 6 regressions that somebody answered were upheld");
    CHECK(trust_title(some_facts(1, 0)) == "1 of 1 regression that somebody answered was upheld");
    CHECK(trust_title(some_facts(0, 0)) == "Nobody has answered a regression yet");
    auto none = some_facts(0, 0);
    none["regressions"]["opened"] = 0;
    CHECK(trust_title(none) == "Nothing was found yet");
}

TEST_CASE("Trust tells shares, times and costs", "[service][pages]") {
    const auto facts = some_facts(5, 1);
    CHECK(answered_rows(facts).at(0).at("share") == "62.5 %");
    CHECK(suspicion_rows(facts).at(0).at("share") == "20.0 %");
    CHECK(suspicion_rows(facts).at(1).at("count") == 0);
    const auto figures = trust_figures(facts);
    CHECK(figures.at(1).at("value") == "3 min 10 s");
    CHECK(figures.at(1).at("more") == "");
    CHECK(figures.at(2).at("value") == "75 %");
    CHECK(figures.at(2).at("more") == "6 found, 2 missed, of which 1 undecided");
    CHECK(figures.at(4).at("value") == "380");
    CHECK(noisy_rows(facts).empty());
    const json other = {{"thresholds", {{{"threshold", 0.07}, {"worse", 3}}}}};
    CHECK(threshold_rows(other).at(0).at("threshold") == "7 %");
}
