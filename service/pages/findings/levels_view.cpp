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

chart::ChartAxis axis_of(const std::vector<search::CommitLevel>& marks) {
    chart::ValueRange range{0, 0.005};
    for (const auto& mark : marks) range.add(mark.change);
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
    const RegressionLevels& levels,
    const std::vector<search::CommitLevel>& marks,
    const std::optional<std::string>& culprit,
    const std::string& series) {
    const int commits = levels.commits();
    if (marks.size() < 2 || commits < 1) return nullptr;
    const auto axis = axis_of(marks);
    auto points = json::array();
    json named = nullptr;
    std::string line;
    for (const auto& mark : marks) {
        const auto& at = levels.at(mark.commit);
        const double ratio = mark.change;
        const auto x = place(plot_width * mark.commit / commits);
        const auto y = place(axis.place_of(ratio));
        const bool is_culprit = culprit && at.str() == *culprit;
        if (is_culprit) named = {{"x", x}};
        line += fmt::format("{}{} {} ", line.empty() ? "M" : "L", x, y);
        const auto revision = at.brief();
        const char* note = is_culprit               ? "culprit"
                           : mark.commit == 0       ? "good build"
                           : mark.commit == commits ? "bad build"
                           : mark.same_as           ? "product of one above"
                           : mark.runs == 1         ? "one run"
                                                    : "";
        points.push_back(
            {{"x", x},
             {"y", y},
             {"revision", revision},
             {"change", text::percent(ratio)},
             {"runs", mark.runs},
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
