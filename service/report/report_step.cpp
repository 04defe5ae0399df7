#include "service/report/report_step.hpp"

#include <functional>
#include <optional>

#include <fmt/format.h>

#include "schema/text/escape.hpp"
#include "service/report/comments.hpp"
#include "service/report/facts/marker.hpp"
#include "service/report/facts/news.hpp"
#include "service/report/facts/night_facts.hpp"
#include "service/report/facts/regression_facts.hpp"
#include "service/report/render/render_night.hpp"
#include "service/report/render/render_regression.hpp"
#include "service/report/render/render_trouble.hpp"
#include "service/report/targets.hpp"
#include "service/report/weeks.hpp"
#include "service/source/words.hpp"
#include "service/store/alone.hpp"
#include "service/store/events.hpp"
#include "service/store/findings/improvements.hpp"
#include "service/store/findings/regressions.hpp"
#include "service/store/reports/culprit_pulls.hpp"

namespace vigil::service {

namespace {

constexpr int max_reports_at_once = 20;    // the step is called again; keeps the transaction short
constexpr std::int64_t look_again_s = 10;  // at what follows something that changes by itself

/// What `write` makes; where it meets what cannot be read, a document that says so: whoever waits
/// for it hears why.
Document write_document(
    Database& db, const DueReport& due, const std::function<Document()>& write) {
    Document document;
    const auto trouble = try_alone(db, [&] { document = write(); });
    if (!trouble) return document;
    std::string subject = key_of(due.subject);
    subject[subject.find('/')] = ' ';
    document.title = fmt::format(
        "{}: {}: its report could not be written", text::harmless(due.project_name, 40), subject);
    document.body = fmt::format(
        "**{}.** The ledger holds something that cannot be read: {}\n\n`vigil` shows what is "
        "known of it.\n\n{}\n",
        document.title,
        text::code_span(without_paths(*trouble), 500),
        load_marker(db, due.subject).line);
    return document;
}

/// @return  whether there is a new version of its report
bool report_regression(
    Database& db, const Config& config, const DueReport& due, std::int64_t now_s) {
    const RegressionId regression = *due.subject.regression;
    const bool moved = move_to_reported(db, regression, now_s);
    std::optional<RegressionFacts> facts;
    const auto document = write_document(db, due, [&] {
        facts = load_regression_facts(db, regression, config);
        return render_regression(*facts);
    });
    const auto told_before = find_told(db, due.subject);
    const auto told = facts ? told_of(*facts) : told_before.value_or(ToldFact{});
    auto news = news_of(told_before, told);
    const auto targets = targets_of_regression(db, config, due, told, news, now_s);
    const auto stored = add_report(db, due.subject, document, targets, now_s);
    if (stored) mark_reported(db, stored->id, told);
    if (stored && facts) {
        const bool is_new = news == News::found && is_open(facts->state);
        if (is_new && take_earlier_issue(db, config, *facts, stored->id, targets)) {
            news = News::reopened;
        }
        comment_on(db, config, *facts, news, now_s);
        untell_culprits(db, facts->id);
    }
    note_reported(db, due.subject, now_s);
    const auto& about = due.subject;
    if (!moved) return stored.has_value();
    record_event(db, now_s, "regression.reported", about.project, key_of(about), document.title);
    return stored.has_value();
}

void report_night(Database& db, const Config& config, const DueReport& due, std::int64_t now_s) {
    std::vector<MissingFact> missing;
    const NightlyId nightly = *due.subject.nightly;
    mark_improvements_reported(db, due.subject.project, nightly);
    const auto document = write_document(db, due, [&] {
        auto facts = load_night_facts(db, nightly, config);
        auto written = render_night(facts);
        missing = std::move(facts.missing);
        return written;
    });
    const auto targets = targets_of(config, due);
    const auto stored = add_report(db, due.subject, document, targets, now_s);
    note_reported(db, due.subject, now_s);
    const auto tell = [&](std::string_view kind, const std::string& message) {
        record_event(db, now_s, kind, due.subject.project, key_of(due.subject), message);
    };
    // Told anew, what is missing is no news.
    if (stored && stored->version == 1) {
        for (const auto& one : missing) tell("night.missing", one.what + ": " + one.why);
    }
    tell("night.summary", document.title);
}

bool report_trouble(Database& db, const Config& config, const DueReport& due, std::int64_t now_s) {
    const TroubleId trouble = *due.subject.trouble;
    std::string about;
    std::string kind;
    const auto document = write_document(db, due, [&] {
        const auto facts = load_trouble_facts(db, trouble, config);
        about = facts.subject;
        kind = facts.kind;
        return render_trouble(facts);
    });
    auto targets = targets_of(config, due, kind == many_causes);
    // A target that takes nothing would not take this either.
    std::erase_if(targets, [&](const auto& name) { return about == "target/" + name; });
    const bool stored = add_report(db, due.subject, document, targets, now_s).has_value();
    note_reported(db, due.subject, now_s);
    return stored;
}

}  // namespace

int report_step(Database& db, const Config& config, std::int64_t now_s) {
    int stored = 0;
    drop_never_reported(db);
    for (const auto& due : list_due_regressions(db, max_reports_at_once)) {
        stored += report_regression(db, config, due, now_s) ? 1 : 0;
    }
    for (const auto& due : list_due_nights(db, max_reports_at_once)) {
        report_night(db, config, due, now_s);
        ++stored;
    }
    end_nights_of_many(db, now_s);
    const auto look_after_s = now_s - look_again_s;
    for (const auto& due : list_due_troubles(db, look_after_s, now_s, max_reports_at_once)) {
        stored += report_trouble(db, config, due, now_s) ? 1 : 0;
    }
    return stored + report_weeks(db, config, now_s);
}

}  // namespace vigil::service
