#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "service/config/config.hpp"
#include "service/report/facts/news.hpp"
#include "service/report/facts/regression_facts.hpp"
#include "service/store/reports/reports.hpp"

// Which report targets a document goes to. In the caller's transaction.

namespace vigil::service {

constexpr int max_causes = 20;  ///< of one night that are issues of their own

/// The project's targets that want this kind of document.
/// @param for_regressions  a trouble's report that stands for regressions goes where these do
std::vector<std::string> targets_of(
    const Config& config, const DueReport& due, bool for_regressions = false);

/// Whether a target is to hear of a regression as it is told now. A pure function.
bool wants(const ReportTarget& target, const ToldFact& told, News news);

/// Those that a regression's report goes to. What was filed, or lies there as a file, is kept up to
/// date whatever its filters say now. A night with more than `max_causes` regressions is one
/// trouble, whose report stands for those that were not filed before; and an issue that a later
/// regression has taken tells of that one alone.
std::vector<std::string> targets_of_regression(
    Database& db,
    const Config& config,
    const DueReport& due,
    const ToldFact& told,
    News news,
    std::int64_t now_s);

/// The first report of what recurs goes to the earlier issue, where that was closed not long ago.
/// @return  whether there is one
bool take_earlier_issue(
    Database& db,
    const Config& config,
    const RegressionFacts& facts,
    ReportId report,
    const std::vector<std::string>& targets);

/// Nights of many causes are over when none of these is open.
void end_nights_of_many(Database& db, std::int64_t now_s);

}  // namespace vigil::service
