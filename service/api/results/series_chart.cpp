#include "service/api/results/series_chart.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "bisect/stats/summary.hpp"
#include "bisect/trend/past.hpp"
#include "service/api/common/changed_facts.hpp"
#include "service/api/common/filters.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/results/series_over.hpp"
#include "service/config/links.hpp"
#include "service/store/lists/chart.hpp"
#include "service/store/lists/lists.hpp"
#include "service/store/lists/suite.hpp"
#include "service/watch/series/series_records.hpp"

// A series as its chart shows it: nights with baseline and bar, levels, what was asked about it.

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr int default_chart_nights = 90;
constexpr int max_chart_nights = 1100;

/// Everything that one chart is made of.
struct ChartScene {
    SeriesRow series;
    std::vector<ChartNightRow> nights;  ///< oldest first
    std::vector<ChartRun> runs;
    std::map<NightlyId, FollowedNight> followed;
    double threshold = 0;
    Links links;
};

json value_or_null(double value) {
    return std::isfinite(value) ? json(value) : json();
}

/// Above it a night is worse by more than the threshold.
double limit_of(double base, double threshold, Direction direction) {
    return direction == Direction::lower_is_better ? base * (1 + threshold)
                                                   : base / (1 + threshold);
}

json text_or_no(const std::string& text) {
    return text.empty() ? json() : json(text);
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

/// The runs of one night.
struct NightRuns {
    std::vector<double> values;
    json::array_t left_out;
    double low = std::numeric_limits<double>::infinity();
    double high = -low;

    explicit NightRuns(std::span<const ChartRun> runs) {
        for (const auto& run : runs) {
            if (run.left_out) {
                left_out.emplace_back(run.value);
                continue;
            }
            values.push_back(run.value);
            low = std::min(low, run.value - run.spread);
            high = std::max(high, run.value + run.spread);
        }
    }
};

std::set<std::string> workers_of(std::span<const ChartRun> runs) {
    std::set<std::string> workers;
    for (const auto& run : runs) workers.insert(run.worker);
    return workers;
}

/// The commits since the night before.
json commits_of(const ChartScene& scene, const std::string& before, const std::string& revision) {
    if (before.empty()) return nullptr;
    NightMembers commits;
    commits.add("from", before);
    const bool is_same = before == revision;
    commits.add(
        "range",
        is_same ? json()
                : text_or_no(range_url(scene.links, Revision(before), Revision(revision))));
    commits.add("to", revision);
    return commits.take();
}

/// A night with its value, the range of its runs, and what it was held against.
json night_member(
    const ChartScene& scene,
    const ChartNightRow& row,
    const std::string& before,
    std::span<const ChartRun> own,
    bool is_whole) {
    const auto found = scene.followed.find(row.nightly);
    const bool is_judged = found != scene.followed.end() && !found->second.word.is_first;
    const double nothing = std::nan("");
    const double base = is_judged ? found->second.word.base : nothing;
    NightRuns runs(own);
    NightMembers night;
    night.add("base", value_or_null(base));
    if (is_whole) night.add("commits", commits_of(scene, before, row.revision));
    if (is_whole) night.add("created_at_s", row.created_at_s);
    night.add("high", value_or_null(runs.high));
    night.add("left_out", std::move(runs.left_out));
    night.add("limit", value_or_null(limit_of(base, scene.threshold, scene.series.direction)));
    night.add("low", value_or_null(runs.low));
    night.add("night", row.name);
    night.add("nightly", row.nightly.value);
    if (is_whole) {
        night.add("revision", row.revision);
        night.add("runs", runs.values);
        night.add("score", value_or_null(is_judged ? found->second.word.score : nothing));
        night.add("state", row.state);
    }
    night.add("value", value_or_null(stats::median(runs.values)));
    if (is_whole) night.add("workers", workers_of(own));
    return night.take();
}

json nights_json(const ChartScene& scene, const std::optional<WholeNights>& whole) {
    std::size_t begin = 0;
    std::size_t end = scene.nights.size();
    if (whole) {
        const auto newer = std::ranges::upper_bound(
            scene.nights, whole->until, {}, [](const auto& night) { return night.nightly; });
        if (newer != scene.nights.begin()) {
            end = static_cast<std::size_t>(newer - scene.nights.begin());
        }
        begin = end - std::min(end, whole->count);
    }
    json::array_t all;
    all.reserve(scene.nights.size());
    auto run = scene.runs.begin();
    std::string before;
    for (const auto& row : scene.nights) {
        const auto first = run;
        while (run != scene.runs.end() && run->nightly == row.nightly) ++run;
        const bool is_whole = all.size() >= begin && all.size() < end;
        all.push_back(night_member(scene, row, before, {first, run}, is_whole));
        before = row.revision;
    }
    return all;
}

/// Nights in which a worker showed another environment than the last time.
json environments_json(Database& db, const std::vector<ChartRun>& runs) {
    auto all = json::array();
    std::map<std::string, std::int64_t> last;
    for (const auto& run : runs) {
        if (!run.environment) continue;
        const auto [place, is_new] = last.try_emplace(run.worker, *run.environment);
        if (is_new || place->second == *run.environment) continue;
        all.push_back(
            {{"nightly", run.nightly.value},
             {"worker", run.worker},
             {"changed",
              changed_facts(
                  load_environment_facts(db, place->second),
                  load_environment_facts(db, *run.environment))}});
        place->second = *run.environment;
    }
    return all;
}

int nights_asked(const http::Request& request) {
    const auto given = number_filter(request, "nights").value_or(default_chart_nights);
    if (given >= 2 && given <= max_chart_nights) return static_cast<int>(given);
    throw Error(
        Errc::invalid_argument,
        "query parameter nights must be in 2.." + std::to_string(max_chart_nights));
}

NightlyId newest_asked(const http::Request& request, Database& db, const HandlerContext& context) {
    const Filters filters(request, db, context.config);
    const auto given = filters.value("night of a series", "nightly");
    const auto* id = std::get_if<std::int64_t>(&given);
    return NightlyId{id == nullptr ? std::numeric_limits<std::int64_t>::max() : *id};
}

}  // namespace

