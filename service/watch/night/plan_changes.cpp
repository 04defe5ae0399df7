#include "service/watch/night/plan_changes.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "service/store/events.hpp"
#include "service/store/ids.hpp"
#include "service/store/series/values.hpp"
#include "service/watch/series/series_records.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t named_at_most = 5;

// A benchmark's variant on a machine class.
using Variant = std::tuple<std::string, std::string, MachineClassId>;

struct Planned {
    std::string text;  ///< JSON of the benchmark's plan
};

struct Night {
    ProjectId project;
    NightlyId tonight;
    NightlyId before;
};

std::optional<Night> find_night(Database& db, NightlyId nightly) {
    auto rows = db.query(
        "SELECT n.project_id, (SELECT MAX(o.id) FROM night o WHERE o.project_id = n.project_id "
        "AND o.id < n.id AND o.state <> 'failed') FROM nightly n WHERE n.id = ?1",
        nightly);
    VIGIL_ASSERT(rows.next());
    const auto before = rows.get<std::optional<NightlyId>>(1);
    if (!before) return std::nullopt;
    return Night{rows.get<ProjectId>(0), nightly, *before};
}

std::map<Variant, Planned> list_planned(Database& db, NightlyId nightly) {
    std::map<Variant, Planned> planned;
    auto rows = db.query(
        "SELECT b.value ->> 'benchmark', b.value ->> 'variant', j.machine_class_id, b.value "
        "FROM job j, json_each(j.plan, '$.benchmarks') b "
        "WHERE j.nightly_id = ?1 AND j.purpose = 'nightly'",
        nightly);
    while (rows.next()) {
        planned[{rows.get<std::string>(0), rows.get<std::string>(1), rows.get<MachineClassId>(2)}] =
            {rows.get<std::string>(3)};
    }
    return planned;
}

// Limits, turns and exit codes say how it is run, not what is measured.
bool measure_the_same(const std::string& before, const std::string& tonight) {
    if (before == tonight) return true;
    const auto read = [](const std::string& text) {
        return wire::parse_benchmark_plan(wire::parse_json(text, "job.plan"), "job.plan");
    };
    const auto a = read(before);
    const auto b = read(tonight);
    return a.kind == b.kind && a.command == b.command && a.environment == b.environment &&
           a.samples == b.samples;
}

std::vector<SeriesId> list_series_of(Database& db, ProjectId project, const Variant& variant) {
    std::vector<SeriesId> found;
    auto rows = db.query(
        "SELECT id FROM series WHERE project_id = ?1 AND benchmark = ?2 AND variant = ?3 "
        "AND machine_class_id = ?4",
        project,
        std::get<0>(variant),
        std::get<1>(variant),
        std::get<2>(variant));
    while (rows.next()) found.push_back(rows.get<SeriesId>(0));
    return found;
}

void note(Database& db, const Night& night, const char* kind, std::string words, std::int64_t at) {
    record_event(db, at, kind, night.project, "nightly/" + to_string(night.tonight), words);
}

void start_changed_anew(
    Database& db,
    const Night& night,
    const std::map<Variant, Planned>& before,
    const std::map<Variant, Planned>& tonight,
    std::int64_t now_s) {
    for (const auto& [variant, planned] : tonight) {
        const auto earlier = before.find(variant);
        if (earlier == before.end() || measure_the_same(earlier->second.text, planned.text)) {
            continue;
        }
        const auto series = list_series_of(db, night.project, variant);
        for (const auto one : series) {
            begin_level(db, one, night.tonight, "measured in another way", now_s, true);
        }
        const auto words = fmt::format(
            "{} ({}) on {} is measured by another command, environment or sample rule than the "
            "night before: its {} series start new levels",
            std::get<0>(variant),
            std::get<1>(variant),
            load_machine_class_name(db, std::get<2>(variant)),
            series.size());
        note(db, night, "series.changed", words, now_s);
    }
}

// Series that a night's own runs measured, with names and metric.
struct Named {
    SeriesId id;
    Variant variant;
    std::string metric;
};

