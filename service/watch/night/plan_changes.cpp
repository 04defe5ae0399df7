#include "service/watch/night/plan_changes.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "service/store/ids.hpp"
#include "service/store/work/night_jobs.hpp"
#include "service/store/work/runs.hpp"
#include "service/watch/series/series_records.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t named_at_most = 5;

// "mlp (train) on xeon"
std::string variant_words(Database& db, const ClassVariant& variant) {
    return fmt::format(
        "{} ({}) on {}",
        variant.benchmark,
        variant.variant,
        load_machine_class_name(db, variant.machine_class));
}

void start_anew(
    Database& db, const NightlyRow& tonight, const ClassVariant& variant, std::int64_t now_s) {
    const auto series = list_series(db, tonight.project, variant);
    for (const auto one : series) {
        begin_level(db, one, tonight.id, "measured in another way", now_s, true);
    }
    const auto words = fmt::format(
        "{} is measured by another command, environment, launch or sample rule than the night "
        "before: its "
        "{} series start new levels",
        variant_words(db, variant),
        series.size());
    record_nightly_event(db, tonight, "series.changed", words, now_s);
}

void tell_of_series(
    Database& db,
    const NightlyRow& tonight,
    const char* kind,
    const std::string& what,
    const std::vector<SeriesRow>& series,
    std::int64_t now_s) {
    if (series.empty()) return;
    std::string names;
    for (std::size_t i = 0; i < std::min(series.size(), named_at_most); ++i) {
        names += names.empty() ? "" : ", ";
        auto shown = variant_of(series[i]);
        shown.benchmark = series[i].shown;
        names += variant_words(db, shown) + " " + std::string(to_string(series[i].metric));
    }
    if (series.size() > named_at_most) {
        names += fmt::format(" and {} more", series.size() - named_at_most);
    }
    const auto words = fmt::format("{} series {}: {}", series.size(), what, names);
    record_nightly_event(db, tonight, kind, words, now_s);
}

BenchmarkPlan read_plan(const std::string& text) {
    return wire::parse_benchmark_plan(wire::parse_json(text, "job.plan"), "job.plan");
}

bool measure_the_same(const std::string& before, const std::string& tonight) {
    if (before == tonight) return true;
    const auto a = read_plan(before);
    const auto b = read_plan(tonight);
    return a.kind == b.kind && a.command == b.command && a.folder == b.folder &&
           a.environment == b.environment &&
           a.launch.value_or(Launch{}) == b.launch.value_or(Launch{}) && a.samples == b.samples;
}

}  // namespace

void note_plan_changes(Database& db, const NightlyRow& tonight, std::int64_t now_s) {
    const auto before = list_nights_before(db, tonight.project, tonight.id, 1);
    if (before.empty()) return;
    auto planned = list_planned_variants(db, tonight.id);
    const auto planned_before = list_planned_variants(db, before.front());
    for (const auto& variant : list_measured_otherwise(planned_before, planned)) {
        start_anew(db, tonight, variant, now_s);
    }
    const auto fresh = list_new_series(db, tonight.id);
    tell_of_series(db, tonight, "series.new", "measured for the first time", fresh, now_s);
    const auto gone = list_gone_series(db, before.front(), tonight.id);
    // What was measured elsewhere has no plan: a benchmark that failed there was meant to run.
    for (const auto& silent : list_silent_variants(db, tonight.id)) {
        planned.try_emplace(silent.variant);
    }
    const auto [not_planned, not_printed] =
        split_gone(gone, planned, list_passed_variants(db, tonight.id));
    tell_of_series(db, tonight, "series.gone", "no longer planned", not_planned, now_s);
    const char* silent = "no longer printed by runs that pass";
    tell_of_series(db, tonight, "series.gone", silent, not_printed, now_s);
}

std::vector<ClassVariant> list_measured_otherwise(
    const PlannedVariants& before, const PlannedVariants& tonight) {
    std::vector<ClassVariant> otherwise;
    for (const auto& [variant, plan] : tonight) {
        const auto earlier = before.find(variant);
        if (earlier == before.end() || measure_the_same(earlier->second, plan)) continue;
        otherwise.push_back(variant);
    }
    return otherwise;
}

GoneSeries split_gone(
    const std::vector<SeriesRow>& gone,
    const PlannedVariants& tonight,
    const std::set<ClassVariant>& passed_tonight) {
    GoneSeries split;
    for (const auto& series : gone) {
        const auto variant = variant_of(series);
        if (!tonight.contains(variant)) {
            split.not_planned.push_back(series);
        } else if (passed_tonight.contains(variant)) {
            split.not_printed.push_back(series);
        }
    }
    return split;
}

}  // namespace vigil::service
