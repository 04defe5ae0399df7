#include "service/report/facts/search_facts.hpp"
#include "service/store/findings/bisections.hpp"
#include "service/watch/search/causes.hpp"

namespace vigil::service {

namespace {

/// Regressions of the same confirmed suspicions: one for each commit that moved them.
void load_regressions(Database& db, RegressionFacts& facts) {
    for (const auto& row : list_other_series(db, facts.id)) {
        OtherChangeFact other;
        other.series = find_series(facts, row.series);
        other.regression = row.regression;
        if (row.culprit) {
            other.first = other.last = *row.culprit;
        } else if (!row.left.empty()) {
            other.first = row.left.front();
            other.last = row.left.back();
        }
        other.verified = row.verified.has_value();
        if (row.verified) other.change_ratio = row.verified->change_ratio;
        if (other.series >= 0) facts.others.push_back(std::move(other));
    }
}

/// What one search told of the regression's series without a regression of its own.
void load_lesser(Database& db, BisectionId bisection, bool inside, RegressionFacts& facts) {
    const auto search = find_search_records(db, bisection);
    if (!search) return;
    const auto& [settings, conclusion] = *search;
    const auto line = list_line(db, bisection);
    const auto tell = [&, &settings = settings](
                          int series, int first, int last, OtherChangeFact other) {
        const auto count = static_cast<int>(line.size());
        if (series < 0 || std::size_t(series) >= settings.series.size()) return;
        if (first < 0 || last < first || last >= count) return;
        other.series = find_series(facts, settings.series[std::size_t(series)]);
        if (last > 0) {
            other.first = line[std::size_t(first)];
            other.last = line[std::size_t(last)];
        }
        if (other.series >= 0) facts.others.push_back(std::move(other));
    };
    for (const auto& lesser : lesser_changes(conclusion, inside)) {
        OtherChangeFact other;
        other.verified = true;
        other.change_ratio = lesser.verified.change_ratio;
        tell(lesser.series, lesser.first, lesser.last, std::move(other));
    }
    for (const auto& ending : conclusion.endings) {
        if (!ending.remaining) continue;
        OtherChangeFact other;
        other.change_ratio = ending.remaining->change_ratio;
        other.remains = true;
        other.remaining = ending.remaining->probability;
        tell(ending.series, ending.remaining->first, ending.remaining->last, std::move(other));
    }
}

}  // namespace

void load_others(Database& db, std::optional<BisectionId> answering, RegressionFacts& facts) {
    load_regressions(db, facts);
    while (answering) {
        const auto inside = find_inside(db, *answering);
        load_lesser(db, *answering, inside.has_value(), facts);
        answering = inside ? std::optional(inside->outer) : std::nullopt;
    }
}

}  // namespace vigil::service
