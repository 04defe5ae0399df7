#pragma once

#include <string>

#include "service/report/outbox_rules.hpp"

namespace vigil::service {

/// What an issue shall say.
struct IssueText {
    std::string title;
    std::string body;
    bool closed = false;  ///< true: nothing is left to do; false leaves open or closed as it is
};

/// Where issues are filed. Used on the delivery lane only; calls may block for a minute or two.
/// Nothing here throws for what a network or a server does: the reply says it.
class IssueTracker {
  public:
    virtual ~IssueTracker() = default;

    /// Looks through all issues, open and closed, for the one whose body has `marker` as a line.
    /// @return  `sent`: the search is complete; external_ref is the issue, or empty: there is none
    virtual SendReply find(const std::string& marker) = 0;

    /// @return  with `may_exist` when the issue may have been created all the same
    virtual SendReply create(const IssueText& text) = 0;

    /// Writes title and body anew. Doing it twice is the same as once.
    /// @param ref  external_ref of find or create
    virtual SendReply update(const std::string& ref, const IssueText& text) = 0;
};

}  // namespace vigil::service
