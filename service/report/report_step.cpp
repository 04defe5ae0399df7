#include "service/report/report_step.hpp"

#include <functional>

#include <fmt/format.h>

#include "schema/text/escape.hpp"
#include "service/report/facts/marker.hpp"
#include "service/report/facts/night_facts.hpp"
#include "service/report/facts/regression_facts.hpp"
#include "service/report/render/render_night.hpp"
#include "service/report/render/render_regression.hpp"
#include "service/report/render/render_trouble.hpp"
#include "service/source/words.hpp"
#include "service/store/alone.hpp"
#include "service/store/events.hpp"
#include "service/store/findings/regressions.hpp"

namespace vigil::service {

namespace {

constexpr int max_reports_at_once = 20;    // the step is called again; keeps the transaction short
constexpr std::int64_t look_again_s = 10;  // at what follows something that changes by itself

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

/// What `write` makes; where it meets what cannot be read, a document that says so: whoever waits
/// for it hears why.
template <class Id>
Document write_document(
    Database& db, const DueReport& due, Id about, const std::function<Document()>& write) {
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
        load_marker(db, about).line);
    return document;
}

/// @return  whether there is a new version of its report
bool report_regression(
    Database& db, const Config& config, const DueReport& due, std::int64_t now_s) {
    const RegressionId regression = *due.subject.regression;
    const bool moved = move_to_reported(db, regression, now_s);
    const auto document = write_document(db, due, regression, [&] {
        return render_regression(load_regression_facts(db, regression, config));
    });
    const auto targets = targets_of(config, due.project_name, "regression");
    const bool stored = add_report(db, due.subject, document, targets, now_s).has_value();
    note_reported(db, due.subject, now_s);
    if (moved) {
        record_event(
            db,
            now_s,
            "regression.reported",
            due.subject.project,
            key_of(due.subject),
            document.title);
    }
    return stored;
}

void report_night(Database& db, const Config& config, const DueReport& due, std::int64_t now_s) {
    std::vector<MissingFact> missing;
    const NightlyId nightly = *due.subject.nightly;
    const auto document = write_document(db, due, nightly, [&] {
        auto facts = load_night_facts(db, nightly, config);
        auto written = render_night(facts);
        missing = std::move(facts.missing);
        return written;
    });
    const auto targets = targets_of(config, due.project_name, "night");
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
    const auto document = write_document(db, due, trouble, [&] {
        const auto facts = load_trouble_facts(db, trouble, config);
        about = facts.subject;
        return render_trouble(facts);
    });
    auto targets = targets_of(config, due.project_name, "trouble");
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
    const auto look_after_s = now_s - look_again_s;
    for (const auto& due : list_due_troubles(db, look_after_s, now_s, max_reports_at_once)) {
        stored += report_trouble(db, config, due, now_s) ? 1 : 0;
    }
    return stored;
}

}  // namespace vigil::service
