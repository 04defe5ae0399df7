#include "service/api/results/compare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

#include "bisect/detect/noise.hpp"
#include "bisect/detect/rules.hpp"
#include "bisect/stats/distribution.hpp"
#include "bisect/stats/summary.hpp"
#include "bisect/trend/segments.hpp"
#include "service/api/common/changed_facts.hpp"
#include "service/api/common/formats.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/common/sizes.hpp"
#include "service/api/results/measured_again.hpp"
#include "service/api/results/series_chart.hpp"
#include "service/api/results/suite.hpp"
#include "service/store/lists/chart.hpp"

// Two nights of a project against each other.

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr int noise_nights = 28;          // before the earlier one, and up to the later one at most
constexpr std::size_t most_sampled = 40;  // of the largest changes the samples are told, too
constexpr std::size_t most_samples = 200;  // of one side

/// Both nights, and those that teach the noise.
struct ComparedNights {
    std::vector<ChartNightRow> all;  ///< oldest first
    std::size_t a = 0, b = 0;        ///< places in it
};

std::optional<ComparedNights> find_nights(
    Database& db, ProjectId project, std::optional<NightlyId> a, std::optional<NightlyId> b) {
    constexpr NightlyId newest{std::numeric_limits<std::int64_t>::max()};
    const auto later = list_suite_nights(db, project, b.value_or(newest), 1);
    if (later.empty()) return std::nullopt;
    const NightlyId before_b{later[0].nightly.value - 1};
    const auto earlier = list_suite_nights(db, project, a.value_or(before_b), 1);
    if (earlier.empty()) return std::nullopt;
    std::set<NightlyId> seen;
    ComparedNights nights;
    for (const auto* night : {&earlier[0], &later[0]}) {
        for (auto& row : list_suite_nights(db, project, night->nightly, noise_nights)) {
            if (seen.insert(row.nightly).second) nights.all.push_back(std::move(row));
        }
    }
    std::ranges::sort(nights.all, {}, &ChartNightRow::nightly);
    const auto place_of = [&](const ChartNightRow& night) {
        const auto at = std::ranges::find(nights.all, night.nightly, &ChartNightRow::nightly);
        return static_cast<std::size_t>(at - nights.all.begin());
    };
    nights.a = place_of(earlier[0]);
    nights.b = place_of(later[0]);
    return nights;
}

json compared_json(Database& db, const SuiteSeries& one, const ComparedNights& nights) {
    auto item = series_json(one.row);
    const auto& before = one.runs[nights.a];
    const auto& after = one.runs[nights.b];
    const auto said =
        compare_nights(before, after, one.values, one.row.direction, kind_of(one.row.metric));
    const bool is_known = said.finding != Finding::unknown;
    const auto again = measured_between(
        db, one.row.id, nights.all[nights.a].nightly, nights.all[nights.b].nightly);
    item["before"] = said.before;
    item["after"] = said.after;
    item["change_ratio"] = said.change_ratio;
    item["low"] = is_known ? json(said.low) : json();
    item["high"] = is_known ? json(said.high) : json();
    item["measured_again"] = again_json(again);
    item["finding"] =
        to_string(again ? finding_of(again->level.low, again->level.high) : said.finding);
    item["runs_before"] = before;
    item["runs_after"] = after;
    item["samples_before"] = item["samples_after"] = json::array();
    return item;
}

std::vector<std::string_view> columns() {
    return {
        "series",
        "benchmark",
        "case",
        "variant",
        "machine_class",
        "metric",
        "quantity",
        "unit",
        "before",
        "after",
        "change_ratio",
        "low",
        "high",
        "finding",
        "measured_again/change_ratio",
        "measured_again/low",
        "measured_again/high"};
}

double weight_of(const json& item) {
    const bool tells = item.at("finding") == "worse" || item.at("finding") == "better";
    const auto& again = item.at("measured_again");
    const auto& ratio = (again.is_object() ? again : item).at("change_ratio");
    const double size = ratio.is_number() ? std::abs(log_of_change(ratio.get<double>())) : 0;
    return tells ? 1000 + size : size;
}

/// Evenly chosen where there are more than are told.
json some_of(const std::vector<double>& samples) {
    if (samples.size() <= most_samples) return samples;
    auto some = json::array();
    for (std::size_t i = 0; i < most_samples; ++i) {
        some.push_back(samples[i * samples.size() / most_samples]);
    }
    return some;
}

void add_samples(Database& db, std::vector<json>& items, const ComparedNights& nights) {
    for (std::size_t i = 0; i < std::min(items.size(), most_sampled); ++i) {
        const auto& finding = items[i].at("finding");
        if (finding != "worse" && finding != "better") return;
        const SeriesId series{items[i].at("series").get<std::int64_t>()};
        const auto samples = [&](std::size_t night) {
            return some_of(list_night_samples(db, series, nights.all[night].nightly));
        };
        items[i]["samples_before"] = samples(nights.a);
        items[i]["samples_after"] = samples(nights.b);
    }
}

using Variant = std::tuple<std::string, std::string, std::string>;

struct Ran {
    std::set<Variant> variants;  ///< that passed
    json facts;                  ///< of the first run's environment on each class
};

