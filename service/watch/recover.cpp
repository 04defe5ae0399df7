#include "service/watch/recover.hpp"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "service/store/events.hpp"
#include "service/watch/values.hpp"

namespace vigil::service {

namespace {

constexpr const char* open_states =
    "('searching', 'attributed', 'range', 'reported', 'acknowledged')";

struct Candidate {
    RegressionId regression;
    SeriesId series;
    SuspicionId improvement;
    double before = 0;  ///< level before the regression, from its confirmation
    double after = 0;   ///< level tonight, from the improvement's confirmation
};

Comparison comparison_from(const std::string& text) {
    return wire::parse_comparison(wire::parse_json(text, "suspicion.confirmed"));
}

std::vector<Candidate> list_candidates(Database& db, NightlyId nightly) {
    std::vector<Candidate> candidates;
    auto rows = db.query(
        "SELECT g.id, rs.series_id, tonight.id, first.confirmed, tonight.confirmed "
        "FROM suspicion tonight JOIN regression_series rs ON rs.series_id = tonight.series_id "
        "AND rs.recovered_nightly_id IS NULL JOIN regression g ON g.id = rs.regression_id "
        "AND g.state IN " +
            std::string(open_states) +
            " JOIN suspicion first ON first.id = rs.suspicion_id "
            "WHERE tonight.nightly_id = ?1 AND tonight.verdict = 'improvement' ORDER BY g.id",
        nightly);
    while (rows.next()) {
        candidates.push_back(
            {rows.get<RegressionId>(0),
             rows.get<SeriesId>(1),
             rows.get<SuspicionId>(2),
             comparison_from(rows.get<std::string>(3)).before,
             comparison_from(rows.get<std::string>(4)).after});
    }
    return candidates;
}

bool all_recovered(Database& db, RegressionId regression) {
    return !db.find<int>(
                  "SELECT 1 FROM regression_series WHERE regression_id = ?1 "
                  "AND recovered_nightly_id IS NULL LIMIT 1",
                  regression)
                .has_value();
}

void close(Database& db, RegressionId regression, NightlyId nightly, std::int64_t now_s) {
    const auto project =
        db.find<ProjectId>("SELECT project_id FROM regression WHERE id = ?1", regression);
    for (const auto* state : {"recovered", "closed"}) {
        db.execute(
            "UPDATE regression SET state = ?2, changed_at_s = ?3 WHERE id = ?1",
            regression,
            state,
            now_s);
        record_event(
            db,
            now_s,
            "regression." + std::string(state),
            project,
            "regression/" + to_string(regression),
            "every series is back at its level since nightly " + to_string(nightly));
    }
}

}  // namespace

int close_recovered(
    Database& db, const ProjectConfig& config, NightlyId nightly, std::int64_t now_s) {
    int recovered = 0;
    for (const auto& candidate : list_candidates(db, nightly)) {
        const auto series = load_series(db, candidate.series);
        const double threshold = threshold_of(config.thresholds, series.metric);
        if (candidate.before <= 0 || candidate.after <= 0) continue;
        if (change_ratio(candidate.before, candidate.after, series.direction) > threshold / 2) {
            continue;
        }
        db.execute("UPDATE suspicion SET verdict = 'fixed' WHERE id = ?1", candidate.improvement);
        db.execute(
            "UPDATE regression_series SET recovered_nightly_id = ?3 "
            "WHERE regression_id = ?1 AND series_id = ?2",
            candidate.regression,
            candidate.series,
            nightly);
        if (all_recovered(db, candidate.regression)) {
            close(db, candidate.regression, nightly, now_s);
            ++recovered;
        }
    }
    return recovered;
}

}  // namespace vigil::service
