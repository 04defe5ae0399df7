#include "service/report/store_report.hpp"

#include <fmt/format.h>

#include "service/report/marker.hpp"
#include "service/report/night_facts.hpp"
#include "service/report/regression_facts.hpp"
#include "service/report/render_night.hpp"
#include "service/report/render_trouble.hpp"
#include "service/report/text.hpp"
#include "service/source/words.hpp"
#include "service/store/alone.hpp"
#include "service/store/database.hpp"
#include "service/store/events.hpp"

namespace vigil::service {

namespace {

constexpr int max_reports_at_once = 20;    // the step is called again; keeps the transaction short
constexpr std::int64_t look_again_s = 10;  // at what follows something that changes by itself

struct Due {
    std::int64_t id = 0;
    ProjectId project;
    std::string project_name;
};

std::vector<Due> list_due(Database& db, const std::string& sql) {
    std::vector<Due> due;
    Query row = db.query(sql, max_reports_at_once);
    while (row.next()) {
        due.push_back({row.get<std::int64_t>(0), row.get<ProjectId>(1), row.get<std::string>(2)});
    }
    return due;
}

/// The project's targets that want this kind of document: "regression", "night", "trouble".
std::vector<std::string> targets_of(
    const Config& config, const std::string& project, std::string_view kind) {
    std::vector<std::string> targets;
    const auto found = config.projects.find(project);
    if (found == config.projects.end()) return targets;
    for (const auto& name : found->second.reports) {
        const auto target = config.report_targets.find(name);
        if (target == config.report_targets.end()) continue;
        const bool wanted = kind == "night"     ? takes_night_summaries(target->second)
                            : kind == "trouble" ? target->second.troubles
                                                : true;
        if (wanted) targets.push_back(name);
    }
    return targets;
}

/// What stands in for a document that cannot be written: whoever waits for it hears why.
Document unwritten(const std::string& what, const std::string& why, const std::string& marker) {
    Document document;
    document.title = what + ": its report could not be written";
    document.body = fmt::format(
        "**{}.** The ledger holds something that cannot be read: {}\n\n`vigil` shows what is "
        "known of it.\n\n{}\n",
        document.title,
        code(without_paths(why), 500),
        marker);
    return document;
}

/// @return  whether there is a new version of its report
bool report_regression(Database& db, const Config& config, const Due& due, std::int64_t now_s) {
    const RegressionId regression{due.id};
    const std::int64_t moved = db.execute(
        "UPDATE regression SET state = 'reported', changed_at_s = ?2 "
        "WHERE id = ?1 AND state IN ('attributed', 'range')",
        regression,
        now_s);
    Document document;
    const auto trouble = try_alone(
        db, [&] { document = render_regression(load_regression_facts(db, regression, config)); });
    if (trouble) {
        document = unwritten(
            fmt::format("{}: regression {}", harmless(due.project_name, 40), due.id),
            *trouble,
            load_marker(db, regression).line);
    }
    const ReportSubject subject{.project = due.project, .regression = regression};
    const auto targets = targets_of(config, due.project_name, "regression");
    const bool stored = store_report(db, subject, document, targets, now_s).has_value();
    db.execute("UPDATE regression SET unreported = 0 WHERE id = ?1", regression);
    if (moved == 0) return stored;
    record_event(
        db,
        now_s,
        "regression.reported",
        due.project,
        "regression/" + to_string(regression),
        document.title);
    return stored;
}

void report_night(Database& db, const Config& config, const Due& due, std::int64_t now_s) {
    const NightlyId nightly{due.id};
    NightFacts facts;
    Document document;
    const auto trouble = try_alone(db, [&] {
        facts = load_night_facts(db, nightly, config);
        document = render_night(facts);
    });
    if (trouble) {
        document = unwritten(
            fmt::format("{}: nightly {}", harmless(due.project_name, 40), due.id),
            *trouble,
            load_marker(db, nightly).line);
        facts.missing.clear();
    }
    const ReportSubject subject{.project = due.project, .nightly = nightly};
    // Told anew, what is missing is no news.
    const bool is_told =
        db.find<int>(
              "SELECT 1 FROM report WHERE nightly_id = ?1 AND kind = 'night' LIMIT 1", nightly)
            .has_value();
    if (is_told) facts.missing.clear();
    store_report(db, subject, document, targets_of(config, due.project_name, "night"), now_s);
    db.execute("UPDATE nightly SET summed_up = 1 WHERE id = ?1", nightly);
    for (const auto& missing : facts.missing) {
        record_event(
            db,
            now_s,
            "night.missing",
            due.project,
            "nightly/" + to_string(nightly),
            missing.what + ": " + missing.why);
    }
    record_event(
        db, now_s, "night.summary", due.project, "nightly/" + to_string(nightly), document.title);
}

int report_regressions(Database& db, const Config& config, std::int64_t now_s) {
    // What ended without a report needs none until it changes again.
    db.execute(
        "UPDATE regression SET unreported = 0 WHERE unreported = 1 AND state NOT IN ('confirmed', "
        "'searching', 'attributed', 'range') AND NOT EXISTS (SELECT 1 FROM report x "
        "WHERE x.regression_id = regression.id)");
    // Changed since its newest report, or never reported. A regression that was reported stays
    // reported in every later state, until it is closed.
    const auto due = list_due(
        db,
        "SELECT r.id, r.project_id, p.name FROM regression r JOIN project p ON p.id = r.project_id "
        "WHERE r.unreported = 1 AND r.state NOT IN ('confirmed', 'searching') "
        "ORDER BY r.id LIMIT ?1");
    int stored = 0;
    for (const auto& one : due) stored += report_regression(db, config, one, now_s) ? 1 : 0;
    return stored;
}

int report_nights(Database& db, const Config& config, std::int64_t now_s) {
    const auto due = list_due(
        db,
        "SELECT n.id, n.project_id, p.name FROM nightly n JOIN project p ON p.id = n.project_id "
        "WHERE n.summed_up = 0 AND n.state IN ('done', 'failed') AND NOT EXISTS "
        "(SELECT 1 FROM bisection b WHERE b.nightly_id = n.id AND b.state NOT IN ('done', "
        "'failed')) "
        "ORDER BY n.id LIMIT ?1");
    for (const auto& one : due) report_night(db, config, one, now_s);
    return static_cast<int>(due.size());
}

bool report_trouble(Database& db, const Config& config, const Due& due, std::int64_t now_s) {
    const TroubleId trouble{due.id};
    TroubleFacts facts;
    Document document;
    const auto failed = try_alone(db, [&] {
        facts = load_trouble_facts(db, trouble, config);
        document = render_trouble(facts);
    });
    if (failed) {
        document = unwritten(
            fmt::format("{}: trouble {}", harmless(due.project_name, 40), due.id),
            *failed,
            load_marker(db, trouble).line);
    }
    auto targets = targets_of(config, due.project_name, "trouble");
    // A target that takes nothing would not take this either.
    std::erase_if(targets, [&](const auto& name) { return facts.subject == "target/" + name; });
    const ReportSubject subject{.project = due.project, .trouble = trouble};
    const auto stored = store_report(db, subject, document, targets, now_s);
    db.execute(
        "UPDATE report SET checked_at_s = ?2 WHERE subject = 'trouble/' || ?1", trouble, now_s);
    db.execute(
        "UPDATE trouble SET told = CASE WHEN ended_s IS NULL THEN 1 ELSE 2 END WHERE id = ?1",
        trouble);
    return stored.has_value();
}

int report_troubles(Database& db, const Config& config, std::int64_t now_s) {
    // One that comes back within an hour is not filed again: the log and the status tell it.
    const auto due = list_due(
        db,
        fmt::format(
            "SELECT t.id, t.project_id, p.name FROM trouble t JOIN project p ON p.id = "
            "t.project_id WHERE t.id IN (SELECT id FROM trouble WHERE ended_s IS NOT NULL "
            "AND told = 1 UNION ALL SELECT id FROM trouble WHERE ended_s IS NULL) "
            "AND (t.ended_s IS NOT NULL OR (t.told = 0 AND NOT EXISTS (SELECT 1 FROM trouble o "
            "WHERE o.kind = t.kind AND o.subject = t.subject AND o.told > 0 "
            "AND o.ended_s > t.since_s - 3600)) "
            "OR (t.told = 1 AND t.kind = 'nightly.unbuildable' AND NOT EXISTS (SELECT 1 FROM "
            "report x WHERE x.subject = 'trouble/' || t.id AND x.checked_at_s > {} "
            "AND x.checked_at_s <= {}))) ORDER BY (SELECT max(x.checked_at_s) FROM report x "
            "WHERE x.subject = 'trouble/' || t.id), t.id LIMIT ?1",
            now_s - look_again_s,
            now_s));
    int stored = 0;
    for (const auto& one : due) stored += report_trouble(db, config, one, now_s) ? 1 : 0;
    return stored;
}

}  // namespace

std::optional<ReportId> store_report(
    Database& db,
    const ReportSubject& subject,
    const Document& document,
    const std::vector<std::string>& targets,
    std::int64_t now_s) {
    const int about = int(subject.regression.has_value()) + int(subject.nightly.has_value()) +
                      int(subject.trouble.has_value());
    VIGIL_ASSERT(about == 1);
    const std::string kind = subject.regression ? "regression"
                             : subject.nightly  ? "night"
                                                : "trouble";
    int version = 0;
    {
        Query newest = db.query(
            "SELECT version, title, body FROM report WHERE subject = ?1 "
            "ORDER BY version DESC LIMIT 1",
            subject.regression ? "regression/" + to_string(*subject.regression)
            : subject.nightly  ? "nightly/" + to_string(*subject.nightly)
                               : "trouble/" + to_string(*subject.trouble));
        if (newest.next()) {
            version = newest.get<int>(0);
            const bool same = newest.get<std::string>(1) == document.title &&
                              newest.get<std::string>(2) == document.body;
            if (same) return std::nullopt;
        }
    }
    db.execute(
        "INSERT INTO report (kind, project_id, regression_id, nightly_id, version, title, body, "
        "created_at_s, trouble_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        kind,
        subject.project,
        subject.regression,
        subject.nightly,
        version + 1,
        document.title,
        document.body,
        now_s,
        subject.trouble);
    const ReportId report{db.last_insert_id()};
    for (const auto& target : targets) {
        db.execute(
            "INSERT INTO outbox (report_id, target, state, next_attempt_at_s) "
            "VALUES (?1, ?2, 'pending', 0)",
            report,
            target);
    }
    record_event(
        db,
        now_s,
        "report.stored",
        subject.project,
        "report/" + to_string(report),
        document.title + (version == 0 ? "" : ", version " + std::to_string(version + 1)));
    return report;
}

int report_step(Database& db, const Config& config, std::int64_t now_s) {
    return report_regressions(db, config, now_s) + report_nights(db, config, now_s) +
           report_troubles(db, config, now_s);
}

}  // namespace vigil::service
