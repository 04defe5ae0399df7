#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "schema/model/metric.hpp"

namespace vigil {

inline constexpr std::size_t max_series_rules = 1000;
inline constexpr double least_worse_ratio = 0.0001;
inline constexpr double most_worse_ratio = 1000;
inline constexpr double most_worse_absolute = 1e60;

/// What a person decides of the series that fit all its patterns, where "*" is any text, of no
/// bytes too, and "?" one byte.
struct SeriesRule {
    std::string suite = "*";
    std::string benchmark = "*";
    std::string case_name = "*";  ///< on the wire "case"; of no bytes where there is none
    std::string variant = "*";
    std::string metric = "*";  ///< as on the wire, "reported_value", or a counter's own name
    std::string machine_class = "*";
    std::optional<Direction> direction = {};  ///< nullopt: as the results or the config say
    std::optional<bool> judge = {};           ///< nullopt: as the project's `judged` says
    /// Change ratio above which worse counts; nullopt: the project's threshold.
    std::optional<double> worse_ratio = {};
    /// Metric's unit, >= 0: a change has to be above it too; nullopt: any is.
    std::optional<double> worse_absolute = {};

    bool operator==(const SeriesRule&) const = default;
};

/// How a series is called. The suite is empty where nothing tells one.
struct NameOfSeries {
    std::string_view suite;
    std::string_view benchmark;
    std::string_view variant;
    std::string_view metric;
    std::string_view machine_class;
    std::string_view case_name = {};
    std::string_view quantity = {};  ///< a counter's own name
};

/// Whether a pattern of "*" and "?" is of the whole text. In time of one times the other at most.
bool fits_pattern(std::string_view pattern, std::string_view text);

/// The first rule that fits; nullptr: none does.
const SeriesRule* find_rule(std::span<const SeriesRule> rules, const NameOfSeries& name);

/// Whether a series is judged, and if not, why.
enum class Judging {
    as_metric,     ///< where the project's metric is
    always,        ///< a rule says so
    never,         ///< a rule says so
    no_direction,  ///< nothing says which way is better
};

struct Settled {
    std::optional<Direction> direction;
    Judging judging = Judging::as_metric;

    bool operator==(const Settled&) const = default;
};

/// @param told  what the results, or the config of what prints them, say; nullopt: nothing
/// @param rule  the one that fits; nullptr: none
Settled settle(std::optional<Direction> told, const SeriesRule* rule);

/// The change ratio above which a series is worse.
/// @param usual  the project's, for the metric
/// @param level  the series' own before the change, metric's unit, >= 0; nullopt: not known yet
/// @return  nullopt: no rule says so
std::optional<double> threshold_by(
    const SeriesRule* rule, double usual, std::optional<double> level, Direction direction);

/// The line of the config, or of a file of rules, that decides how such a series is judged.
/// @param quantity  a counter's own name; empty: the metric says it
std::string rule_line(
    std::string_view benchmark, std::string_view variant, std::string_view quantity = {});

}  // namespace vigil
