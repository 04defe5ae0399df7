#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/model/recipe.hpp"

// A program's cases: which are measured, and how one is run alone. Pure functions.

namespace vigil {

/// Arguments behind a command; behind a shell's text they become its last words.
Command with_arguments(Command command, const std::vector<std::string>& arguments);

/// Whether a case is one of those that are measured.
bool is_measured_case(const CasePlan& cases, std::string_view name);

/// @return  empty, or why arguments do not name one case: `{case}` stands for its name as a regular
///          expression, `{case:raw}` as it is, `{case:catch2}` for its test case, `{case:go}` for
///          what -bench takes
std::string case_arguments_problem(std::span<const std::string> arguments);

/// Whether a run of one case alone can be asked for.
bool can_run_alone(const BenchmarkPlan& plan);

/// The same benchmark, of which only one case is run.
/// @param plan  can_run_alone
BenchmarkPlan of_case(BenchmarkPlan plan, const std::string& name);

/// The same benchmark, of which the whole program is run.
BenchmarkPlan of_all_cases(BenchmarkPlan plan);

}  // namespace vigil