std::vector<Named> list_named(Database& db, const std::string& condition, const Night& night) {
    const auto measured = [](const char* nightly) {
        return fmt::format(
            "(SELECT DISTINCT m.series_id FROM job j JOIN run r ON r.job_id = j.id "
            "AND r.attempt = j.attempt JOIN measurement m ON m.run_id = r.id "
            "WHERE j.nightly_id = {} AND j.purpose = 'nightly')",
            nightly);
    };
    std::vector<Named> found;
    auto rows = db.query(
        "WITH tonight AS " + measured("?1") + ", before AS " + measured("?2") +
            " SELECT s.id, s.benchmark, s.variant, s.machine_class_id, s.metric FROM series s "
            "WHERE " +
            condition + " ORDER BY s.id",
        night.tonight,
        night.before);
    while (rows.next()) {
        found.push_back(
            {rows.get<SeriesId>(0),
             {rows.get<std::string>(1), rows.get<std::string>(2), rows.get<MachineClassId>(3)},
             rows.get<std::string>(4)});
    }
    return found;
}

void note_series(
    Database& db,
    const Night& night,
    const char* kind,
    const std::string& what,
    const std::vector<Named>& series,
    std::int64_t now_s) {
    if (series.empty()) return;
    std::string names;
    for (std::size_t i = 0; i < std::min(series.size(), named_at_most); ++i) {
        const auto& [benchmark, variant, machine_class] = series[i].variant;
        names += fmt::format(
            "{}{} ({}) on {} {}",
            names.empty() ? "" : ", ",
            benchmark,
            variant,
            load_machine_class_name(db, machine_class),
            series[i].metric);
    }
    if (series.size() > named_at_most) {
        names += fmt::format(" and {} more", series.size() - named_at_most);
    }
    note(db, night, kind, fmt::format("{} series {}: {}", series.size(), what, names), now_s);
}

std::set<Variant> list_passed(Database& db, NightlyId nightly) {
    std::set<Variant> passed;
    auto rows = db.query(
        "SELECT DISTINCT r.benchmark, r.variant, r.machine_class_id FROM job j "
        "JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt WHERE j.nightly_id = ?1 "
        "AND j.purpose = 'nightly' AND r.outcome = 'passed'",
        nightly);
    while (rows.next()) {
        passed.insert(
            {rows.get<std::string>(0), rows.get<std::string>(1), rows.get<MachineClassId>(2)});
    }
    return passed;
}

// What is planned and did not run is missing, and said with its cause by the night's summary.
void note_gone(
    Database& db,
    const Night& night,
    const std::map<Variant, Planned>& tonight,
    std::int64_t now_s) {
    const auto passed = list_passed(db, night.tonight);
    std::vector<Named> not_planned, not_printed;
    for (auto& series : list_named(db, "s.id IN before AND s.id NOT IN tonight", night)) {
        if (!tonight.contains(series.variant)) {
            not_planned.push_back(std::move(series));
        } else if (passed.contains(series.variant)) {
            not_printed.push_back(std::move(series));
        }
    }
    note_series(db, night, "series.gone", "no longer planned", not_planned, now_s);
    const char* silent = "no longer printed by runs that pass";
    note_series(db, night, "series.gone", silent, not_printed, now_s);
}

}  // namespace

void note_plan_changes(Database& db, NightlyId nightly, std::int64_t now_s) {
    const auto night = find_night(db, nightly);
    if (!night) return;
    const auto planned = list_planned(db, nightly);
    start_changed_anew(db, *night, list_planned(db, night->before), planned, now_s);
    const std::string never_before =
        "s.id IN tonight AND NOT EXISTS (SELECT 1 FROM measurement m JOIN run o ON o.id = m.run_id "
        "JOIN job k ON k.id = o.job_id LEFT JOIN nightly b ON b.id = k.nightly_id "
        "WHERE m.series_id = s.id AND b.beside IS NULL "
        "AND m.run_id < (SELECT MIN(r.id) FROM job j JOIN run r ON r.job_id = j.id "
        "WHERE j.nightly_id = ?1 AND j.purpose = 'nightly'))";
    const auto first = list_named(db, never_before, *night);
    note_series(db, *night, "series.new", "measured for the first time", first, now_s);
    note_gone(db, *night, planned, now_s);
}

}  // namespace vigil::service
