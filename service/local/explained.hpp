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

/// The bad end against the good one, by all runs of a search.
struct EndsChange {
    double change_ratio = 0;  ///< how much worse
    double low = 0;           ///< 90 % interval
    double high = 0;
    double good = 0;  ///< metric's unit
    double bad = 0;
    bool other_way = false;  ///< by half the threshold or more, against what was looked for
};

/// Nothing where an end has no value.
std::optional<EndsChange> ends_of(const Story& story);

/// "-30.1 % wall time between the ends, 90 % interval ..."; empty where an end has no value.
std::string ends_text(const Story& story);

/// What the ends differ by, and what may be looked for instead; lines for a person.
std::string unmoved_lines(const Story& story);

/// The commands that show it again, and those that look for what may have happened instead.
std::vector<std::string> commands_of_ends(const Story& story);

}  // namespace vigil::local
