#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "bisect/detect/session.hpp"
#include "bisect/history/history.hpp"
#include "service/local/request.hpp"

namespace vigil::local {

struct CompareResult {
    Order order;
    history::Commit good;
    history::Commit bad;
    std::vector<detect::SessionRun> runs;  ///< of whole blocks
    detect::SessionJudgement judgement;
    bool same_product = false;  ///< both builds made the same bytes: nothing was measured
    bool stopped = false;
    int builds = 0;
    int runs_failed = 0;
    std::string hint;    ///< of a metric that would be sooner told; mostly empty
    double seconds = 0;  ///< in builds, with checking out and keeping, and in runs
};

/// Builds two commits and measures them interleaved until it is sure, or max_blocks are spent.
/// @throws Error{conflict} when a build or the benchmark fails; and as Bench does
CompareResult compare(const LocalRequest& request, const World& world);

/// For a person; several lines.
std::string compare_text(const CompareResult& result);
/// docs/bisection.md has what it says.
nlohmann::json compare_json(const CompareResult& result);

}  // namespace vigil::local
