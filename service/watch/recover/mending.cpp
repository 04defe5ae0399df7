#include "service/watch/recover/mending.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <nlohmann/json.hpp>

#include "bisect/detect/noise.hpp"
#include "bisect/stats/summary.hpp"
#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "service/store/alone.hpp"
#include "service/store/events.hpp"
#include "service/store/series/values.hpp"
#include "service/watch/recover/mending_question.hpp"

namespace vigil::service {

namespace {

// How neighbouring nights differ, as one night's spread: a step or two among them do not matter.
double spread_between(const std::vector<NightValues>& nights, Direction direction) {
    constexpr std::size_t least_nights = 8;
    constexpr double normal = 1.4826;
    if (nights.size() < least_nights) return 0;
    std::vector<double> steps;
    for (std::size_t i = 1; i < nights.size(); ++i) {
        const double step = detect::badness(nights[i].value, direction) -
                            detect::badness(nights[i - 1].value, direction);
        steps.push_back(std::abs(step));
    }
    return normal * stats::median(steps) / std::sqrt(2.0);
}

// What the sessions about the series' recovery said. That it is not back ends one early: by itself
// this is no proof that it was still bad.
void read_sessions(
    Database& db, SeriesId series, NightlyId found, std::vector<LaterNight>& nights) {
    constexpr double surely = 0.98;
    auto rows = db.query(
        "SELECT nightly_id, verdict, confirmed FROM suspicion WHERE series_id = ?1 "
        "AND nightly_id > ?2 AND asked = 'recovered'",
        series,
        found);
    while (rows.next()) {
        const auto id = rows.get<NightlyId>(0);
        const auto night = std::find_if(
            nights.begin(), nights.end(), [&](const auto& one) { return one.id == id; });
        if (night == nights.end()) continue;
        night->was_asked = true;
        if (rows.get<std::optional<Verdict>>(1) != Verdict::noise) continue;
        const auto confirmed = wire::parse_json(rows.get<std::string>(2), "suspicion.confirmed");
        if (confirmed.empty()) continue;
        if (wire::parse_comparison(confirmed).above >= surely) night->still_bad = true;
    }
}

// Of what no longer ran: the newest night in which none of its runs passed.
std::optional<NightlyId> last_silent_night(
    Database& db, SeriesId series, NightlyId found, NightlyId nightly) {
    return db.find<NightlyId>(
        "SELECT n.id FROM (SELECT n.id, n.build_id FROM night n WHERE n.project_id = "
        "(SELECT project_id FROM series WHERE id = ?1) AND n.id > ?2 AND n.id < ?3 "
        "ORDER BY n.id DESC LIMIT ?4) n CROSS JOIN series s ON s.id = ?1 "
        "CROSS JOIN run r ON r.build_id = n.build_id AND r.benchmark = s.benchmark "
        "AND r.variant = s.variant AND r.machine_class_id = s.machine_class_id "
        "CROSS JOIN job j ON j.id = r.job_id AND j.attempt = r.attempt AND j.nightly_id = n.id "
        "AND j.purpose = 'nightly' GROUP BY n.id HAVING SUM(r.outcome = 'passed') = 0 "
        "AND SUM(r.outcome <> 'unsupported') > 0 ORDER BY n.id DESC LIMIT 1",
        series,
        found,
        nightly,
        level_window);
}

// The night that found it was measured as bad by a session; one after it may have been, too.
NightlyId last_bad_night(
    Database& db, RegressionId regression, SeriesId series, NightlyId nightly) {
    NightlyId found;
    double base = 0;
    double change = 0;
    bool by_outcome = false;
    auto direction = Direction::lower_is_better;
    {
        auto row = db.query(
            "SELECT u.nightly_id, u.base, u.confirmed, s.direction, u.kind = 'outcome' "
            "FROM regression_series x JOIN suspicion u ON u.id = x.suspicion_id JOIN series s ON "
            "s.id = x.series_id "
            "WHERE x.regression_id = ?1 AND x.series_id = ?2",
            regression,
            series);
        VIGIL_ASSERT(row.next());
        found = row.get<NightlyId>(0);
        base = row.get<double>(1);
        const auto confirmed = wire::parse_json(row.get<std::string>(2), "suspicion.confirmed");
        if (!confirmed.empty()) change = wire::parse_comparison(confirmed).change_ratio;
        direction = row.get<Direction>(3);
        by_outcome = row.get<bool>(4);
    }
    if (by_outcome) return last_silent_night(db, series, found, nightly).value_or(found);
    if (!(base > 0) || !(change > 0)) return found;
    std::vector<LaterNight> nights;
    const auto history = load_history(db, series, nightly, level_window);
    for (const auto& night : history) {
        if (night.nightly <= found) continue;
        nights.push_back({night.nightly, detect::badness(night.value, direction), {}, false});
    }
    if (nights.empty() || nights.back().id != nightly) return found;
    read_sessions(db, series, found, nights);
    const double before = detect::badness(base, direction);
    const double spread = spread_between(history, direction);
    return newest_bad(nights, before, before + std::log1p(change), spread).value_or(found);
}

struct Row {
    MendingId id;
    NightlyId bad;
    std::string state;
};

std::optional<Row> find_row(Database& db, RegressionId regression, NightlyId nightly) {
    auto row = db.query(
        "SELECT id, bad_nightly_id, state FROM mending WHERE regression_id = ?1 "
        "AND nightly_id = ?2",
        regression,
        nightly);
    if (!row.next()) return std::nullopt;
    return Row{row.get<MendingId>(0), row.get<NightlyId>(1), row.get<std::string>(2)};
}

std::vector<SeriesId> list_recovered(Database& db, RegressionId regression, NightlyId nightly) {
    std::vector<SeriesId> series;
    auto rows = db.query(
        "SELECT series_id FROM regression_series WHERE regression_id = ?1 "
        "AND recovered_nightly_id = ?2",
        regression,
        nightly);
    while (rows.next()) series.push_back(rows.get<SeriesId>(0));
    return series;
}

// Decides it, from the commits that the row holds.
Mending decide(Database& db, const Config& config, MendingId id, RegressionId regression) {
    const auto commits = parse_mending_commits(
        *db.find<std::string>("SELECT commits FROM mending WHERE id = ?1", id));
    Mending told;
    told.unlisted = commits.unlisted;
    if (commits.unlisted.empty()) {
        const auto asked = mending_question(db, config, regression, commits.range);
        told = mending_of(asked, history::find_mending(asked));
        told.unread_commits = commits.range.unread_commits;
        // Of what was narrowed only, each is a suspect.
        told.of_suspects |=
            !told.reverts.empty() &&
            db.find<int>("SELECT 1 FROM regression WHERE id = ?1 AND culprit IS NULL", regression);
    }
    return told;
}

// @return  in words. What cannot be read is no reason to keep a regression open.
std::string tell(Database& db, const Config& config, MendingId id) {
    RegressionId regression;
    Revision bad;
    Revision mended;
    {
        auto row = db.query(
            "SELECT m.regression_id, b.revision, n.revision FROM mending m "
            "JOIN nightly b ON b.id = m.bad_nightly_id JOIN nightly n ON n.id = m.nightly_id "
            "WHERE m.id = ?1",
            id);
        VIGIL_ASSERT(row.next());
        regression = row.get<RegressionId>(0);
        bad = row.get<Revision>(1);
        mended = row.get<Revision>(2);
    }
    Mending told;
    const auto trouble = try_alone(db, [&] { told = decide(db, config, id, regression); });
    if (trouble) told = {.by = {}, .unlisted = "the rows about it cannot be read: " + *trouble};
    db.execute(
        "UPDATE mending SET state = 'told', told = ?2, commits = '{}' WHERE id = ?1",
        id,
        to_text(told));
    return words_of(told, bad, mended);
}

}  // namespace

std::optional<NightlyId> newest_bad(
    std::span<const LaterNight> nights, double before, double after, double spread) {
    if (nights.empty()) return std::nullopt;
    const double half = (after - before) / 2;
    const double margin = std::max(half / 2, 2 * spread);
    // Where the machine moved since, what is back lies higher than it did.
    const double bad = std::max(before, nights.back().level) + half + margin;
    for (auto night = std::next(nights.rbegin()); night != nights.rend(); ++night) {
        if (night->still_bad.value_or(!night->was_asked && night->level >= bad)) return night->id;
    }
    return std::nullopt;
}

void ask_for_mending(
    Database& db,
    const ProjectConfig& config,
    RegressionId regression,
    NightlyId nightly,
    const std::vector<SeriesId>& series) {
    // What is true of all of them: each came back after its own last bad night.
    std::optional<NightlyId> bad;
    for (const auto one : series) {
        const auto last = last_bad_night(db, regression, one, nightly);
        bad = bad ? std::min(*bad, last) : last;
    }
    if (!bad) return;
    const auto row = find_row(db, regression, nightly);
    if (row && row->bad == *bad) return;
    if (row) db.execute("DELETE FROM mending WHERE id = ?1", row->id);
    MendingCommits none;
    if (config.source.kind != SourceKind::git) {
        none.unlisted = "the project's builds come as archives; their commits are not known";
    }
    db.execute(
        "INSERT INTO mending(regression_id, nightly_id, bad_nightly_id, state, commits) "
        "VALUES (?1, ?2, ?3, ?4, ?5)",
        regression,
        nightly,
        *bad,
        none.unlisted.empty() ? "listing" : "listed",
        none.unlisted.empty() ? "{}" : to_text(none));
}

std::string tell_mending(
    Database& db, const Config& config, RegressionId regression, NightlyId nightly) {
    const auto row = find_row(db, regression, nightly);
    if (!row) return "";
    if (row->state != "listed") return "the commits in between are not listed yet";
    return tell(db, config, row->id);
}

void forget_unmended(Database& db, NightlyId nightly) {
    db.execute(
        "DELETE FROM mending WHERE nightly_id = ?1 AND NOT EXISTS (SELECT 1 "
        "FROM regression_series x WHERE x.regression_id = mending.regression_id "
        "AND x.recovered_nightly_id = ?1)",
        nightly);
}

void ask_again(Database& db, RegressionId regression) {
    db.execute(
        "UPDATE mending SET state = 'listing' WHERE regression_id = ?1 AND state = 'told' "
        "AND json_extract(told, '$.by') <> 'revert'",
        regression);
}

bool waits_for_mending(Database& db, NightlyId nightly) {
    return db
        .find<int>(
            "SELECT 1 FROM mending WHERE nightly_id = ?1 AND state = 'listing' LIMIT 1", nightly)
        .has_value();
}

std::vector<MissingMending> list_missing_mendings(
    Database& db, int limit, std::optional<ProjectId> project) {
    std::vector<MissingMending> missing;
    auto rows = db.query(
        "SELECT m.id, n.project_id, b.revision, n.revision FROM mending m "
        "JOIN nightly n ON n.id = m.nightly_id JOIN nightly b ON b.id = m.bad_nightly_id "
        "WHERE m.state = 'listing' AND (?2 IS NULL OR n.project_id = ?2) ORDER BY m.id LIMIT ?1",
        limit,
        project);
    while (rows.next()) {
        MissingMending wanted{rows.get<MendingId>(0), rows.get<ProjectId>(1), {}, {}};
        try {
            wanted.bad = rows.get<Revision>(2);
            wanted.mended = rows.get<Revision>(3);
        } catch (const Error& error) {
            wanted.unreadable = error.what();
        }
        missing.push_back(std::move(wanted));
    }
    return missing;
}

void record_mending(
    Database& db,
    const Config& config,
    MendingId mending,
    const MendingCommits& commits,
    std::int64_t now_s) {
    const auto stored = db.execute(
        "UPDATE mending SET state = 'listed', commits = ?2 WHERE id = ?1 AND state = 'listing'",
        mending,
        to_text(commits));
    if (stored == 0) return;  // nobody asks any more
    auto row = db.query(
        "SELECT m.regression_id, m.nightly_id, r.project_id FROM mending m "
        "JOIN regression r ON r.id = m.regression_id WHERE m.id = ?1",
        mending);
    VIGIL_ASSERT(row.next());
    const auto regression = row.get<RegressionId>(0);
    if (list_recovered(db, regression, row.get<NightlyId>(1)).empty()) return;
    const auto words = tell(db, config, mending);
    db.execute("UPDATE regression SET changed_at_s = ?2 WHERE id = ?1", regression, now_s);
    record_event(
        db,
        now_s,
        "regression.mended",
        row.get<ProjectId>(2),
        "regression/" + to_string(regression),
        "back at its level: " + words);
}

}  // namespace vigil::service
