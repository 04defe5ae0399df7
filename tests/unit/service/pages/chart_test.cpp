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
        {"id", 7},
        {"project", "lab"},
        {"benchmark", "mlp"},
        {"case", nullptr},
        {"variant", "infer"},
        {"machine_class", "fast"},
        {"metric", "wall_time_ns"},
        {"quantity", nullptr},
        {"unit", unit},
        {"direction", nullptr},
        {"judging", nullptr},
        {"older", nullptr},
        {"nights", std::move(nights)},
        {"with", json::array()},
        {"levels", json::array()},
        {"changes", json::array()},
        {"sessions", json::array()},
        {"regressions", json::array()},
        {"baselines", json::array()},
        {"environments", json::array()}};
}

double number(const json& value) {
    return value.is_null() ? ChartNight::none : value.get<double>();
}

/// Gives things the keys that a test does not care about.
void complete(json& things, const json& usual) {
    for (auto& one : things) {
        auto all = usual;
        all.update(one);
        one = std::move(all);
    }
}

SeriesChart typed(json chart) {
    complete(chart.at("regressions"), {{"ended_as", nullptr}, {"recovered_nightly", nullptr}});
    complete(
        chart.at("sessions"),
        {{"session", nullptr},
         {"verdict", nullptr},
         {"change_ratio", nullptr},
         {"size", nullptr},
         {"reason", ""}});
    complete(chart.at("baselines"), {{"reason", ""}});
    complete(chart.at("with"), {{"case", nullptr}, {"quantity", nullptr}});
    SeriesChart all{std::make_shared<json>(chart), {}};
    for (const auto& night : chart.at("nights")) {
        auto& own = all.nights.emplace_back();
        own.nightly = NightlyId{night.at("nightly").get<std::int64_t>()};
        own.name = night.at("night").get<std::string>();
        own.value = number(night.at("value"));
        own.low = number(night.at("low"));
        own.high = number(night.at("high"));
        own.base = number(night.at("base"));
        own.limit = number(night.at("limit"));
        own.left_out = night.at("left_out").get<std::vector<double>>();
    }
    all.facts->erase("nights");
    return all;
}

json drawn(const json& chart, const ChartAxes& axes = {}) {
    return chart_view(typed(chart), axes);
}

json values(std::initializer_list<double> all, const std::string& unit = "ns") {
    std::vector<json> nights;
    for (const double value : all) {
        const auto id = static_cast<std::int64_t>(nights.size()) + 1;
        nights.push_back(night(id, "night " + std::to_string(id), value));
    }
    return chart_of(nights, unit);
}

json over(std::int64_t id, const std::string& unit, const json& values) {
    return {
        {"id", id},
        {"benchmark", "b" + std::to_string(id)},
        {"variant", "infer"},
        {"machine_class", "small"},
        {"metric", "peak_process_bytes"},
        {"unit", unit},
        {"values", values}};
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
        {{"regression", 5}, {"nightly", 3}, {"state", "reported"}},
        {{"regression", 6}, {"nightly", 99}, {"state", "closed"}, {"ended_as", "recovered"}},
        {{"regression", 7}, {"nightly", 4}, {"state", "refuted"}},
        {{"regression", 8}, {"nightly", 4}, {"state", "closed"}, {"ended_as", "not_reproduced"}}};
    const auto view = drawn(chart);
    CHECK(view.at("points").size() == 3);
    CHECK(view.at("marks").size() == 1);  // of a night that is shown, and of what holds
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
    const auto view =
        drawn(values({1e6, 1e7, 1e8}), {chart::AxisScale::log, ChartValues::absolute});
    const auto y = [&](std::size_t i) {
        return std::stod(view.at("points")[i].at("y").get<std::string>());
    };
    CHECK(y(0) - y(1) == Approx(y(1) - y(2)).margin(0.3));
    CHECK(y(2) > 0);
    CHECK(y(0) <= 300);
    // Values below 0 have no logarithm.
    CHECK(drawn(values({-1, 1}), {chart::AxisScale::log, ChartValues::absolute}).is_object());
}

TEST_CASE("Series over it share the nights, and of another unit the change", "[service][pages]") {
    auto chart = values({100, 110, 110});
    chart["with"] = {over(5, "ns", {150, nullptr, 160}), over(6, "ns", {1, 1, 1})};
    const auto same = drawn(chart);
    CHECK(same.at("points")[1].at("label") == "night 2: 110.0 ns");
    REQUIRE(same.at("over").size() == 2);
    CHECK(same.at("over")[0].at("dots")[1].at("label") == "night 3: 160.0 ns");
    CHECK(same.at("over")[1].at("number") == 2);
    chart["with"].push_back(over(7, "bytes", {4, 4, 5}));
    const auto view = drawn(chart);
    CHECK(view.at("ticks").front().at("tick") == "+30.0 %");
    CHECK(view.at("points")[1].at("label") == "night 2: +10.0 %");
    CHECK(view.at("over")[2].at("dots")[2].at("label") == "night 3: +25.0 %");
    CHECK(shows(render("chart.html", view), "<a href=\"/series/7\"><bdi>b7, infer on small"));
    const auto plot = json::parse(view.at("plot").get<std::string>());
    CHECK(plot.at("unit") == "ratio");
    CHECK(plot.at("over")[0].at("value")[1].is_null());
    CHECK(plot.at("over")[2].at("value") == json{0, 0, 0.25});
}

