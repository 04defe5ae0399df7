#include "service/report/deliver/envelope.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "service/report/facts/marker.hpp"
#include "service/report/facts/night_facts.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

namespace {

DueRow read_due(const Query& row, const std::string& target) {
    DueRow one;
    one.outbox_id = row.get<std::int64_t>(0);
    one.target = target;
    one.row.attempts = row.get<int>(1);
    one.row.ambiguous = row.get<bool>(2);
    one.row.next_attempt_at_s = row.get<std::int64_t>(3);
    one.row.external_ref = row.get<std::string>(4);
    one.row.message = row.get<std::string>(5);
    one.row.filings = row.get<int>(6);
    one.row.filed_at_s = row.get<std::int64_t>(7);
    one.report = row.get<ReportId>(8);
    one.regression = row.get<std::optional<RegressionId>>(9);
    one.nightly = row.get<std::optional<NightlyId>>(10);
    one.project_name = row.get<std::string>(11);
    one.night = row.get<std::optional<std::string>>(12).value_or("");
    one.title = row.get<std::string>(13);
    one.body = row.get<std::string>(14);
    one.version = row.get<int>(15);
    one.state = row.get<std::optional<RegressionState>>(16);
    one.trouble = row.get<std::optional<TroubleId>>(17);
    one.subject = row.get<std::string>(18);
    one.trouble_ended = row.get<bool>(19);
    one.row.in_vain = row.get<int>(20);
    return one;
}

/// The other versions of the same document that went, or go, to the same target.
constexpr std::string_view siblings =
    "FROM outbox o JOIN report r ON r.id = o.report_id WHERE o.target = ?1 AND r.subject = ?2 ";

std::string file_word(const std::string& text) {
    std::string out;
    for (const char c : text.substr(0, 60)) {
        const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                           (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
        out += plain ? c : '_';
    }
    return out.empty() ? "_" : out;
}

/// What earlier versions of the same document came to at the same target.
struct Earlier {
    std::string external_ref;
    bool ambiguous = false;
    int filings = 0;
    std::int64_t filed_at_s = 0;
    bool closed = false;  ///< by the newest of them that was sent
    std::int64_t first_stored_s = 0;
};

Earlier load_earlier(Database& db, const DueRow& due) {
    Earlier earlier;
    Query row = db.query(
        fmt::format(
            "SELECT o.external_ref, o.ambiguous, o.filings, o.filed_at_s, o.closed, o.state, "
            "r.created_at_s {} AND r.version < ?3 ORDER BY r.version",
            siblings),
        due.target,
        due.subject,
        due.version);
    while (row.next()) {
        const auto ref = row.get<std::string>(0);
        if (!ref.empty()) earlier.external_ref = ref;
        earlier.ambiguous = earlier.ambiguous || row.get<bool>(1);
        earlier.filings += row.get<int>(2);
        earlier.filed_at_s = std::max(earlier.filed_at_s, row.get<std::int64_t>(3));
        if (row.get<OutboxState>(5) == OutboxState::sent) earlier.closed = row.get<bool>(4);
        if (earlier.first_stored_s == 0) earlier.first_stored_s = row.get<std::int64_t>(6);
    }
    return earlier;
}

}  // namespace

void end_as_dead(Database& db, std::int64_t outbox_id, const std::string& why) {
    db.execute("UPDATE outbox SET state = 'dead', message = ?2 WHERE id = ?1", outbox_id, why);
}

std::optional<DueRow> find_due(Database& db, const std::string& target, std::int64_t steady_s) {
    std::int64_t unreadable = 0;
    std::string why;
    {
        Query row = db.query(
            "SELECT o.id, o.attempts, o.ambiguous, o.next_attempt_at_s, o.external_ref, o.message, "
            "o.filings, o.filed_at_s, r.id, r.regression_id, r.nightly_id, p.name, n.name, "
            "r.title, "
            "r.body, r.version, g.state, r.trouble_id, r.subject, t.ended_s IS NOT NULL, "
            "o.in_vain "
            "FROM outbox o JOIN report r ON r.id = o.report_id "
            "JOIN project p ON p.id = r.project_id LEFT JOIN nightly n ON n.id = r.nightly_id "
            "LEFT JOIN regression g ON g.id = r.regression_id "
            "LEFT JOIN trouble t ON t.id = r.trouble_id "
            "WHERE o.state = 'pending' AND o.target = ?1 AND o.next_attempt_at_s <= ?2 "
            "AND NOT EXISTS (SELECT 1 FROM report v JOIN outbox w ON w.report_id = v.id "
            "AND w.target = o.target WHERE v.subject = r.subject AND v.version > r.version) "
            "ORDER BY o.id LIMIT 1",
            target,
            steady_s);
        if (!row.next()) return std::nullopt;
        try {
            return read_due(row, target);
        } catch (const Error& error) {
            unreadable = row.get<std::int64_t>(0);
            why = error.what();
        }
    }
    end_as_dead(db, unreadable, why);
    return std::nullopt;
}

std::vector<std::string> list_due_targets(Database& db, std::int64_t steady_s) {
    std::vector<std::string> targets;
    Query row = db.query(
        "SELECT target, min(id) AS first FROM outbox WHERE state = 'pending' "
        "AND next_attempt_at_s <= ?1 GROUP BY target ORDER BY first",
        steady_s);
    while (row.next()) targets.push_back(row.get<std::string>(0));
    return targets;
}

void replace_older(Database& db, const DueRow& due) {
    db.execute(
        fmt::format(
            "UPDATE outbox SET state = 'dead', message = 'replaced by version ' || ?3 "
            "WHERE state = 'pending' AND id IN (SELECT o.id {} AND r.version < ?3)",
            siblings),
        due.target,
        due.subject,
        due.version);
}

Envelope envelope_of(Database& db, DueRow& due, const Moment& now) {
    const Earlier earlier = load_earlier(db, due);
    Envelope envelope;
    envelope.target = due.target;
    envelope.title = due.title;
    envelope.body = due.body;
    bool closed = false;
    if (due.regression) {
        envelope.marker = load_marker(db, *due.regression);
        envelope.file_name =
            fmt::format("{}-regression-{}.md", file_word(due.project_name), due.regression->value);
        closed = due.state && !is_open(*due.state);
    } else if (due.trouble) {
        envelope.marker = load_marker(db, *due.trouble);
        envelope.file_name =
            fmt::format("{}-trouble-{}.md", file_word(due.project_name), due.trouble->value);
        closed = due.trouble_ended;
    } else {
        envelope.marker = load_marker(db, *due.nightly);
        envelope.file_name = fmt::format(
            "{}-night-{}-{}.md",
            file_word(due.project_name),
            file_word(due.night),
            due.nightly->value);
    }
    if (closed) envelope.state = IssueState::closed;
    if (!closed && earlier.closed) envelope.state = IssueState::open;
    if (due.row.external_ref.empty()) due.row.external_ref = earlier.external_ref;
    due.row.ambiguous = due.row.ambiguous || earlier.ambiguous;
    envelope.external_ref = due.row.external_ref;
    envelope.filings = earlier.filings + due.row.filings;
    envelope.filed_at_s = std::max(earlier.filed_at_s, due.row.filed_at_s) + ahead_s(now);
    envelope.first_stored_s = earlier.first_stored_s;
    if (envelope.first_stored_s == 0) {
        envelope.first_stored_s =
            db.find<std::int64_t>("SELECT created_at_s FROM report WHERE id = ?1", due.report)
                .value_or(0);
    }
    envelope.look_first =
        due.row.ambiguous && (envelope.external_ref.empty() || envelope.filings >= 2);
    return envelope;
}

}  // namespace vigil::service
