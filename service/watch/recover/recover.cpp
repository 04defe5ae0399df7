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
#include "service/store/findings/fixes.hpp"
#include "service/store/findings/regressions.hpp"
#include "service/store/findings/resting.hpp"
#include "service/store/series/suspicions.hpp"
#include "service/store/series/values.hpp"
#include "service/watch/recover/fix.hpp"
#include "service/watch/series/series_records.hpp"

namespace vigil::service {

namespace {

std::vector<FixedSeries> list_judged(Database& db, NightlyId nightly, MendedOrAsked which) {
    auto fixed = list_fixed(db, nightly, which);
    std::erase_if(fixed, [&](const auto& one) { return is_left_out(db, nightly, one.series); });
    return fixed;
}

// The others are still as bad: whoever reads the issue should know which.
void tell_partly(
    Database& db,
    RegressionId regression,
    int back,
    int all,
    const std::string& since,
    std::int64_t now_s) {
    touch_regression(db, regression, now_s);
    const auto words = std::to_string(back) + " of " + std::to_string(all) +
                       " series are back at their level since " + since;
    record_regression_event(db, regression, "partly_recovered", words, now_s);
}

// Regressions of series that are back tonight, or asked about, with these series.
std::map<RegressionId, std::vector<SeriesId>> list_touched(
    Database& db, const ProjectConfig& config, NightlyId nightly, MendedOrAsked which) {
    std::map<RegressionId, std::vector<SeriesId>> touched;
    for (const auto& one : list_running_again(db, nightly)) {
        touched[one.regression].push_back(one.series);
    }
    for (const auto& fixed : list_judged(db, nightly, which)) {
        const auto series = load_series(db, fixed.series);
        const double threshold = threshold_of(config, series);
        const auto open = list_open_changes(db, series.id);
        for (const auto regression : ended_by(open, fixed.good_nightly, threshold)) {
            auto& known = touched[regression];
            const bool twice = std::find(known.begin(), known.end(), series.id) != known.end();
            if (!twice) known.push_back(series.id);
        }
    }
    return touched;
}

// What fixed them. Whatever cannot be read of that keeps no regression open.
std::string find_words(
    Database& db,
    const Config& whole,
    const ProjectConfig& config,
    RegressionId regression,
    const std::vector<SeriesId>& series,
    NightlyId nightly) {
    std::string words;
    const auto trouble = try_alone(db, [&] {
        ask_for_fix(db, config, regression, nightly, series);
        words = tell_fix(db, whole, regression, nightly);
    });
    return trouble ? "what fixed it cannot be told: " + *trouble : words;
}

// @return  whether all of it recovered
bool recover(
    Database& db,
    RegressionId regression,
    NightlyId nightly,
    const std::string& by,
    std::int64_t now_s) {
    const auto held = list_held_series(db, regression);
    const auto back = std::count_if(
        held.begin(), held.end(), [](const auto& one) { return one.recovered.has_value(); });
    const int all = static_cast<int>(held.size());
    const auto since = "nightly " + to_string(nightly) + "; " + by;
    if (back < all) {
        tell_partly(db, regression, static_cast<int>(back), all, since, now_s);
        return false;
    }
    const auto words = "every series is back at its level since " + since;
    return close_regression(db, regression, RegressionEnd::recovered, words, now_s);
}

}  // namespace

std::vector<RegressionId> ended_by(
    const std::vector<OpenChange>& open, NightlyId good, double threshold) {
    const auto before = [](const OpenChange& change) {
        return detect::badness(change.base, change.direction);
    };
    double level = std::numeric_limits<double>::infinity();
    for (const auto& change : open) {
        if (change.good_nightly == good) level = std::min(level, before(change));
    }
    std::vector<RegressionId> ended;
    for (const auto& change : open) {
        if (before(change) >= level - std::log1p(threshold) / 2) {
            ended.push_back(change.regression);
        }
    }
    return ended;
}

void expect_recovered(Database& db, const ProjectConfig& config, NightlyId nightly) {
    for (const auto& touched : list_touched(db, config, nightly, MendedOrAsked::or_asked)) {
        const auto trouble =
            try_alone(db, [&] { ask_for_fix(db, config, touched.first, nightly, touched.second); });
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
    const auto touched = list_touched(db, config, nightly, MendedOrAsked::mended);
    int recovered = 0;
    for (const auto& [regression, series] : touched) {
        for (const auto one : series) note_recovered(db, regression, one, nightly);
        const auto by = find_words(db, whole, config, regression, series, nightly);
        if (recover(db, regression, nightly, by, now_s)) ++recovered;
    }
    return recovered;
}

}  // namespace vigil::service
