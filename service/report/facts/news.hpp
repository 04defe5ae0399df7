#pragma once

#include <optional>

#include "service/store/reports/reports.hpp"

namespace vigil::service {

/// What is new in a version of a regression's report, as far as people are to be told aloud; the
/// text of the report is kept up to date in any case.
enum class News {
    nothing,    ///< nothing of weight
    found,      ///< it is the first
    culprit,    ///< a culprit is verified, or another one
    recovered,  ///< every series is back
    reopened,   ///< it was over or answered, and is open again
    accepted,   ///< the new level is right
};

struct RegressionFacts;

/// What a report of these facts tells.
ToldFact told_of(const RegressionFacts& facts);

/// A pure function. @param before  what the version before told; nullopt: there is none
News news_of(const std::optional<ToldFact>& before, const ToldFact& now);

}  // namespace vigil::service
