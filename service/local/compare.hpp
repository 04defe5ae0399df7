#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "bisect/detect/session.hpp"
#include "bisect/history/history.hpp"
#include "service/local/cases/cases.hpp"
#include "service/local/request.hpp"
#include "service/local/why.hpp"

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
    /// Where the program prints many cases: all of them. The order, the runs and the judgement
    /// above are those of the first one.
    std::optional<ComparedCases> cases = {};
    int runs_of_cases = 0;
    std::optional<LocalWhy> why = {};  ///< where it was asked for
    std::string hint;                  ///< of a metric that would be sooner told; mostly empty
    double seconds = 0;                ///< in builds, with checking out and keeping, and in runs
};

/// Builds two commits and measures them interleaved until it is sure, or max_blocks are spent.
/// @throws Error{conflict} when a build or the benchmark fails; and as Bench does
CompareResult compare(const LocalRequest& request, const World& world);

/// What the figures of a comparison are of, in words for a person.
struct ComparedSides {
    std::string measure;  ///< "time", "CPU time of mlp"
    std::string unit;     ///< of the levels; see value_text
    std::string good;     ///< its commit
    std::string bad;
};
/// Three lines: the change with its interval, and both sides. Empty where nothing was measured.
std::string comparison_lines(const Comparison& comparison, const ComparedSides& sides);

/// For a person; several lines.
/// @param width  of the terminal; 0: not one
std::string compare_text(const CompareResult& result, std::size_t width = 0);
/// docs/bisection.md has what it says.
nlohmann::json compare_json(const CompareResult& result);

}  // namespace vigil::local
