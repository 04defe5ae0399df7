#include <nlohmann/json.hpp>

#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "service/report/facts/search_facts.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/bisections.hpp"
#include "service/watch/search/causes.hpp"

namespace vigil::service {

namespace {

/// Regressions of the same confirmed suspicions: one for each commit that moved them.
void load_regressions(Database& db, RegressionFacts& facts) {
    Query row = db.query(
        "SELECT o.id, o.culprit, o.suspects, theirs.series_id, theirs.verified "
        "FROM regression_series mine JOIN regression_series theirs "
        "ON theirs.suspicion_id = mine.suspicion_id AND theirs.regression_id <> mine.regression_id "
        "JOIN regression o ON o.id = theirs.regression_id "
        "WHERE mine.regression_id = ?1 ORDER BY o.id, theirs.series_id",
        facts.id);
    while (row.next()) {
        OtherChangeFact other;
        other.series = find_series(facts, row.get<SeriesId>(3));
        other.regression = row.get<RegressionId>(0);
        const auto left = wire::parse_json(row.get<std::string>(2), "regression.suspects");
        if (const auto culprit = row.get<std::optional<Revision>>(1)) {
            other.first = other.last = *culprit;
        } else if (!left.empty()) {
            other.first = Revision(left.front().get<std::string>());
            other.last = Revision(left.back().get<std::string>());
        }
        const auto verified =
            wire::parse_json(row.get<std::string>(4), "regression_series.verified");
        if (!verified.empty()) {
            other.verified = true;
            other.change_ratio = wire::parse_comparison(verified).change_ratio;
        }
        if (other.series >= 0) facts.others.push_back(std::move(other));
    }
}

/// What one search told of the regression's series without a regression of its own.
void load_lesser(Database& db, BisectionId bisection, bool inside, RegressionFacts& facts) {
    std::vector<Revision> line;
    {
        Query row = db.query(
            "SELECT revision FROM suspect WHERE bisection_id = ?1 ORDER BY position", bisection);
        while (row.next()) line.push_back(row.get<Revision>(0));
    }
    Query row = db.query("SELECT settings, conclusion FROM bisection WHERE id = ?1", bisection);
    if (!row.next()) return;
    const auto settings = parse_settings(row.get<std::string>(0));
    const auto conclusion = parse_conclusion(row.get<std::string>(1));
    const auto tell = [&](int series, int first, int last, OtherChangeFact other) {
        const auto count = static_cast<int>(line.size());
        if (series < 0 || std::size_t(series) >= settings.series.size()) return;
        if (first < 0 || last < first || last >= count) return;
        other.series = find_series(facts, settings.series[std::size_t(series)]);
        other.first = line[std::size_t(first)];
        other.last = line[std::size_t(last)];
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
