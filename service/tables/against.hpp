#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "service/tables/result.hpp"
#include "service/tables/rules.hpp"

// Two lists of results of the same models: what became worse, and what no longer runs.

namespace vigil::tables {

/// One number of a model that both lists have.
struct NumberPair {
    std::string model;  ///< as the list has it
    std::string batch;  ///< "16", "unbatched", "-"
    std::string way;
    std::string number;  ///< name of the field
    double before = 0;   ///< in the field's unit, > 0
    double after = 0;
    double change_ratio = 0;   ///< how much worse: 0.07 means 7 %; negative is better
    std::string variant = {};  ///< of a night: how its config calls the way
    std::string suspect = {};  ///< the commit that is known to have done it; empty: none is
};

/// A model that is in one list only, or whose status changed.
struct StatusPair {
    std::string model;
    std::string batch;
    std::string way;
    std::string before;  ///< its status; "pass" where the list has none
    std::string after;
    std::string variant = {};
    std::string suspect = {};
};

/// All pairs of one number: by how much they changed together.
struct NumberChange {
    std::string number;
    Aggregate ratio;  ///< paired_v1: geometric mean of 1 + change ratio
};

struct ResultChanges {
    double threshold = 0;
    std::size_t paired = 0;  ///< models and ways that both lists have
    std::vector<StatusPair> new_failures;
    std::vector<StatusPair> fixed;
    std::vector<StatusPair> still_failing;
    std::vector<StatusPair> gone;   ///< only in the list before
    std::vector<StatusPair> added;  ///< only in the list after
    std::vector<NumberPair> worse;  ///< by more than the threshold, the largest first
    std::vector<NumberPair> better;
    std::vector<NumberPair> noise;     ///< of a night: measured again by it, and not there
    std::vector<NumberPair> outliers;  ///< 3.5 spreads off the median change of their number
    std::vector<NumberPair> pairs;     ///< all of them, as they come
    std::vector<NumberChange> numbers;
};

inline constexpr double worse_by_default = 0.07;

/// Pairs are equal in model, batch and way, but for the version. Compared are wall time (where
/// there is none CPU time), compile time, peak of memory, throughput; speedup and memory ratio
/// where a list has no times or peaks. A model that does not pass in one of the lists has no
/// numbers.
/// @param threshold  change ratio above which worse counts, > 0
ResultChanges compare_results(
    const std::vector<Result>& before, const std::vector<Result>& after, double threshold);

/// Markdown.
std::string changes_text(const ResultChanges& changes);
nlohmann::json changes_json(const ResultChanges& changes);

}  // namespace vigil::tables
