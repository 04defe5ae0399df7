#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/numbers.hpp"
#include "service/chart/axis.hpp"
#include "service/pages/common/words.hpp"
#include "service/pages/findings/search_view.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr double plot_width = 1000;
constexpr double plot_height = 240;

chart::ChartAxis axis_of(const json& marks) {
    chart::ValueRange range{0, 0.005};
    for (const auto& mark : marks) range.add(mark.at("change_ratio").get<double>());
    const double step = chart::round_step((range.high - range.low) / 3);
    return chart::axis_of_steps(range.low, range.high, step, plot_height);
}

std::string place(double value) {
    return fmt::format("{:.1f}", value);
}

json level_ticks(const chart::ChartAxis& axis) {
    auto ticks = json::array();
    for (const double ratio : axis.ticks()) {
        ticks.push_back({{"tick", text::percent(ratio)}, {"y", place(axis.place_of(ratio))}});
    }
    return ticks;
}

}  // namespace

json levels_view(

    const json& levels,
    std::int64_t commits,
    const std::optional<std::string>& culprit,
    const std::string& series) {
    const auto& marks = levels.at("levels");
    if (marks.size() < 2 || commits < 1) return nullptr;
    const auto axis = axis_of(marks);
    auto points = json::array();
    json named = nullptr;
    std::string line;
    for (const auto& mark : marks) {
        const auto position = mark.at("position").get<std::int64_t>();
        const double ratio = mark.at("change_ratio").get<double>();
        const auto x =
            place(plot_width * static_cast<double>(position) / static_cast<double>(commits));
        const auto y = place(axis.place_of(ratio));
        const bool is_culprit = culprit && mark.at("revision") == *culprit;
        if (is_culprit) named = {{"x", x}};
        line += fmt::format("{}{} {} ", line.empty() ? "M" : "L", x, y);
        const auto revision = short_revision(mark.at("revision"));
        const char* note = is_culprit                               ? "culprit"
                           : position == 0                          ? "good build"
                           : position == commits                    ? "bad build"
                           : mark.at("same_product_as").is_string() ? "product of one above"
                           : mark.at("runs") == 1                   ? "one run"
                                                                    : "";
        points.push_back(
            {{"x", x},
             {"y", y},
             {"revision", revision},
             {"change", text::percent(ratio)},
             {"runs", mark.at("runs")},
             {"note", note},
             {"label", fmt::format("{}: {}", revision, text::percent(ratio))}});
    }
    return {
        {"template", "levels.html"},
        {"series", series},
        {"says",
         fmt::format(
             "The change against the good build at {} of {} commits, from {} at the first to {} "
             "at the last.",
             marks.size(),
             commits + 1,
             points.front().at("change").get<std::string>(),
             points.back().at("change").get<std::string>())},
        {"line", line},
        {"named", named},
        {"ticks", level_ticks(axis)},
        {"points", points},
        {"good_end", points.front().at("revision")},
        {"bad_end", points.back().at("revision")}};
}

}  // namespace vigil::service
