#include "service/api/results/compare.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
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

ComparedSeries compared(Database& db, SuiteSeries& one, const ComparedNights& nights) {
    ComparedSeries all;
    all.row = std::move(one.row);
    all.runs_before = one.runs[nights.a];
    all.runs_after = one.runs[nights.b];
    all.said = compare_nights(
        all.runs_before, all.runs_after, one.values, all.row.direction, kind_of(all.row.metric));
    all.again = measured_between(
        db, all.row.id, nights.all[nights.a].nightly, nights.all[nights.b].nightly);
    all.finding =
        all.again ? finding_of(all.again->level.low, all.again->level.high) : all.said.finding;
    return all;
}

json compared_json(const ComparedSeries& one) {
    auto item = series_json(one.row);
    const auto& said = one.said;
    const bool is_known = said.finding != Finding::unknown;
    item["before"] = said.before;
    item["after"] = said.after;
    item["change_ratio"] = said.change_ratio;
    item["low"] = is_known ? json(said.low) : json();
    item["high"] = is_known ? json(said.high) : json();
    item["measured_again"] = again_json(one.again);
    item["finding"] = to_string(one.finding);
    item["runs_before"] = one.runs_before;
    item["runs_after"] = one.runs_after;
    item["samples_before"] = one.samples_before;
    item["samples_after"] = one.samples_after;
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

double weight_of(const ComparedSeries& one) {
    const double ratio = one.again ? one.again->level.change_ratio : one.said.change_ratio;
    const double size = std::abs(log_of_change(ratio));
    return one.tells() ? 1000 + size : size;
}

/// Evenly chosen where there are more than are told.
std::vector<double> some_of(std::vector<double> samples) {
    if (samples.size() <= most_samples) return samples;
    std::vector<double> some;
    for (std::size_t i = 0; i < most_samples; ++i) {
        some.push_back(samples[i * samples.size() / most_samples]);
    }
    return some;
}

void add_samples(Database& db, std::vector<ComparedSeries>& series, const ComparedNights& nights) {
    for (auto& one : std::span(series).first(std::min(series.size(), most_sampled))) {
        if (!one.tells()) return;
        const auto samples = [&](std::size_t night) {
            return some_of(list_night_samples(db, one.row.id, nights.all[night].nightly));
        };
        one.samples_before = samples(nights.a);
        one.samples_after = samples(nights.b);
    }
}

struct Ran {
    std::set<ComparedVariant> variants;  ///< that passed
    json facts;                          ///< of the first run's environment on each class
};

Ran what_ran(Database& db, const ChartNightRow& night) {
    Ran ran;
    ran.facts = json::object();
    for (const auto& run : list_suite_outcomes(db, night.nightly)) {
        if (run.outcome == "passed") {
            ran.variants.insert({run.benchmark, run.variant, run.machine_class});
        }
        if (!run.environment || ran.facts.contains(run.machine_class)) continue;
        ran.facts[run.machine_class] = load_environment_facts(db, *run.environment);
    }
    return ran;
}

std::vector<ComparedVariant> only_in(const Ran& these, const Ran& others) {
    std::vector<ComparedVariant> only;
    std::ranges::set_difference(these.variants, others.variants, std::back_inserter(only));
    return only;
}

json only_json(const std::vector<ComparedVariant>& variants) {
    auto only = json::array();
    for (const auto& [benchmark, variant, machine_class] : variants) {
        only.push_back(
            {{"benchmark", benchmark}, {"variant", variant}, {"machine_class", machine_class}});
    }
    return only;
}

std::optional<std::string> text_in(const json& fact) {
    return fact.is_string() ? std::optional(fact.get<std::string>()) : std::nullopt;
}

std::vector<ComparedFact> environment_changes(const Ran& a, const Ran& b) {
    std::vector<ComparedFact> all;
    for (const auto& [machine_class, facts] : b.facts.items()) {
        if (!a.facts.contains(machine_class)) continue;
        for (const auto& one : changed_facts(a.facts.at(machine_class), facts)) {
            all.push_back(
                {machine_class,
                 one.at("fact").get<std::string>(),
                 text_in(one.at("before")),
                 text_in(one.at("after"))});
        }
    }
    return all;
}

json environment_json(const std::vector<ComparedFact>& changes) {
    const auto text = [](const auto& value) { return value ? json(*value) : json(); };
    auto all = json::array();
    for (const auto& [machine_class, fact, before, after] : changes) {
        all.push_back(
            {{"machine_class", machine_class},
             {"fact", fact},
             {"before", text(before)},
             {"after", text(after)}});
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

SuiteComparison load_comparison(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_suite_query(request, {"a", "b"});
    const Snapshot snapshot(db);
    const auto project = suite_project(request, db, context);
    const auto filter = suite_filter(request, db, context);
    SuiteComparison all;
    all.project = project.name;
    if (!project.id) return all;
    const auto a = find_named_night(request, "a", db, context, project);
    const auto b = find_named_night(request, "b", db, context, project);
    const auto nights = find_nights(db, *project.id, a, b);
    if (!nights) return all;
    for (auto& one : load_suite(db, *project.id, nights->all, filter)) {
        if (one.runs[nights->a].empty() || one.runs[nights->b].empty()) continue;
        all.series.push_back(compared(db, one, *nights));
    }
    std::ranges::stable_sort(all.series, std::ranges::greater{}, weight_of);
    add_samples(db, all.series, *nights);
    all.a = nights->all[nights->a];
    all.b = nights->all[nights->b];
    const auto before = what_ran(db, *all.a);
    const auto after = what_ran(db, *all.b);
    all.only_a = only_in(before, after);
    all.only_b = only_in(after, before);
    all.environment = environment_changes(before, after);
    return all;
}

http::Response get_compare(
    const http::Request& request, Database& db, const HandlerContext& context) {
    const auto format = format_of(request);
    const auto all = load_comparison(request, db, context);
    auto items = json::array();
    for (const auto& one : all.series) items.push_back(compared_json(one));
    if (format != TableFormat::json) return list_in(format, items, columns());
    return object_response(
        {{"project", all.project},
         {"a", all.a ? night_json(*all.a) : json()},
         {"b", all.b ? night_json(*all.b) : json()},
         {"only_a", only_json(all.only_a)},
         {"only_b", only_json(all.only_b)},
         {"environment", environment_json(all.environment)},
         {"items", std::move(items)}});
}

}  // namespace vigil::service
