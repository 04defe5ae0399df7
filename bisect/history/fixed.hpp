#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bisect/history/claims.hpp"
#include "schema/model/enum_names.hpp"
#include "schema/model/text_ids.hpp"

// Which commit of a range fixed a regression, as far as the texts of the commits say it. Pure: the
// texts come from list_claims.

namespace vigil::history {

/// A commit of the range. Subject and author are a stranger's text, one line each.
struct ClaimingCommit {
    Revision revision;
    Revision merge = {};  ///< of the line, which brought it; empty: it is on the line itself
    std::string subject;
    std::string author = {};
    Claims claims = {};
};

/// What a revert may mean: the culprit with the merges that brought it, or one suspect of several.
struct RevertTarget {
    std::vector<Revision> revisions;    ///< the culprit first
    std::vector<std::string> subjects;  ///< of these
};

/// The issue as which the regression was filed.
struct FiledIssue {
    std::string place;  ///< "machine/owner/name", in lower case
    std::int64_t number = 0;
    bool own = false;  ///< its tracker is that of the repository: "#N" means it
};

struct FixQuestion {
    std::vector<ClaimingCommit> commits;  ///< oldest first; what a merge brought stands before it
    std::int64_t line_commits = 0;        ///< of the line, whether they are in `commits` or not
    bool rewritten = false;               ///< the line was rewritten: it lost commits as well
    std::vector<RevertTarget> targets;
    std::vector<FiledIssue> issues;
};

/// How strong the word is, strongest first.
enum class FixedBy {
    measured,  ///< a search built and measured with the commit and without; no text says it
    revert,    ///< a commit says that it reverts a target, and none that it brings it back
    fix,       ///< a commit says that it fixes the issue
    only,      ///< no text tells it; there is one commit only
    one_of     ///< no text tells it
};

struct FixWord {
    FixedBy by = FixedBy::one_of;
    std::optional<std::size_t> commit = std::nullopt;  ///< index into `commits`
    std::optional<std::size_t> target = std::nullopt;  ///< that it reverts
    std::size_t others = 0;  ///< further commits that say that they fix the issue
    bool only = false;       ///< there is no other commit on the line
};

/// A hash that means more than one commit that is known, or none, claims nothing; where a text
/// gives hashes, its subject claims nothing beyond them. A revert that was itself reverted does not
/// count, nor does a fix that was: the last word on a commit holds.
FixWord find_fix(const FixQuestion& question);

}  // namespace vigil::history
