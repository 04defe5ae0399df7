#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schema/model/enum_names.hpp"
#include "service/tables/result.hpp"

// How many numbers become one. An aggregate without the name of its rule says nothing: the same
// rows are 1.04x by one rule and 0.93x by another.

namespace vigil::tables {

enum class Rule {
    runner_v1,  ///< as the published dashboards were made: a speedup below 1 counts as 1
    hud_v2,     ///< as the later dashboard has it: speedups as they are
    paired_v1,  ///< only models that have every number; ratios by geometric mean, times by mean
};

/// A model that does not enter an aggregate, and why.
struct LeftOut {
    std::string model;  ///< with its batch where the same model has several
    std::string why;
};

struct Aggregate {
    std::optional<double> value;  ///< none: nothing entered
    std::size_t count = 0;        ///< what entered
    std::vector<LeftOut> left_out;
};

/// One column of the four headline tables.
struct Headline {
    Rule rule = Rule::runner_v1;
    std::size_t passing = 0;
    std::size_t total = 0;
    std::vector<LeftOut> failing;
    Aggregate speedup;
    Aggregate compile_s;
    Aggregate memory_ratio;
};

/// The headline of the results of one suite and way to run it.
///
/// A model passes when its status is "pass", "passed" or "pass_due_to_skip" and its speedup is
/// above 0; where no result has a status, when its speedup is above 0, and where none has a
/// speedup, by its status alone. All results are the whole, but those that failed as their base
/// did, and those of the base itself that are unsupported: what only another backend cannot run has
/// failed there.
/// runner_v1, hud_v2: a number enters when its model passes and it is above 0. Speedup: geometric
/// mean, by runner_v1 of max(speedup, 1). Compile time and memory ratio: arithmetic means.
/// paired_v1: a model enters all three or none; memory ratio by geometric mean.
/// @source  runner_v1: the runner that wrote the published CPU dashboards; hud_v2: the dashboard
///          that came after it
/// @param base  the backend that the others are measured against
Headline headline_of(std::span<const Result* const> results, Rule rule, const std::string& base);

/// Whether a result says nothing of its backend: it is unsupported, and of the base itself or
/// the base failed too.
bool is_in_no_total(const Result& result, const std::string& base);

double geometric_mean(std::span<const double> values);   ///< each > 0, at least one
double arithmetic_mean(std::span<const double> values);  ///< at least one

double middle_of(std::vector<double> values);  ///< median; at least one

/// How far each value lies from the median, in spreads (scaled median absolute deviations), with
/// its sign; empty where fewer than eight values, or equal ones, have no spread to speak of.
std::vector<double> spreads_off(const std::vector<double>& values);
/// More spreads off than this is an outlier.
/// @source  Iglewicz and Hoaglin 1993, the modified z-score
inline constexpr double outlier_spreads = 3.5;

/// "resnet50", or "resnet50 (batch 16)" where it comes with several.
std::vector<std::string> model_names(std::span<const Result* const> results);

}  // namespace vigil::tables