Ran what_ran(Database& db, const ChartNightRow& night) {
    Ran ran;
    ran.facts = json::object();
    for (const auto& run : list_suite_outcomes(db, night.nightly)) {
        if (run.outcome == "passed") {
            ran.variants.emplace(run.benchmark, run.variant, run.machine_class);
        }
        if (!run.environment || ran.facts.contains(run.machine_class)) continue;
        ran.facts[run.machine_class] = load_environment_facts(db, *run.environment);
    }
    return ran;
}

json only_in(const Ran& these, const Ran& others) {
    auto only = json::array();
    for (const auto& variant : these.variants) {
        if (others.variants.contains(variant)) continue;
        const auto& [benchmark, name, machine_class] = variant;
        only.push_back(
            {{"benchmark", benchmark}, {"variant", name}, {"machine_class", machine_class}});
    }
    return only;
}

json environment_changes(const Ran& a, const Ran& b) {
    auto all = json::array();
    for (const auto& [machine_class, facts] : b.facts.items()) {
        if (!a.facts.contains(machine_class)) continue;
        for (auto& changed : changed_facts(a.facts.at(machine_class), facts)) {
            changed["machine_class"] = machine_class;
            all.push_back(std::move(changed));
        }
    }
    return all;
}

/// A series that went up or down is no noisier for it: what is left is each night around its level.
/// @param nights  [n] values; @param levels  [n] the same as badness
void around_levels(const std::vector<double>& nights, std::vector<double>& levels) {
    auto starts =
        trend::may_have_levels(nights) ? trend::find_levels(nights) : std::vector<std::size_t>{};
    starts.insert(starts.begin(), 0);
    starts.push_back(nights.size());
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
        const auto level = std::span(levels).subspan(starts[i], starts[i + 1] - starts[i]);
        const double middle = stats::median(level);
        for (auto& night : level) night -= middle;
    }
}

/// Two or more runs that all gave the same number.
bool is_constant(std::span<const double> runs) {
    return runs.size() > 1 &&
           std::ranges::all_of(runs, [&](double value) { return value == runs.front(); });
}

}  // namespace

NightComparison compare_nights(
    std::span<const double> before,
    std::span<const double> after,
    std::span<const double> nights,
    Direction direction,
    MetricKind kind) {
    NightComparison said;
    said.before = stats::median(before);
    said.after = stats::median(after);
    said.change_ratio = change_ratio(said.before, said.after, direction);
    if (kind != MetricKind::time && is_constant(before) && is_constant(after)) {
        said.low = said.high = said.change_ratio;
        said.finding = said.before == said.after ? Finding::same
                       : said.change_ratio > 0   ? Finding::worse
                                                 : Finding::better;
        return said;
    }
    std::vector<double> values;
    std::vector<double> levels;
    for (const double value : nights) {
        if (!std::isfinite(value) || value < 0) continue;
        values.push_back(value);
        levels.push_back(detect::badness(value, direction));
    }
    if (levels.size() <= detect::rule.enough_nights) return said;
    around_levels(values, levels);
    const auto noise = detect::learn_series_noise(levels, {});
    const double spread = std::max(noise.night, detect::rule.least_spread);
    // Both nights scatter.
    const double half = stats::normal_95 * std::sqrt(2.0) * spread;
    const double moved =
        detect::badness(said.after, direction) - detect::badness(said.before, direction);
    said.low = change_of_log(moved - half);
    said.high = change_of_log(moved + half);
    said.finding = finding_of(said.low, said.high);
    return said;
}

http::Response get_compare(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_suite_query(request, {"a", "b"});
    const auto format = format_of(request);
    const Snapshot snapshot(db);
    const auto project = suite_project(request, db, context);
    const auto filter = suite_filter(request, db, context);
    std::optional<ComparedNights> nights;
    if (project.id) {
        const auto a = find_named_night(request, "a", db, context, project);
        const auto b = find_named_night(request, "b", db, context, project);
        nights = find_nights(db, *project.id, a, b);
    }
    std::vector<json> items;
    json reply = {
        {"project", project.name},
        {"a", nullptr},
        {"b", nullptr},
        {"only_a", json::array()},
        {"only_b", json::array()},
        {"environment", json::array()}};
    if (nights) {
        for (const auto& one : load_suite(db, *project.id, nights->all, filter)) {
            if (one.runs[nights->a].empty() || one.runs[nights->b].empty()) continue;
            items.push_back(compared_json(db, one, *nights));
        }
        std::ranges::stable_sort(items, std::ranges::greater{}, weight_of);
        add_samples(db, items, *nights);
        reply["a"] = night_json(nights->all[nights->a]);
        reply["b"] = night_json(nights->all[nights->b]);
        const auto before = what_ran(db, nights->all[nights->a]);
        const auto after = what_ran(db, nights->all[nights->b]);
        reply["only_a"] = only_in(before, after);
        reply["only_b"] = only_in(after, before);
        reply["environment"] = environment_changes(before, after);
    }
    reply["items"] = std::move(items);
    if (format != TableFormat::json) {
        return list_in(format, reply["items"], columns());
    }
    return object_response(std::move(reply));
}

}  // namespace vigil::service
