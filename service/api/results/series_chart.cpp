#include "service/api/results/series_chart.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "bisect/stats/summary.hpp"
#include "service/api/common/changed_facts.hpp"
#include "service/api/common/filters.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/common/sizes.hpp"
#include "service/api/results/series_over.hpp"
#include "service/config/links.hpp"
#include "service/config/series_rules.hpp"
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

/// Everything that one chart is made of. Nights before the ones that are shown only teach the loop
/// its noise.
struct ChartScene {
    SeriesRow series;
    std::vector<ChartNightRow> nights;    ///< oldest first, those that are shown
    std::vector<ChartRun> runs;           ///< of these and before
    std::vector<NightValues> judged;      ///< of these runs, night by night
    std::vector<FollowedNight> followed;  ///< of these
    std::map<WorkerId, std::string> workers;
    double threshold = 0;
    Links links;
};

/// Above it a night is worse by more than the threshold.
double limit_of(double base, double threshold, Direction direction) {
    return direction == Direction::lower_is_better ? base * (1 + threshold)
                                                   : base / (1 + threshold);
}

/// Where the commits since the night before can be looked at; empty: nowhere, or there are none.
std::string commits_url(
    const Links& links, const std::string& before, const std::string& revision) {
    if (before.empty() || before == revision) return "";
    return range_url(links, Revision(before), Revision(revision));
}

/// What is drawn of the runs of a night beside its value.
void take_runs(std::span<const ChartRun> runs, ChartNight& night) {
    for (const auto& run : runs) {
        if (run.left_out) {
            night.left_out.push_back(run.value);
            continue;
        }
        night.low = std::fmin(night.low, run.value - run.spread);
        night.high = std::fmax(night.high, run.value + run.spread);
    }
}

std::vector<std::string> workers_of(const ChartScene& scene, std::span<const ChartRun> runs) {
    std::set<std::string> names;
    for (const auto& run : runs) names.insert(scene.workers.at(run.worker));
    return {names.begin(), names.end()};
}

/// The places of the nights that come whole.
std::pair<std::size_t, std::size_t> whole_places(
    const std::vector<ChartNightRow>& nights, const std::optional<WholeNights>& whole) {
    if (!whole) return {0, nights.size()};
    const auto newer = std::ranges::upper_bound(
        nights, whole->until, {}, [](const auto& night) { return night.nightly; });
    const auto end =
        newer == nights.begin() ? nights.size() : static_cast<std::size_t>(newer - nights.begin());
    return {end - std::min(end, whole->count), end};
}

/// Walks along things of nights, oldest first, as somebody walks along the nights.
template <class Thing>
class Along {
  public:
    explicit Along(std::vector<Thing>& things) : next_(things.begin()), end_(things.end()) {}

    /// Those of this night, which is later than the one before.
    std::span<Thing> of(NightlyId night) {
        while (next_ != end_ && next_->nightly < night) ++next_;
        const auto first = next_;
        while (next_ != end_ && next_->nightly == night) ++next_;
        return {first, next_};
    }

  private:
    typename std::vector<Thing>::iterator next_;
    typename std::vector<Thing>::iterator end_;
};

/// @param before  revision of the night before
ToldNight told_of(
    const ChartScene& scene,
    const ChartNightRow& row,
    const std::string& before,
    std::span<const ChartRun> runs) {
    ToldNight told;
    told.revision = row.revision;
    told.before = before;
    told.commits = commits_url(scene.links, before, row.revision);
    told.state = row.state;
    told.created_at_s = row.created_at_s;
    told.workers = workers_of(scene, runs);
    return told;
}

std::vector<ChartNight> nights_of(ChartScene& scene, const std::optional<WholeNights>& whole) {
    const auto [begin, end] = whole_places(scene.nights, whole);
    std::vector<ChartNight> all;
    all.reserve(scene.nights.size());
    Along runs(scene.runs);
    Along judged(scene.judged);
    Along followed(scene.followed);
    std::string before;
    for (auto& row : scene.nights) {
        const bool is_reported = all.size() >= begin && all.size() < end;
        auto& night = all.emplace_back();
        night.nightly = row.nightly;
        night.name = std::move(row.name);
        const auto own = runs.of(row.nightly);
        take_runs(own, night);
        if (is_reported) {
            night.told = std::make_unique<ToldNight>(told_of(scene, row, before, own));
        }
        for (auto& values : judged.of(row.nightly)) {
            night.value = values.value;
            if (is_reported) night.told->runs = std::move(values.runs);
        }
        for (const auto& word : followed.of(row.nightly)) {
            night.base = word.base;
            night.limit = limit_of(night.base, scene.threshold, scene.series.direction);
            if (is_reported) night.told->score = word.score;
        }
        before = std::move(row.revision);
    }
    return all;
}

/// The runs that are judged, night by night.
std::vector<NightValues> judged_nights(std::span<const ChartRun> runs) {
    std::vector<NightValues> judged;
    for (const auto& run : runs) {
        if (run.left_out) continue;
        if (judged.empty() || judged.back().nightly != run.nightly) {
            judged.push_back({run.nightly, {}, {}, 0});
        }
        judged.back().runs.push_back(run.value);
    }
    for (auto& night : judged) night.value = stats::median(night.runs);
    return judged;
}

