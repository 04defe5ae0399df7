#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bisect/stats/distribution.hpp"
#include "schema/text/numbers.hpp"
#include "service/report/render/sections.hpp"

// What part of the confirmed change the culprits explain, and why a regression may stay open when
// its culprit is reverted.

namespace vigil::service {

namespace {

/// Standard error of ln(1 + change_ratio), by its interval of 90 %.
double log_error(const Comparison& c) {
    return (std::log1p(c.high) - std::log1p(c.low)) / (2 * stats::normal_95);
}

}  // namespace

std::optional<search::Explained> explained_of(const RegressionFacts& facts, std::size_t series) {
    const SeriesFact& fact = facts.series[series];
    if (!facts.culprit || !fact.verified || fact.verdict == Verdict::broken) return std::nullopt;
    if (fact.confirmed.runs_after == 0) return std::nullopt;
    std::vector<double> ratios{fact.verified->change_ratio};
    // Runs of the night and of the search: what both are off by is no rest.
    const double error = std::hypot(log_error(fact.confirmed), log_error(*fact.verified));
    for (const auto& other : facts.others) {
        if (other.series == int(series) && other.verified) ratios.push_back(other.change_ratio);
    }
    return search::explain(fact.confirmed.change_ratio, ratios, error);
}

std::string explained_section(const RegressionFacts& facts) {
    static constexpr std::size_t most = 10;
    double least = 1;
    bool known = false;
    bool within_error = false;
    std::string open;
    for (std::size_t i = 0; i < facts.series.size() && i < most; ++i) {
        const auto explained = explained_of(facts, i);
        if (!explained) continue;
        known = true;
        if (explained->enough()) least = std::min(least, explained->share);
        within_error |= !explained->enough() && !explained->has_rest();
        if (explained->enough() || !explained->has_rest()) continue;
        open += fmt::format(
            "- {}{} of the confirmed {} is explained; about {} is of changes that were not found. "
            "Without the culprit the series stays that far from its level, and this regression "
            "open.\n",
            facts.series.size() < 2 ? "" : fmt::format("S{}: ", i + 1),
            explained->share > 0 ? text::share(explained->share, 0) : "more than all",
            text::percent(facts.series[i].confirmed.change_ratio),
            text::percent(explained->rest_ratio));
    }
    if (!open.empty()) return "### What is not explained\n\n" + open + "\n";
    if (!known) return "";
    const bool alone = std::none_of(
        facts.others.begin(), facts.others.end(), [](const auto& other) { return other.verified; });
    return fmt::format(
        "{} {}.\n\n",
        alone ? "The culprit explains" : "The culprit and the other changes below explain",
        within_error ? "the change that was confirmed, within the error of both measurements"
                     : text::share(least, 0) + " of the change that was confirmed");
}

}  // namespace vigil::service
