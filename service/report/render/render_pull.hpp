#pragma once

#include <optional>
#include <string>

#include "service/report/facts/requested_facts.hpp"
#include "service/store/findings/pulls.hpp"

namespace vigil::service {

/// What is told of a commit of a pull request.
struct PullTold {
    PullRow pull;
    Links links;
    std::optional<RequestedFacts> asked;  ///< of its request; nullopt: nothing was asked for
};

/// What its check run and the pull request's comment say.
struct PullTexts {
    std::string status;   ///< "queued", "in_progress", "success", "neutral" or "failure"
    std::string title;    ///< plain text
    std::string summary;  ///< Markdown
    std::string comment;  ///< Markdown; empty: there is nothing to say yet
};

/// Worse beyond a threshold, or no longer running, is a failure, no series worse a success; what
/// was not measured, or not decided, is neutral. A pure function.
PullTexts render_pull(const PullTold& told);

}  // namespace vigil::service
