#pragma once

#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "bisect/search/search.hpp"
#include "service/local/reading/value_text.hpp"
#include "service/local/story.hpp"

// What a search found, in words and as JSON. Pure functions of its log.

namespace vigil::local {

/// "culprit found", "range left", "not reproduced", "stopped".
std::string verdict_text(const search::Decision& decision);

/// Several lines for a person: verdict, culprit or what is left, effect, evidence, and the commands
/// that show it again.
std::string answer_text(const SearchAccount& account);

nlohmann::json answer_json(const SearchAccount& account);

/// The search that gives the answer: the last into a merge that named a commit, else that of the
/// line. A commit of a submodule is none of the project.
const Found& answering(const SearchAccount& account);
/// Whether the search named one commit.
bool names_culprit(const search::Decision& decision);

/// Why the search does not begin at the good end; empty when it does.
std::string parting_text(const Story& story);

/// "inside of the merge 0123456789, which brought 12 commits"; empty for a search of the line.
std::string inside_text(const Story& story);

/// What came of a search inside of a merge, or why it was given up, one line.
std::string inside_outcome(const Found& found);

/// "only moves dependencies", "moves dependencies too"; empty when it moves none.
std::string moves_text(const history::PinMoves* moves);

/// The commands that show it again, whole lines; none when nothing was found.
std::vector<std::string> commands_to_see(const Story& story, const search::Decision& decision);

/// "+12.1 % wall time, 90 % interval +11 % to +13 %: 10.2 ms to 11.4 ms"; empty when nothing was
/// verified.
std::string effect_text(const Story& story, const search::SeriesEnding& ending);

/// The same of any comparison; "0 to 2 allocs of BM_sum" where no ratio tells a change from 0.
/// @param what  is compared, with what
std::string size_text(const Comparison& c, const std::string& what, std::string_view unit);

/// "1a2b3c4d5e", or "1a2b3c4d5e to 2b3c4d5e6f".
std::string stretch_text(const Story& story, int first, int last);

/// Its builds failed, and none worked later.
bool does_not_build(const search::CommitState& commit);

/// What a search took.
struct Cost {
    int runs = 0;
    int runs_failed = 0;
    int builds = 0;
    int builds_failed = 0;
    double seconds = 0;           ///< of building and measuring, and of:
    double handling_seconds = 0;  ///< checking commits out, and keeping what was built
};

/// @param inside  searches inside of merges, to be counted with it
Cost cost_of(const Story& story, std::span<const Found> inside = {});

/// "34 runs, 7 builds (1 failed), 2 min 10 s of building and measuring".
std::string cost_text(const Cost& cost);

}  // namespace vigil::local
