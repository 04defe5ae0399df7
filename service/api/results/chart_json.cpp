#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "bisect/stats/summary.hpp"
#include "bisect/trend/past.hpp"
#include "bisect/trend/rules.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/results/series_chart.hpp"

// A series as its chart shows it, as REST tells it.

namespace vigil::service {

namespace {

using nlohmann::json;

/// Measured nights from which on a level says anything: of two, their middle.
constexpr std::ptrdiff_t fewest_of_levels = trend::LevelWatchRules{}.least_suspicion;

json value_or_null(double value) {
    return std::isfinite(value) ? json(value) : json();
}

/// Members of a night in the order of their names, each behind the last: years of nights are many.
class NightMembers {
  public:
    template <class T>
    void add(const char* name, T&& value) {
        members_.emplace_hint(members_.end(), name, std::forward<T>(value));
    }
    json take() { return json(std::move(members_)); }

  private:
    json::object_t members_;
};

/// The commits since the night before.
json commits_of(const ToldNight& told) {
    if (told.before.empty()) return nullptr;
    NightMembers commits;
    commits.add("from", told.before);
    commits.add("range", text_or_null(told.commits));
    commits.add("to", told.revision);
    return commits.take();
}

/// A night with its value, the range of its runs, and what it was held against.
json night_member(const ChartNight& night) {
    NightMembers members;
    members.add("base", value_or_null(night.base));
    if (night.told) {
        members.add("commits", commits_of(*night.told));
        members.add("created_at_s", night.told->created_at_s);
    }
    members.add("high", value_or_null(night.high));
    members.add("left_out", night.left_out);
    members.add("limit", value_or_null(night.limit));
    members.add("low", value_or_null(night.low));
    members.add("night", night.name);
    members.add("nightly", night.nightly.value);
    if (night.told) {
        members.add("revision", night.told->revision);
        members.add("runs", night.told->runs);
        members.add("score", value_or_null(night.told->score));
        members.add("state", night.told->state);
    }
    members.add("value", value_or_null(night.value));
    if (night.told) members.add("workers", night.told->workers);
    return members.take();
}

}  // namespace

json levels_json(std::span<const ChartNight> nights, Direction direction) {
    std::vector<double> values;
    for (const auto& night : nights) values.push_back(night.value);
    const auto measured = std::ranges::count_if(values, [](double v) { return std::isfinite(v); });
    if (measured < fewest_of_levels) return {{"levels", json::array()}, {"changes", json::array()}};
    auto changes = json::array();
    std::vector<std::size_t> starts{0};
    for (const auto& change : trend::find_past_changes(values, direction)) {
        starts.push_back(change.first);
        changes.push_back(
            {{"first", nights[change.first].nightly.value},
             {"earliest", nights[change.earliest].nightly.value},
             {"latest", nights[change.latest].nightly.value},
             {"worse", change.worse},
             {"certain", change.certain},
             {"before", value_or_null(change.before)},
             {"after", value_or_null(change.after)},
             {"change_ratio", value_or_null(change.change_ratio)},
             {"low", value_or_null(change.low)},
             {"high", value_or_null(change.high)}});
    }
    auto levels = json::array();
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const auto end = i + 1 < starts.size() ? starts[i + 1] : nights.size();
        std::vector<double> own;
        for (auto at = starts[i]; at < end; ++at) {
            if (std::isfinite(values[at])) own.push_back(values[at]);
        }
        if (own.empty()) continue;
        levels.push_back(
            {{"first", nights[starts[i]].nightly.value},
             {"last", nights[end - 1].nightly.value},
             {"nights", own.size()},
             {"value", stats::median(own)}});
    }
    return {{"levels", std::move(levels)}, {"changes", std::move(changes)}};
}

http::Response get_series_chart(
    const http::Request& request, Database& db, const HandlerContext& context) {
    auto chart = load_series_chart(request, db, context);
    json::array_t nights;
    nights.reserve(chart.nights.size());
    for (const auto& night : chart.nights) nights.push_back(night_member(night));
    (*chart.facts)["nights"] = std::move(nights);
    return object_response(std::move(*chart.facts));
}

}  // namespace vigil::service
