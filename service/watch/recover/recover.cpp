#include "service/watch/recover/recover.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "bisect/detect/noise.hpp"
#include "schema/log/log.hpp"
#include "service/store/alone.hpp"
#include "service/store/events.hpp"
#include "service/store/series/values.hpp"
#include "service/watch/recover/mending.hpp"

namespace vigil::service {

namespace {

// A series whose session said tonight that it is as good as before a regression, or is asked.
struct Mended {
    SeriesId series;
    NightlyId good_nightly;  ///< what it was measured against
};

std::vector<Mended> list_mended(Database& db, NightlyId nightly, bool or_asked) {
    std::vector<Mended> mended;
    auto rows = db.query(
        "SELECT series_id, good_nightly_id FROM suspicion WHERE nightly_id = ?1 "
        "AND (verdict = 'fixed' OR (?2 AND asked = 'recovered')) ORDER BY id",
        nightly,
        or_asked);
    while (rows.next()) mended.push_back({rows.get<SeriesId>(0), rows.get<NightlyId>(1)});
    std::erase_if(mended, [&](const Mended& one) { return is_left_out(db, nightly, one.series); });
    return mended;
}

struct OpenSeries {
    RegressionId regression;
    SeriesId series;
};

// What is as good as that build is as good as any that was no better: each regression of the series
// that began from such a level has ended.
std::vector<OpenSeries> list_ended(Database& db, const Mended& mended, double threshold) {
    struct Found {
        RegressionId regression;
        NightlyId good;
        double before;
    };
    std::vector<Found> found;
    auto rows = db.query(
        "SELECT g.id, u.good_nightly_id, u.base, s.direction FROM regression_series x "
        "JOIN regression g ON g.id = x.regression_id AND g.state IN "
        "('searching', 'attributed', 'range', 'reported', 'acknowledged') "
        "JOIN suspicion u ON u.id = x.suspicion_id JOIN series s ON s.id = x.series_id "
        "WHERE x.series_id = ?1 AND x.recovered_nightly_id IS NULL ORDER BY g.id",
        mended.series);
    double level = std::numeric_limits<double>::infinity();
    while (rows.next()) {
        const double before = detect::badness(rows.get<double>(2), rows.get<Direction>(3));
        found.push_back({rows.get<RegressionId>(0), rows.get<NightlyId>(1), before});
        if (found.back().good == mended.good_nightly) level = std::min(level, before);
    }
    std::vector<OpenSeries> ended;
    for (const auto& one : found) {
        if (one.before < level - std::log1p(threshold) / 2) continue;
        ended.push_back({one.regression, mended.series});
    }
    return ended;
}

bool all_recovered(Database& db, RegressionId regression) {
    return !db.find<int>(
                  "SELECT 1 FROM regression_series WHERE regression_id = ?1 "
                  "AND recovered_nightly_id IS NULL LIMIT 1",
                  regression)
                .has_value();
}

// What mended it is told with it, in words.
void close(
    Database& db,
    RegressionId regression,
    NightlyId nightly,
    const std::string& by,
    std::int64_t now_s) {
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
            "every series is back at its level since nightly " + to_string(nightly) + "; " + by);
    }
}

// The others are still as bad: whoever reads the issue should know which.
void tell_partly(
    Database& db,
    RegressionId regression,
    NightlyId nightly,
    const std::string& by,
    std::int64_t now_s) {
    auto rows = db.query(
        "SELECT COUNT(*), SUM(recovered_nightly_id IS NOT NULL), MAX(g.project_id) "
        "FROM regression_series x JOIN regression g ON g.id = x.regression_id "
        "WHERE x.regression_id = ?1",
        regression);
    VIGIL_ASSERT(rows.next());
    db.execute("UPDATE regression SET changed_at_s = ?2 WHERE id = ?1", regression, now_s);
    record_event(
        db,
        now_s,
        "regression.partly_recovered",
        rows.get<ProjectId>(2),
        "regression/" + to_string(regression),
        std::to_string(rows.get<int>(1)) + " of " + std::to_string(rows.get<int>(0)) +
            " series are back at their level since nightly " + to_string(nightly) + "; " + by);
}

