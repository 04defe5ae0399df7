#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bisect/history/list_claims.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/row.hpp"

// What the JSON columns of `fix` hold. Watch writes them; report and api read them.

namespace vigil::service {

/// fix.commits: what the git lane found, or why it found nothing.
struct FixCommits {
    history::ClaimedRange range;
    std::string unlisted = {};  ///< why there are none; empty: they are all here
};

/// fix.told: what is said of how series came back. Subjects and author are a stranger's text,
/// one line each, and so is the claim that a commit reverts or fixes something.
struct Fix {
    std::optional<history::FixedBy> by;     ///< nullopt: the commits could not be listed
    Revision revision = {};                 ///< the commit that is named; empty: none is
    std::vector<Revision> candidates = {};  ///< one_of: those that measuring left; empty: all
    std::string subject = {};
    std::string author = {};
    Revision merge = {};  ///< of the line, which brought it; empty: it is on the line itself
    std::string merge_subject = {};
    Revision reverts = {};          ///< what it says that it reverts
    bool of_suspects = false;       ///< that is one suspect of several; else the culprit
    std::int64_t others = 0;        ///< further commits that say that they fix the issue
    bool only = false;              ///< there is no other commit on the line
    std::int64_t line_commits = 0;  ///< between the two nights
    std::int64_t unread_commits = 0;
    bool rewritten = false;  ///< the branch was, in between
    std::string unlisted = {};
};

template <>
struct TextColumn<FixCommits> : JsonColumn<FixCommits> {};
extern template struct JsonColumn<FixCommits>;

template <>
struct TextColumn<Fix> : JsonColumn<Fix> {};
extern template struct JsonColumn<Fix>;

/// What fixed it, in words for an event: "by `the commit`, ...", as strong as it is known.
/// @param bad     of the last night that was measured as bad
/// @param fixed  of the night that was measured as back
std::string words_of(const Fix& fix, const Revision& bad, const Revision& fixed);

}  // namespace vigil::service
