#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "service/report/facts/marker.hpp"
#include "service/report/send/attempt_rules.hpp"

namespace vigil::service {

/// What becomes of an issue when its text is written.
enum class IssueState { as_it_is, open, closed };

/// What an issue shall say.
struct IssueText {
    std::string title;
    std::string body;
    IssueState state = IssueState::as_it_is;
    std::vector<std::string> assignees = {};  ///< logins; of a new issue only
};

/// What a search came to.
struct FoundIssues {
    /// `sent`: the search is complete; anything else says why not
    SendReply reply;
    std::vector<std::string> refs;  ///< oldest first; several: one report was filed more than once
    /// UTC; when its first page was read, where that was not in this call. What was listed later
    /// may be missing.
    std::optional<std::int64_t> began_s = std::nullopt;
};

/// Where issues are filed. Used on one lane only; calls may block for a minute or two.
/// Nothing here throws for what a network or a server does: the reply says it.
class IssueTracker {
  public:
    virtual ~IssueTracker() = default;

    /// Looks through the issues, open and closed, for those that our own account filed with this
    /// marker. A search that fails on its way, or takes long, goes on where it stopped when it is
    /// asked for again; `wait` says that this call came further.
    /// @param since_s  UTC; none of them was filed before
    virtual FoundIssues find(const Marker& marker, std::int64_t since_s) = 0;

    /// Files it, with the target's labels. Whom the tracker refuses as assignee is left out.
    /// @return  with `filed` when the issue was created or may have been
    virtual SendReply create(const IssueText& text) = 0;

    /// Writes title and body anew. Doing it twice is the same as once.
    /// @param ref  external_ref of find or create
    virtual SendReply update(const std::string& ref, const IssueText& text) = 0;
};

}  // namespace vigil::service