// What no longer ran and did run tonight, each time: no session is needed to see that.
std::vector<OpenSeries> list_running_again(Database& db, NightlyId nightly) {
    std::vector<OpenSeries> running;
    auto rows = db.query(
        "SELECT x.regression_id, x.series_id FROM nightly n JOIN regression g "
        "ON g.project_id = n.project_id AND g.nightly_id < n.id JOIN regression_series x "
        "ON x.regression_id = g.id AND x.recovered_nightly_id IS NULL JOIN suspicion u "
        "ON u.id = x.suspicion_id AND u.kind = 'outcome' JOIN series s ON s.id = x.series_id "
        "CROSS JOIN run r ON r.build_id = n.build_id AND r.benchmark = s.benchmark "
        "AND r.variant = s.variant AND r.machine_class_id = s.machine_class_id "
        "CROSS JOIN job j ON j.id = r.job_id AND j.attempt = r.attempt AND j.nightly_id = n.id "
        "AND j.purpose = 'nightly' WHERE n.id = ?1 AND g.state IN "
        "('searching', 'attributed', 'range', 'reported', 'acknowledged') "
        "GROUP BY x.regression_id, x.series_id HAVING SUM(r.outcome = 'passed') > 0 "
        "AND SUM(r.outcome NOT IN ('passed', 'unsupported')) = 0",
        nightly);
    while (rows.next()) running.push_back({rows.get<RegressionId>(0), rows.get<SeriesId>(1)});
    return running;
}

// Regressions of series that are back tonight, or asked about, with these series.
std::map<RegressionId, std::vector<SeriesId>> list_touched(
    Database& db, const ProjectConfig& config, NightlyId nightly, bool or_asked = false) {
    std::map<RegressionId, std::vector<SeriesId>> touched;
    for (const auto& one : list_running_again(db, nightly)) {
        touched[one.regression].push_back(one.series);
    }
    const auto all = list_mended(db, nightly, or_asked);
    for (const auto& mended : all) {
        const auto series = load_series(db, mended.series);
        const double threshold = threshold_of(config.thresholds, series.metric);
        for (const auto& ended : list_ended(db, mended, threshold)) {
            auto& known = touched[ended.regression];
            const bool twice = std::find(known.begin(), known.end(), ended.series) != known.end();
            if (!twice) known.push_back(ended.series);
        }
    }
    return touched;
}

void mark_recovered(
    Database& db, RegressionId regression, const std::vector<SeriesId>& series, NightlyId nightly) {
    for (const auto one : series) {
        db.execute(
            "UPDATE regression_series SET recovered_nightly_id = ?3 "
            "WHERE regression_id = ?1 AND series_id = ?2",
            regression,
            one,
            nightly);
    }
}

// What mended them. Whatever cannot be read of that keeps no regression open.
std::string find_words(
    Database& db,
    const Config& whole,
    const ProjectConfig& config,
    RegressionId regression,
    const std::vector<SeriesId>& series,
    NightlyId nightly) {
    std::string words;
    const auto trouble = try_alone(db, [&] {
        ask_for_mending(db, config, regression, nightly, series);
        words = tell_mending(db, whole, regression, nightly);
    });
    return trouble ? "what mended it cannot be told: " + *trouble : words;
}

}  // namespace

void expect_recovered(Database& db, const ProjectConfig& config, NightlyId nightly) {
    for (const auto& touched : list_touched(db, config, nightly, true)) {
        const auto trouble = try_alone(
            db, [&] { ask_for_mending(db, config, touched.first, nightly, touched.second); });
        if (!trouble) continue;
        log_warn("mending.unreadable", {{"regression", touched.first.value}, {"error", *trouble}});
    }
}

int close_recovered(
    Database& db,
    const Config& whole,
    const ProjectConfig& config,
    NightlyId nightly,
    std::int64_t now_s) {
    const auto touched = list_touched(db, config, nightly);
    int recovered = 0;
    for (const auto& [regression, series] : touched) {
        mark_recovered(db, regression, series, nightly);
        const auto by = find_words(db, whole, config, regression, series, nightly);
        if (all_recovered(db, regression)) {
            close(db, regression, nightly, by, now_s);
            ++recovered;
        } else {
            tell_partly(db, regression, nightly, by, now_s);
        }
    }
    forget_unmended(db, nightly);
    return recovered;
}

}  // namespace vigil::service
