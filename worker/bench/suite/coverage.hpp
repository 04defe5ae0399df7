#pragma once

#include <istream>
#include <map>
#include <set>
#include <string>

#include <nlohmann/json_fwd.hpp>

// Which operators of LibTorch the runs of a suite call, as their profiles have it. Pure.

namespace vigil_bench {

struct CoveredOperator {
    std::set<std::string> models;
    std::int64_t forward = 0;   ///< calls in all profiles, of one iteration each
    std::int64_t backward = 0;  ///< likewise
};

struct Coverage {
    std::int64_t registered = 0;    ///< operators below aten:: that this LibTorch has
    std::set<std::string> models;   ///< with a profile
    std::set<std::string> without;  ///< without one
    std::map<std::string, CoveredOperator> operators;  ///< that are called, by name
};

/// @param lines  a suite's results, one JSON object a line
/// @throws UsageError for a line that is none, or when no run has a profile
Coverage read_coverage(std::istream& lines);

/// {"registered", "called", "forward", "backward", "models", "without", "alone": {model: [names]},
/// "operators": {name: {"models", "forward", "backward"}}}; forward and backward count operators.
nlohmann::json coverage_json(const Coverage& coverage);

/// The same for people: how much is covered, and what each model alone adds.
std::string coverage_text(const Coverage& coverage);

}  // namespace vigil_bench
