#pragma once

#include <map>
#include <optional>
#include <vector>

#include "bisect/detect/noise.hpp"
#include "service/store/series/series.hpp"

// Reads the measured values that the decisions stand on. What a worker measured in a night in which
// its canary moved is left out, and so is what a person withdrew: the ledger's view `left_out`.

namespace vigil::service {

/// The series measured by a nightly's own runs.
std::vector<SeriesRow> list_series_of(Database& db, NightlyId nightly);

/// The workers that measured them, each the first that ran the variant.
std::map<ClassVariant, WorkerId> list_workers_of(Database& db, NightlyId nightly);

/// What one night measured of one series: the values of its processes, in the order they ran.
struct SeriesValues {
    SeriesRow series;
    std::vector<double> runs;
};

/// The series of which a nightly's own runs passed, with their values.
std::vector<SeriesValues> list_values_of(Database& db, NightlyId nightly);

/// One night of a series: the values of its processes, in the order they ran; never empty.
struct NightValues {
    NightlyId nightly;
    BuildId build;
    std::vector<double> runs;
    double value = 0;  ///< the night's value: median over processes
};

/// So many nights of a level are looked at every night.
inline constexpr int level_window = 60;

/// Nights up to and with `until`, oldest first, from the start of the series' current level, at
/// most the `limit` newest. Nights without a value are not in it.
std::vector<NightValues> load_level(
    Database& db, SeriesId series, NightlyId until, int limit = level_window);

/// The same without regard to levels: the `limit` newest nights of the whole series.
std::vector<NightValues> load_history(Database& db, SeriesId series, NightlyId until, int limit);

/// What is left out of it: values that are shown and that nothing is judged by.
std::vector<NightValues> load_left_out(Database& db, SeriesId series, NightlyId until, int limit);

/// Whether a nightly's own runs of this series are left out of every judgement.
bool is_left_out(Database& db, NightlyId nightly, SeriesId series);

std::optional<double> find_night_value(Database& db, SeriesId series, NightlyId nightly);

/// The newest night between two, both excluded, in which runs of the series' variant failed and
/// none passed.
/// @param limit  so many of the newest nights between them are looked at
std::optional<NightlyId> find_silent_night(
    Database& db, SeriesId series, NightlyId after, NightlyId before, int limit);

/// How single runs scatter within a night, learned from the nights; spread 0 when there is not
/// enough to tell.
detect::RunNoise run_noise(const std::vector<NightValues>& nights, Direction direction);

}  // namespace vigil::service