json levels_json(std::span<const ChartValue> nights, Direction direction) {
    std::vector<double> values;
    for (const auto& night : nights) values.push_back(night.value);
    auto changes = json::array();
    std::vector<std::size_t> starts{0};
    for (const auto& change : trend::find_past_changes(values, direction)) {
        starts.push_back(change.first);
        changes.push_back(
            {{"first", nights[change.first].nightly},
             {"earliest", nights[change.earliest].nightly},
             {"latest", nights[change.latest].nightly},
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
            {{"first", nights[starts[i]].nightly},
             {"last", nights[end - 1].nightly},
             {"nights", own.size()},
             {"value", stats::median(own)}});
    }
    return {{"levels", std::move(levels)}, {"changes", std::move(changes)}};
}

json series_chart(
    const http::Request& request,
    Database& db,
    const HandlerContext& context,
    const std::optional<WholeNights>& whole) {
    check_query(request, {"nights", "nightly", "with"});
    const int wanted = nights_asked(request);
    const auto over = over_asked(request);
    const Snapshot snapshot(db);
    const auto until = newest_asked(request, db, context);
    const auto id = id_parameter(request);
    auto chart = load_one(db, lists::series, id);
    chart.erase("baselines");
    ChartScene scene;
    scene.series = load_series(db, SeriesId{id});
    const auto project = chart.at("project").get<std::string>();
    scene.links = links_of(context.config, project);
    scene.nights = list_suite_nights(db, scene.series.project, until, wanted + 1);
    const bool has_older = scene.nights.size() > static_cast<std::size_t>(wanted);
    chart["older"] = has_older ? json(scene.nights.back().nightly.value) : json();
    if (has_older) scene.nights.pop_back();
    std::ranges::reverse(scene.nights);
    NightRange range;
    if (!scene.nights.empty()) {
        range = {scene.nights.front().nightly, scene.nights.back().nightly};
    }
    scene.runs = list_chart_runs(db, scene.series.id, range);
    const auto settings = context.config.projects.find(project);
    chart["threshold_ratio"] = nullptr;
    if (settings != context.config.projects.end()) {
        scene.threshold = threshold_of(settings->second.thresholds, scene.series.metric);
        chart["threshold_ratio"] = scene.threshold;
        if (const auto rules = find_loop_rules(db, settings->second, scene.series)) {
            for (auto& night : follow_series(db, *rules, scene.series.id, range.until, wanted)) {
                scene.followed.emplace(night.nightly, std::move(night));
            }
        }
    }
    chart["nights"] = nights_json(scene, whole);
    std::vector<ChartValue> values;
    for (const auto& night : chart["nights"]) {
        const auto& value = night.at("value");
        values.push_back(
            {night.at("nightly").get<std::int64_t>(),
             value.is_null() ? std::nan("") : value.get<double>()});
    }
    chart.update(levels_json(values, scene.series.direction));
    chart["sessions"] = load_chart_sessions(db, scene.series.id, range);
    chart["regressions"] = load_chart_regressions(db, scene.series.id, range);
    chart["baselines"] = load_chart_baselines(db, scene.series.id);
    chart["environments"] = environments_json(db, scene.runs);
    chart["with"] = over_json(db, over, project, scene.nights);
    return chart;
}

http::Response get_series_chart(
    const http::Request& request, Database& db, const HandlerContext& context) {
    return object_response(series_chart(request, db, context));
}

}  // namespace vigil::service
