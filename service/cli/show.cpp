
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/model/text_ids.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/numbers.hpp"
#include "service/cli/actions.hpp"
#include "service/cli/display.hpp"

namespace vigil::cli {

namespace {

using nlohmann::json;

/// A log by its digest. A log that the store no longer keeps is said, not an error.
std::string log_text(const Session& session, const std::string& digest) {
    try {
        return session.api.get_text("/api/v1/logs/" + Digest(digest).str());
    } catch (const Error& error) {
        if (error.code() != Errc::not_found) throw;
        return "(the log is no longer kept)\n";
    }
}

/// One log to show: where it comes from, and its digest.
struct Log {
    std::string title;
    std::string digest;
};

std::vector<Log> logs_of_builds(const Session& session, const json& job) {
    std::vector<Log> logs;
    for (const auto& build : array_at(job, "builds")) {
        const auto found =
            session.api.get("/api/v1/builds/" + std::to_string(number_at(build, "id")));
        for (const auto& product : array_at(found, "products")) {
            const std::string message = text_at(product, "message");
            logs.push_back(
                {fmt::format(
                     "build of {}: {}{}",
                     text_at(build, "revision").substr(0, 10),
                     text_at(product, "state"),
                     message.empty() ? "" : ", " + message),
                 text_at(product, "log")});
        }
    }
    return logs;
}

Log log_of_run(const json& run) {
    const std::string message = text_at(run, "message");
    return {
        fmt::format(
            "run {}: {} ({}) {}{}",
            number_at(run, "id"),
            text_at(run, "benchmark"),
            text_at(run, "variant"),
            text_at(run, "outcome"),
            message.empty() ? "" : ", " + message),
        text_at(run, "log")};
}

/// One fact of a page: a word, what it is, and below it its address where one is known.
void print_fact(
    const Session& session,
    const std::string& name,
    const std::string& text,
    const std::string& url = "") {
    auto& out = *session.world.out;
    if (!text.empty()) out << fmt::format("{:10}{}\n", name, printable(text));
    if (!url.empty()) out << fmt::format("{:10}{}\n", text.empty() ? name : "", printable(url));
}

/// The culprit as its author told it; else how many are left.
std::string culprit_words(const json& regression) {
    const std::string culprit = text_at(regression, "culprit");
    const auto left = array_at(regression, "suspects").size();
    if (culprit.empty()) return left > 0 ? fmt::format("1 of {} commits", left) : "not known";
    const auto& commit = object_at(regression, "culprit_commit");
    if (commit.empty()) return culprit;
    return fmt::format(
        "{} {} ({})", culprit, text_at(commit, "subject"), text_at(commit, "author"));
}

std::string answer_words(const json& answer) {
    const std::string reason = text_at(answer, "reason");
    return fmt::format(
        "{} by {}, {}{}",
        text_at(answer, "state"),
        text_at(answer, "by"),
        text::utc(number_at(answer, "at_s")),
        reason.empty() ? "" : ": " + reason);
}

/// What brought series back in one night, as strong as it is known.
std::string mending_words(const json& mending) {
    const auto commits = number_at(mending, "commits");
    const auto& commit = object_at(mending, "commit");
    const std::string by = text_at(mending, "by");
    const std::string merge = text_at(mending, "merge");
    std::string out = fmt::format("night {}: ", number_at(mending, "nightly"));
    const std::string ends = fmt::format(
        "after {} up to {}",
        text_at(mending, "bad_revision").substr(0, 10),
        text_at(mending, "revision").substr(0, 10));
    if (by.empty()) {
        const std::string why = text_at(mending, "reason");
        return out + (why.empty() ? "the commits in between are being listed"
                                  : fmt::format("a commit {}: {}", ends, why));
    }
    if (commit.empty()) {
        if (commits == 0) return out + "both builds are of one revision";
        return out + fmt::format("one of {} commits {}", commits, ends);
    }
    out += fmt::format(
        "{} {} ({})",
        text_at(commit, "revision"),
        text_at(commit, "subject"),
        text_at(commit, "author"));
    if (!merge.empty()) out += ", brought by the merge " + merge.substr(0, 10);
    if (by == "revert") {
        out += ", whose text says that it reverts " + text_at(mending, "reverts").substr(0, 10);
    }
    if (by == "fix") out += ", which says that it fixes the issue";
    if (by == "only") out += ", the only commit in between";
    return out;
}

void print_mendings(const Session& session, const json& regression) {
    for (const auto& mending : array_at(regression, "mendings")) {
        const auto& links = object_at(mending, "links");
        const auto commit = text_at(links, "commit");
        print_fact(
            session,
            "mended",
            mending_words(mending),
            commit.empty() ? text_at(links, "range") : commit);
    }
    for (const auto& earlier : array_at(regression, "earlier")) {
        print_fact(
            session,
            "earlier",
            fmt::format("vigil regression show {}", earlier.get<std::int64_t>()));
    }
}

void print_series(const Session& session, const json& regression) {
    Table table({"SERIES", "CHANGE", "RECOVERED", "WHAT"});
    for (const auto& one : array_at(regression, "series")) {
        const bool recovered = is_set(one, "recovered_nightly");
        table.add(
            {std::to_string(number_at(one, "series")),
             change_words(one),
             recovered ? fmt::format("night {}", number_at(one, "recovered_nightly")) : "-",
             fmt::format(
                 "{} ({}) on {}, {}",
                 text_at(one, "benchmark"),
                 text_at(one, "variant"),
                 text_at(one, "machine_class"),
                 text_at(one, "metric"))});
    }
    if (table.empty()) return;
    *session.world.out << "\n" << table.text(session.world.width, session.colours);
}

}  // namespace

std::string withdrawn_words(const nlohmann::json& withdrawn) {
    std::string out;
    for (const auto& one : withdrawn) {
        const auto worker = text_at(one, "worker");
        out += fmt::format(
            "{}{}withdrawn by {}: {}",
            out.empty() ? "" : "; ",
            worker.empty() ? "" : "what worker " + worker + " measured is ",
            text_at(one, "by"),
            text_at(one, "reason"));
    }
    return out;
}

ExitCode show_regression(const Session& session) {
    const std::string id = id_argument(session, 0);
    const auto regression = session.api.get("/api/v1/regressions/" + id);
    if (session.json) return print_json(session, regression), ExitCode::ok;
    const auto& links = object_at(regression, "links");
    const std::string state = printable(text_at(regression, "state"));
    *session.world.out << fmt::format(
        "Regression {} of {}: {}\n\n",
        id,
        printable(text_at(regression, "project")),
        toned(state, tone_of(state), session.colours));
    const auto found = text::utc(number_at(regression, "created_at_s"));
    print_fact(
        session, "found", fmt::format("{}, night {}", found, number_at(regression, "nightly")));
    const auto withdrawn = withdrawn_words(array_at(regression, "night_withdrawn"));
    print_fact(session, "", withdrawn.empty() ? "" : "of that night: " + withdrawn);
    print_fact(session, "culprit", culprit_words(regression), text_at(links, "culprit"));
    print_fact(session, "good", text_at(regression, "good_revision"));
    print_fact(session, "bad", text_at(regression, "bad_revision"), text_at(links, "range"));
    print_fact(session, "why", text_at(regression, "reason"));
    print_mendings(session, regression);
    if (const auto& answer = object_at(regression, "answer"); !answer.empty()) {
        print_fact(session, "answer", answer_words(answer));
    }
    if (const auto& reports = array_at(regression, "reports"); !reports.empty()) {
        const auto report = number_at(reports.front(), "id");
        print_fact(session, "report", fmt::format("vigil report show {}", report));
    }
    print_fact(session, "issue", "", text_at(links, "issue"));
    print_series(session, regression);
    return ExitCode::ok;
}

ExitCode show_report(const Session& session) {
    std::string id = session.invocation.arguments[0];
    if (id == "latest") {
        const auto newest =
            list_known(session, "/api/v1/reports", filters_of(session, {"project", "kind"}), 1);
        if (newest.empty()) throw Error(Errc::not_found, "there is no report yet");
        id = std::to_string(number_at(newest.front(), "id"));
    } else {
        id = id_argument(session, 0);
    }
    const auto report = session.api.get("/api/v1/reports/" + id);
    if (session.json) return print_json(session, report), ExitCode::ok;
    auto& out = *session.world.out;
    out << printable(text_at(report, "title")) << "\n\n";
    out << text::lines(text_at(report, "body"));
    for (const auto& message : array_at(report, "messages")) {
        const std::string where = text_at(message, "external_ref");
        const std::string why = text_at(message, "message");
        out << fmt::format(
            "\n{}: {}{}",
            printable(text_at(message, "target")),
            printable(text_at(message, "state")),
            printable(
                !where.empty() ? ", " + where
                : why.empty()  ? ""
                               : ", " + why));
    }
    if (!array_at(report, "messages").empty()) out << "\n";
    return ExitCode::ok;
}

ExitCode show_logs(const Session& session) {
    const std::string& what = session.invocation.arguments[0];
    const bool is_run = what.starts_with("run/");
    std::string number = what;
    if (is_run) number = what.substr(4);
    if (what.starts_with("job/")) number = what.substr(4);
    const std::string id = std::to_string(parse_number(number, "JOB", 1, max_id));
    std::vector<Log> logs;
    if (is_run) {
        logs.push_back(log_of_run(session.api.get("/api/v1/runs/" + id)));
    } else {
        const auto job = session.api.get("/api/v1/jobs/" + id);
        logs = logs_of_builds(session, job);
        for (const auto& run : array_at(job, "runs")) logs.push_back(log_of_run(run));
    }
    auto all = json::array();
    for (const auto& log : logs) {
        const std::string text = log.digest.empty() ? "" : log_text(session, log.digest);
        if (session.json) {
            all.push_back({{"title", log.title}, {"digest", log.digest}, {"text", text}});
            continue;
        }
        auto& out = *session.world.out;
        out << toned("== " + printable(log.title), Tone::dim, session.colours) << "\n";
        const std::string shown = text::lines(log.digest.empty() ? "(it left no log)" : text);
        out << shown << (shown.ends_with('\n') ? "" : "\n");
    }
    if (session.json) print_json(session, all);
    if (logs.empty() && !session.json) *session.world.out << "No log yet.\n";
    return ExitCode::ok;
}

}  // namespace vigil::cli
