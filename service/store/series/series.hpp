#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/model/class_variant.hpp"
#include "schema/model/ids.hpp"
#include "schema/model/metric.hpp"
#include "schema/model/recipe.hpp"
#include "schema/model/series_rule.hpp"
#include "service/store/database.hpp"

// The table `series`: which there are, by what is measured and by who measured them when.

namespace vigil::service {

struct SeriesRow {
    SeriesId id;
    ProjectId project;
    std::string benchmark;
    std::string variant;
    MachineClassId machine_class;
    Metric metric = Metric::wall_time_ns;
    Direction direction = Direction::lower_is_better;
    std::optional<Direction> told = {};  ///< by results or plan; nullopt: nothing
    Judging judging = Judging::as_metric;
    std::string case_name = {};  ///< of the program; empty: it is one benchmark
    std::string quantity = {};   ///< a counter's own name; empty: the metric says it
    std::string shown = {};      ///< benchmark, case and quantity, for people
    /// Change ratio above which worse counts, by a rule of series; nullopt: the project's.
    std::optional<double> threshold = {};
};

/// A SeriesRow of a series `s`.
inline constexpr const char* series_columns =
    "s.id, s.project_id, s.benchmark, s.variant, s.machine_class_id, s.metric, s.direction, "
    "s.told, s.judging, s.case_name, s.quantity, s.shown, s.threshold";

/// What is run for it, whatever the case and the metric.
inline ClassVariant variant_of(const SeriesRow& series) {
    return {series.benchmark, series.variant, series.machine_class};
}

/// How rules of series name it. Views of the row, and of the class's name.
inline NameOfSeries name_of(const SeriesRow& series, std::string_view machine_class) {
    return {
        .suite = {},
        .benchmark = series.benchmark,
        .variant = series.variant,
        .metric = to_string(series.metric),
        .machine_class = machine_class,
        .case_name = series.case_name,
        .quantity = series.quantity};
}

SeriesRow load_series(Database& db, SeriesId series);

/// "mlp train on xeon, cpu_time_ns": how events call it.
std::string words_of(Database& db, const SeriesRow& series);

struct NewSeries {
    ProjectId project;
    std::string benchmark;
    std::string variant;
    MachineClassId machine_class;
    Metric metric = Metric::wall_time_ns;
    std::string unit;
    std::optional<Direction> told = Direction::lower_is_better;
    std::string case_name = {};
    std::string quantity = {};
};
/// The series of what is measured, made when missing. The unit of one that exists stays; what is
/// told of its direction is noted, and settled with the next night that is judged.
SeriesId ensure_series(Database& db, const NewSeries& series);

/// What the values of a series are.
struct SeriesForm {
    SeriesId id;
    std::string unit;
    std::optional<Direction> told = {};
};
/// The series of what is measured, if there is one.
std::optional<SeriesForm> find_series_form(Database& db, const NewSeries& series);

void mark_reported(Database& db, SeriesId series, std::optional<Direction> told);

/// Which way the series is better, and whether it is judged.
/// @param settled  without a direction the one that it has stays
void note_settled(Database& db, SeriesId series, const Settled& settled);

/// @param threshold  as SeriesRow has it
void note_threshold(Database& db, SeriesId series, std::optional<double> threshold);

/// Series of a project of which nothing says which way is better.
struct UnknownDirections {
    std::int64_t count = 0;
    std::vector<SeriesRow> first;  ///< some of them
};
UnknownDirections list_unknown_directions(Database& db, ProjectId project, int limit);

std::int64_t count_series(Database& db, ProjectId project);

/// Whether another series than these is measured on the class.
/// @param project  nullopt: of any
bool has_series_beside(
    Database& db,
    const std::vector<SeriesRow>& series,
    MachineClassId machine_class,
    std::optional<ProjectId> project);

/// Whether something was found of the series, or decided about it.
bool has_findings(Database& db, SeriesId series);

/// A series without values and findings, with all that is remembered of it.
void remove_series(Database& db, SeriesId series);

std::vector<SeriesId> list_series(Database& db, ProjectId project, const ClassVariant& variant);

/// A benchmark and the job that measured it last.
struct LastMeasured {
    std::string benchmark;
    JobId job;
};
/// Of the benchmarks whose names begin with `begins`, the one that was measured last in this
/// variant on this class. @param begins  empty: `variant`'s own benchmark is asked about
std::optional<LastMeasured> find_last_measured(
    Database& db, ProjectId project, const ClassVariant& variant, const std::string& begins);

/// The series of a variant and a metric, in its newest definition, that no counter has.
/// @param case_name  empty: that of the program itself
std::optional<SeriesId> find_series(
    Database& db,
    ProjectId project,
    const ClassVariant& variant,
    const std::string& case_name,
    Metric metric);

/// The cases of a variant that a night's own runs measured.
std::vector<std::string> list_cases(Database& db, NightlyId nightly, const ClassVariant& variant);

/// Series that a nightly's own runs measured and nothing had measured before its first run, but for
/// what is measured beside the nights or for a person.
std::vector<SeriesRow> list_new_series(Database& db, NightlyId nightly);

/// Series that the own runs of one night measured, and those of another did not.
std::vector<SeriesRow> list_gone_series(Database& db, NightlyId measured, NightlyId not_measured);

/// The benchmarks of the newest job that measured a series of this benchmark variant; empty: none
/// did.
std::vector<BenchmarkPlan> list_newest_plan(
    Database& db, ProjectId project, const std::string& benchmark, const std::string& variant);

}  // namespace vigil::service
