#pragma once

#include <string>
#include <vector>

#include "service/report/facts/regression_facts.hpp"

namespace vigil::service {

/// A regression that a commit of a pull request brought, or was found to have brought.
struct CulpritTold {
    RegressionFacts facts;
    Revision revision;  ///< the pull request's commit
    std::string issue;  ///< address of its issue
};

/// The comment on the pull request: for each regression a paragraph that says what became worse, by
/// how much, because of which commit, and how to answer. A pure function. @return  no marker
std::string render_culprit(const std::vector<CulpritTold>& all);

}  // namespace vigil::service
