#pragma once

#include "service/report/facts/news.hpp"
#include "service/report/facts/regression_facts.hpp"

namespace vigil::service {

/// What is said below a regression's issue of news; the text tells the rest. A pure
/// function. @return  one paragraph, no marker; an empty body: nothing is to be said
Document render_comment(News news, const RegressionFacts& facts);

}  // namespace vigil::service
