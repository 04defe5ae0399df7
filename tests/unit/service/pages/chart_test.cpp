// What a chart draws of a series.

#include "service/pages/measured/chart.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "service/pages/common/render.hpp"

using namespace vigil;
using namespace vigil::service;
using nlohmann::json;

namespace {

bool shows(const std::string& html, std::string_view words) {
    return html.find(words) != html.npos;
}

json night(std::int64_t id, const std::string& name, const json& value) {
    return {
        {"nightly", id},
        {"night", name},
        {"value", value},
        {"low", value},
        {"high", value},
        {"base", nullptr},
        {"limit", nullptr},
        {"left_out", json::array()}};
}

json chart_of(std::vector<json> nights, const std::string& unit) {
    return {
        {"unit", unit},
        {"nights", std::move(nights)},
        {"levels", json::array()},
        {"changes", json::array()},
        {"sessions", json::array()},
        {"regressions", json::array()},
        {"baselines", json::array()},
        {"environments", json::array()}};
}

json drawn(const json& chart, const ChartAxes& axes = {}) {
    return chart_view(chart, nullptr, axes);
}

json values(std::initializer_list<double> all, const std::string& unit = "ns") {
    std::vector<json> nights;
    for (const double value : all) {
        const auto id = static_cast<std::int64_t>(nights.size()) + 1;
        nights.push_back(night(id, "night " + std::to_string(id), value));
    }
    return chart_of(nights, unit);
}

long count_of(const json& view, const char* key, char letter) {
    const auto& path = view.at(key).get_ref<const std::string&>();
    return std::count(path.begin(), path.end(), letter);
}

}  // namespace

TEST_CASE(
    "A chart draws the measured nights, and breaks its line between them", "[service][pages]") {
    CHECK(drawn(chart_of({}, "ns")).is_null());
    CHECK(drawn(values({1.0})).is_null());
    auto chart = chart_of(
        {night(1, "2026-11-20", 10.0),
         night(2, "2026-11-21", nullptr),
         night(3, "2026-11-22<b>", 20.0),
         night(4, "2026-11-23", 20.0)},
        "items/s");
    chart["regressions"] = {
        {{"regression", 5}, {"nightly", 3}}, {{"regression", 6}, {"nightly", 99}}};
    const auto view = drawn(chart);
    CHECK(view.at("points").size() == 3);
    CHECK(view.at("marks").size() == 1);  // of a night that is shown
    CHECK(count_of(view, "line", 'M') == 2);
    CHECK(count_of(view, "line", 'L') == 1);
    CHECK(view.at("ticks").front().at("tick") == "25.00 items/s");
    const auto html = render("chart.html", view);
    CHECK_FALSE(shows(html, "<b>"));
    CHECK(shows(html, "2026-11-22&lt;b&gt;: 20.00 items/s"));
    CHECK(shows(html, "regression</li>"));
    CHECK_FALSE(shows(html, "pinned night"));
}

TEST_CASE("Ticks are round in the unit that is read", "[service][pages]") {
    constexpr double mib = 1 << 20;
    const auto view = drawn(values({9.5 * mib, 11.5 * mib}, "bytes"));
    CHECK(view.at("ticks").front().at("tick") == "12.00 MiB");
    CHECK(view.at("ticks").back().at("tick") == "9.000 MiB");
}

TEST_CASE("Equal values are a line within the chart", "[service][pages]") {
    for (const double value : {0.0, 1e-9, 5.0, 1e18}) {
        const auto view = drawn(values({value, value}));
        CAPTURE(value, view.dump());
        for (const auto& point : view.at("points")) {
            const auto y = std::stod(point.at("y").get<std::string>());
            CHECK(y > 0);
            CHECK(y < 300);
        }
    }
}

TEST_CASE(
    "A band lies between baseline and threshold of the nights that have both", "[service][pages]") {
    auto chart = values({10, 10, 10, 10});
    for (const auto at : {0, 1, 3}) {
        chart["nights"][at]["base"] = 10.0;
        chart["nights"][at]["limit"] = 10.7;
    }
    const auto view = drawn(chart);
    CHECK(count_of(view, "band", 'Z') == 2);
    CHECK(count_of(view, "base", 'M') == 2);
    CHECK(view.at("has_base") == true);
}

TEST_CASE("Sessions are drawn with what was measured, and others are not", "[service][pages]") {
    auto chart = values({10, 10, 12});
    chart["sessions"] = {
        {{"nightly", 3}, {"confirmed", {{"before", 10.1}, {"after", 12.2}, {"runs_before", 4}}}},
        {{"nightly", 2}, {"confirmed", json::object()}}};
    const auto view = drawn(chart);
    REQUIRE(view.at("sessions").size() == 1);
    CHECK(shows(render("chart.html", view), "measured again: 10.10 ns to 12.20 ns"));
}

TEST_CASE("A log axis gives equal ratios equal room", "[service][pages]") {
    const auto view = drawn(values({1e6, 1e7, 1e8}), {AxisScale::log, ChartValues::absolute});
    const auto y = [&](std::size_t i) {
        return std::stod(view.at("points")[i].at("y").get<std::string>());
    };
    CHECK(y(0) - y(1) == Approx(y(1) - y(2)).margin(0.3));
    CHECK(y(2) > 0);
    CHECK(y(0) <= 300);
    // Values below 0 have no logarithm.
    CHECK(drawn(values({-1, 1}), {AxisScale::log, ChartValues::absolute}).is_object());
}

TEST_CASE("A second series shares the nights, and of another unit the change", "[service][pages]") {
    const auto chart = values({100, 110, 110});
    auto other = values({4, 4, 5}, "bytes");
    const auto view = chart_view(chart, other, {AxisScale::linear, ChartValues::relative});
    CHECK(view.at("ticks").front().at("tick") == "+30.0 %");
    CHECK(view.at("points")[1].at("label") == "night 2: +10.0 %");
    CHECK(view.at("other").at("dots")[2].at("label") == "night 3: +25.0 %");
}

TEST_CASE("A chart says in words what it shows", "[service][pages]") {
    CHECK(chart_words(chart_of({}, "ns")) == "No night of these has a value.");
    CHECK(chart_words(values({2e6})) == "2.000 ms in night 1.");
    auto chart = values({2e6, 2e6, 3e6});
    CHECK(
        chart_words(chart) ==
        "3.000 ms in night 3, from 2.000 ms in night 1: +50.0 % over 3 measured nights. "
        "One level fits all of them.");
    chart["changes"] = {{{"first", 3}, {"before", 2e6}, {"after", 3e6}, {"certain", false}}};
    CHECK(shows(
        chart_words(chart),
        "Its level last changed in night 3: 2.000 ms to 3.000 ms, which is not certain."));
}