/// Nights in which a worker showed another environment than the last time.
json environments_json(Database& db, const ChartScene& scene, NightlyId from) {
    auto all = json::array();
    std::map<WorkerId, std::int64_t> last;
    for (const auto& run : scene.runs) {
        if (run.nightly < from || !run.environment) continue;
        const auto [place, is_new] = last.try_emplace(run.worker, *run.environment);
        if (is_new || place->second == *run.environment) continue;
        all.push_back(
            {{"nightly", run.nightly.value},
             {"worker", scene.workers.at(run.worker)},
             {"changed",
              changed_facts(
                  load_environment_facts(db, place->second),
                  load_environment_facts(db, *run.environment))}});
        place->second = *run.environment;
    }
    return all;
}

int nights_requested(const http::Request& request) {
    const auto given = number_filter(request, "nights").value_or(default_chart_nights);
    if (given >= 2 && given <= max_chart_nights) return static_cast<int>(given);
    throw Error(
        Errc::invalid_argument,
        "query parameter nights must be in 2.." + std::to_string(max_chart_nights));
}

NightlyId newest_requested(
    const http::Request& request, Database& db, const HandlerContext& context) {
    const Filters filters(request, db, context.config);
    const auto given = filters.value("night of a series", "nightly");
    const auto* id = std::get_if<std::int64_t>(&given);
    return NightlyId{id == nullptr ? std::numeric_limits<std::int64_t>::max() : *id};
}

/// The nights that the chart shows, and the runs and words of these and of a window before.
/// @param config  null: the project is no longer in it
/// @return  the night before these, where there is one
std::optional<NightlyId> load_scene(
    Database& db, const ProjectConfig* config, NightlyId until, int wanted, ChartScene& scene) {
    auto& nights = scene.nights;
    nights = list_suite_nights(db, scene.series.project, until, wanted + level_window);
    if (nights.empty()) return std::nullopt;
    std::ranges::reverse(nights);
    scene.runs = list_chart_runs(db, scene.series.id, nights);
    scene.judged = judged_nights(scene.runs);
    scene.workers = list_worker_names(db);
    if (config != nullptr) {
        if (const auto rules = find_loop_rules(db, *config, scene.series)) {
            scene.followed = follow_series(db, *rules, scene.series.id, scene.judged);
        }
    }
    const auto shown = std::min(nights.size(), static_cast<std::size_t>(wanted));
    const auto first = nights.end() - static_cast<std::ptrdiff_t>(shown);
    std::optional<NightlyId> older;
    if (first != nights.begin()) older = std::prev(first)->nightly;
    nights.erase(nights.begin(), first);
    return older;
}

std::string words_of_judging(
    const ProjectConfig& config, const ChartScene& scene, const json& facts) {
    const auto& series = scene.series;
    const auto machine_class = facts.at("machine_class").get<std::string>();
    const ProjectSeriesRules rules(config);
    const auto* rule = rules.find(name_of(series, machine_class));
    return judging_words(config, rule, series.metric, series.judging, scene.threshold);
}

}  // namespace

SeriesChart load_series_chart(
    const http::Request& request,
    Database& db,
    const HandlerContext& context,
    const std::optional<WholeNights>& whole) {
    check_query(request, {"nights", "nightly", "with"});
    const int wanted = nights_requested(request);
    const auto over = over_requested(request);
    const Snapshot snapshot(db);
    const auto until = newest_requested(request, db, context);
    const auto id = id_parameter(request);
    SeriesChart chart{std::make_shared<json>(load_one(db, lists::series, id)), {}};
    auto& facts = *chart.facts;
    const auto project = facts.at("project").get<std::string>();
    ChartScene scene;
    scene.series = load_series(db, SeriesId{id});
    scene.links = links_of(context.config, project);
    const auto settings = context.config.projects.find(project);
    const auto* config = settings == context.config.projects.end() ? nullptr : &settings->second;
    if (config != nullptr) {
        scene.threshold = threshold_of(*config, scene.series);
    }
    const auto older = load_scene(db, config, until, wanted, scene);
    NightRange range;
    if (!scene.nights.empty()) {
        range = {scene.nights.front().nightly, scene.nights.back().nightly};
    }
    facts["older"] = older ? json(older->value) : json();
    facts["threshold_ratio"] = config == nullptr ? json() : json(scene.threshold);
    facts["judging"] = config == nullptr ? json() : json(words_of_judging(*config, scene, facts));
    facts["sessions"] = with_sizes(load_chart_sessions(db, scene.series.id, range));
    facts["regressions"] = load_chart_regressions(db, scene.series.id, range);
    facts["baselines"] = load_chart_baselines(db, scene.series.id);
    facts["environments"] = environments_json(db, scene, range.from);
    facts["with"] = over_json(db, over, project, scene.nights);
    chart.nights = nights_of(scene, whole);
    facts.update(levels_json(chart.nights, scene.series.direction));
    return chart;
}

}  // namespace vigil::service
