#pragma once

#include <optional>
#include <string>
#include <vector>

#include "service/report/facts/requested_facts.hpp"
#include "service/store/findings/pulls.hpp"
#include "service/store/findings/reported.hpp"

namespace vigil::service {

/// What is told of a commit of a pull request.
struct PullTold {
    PullRow pull;
    Links links;
    std::optional<RequestedFacts> asked;  ///< of its request; nullopt: nothing was asked for
    std::vector<ReportedSeries> fixes;    ///< of the regression that it says it fixes
    std::string issue;                    ///< address of that one's issue; may be empty
};

/// How much of the regression comes back that the pull request says it fixes, by what was measured
/// of it; Markdown that ends with an empty line. Empty: it names none. Pure.
std::string fixed_words(const PullTold& told);

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
