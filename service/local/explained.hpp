#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "service/local/story.hpp"

// What the verified changes of a search explain, and what else there is.

namespace vigil::local {

/// "98 % of the +20.1 % between the ends"; inside of a merge they are what that made. A rest is
/// told only where its interval excludes 0.
std::string explained_text(const Story& story, const search::Explained& explained);
nlohmann::json explained_json(const search::Explained& explained);

/// How large it is, most likely between which commits, and how likely.
std::string remaining_text(const Story& story, const search::Remaining& remaining);

/// What is verified so far, and what goes on: "1a2b3c4d5e is verified (+12.0 %)"; empty before.
std::string verified_text(const Story& story, const search::Decision& decision);

/// A culprit that was verified just now, and how to leave out what follows.
std::string told_text(const Story& story, const search::SeriesEnding& culprit);

}  // namespace vigil::local
