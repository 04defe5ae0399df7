#pragma once

#include <span>
#include <string>
#include <vector>

#include "service/tables/rules.hpp"

namespace vigil::tables {

/// One column of the headline tables, and the models behind it.
struct DashboardSuite {
    std::string label;
    std::vector<Result> rows;         ///< in the order of the source
    std::vector<Headline> headlines;  ///< one for each rule that was asked for
};

/// Results with the speedup and memory ratio that follow from pairs: for each result whose base
/// (the same model, batch and way with the backend `base`) is there, time and peak of the base by
/// its own. What a source states is kept. A base that did not pass says so in the status, and
/// so does a result that is unsupported where its base failed.
std::vector<Result> with_ratios(const std::vector<Result>& results, const std::string& base);

/// The results that are measured against a base: those that have a speedup, a memory ratio, a
/// compile time or a status, and are not the base itself.
std::vector<DashboardSuite> make_dashboard(
    const std::vector<Result>& results, const std::string& base, std::span<const Rule> rules);

}  // namespace vigil::tables
