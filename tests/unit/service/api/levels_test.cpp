// The levels of a series, as its chart tells them.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "service/api/results/series_chart.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

std::vector<ChartNight> nights_of(const std::vector<double>& values) {
    std::vector<ChartNight> nights;
    for (const double value : values) {
        auto& night = nights.emplace_back();
        night.nightly = NightlyId{static_cast<std::int64_t>(nights.size())};
        night.value = value;
    }
    return nights;
}

}  // namespace

TEST_CASE("Of a few nights no level is told, not even their middle", "[service][api]") {
    std::vector<double> values{100, 130, ChartNight::none, 100, 130, 100, 130, 100};
    const auto few = levels_json(nights_of(values), Direction::lower_is_better);
    CHECK(few.at("levels").empty());
    CHECK(few.at("changes").empty());
    values.push_back(130);
    const auto enough = levels_json(nights_of(values), Direction::lower_is_better);
    REQUIRE(enough.at("levels").size() == 1);
    CHECK(enough.at("levels")[0].at("value") == 115);
    CHECK(enough.at("levels")[0].at("nights") == 8);
}
