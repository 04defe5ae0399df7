#include "service/report/deliver/envelope_rows.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "service/report/facts/marker.hpp"
#include "service/report/facts/night_facts.hpp"

namespace vigil::service {

namespace {

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
    bool sent = false;
    std::int64_t first_stored_s = 0;
};

Earlier load_earlier(Database& db, const DueRow& due) {
    Earlier earlier;
    for (const auto& [row, closed, stored_s] : list_earlier(db, due)) {
        if (!row.external_ref.empty()) earlier.external_ref = row.external_ref;
        earlier.ambiguous = earlier.ambiguous || row.ambiguous;
        earlier.filings += row.filings;
        earlier.filed_at_s = std::max(earlier.filed_at_s, row.filed_at_s);
        if (row.state == OutboxState::sent) earlier.closed = closed;
        earlier.sent = earlier.sent || row.state == OutboxState::sent;
        if (earlier.first_stored_s == 0) earlier.first_stored_s = stored_s;
    }
    return earlier;
}

}  // namespace

MessageAbout about_of(const DueRow& due) {
    MessageAbout about;
    about.kind = kind_of(due.subject);
    about.subject = key_of(due.subject);
    about.project = due.project_name;
    about.report = due.report;
    about.version = due.version;
    about.told = due.told;
    return about;
}

Envelope envelope_of(Database& db, DueRow& due, const Moment& now) {
    const Earlier earlier = load_earlier(db, due);
    Envelope envelope;
    envelope.target = due.target;
    envelope.title = due.document.title;
    envelope.body = due.document.body;
    bool closed = false;
    const auto& [project, regression, nightly, trouble, comment_on, part] = due.subject;
    const std::string name = file_word(due.project_name);
    envelope.marker = load_marker(db, due.subject);
    envelope.about = about_of(due);
    if (comment_on) {
        envelope.file_name = fmt::format("{}-comment-{}-{}.md", name, comment_on->value, part);
        envelope.body += "\n";
        envelope.external_ref = due.row.external_ref;
        envelope.filings = due.row.filings;
        envelope.filed_at_s = due.row.filed_at_s + ahead_s(now);
        envelope.look_first = due.row.ambiguous;
        return envelope;
    }
    if (part != 0) {
        envelope.file_name = fmt::format("{}-week-{}.md", name, part);
    } else if (regression) {
        envelope.file_name = fmt::format("{}-regression-{}.md", name, regression->value);
        closed = due.state && !is_open(*due.state);
    } else if (trouble) {
        envelope.file_name = fmt::format("{}-trouble-{}.md", name, trouble->value);
        closed = due.trouble_ended;
    } else {
        envelope.file_name =
            fmt::format("{}-night-{}-{}.md", name, file_word(due.night), nightly->value);
    }
    if (closed) envelope.state = IssueState::closed;
    if (due.row.external_ref.empty()) due.row.external_ref = earlier.external_ref;
    // An issue that is there before anything of it was sent is that of what recurs.
    const bool taken = !earlier.sent && !due.row.external_ref.empty();
    if (!closed && (earlier.closed || taken)) envelope.state = IssueState::open;
    due.row.ambiguous = due.row.ambiguous || earlier.ambiguous;
    envelope.external_ref = due.row.external_ref;
    envelope.filings = earlier.filings + due.row.filings;
    envelope.filed_at_s = std::max(earlier.filed_at_s, due.row.filed_at_s) + ahead_s(now);
    envelope.first_stored_s = earlier.first_stored_s == 0 ? due.stored_s : earlier.first_stored_s;
    envelope.look_first =
        due.row.ambiguous && (envelope.external_ref.empty() || envelope.filings >= 2);
    return envelope;
}

}  // namespace vigil::service
