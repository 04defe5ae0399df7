#include "service/pages/ratio_words.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace vigil;
using namespace vigil::service;

namespace {

tables::NightRatio ratio_of(
    const std::string& way, std::size_t total, const std::vector<tables::LeftOut>& left_out = {}) {
    tables::Headline headline;
    headline.rule = tables::Rule::hud_v2;
    headline.passing = total - left_out.size();
    headline.total = total;
    headline.speedup = {1.005, headline.passing, left_out};
    headline.memory_ratio = {0.9, headline.passing, left_out};
    return {way, headline};
}

NightSummary summary_of(std::vector<tables::NightRatio> ratios) {
    NightSummary summary;
    summary.facts.id = NightlyId{7};
    summary.facts.project = "lab";
    summary.ratios = std::move(ratios);
    return summary;
}

}  // namespace

TEST_CASE("Ratios name their rule, and the way without the project", "[service][pages]") {
    const auto view = ratios_view(summary_of({ratio_of("lab on xeon, train, jit", 12)}), 4);
    CHECK(view.at("rule") == "hud_v2");
    CHECK(view.at("base") == "eager");
    const auto& row = view.at("ways").at(0);
    CHECK(row.at("way") == "xeon, train, jit");
    CHECK(row.at("passed") == "12 of 12");
    CHECK(row.at("speedup") == "1.01x");  // halves away from zero, as every table here
    CHECK(row.at("memory") == "0.90x");
    CHECK(row.at("compile_cell").is_null());
    CHECK(view.at("compile_head") == false);
    CHECK(view.at("elsewhere").is_null());
}

TEST_CASE("A night without other backends says nothing of them", "[service][pages]") {
    CHECK(ratios_view(summary_of({}), 4).is_null());
    CHECK(all_ratios_view(summary_of({})).is_null());
}

TEST_CASE("Of many ways the largest are shown, and where the others are", "[service][pages]") {
    std::vector<tables::NightRatio> ratios;
    for (const std::size_t total : {1U, 5U, 9U}) {
        ratios.push_back(ratio_of(std::to_string(total), total));
    }
    const auto view = ratios_view(summary_of(ratios), 2);
    REQUIRE(view.at("ways").size() == 2);
    CHECK(view.at("ways").at(0).at("way") == "9");
    CHECK(view.at("some").at("count") == 3);
    CHECK(all_ratios_view(summary_of(ratios)).at("ways").size() == 3);
}

TEST_CASE("Whom a mean leaves out is counted once, and named with why", "[service][pages]") {
    auto one = ratio_of("jit", 12, {{"conv", "oom"}, {"sort", "wrong"}});
    one.headline.compile_s.value = 3.5;
    const auto summary = summary_of({one});
    const auto view = ratios_view(summary, 4);
    CHECK(view.at("ways").at(0).at("left_out") == 2);
    CHECK(view.at("ways").at(0).at("compile_cell").at("compile") == "3.50 s");
    CHECK(view.at("elsewhere").at("nightly") == 7);
    const auto all = all_ratios_view(summary);
    CHECK(all.at("elsewhere").is_null());
    const auto& rows = all.at("missed").at("one");
    REQUIRE(rows.size() == 2);
    CHECK(rows.at(0).at("number") == "speedup");
    CHECK(rows.at(1).at("models") == "conv (oom), sort (wrong)");
}