TEST_CASE("What scripts draw is the same in columns of six digits", "[service][pages]") {
    auto chart = values({1234567.8, 0.000123456789, 12});
    chart["nights"][2]["high"] = 12.5;
    chart["nights"][1]["left_out"] = {3.25};
    chart["baselines"] = {
        {{"kind", "pinned"}, {"nightly", 3}}, {{"kind", "rolling"}, {"nightly", 2}}};
    chart["levels"] = {{{"first", 1}, {"last", 2}, {"value", 7.0}}};
    const auto plot = json::parse(drawn(chart).at("plot").get<std::string>());
    CHECK(plot.at("series") == 7);
    CHECK(plot.at("nightlies") == json{1, 2, 3});
    CHECK(plot.at("value") == json{1234570, 0.000123457, 12});
    CHECK(shows(drawn(chart).at("plot").get<std::string>(), "[1234570,0.000123457,12]"));
    CHECK(plot.at("high") == json{nullptr, nullptr, 12.5});
    CHECK(plot.at("low") == json{nullptr, nullptr, nullptr});
    CHECK(plot.at("left_out") == json{{{"at", 1}, {"value", 3.25}}});
    CHECK(plot.at("levels") == json{{{"from", 0}, {"to", 1}, {"value", 7}}});
    CHECK(plot.at("begun") == json{1});
    CHECK(plot.at("pinned") == 12);
    CHECK(plot.at("axis") == "linear");
}

TEST_CASE("The data of ten long series reach the scripts whole", "[service][pages]") {
    const std::string name(60, 'n');
    std::vector<json> nights;
    for (std::int64_t id = 1; id <= 1100; ++id) {
        auto& one = nights.emplace_back(night(id, std::to_string(id) + name, -1.234567e-101));
        one["low"] = -1.234567e-102;
        one["high"] = one["base"] = one["limit"] = 1.234567e-103;
    }
    auto chart = chart_of(nights, "ns");
    for (std::int64_t id = 2; id <= 10; ++id) {
        chart["with"].push_back(over(id, "ns", json(std::vector<double>(1100, -1.234567e-101))));
    }
    const auto view = drawn(chart);
    CHECK(json::parse(view.at("plot").get<std::string>()).at("over").size() == 9);
    CHECK(view.at("plot").get<std::string>().size() < most_of_a_text);
}

TEST_CASE("Of a long series its drawing keeps every spike and every gap", "[service][pages]") {
    std::vector<json> nights;
    for (std::int64_t id = 1; id <= 1100; ++id) {
        const json value = id == 700   ? json(9.0)
                           : id == 703 ? json(1.0)
                                       : json(id % 2 == 0 ? 5.0 : 6.0);
        nights.push_back(night(id, "night " + std::to_string(id), value));
    }
    for (std::size_t at = 300; at < 320; ++at) {
        if (at == 310) continue;  // a night alone
        for (const auto* key : {"value", "low", "high"}) nights[at][key] = nullptr;
    }
    const auto view = drawn(chart_of(nights, "ns"));
    REQUIRE(view.at("points").size() == 1);  // more would hide the line
    CHECK(view.at("points")[0].at("label") == "night 311: 6.000 ns");
    CHECK(shows(view.at("line").get<std::string>(), "L635.9 "));  // night 700
    CHECK(shows(view.at("line").get<std::string>(), "L638.6 "));  // night 703
    CHECK(count_of(view, "line", 'M') == 3);
    const auto plot = json::parse(view.at("plot").get<std::string>());
    CHECK(plot.at("value").size() == 1100);
    CHECK(view.dump().size() < 150'000);
}

TEST_CASE("A chart says in words what it shows", "[service][pages]") {
    CHECK(chart_words(typed(chart_of({}, "ns"))) == "No night of these has a value.");
    CHECK(chart_words(typed(values({2e6}))) == "2.000 ms in night 1.");
    auto chart = values({2e6, 2e6, 3e6});
    CHECK(
        chart_words(typed(chart)) ==
        "3.000 ms in night 3, from 2.000 ms in night 1: +50.0 % over 3 measured nights.");
    chart["levels"] = {{{"first", 1}, {"last", 3}, {"value", 2e6}}};
    CHECK(shows(chart_words(typed(chart)), "nights. One level fits all of them."));
    chart["changes"] = {{{"first", 3}, {"before", 2e6}, {"after", 3e6}, {"certain", false}}};
    CHECK(shows(
        chart_words(typed(chart)),
        "Its level last changed in night 3: 2.000 ms to 3.000 ms, which is not certain."));
}
