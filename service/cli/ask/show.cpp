#include "service/cli/ask/show.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/http/target.hpp"
#include "schema/model/error.hpp"
#include "schema/model/text_ids.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/numbers.hpp"
#include "service/cli/ask/reply.hpp"
#include "service/cli/ask/why.hpp"
#include "service/cli/common/display.hpp"

namespace vigil::cli {

namespace {

using nlohmann::json;

/// A log by its digest. A log that the store no longer keeps is said, not an error.
std::string log_text(const CommandContext& context, const std::string& digest) {
    try {
        return context.api.get_text("/api/v1/logs/" + Digest(digest).str());
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

std::vector<Log> logs_of_builds(const CommandContext& context, const json& job) {
    std::vector<Log> logs;
    for (const auto& build : array_at(job, "builds")) {
        const auto found =
            context.api.get("/api/v1/builds/" + std::to_string(number_at(build, "id")));
        for (const auto& product : array_at(found, "products")) {
            const std::string message = text_at(product, "message");
            logs.push_back(
                {fmt::format(
                     "build of {}: {}{}",
                     brief_at(build, "revision"),
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
    const CommandContext& context,
    const std::string& name,
    const std::string& text,
    const std::string& url = "") {
    auto& out = *context.world.out;
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
std::string fix_words(const json& fix) {
    const auto commits = number_at(fix, "commits");
    const auto& commit = object_at(fix, "commit");
    const std::string by = text_at(fix, "by");
    const std::string merge = text_at(fix, "merge");
    std::string out = fmt::format("night {}: ", number_at(fix, "nightly"));
    const std::string ends =
        fmt::format("after {} up to {}", brief_at(fix, "bad_revision"), brief_at(fix, "revision"));
    if (by.empty()) {
        const std::string why = text_at(fix, "reason");
        return out + (why.empty() ? "the commits in between are being listed"
                                  : fmt::format("a commit {}: {}", ends, why));
    }
    if (commit.empty()) {
        if (commits == 0) return out + "both builds are of one revision";
        std::string left;
        for (const auto& one : array_at(fix, "candidates")) {
            left += (left.empty() ? "" : ", ") + one.get<std::string>().substr(0, 10);
        }
        if (!left.empty()) left = fmt::format("as measured one or more of {}, among ", left);
        return out + fmt::format("{}{} commits {}", left.empty() ? "one of " : left, commits, ends);
    }
    out += fmt::format(
        "{} {} ({})",
        text_at(commit, "revision"),
        text_at(commit, "subject"),
        text_at(commit, "author"));
    if (!merge.empty()) out += ", brought by the merge " + merge.substr(0, 10);
    if (by == "revert") {
        out += ", whose text says that it reverts " + brief_at(fix, "reverts");
    }
    if (by == "fix") out += ", which says that it fixes the issue";
    if (by == "measured") out += ", built and measured with it and without";
    if (by == "only") out += ", the only commit in between";
    return out;
}

void print_fixes(const CommandContext& context, const json& regression) {
    for (const auto& fix : array_at(regression, "mendings")) {
        const auto& links = object_at(fix, "links");
        const auto commit = text_at(links, "commit");
        print_fact(
            context, "fixed", fix_words(fix), commit.empty() ? text_at(links, "range") : commit);
    }
    for (const auto& earlier : array_at(regression, "earlier")) {
        print_fact(
            context,
            "earlier",
            fmt::format("vigil regression show {}", earlier.get<std::int64_t>()));
    }
}

void print_series(const CommandContext& context, const json& regression) {
    const auto& series = array_at(regression, "series");
    if (series.empty()) return;
    const auto recovered = [](const json& one) {
        const auto night = words_at(one, "recovered_nightly");
        return night.empty() ? "-" : "night " + night;
    };
    const auto today = [](const json& one) {
        const auto words = today_words(one);
        return words.empty() ? "-" : words;
    };
    const std::vector<ListColumn> columns{
        {"SERIES", "series"},
        {"CHANGE", change_words},
        {"TODAY", today},
        {"RECOVERED", recovered},
        {"WHAT", series_words}};
    *context.world.out << "\n" << table_of(context, series, columns);
}

void print_counts(const CommandContext& context, const json& precision) {
    auto& out = *context.world.out;
    const auto suspicions = object_at(precision, "suspicions");
    out << fmt::format(
        "nights {}, suspicions {} (checks {}): {} confirmed, {} drift, {} not reproduced,\n"
        "{} environment, {} better, {} undecided, {} deferred (budget), {} open\n",
        number_at(precision, "nights"),
        number_at(suspicions, "opened"),
        number_at(suspicions, "checks"),
        number_at(suspicions, "confirmed"),
        number_at(suspicions, "drift"),
        number_at(suspicions, "not_reproduced"),
        number_at(suspicions, "environment"),
        number_at(suspicions, "improvement"),
        number_at(suspicions, "undecided"),
        number_at(suspicions, "waiting"),
        number_at(suspicions, "open"));
    const auto regressions = object_at(precision, "regressions");
    const std::string upheld =
        is_set(regressions, "upheld_share")
            ? fmt::format(" ({:.0f} % upheld)", 100 * real_at(regressions, "upheld_share"))
            : "";
    out << fmt::format(
        "regressions {}: {} upheld and {} refuted by a person{}, {} not reproduced by the "
        "search,\n{} recovered, not triaged\n",
        number_at(regressions, "opened"),
        number_at(regressions, "upheld"),
        number_at(regressions, "refuted"),
        upheld,
        number_at(regressions, "not_found_again"),
        number_at(regressions, "recovered"));
    const auto recall = object_at(precision, "recall");
    const std::string found =
        is_set(recall, "share") ? fmt::format(" {:.0f} %", 100 * real_at(recall, "share")) : "";
    out << fmt::format(
        "recall{}: {} found, {} missed ({} being measured, {} undecided)\n",
        found,
        number_at(recall, "found"),
        number_at(recall, "missed"),
        number_at(recall, "measuring"),
        number_at(recall, "undecided"));
    const auto verdicts = object_at(precision, "time_to_verdict");
    if (number_at(verdicts, "verdicts") > 0) {
        out << fmt::format(
            "time to a verdict: median {}, p90 {}\n",
            text::duration(number_at(verdicts, "median_s")),
            text::duration(number_at(verdicts, "nine_of_ten_s")));
    }
    const auto runs = object_at(precision, "runs");
    out << fmt::format(
        "runs: {} of the nights, {} to confirm, {} to search\n",
        number_at(runs, "nightly"),
        number_at(runs, "confirm"),
        number_at(runs, "search"));
}

}  // namespace

ExitCode show_regression(const CommandContext& context) {
    const std::string id = id_argument(context);
    const auto regression = context.api.get("/api/v1/regressions/" + id);
    if (context.json) return print_json(context, regression);
    const auto& links = object_at(regression, "links");
    const std::string state = printable(standing_at(regression));
    *context.world.out << fmt::format(
        "Regression {} of {}: {}\n\n",
        id,
        printable(text_at(regression, "project")),
        toned(state, tone_of(state), context.colours));
    const auto found = text::utc(number_at(regression, "created_at_s"));
    print_fact(
        context, "found", fmt::format("{}, night {}", found, number_at(regression, "nightly")));
    const auto withdrawn = withdrawn_words(array_at(regression, "night_withdrawn"));
    print_fact(context, "", withdrawn.empty() ? "" : "of that night: " + withdrawn);
    print_fact(context, "culprit", culprit_words(regression), text_at(links, "culprit"));
    print_fact(context, "good", text_at(regression, "good_revision"));
    print_fact(context, "bad", text_at(regression, "bad_revision"), text_at(links, "range"));
    print_fact(context, "why", text_at(regression, "reason"));
    print_fixes(context, regression);
    if (const auto& answer = object_at(regression, "answer"); !answer.empty()) {
        print_fact(context, "answer", answer_words(answer));
    }
    print_fact(
        context, "assigned", is_set(regression, "assigned") ? text_at(regression, "assigned") : "");
    for (const auto& mute : array_at(regression, "mutes")) {
        print_fact(context, "muted", fmt::format("by mute {}, see vigil mutes", mute.get<int>()));
    }
    if (const auto& reports = array_at(regression, "reports"); !reports.empty()) {
        const auto report = number_at(reports.front(), "id");
        print_fact(context, "report", fmt::format("vigil report show {}", report));
    }
    print_fact(context, "issue", "", text_at(links, "issue"));
    print_series(context, regression);
    print_why(context, regression);
    return ExitCode::ok;
}

ExitCode show_report(const CommandContext& context) {
    std::string id = context.invocation.arguments[0];
    if (id == "latest") {
        const auto newest =
            list_known(context, "/api/v1/reports", filters_of(context, {"project", "kind"}), 1);
        if (newest.empty()) throw Error(Errc::not_found, "there is no report yet");
        id = std::to_string(number_at(newest.front(), "id"));
    } else {
        id = id_argument(context);
    }
    const auto report = context.api.get("/api/v1/reports/" + id);
    if (context.json) return print_json(context, report);
    auto& out = *context.world.out;
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

ExitCode show_logs(const CommandContext& context) {
    const std::string& what = context.invocation.arguments[0];
    const bool is_run = what.starts_with("run/");
    std::string number = what;
    if (is_run) number = what.substr(4);
    if (what.starts_with("job/")) number = what.substr(4);
    const std::string id = std::to_string(parse_number(number, "JOB", 1, max_id));
    std::vector<Log> logs;
    if (is_run) {
        logs.push_back(log_of_run(context.api.get("/api/v1/runs/" + id)));
    } else {
        const auto job = context.api.get("/api/v1/jobs/" + id);
        logs = logs_of_builds(context, job);
        for (const auto& run : array_at(job, "runs")) logs.push_back(log_of_run(run));
    }
    auto all = json::array();
    for (const auto& log : logs) {
        const std::string text = log.digest.empty() ? "" : log_text(context, log.digest);
        if (context.json) {
            all.push_back({{"title", log.title}, {"digest", log.digest}, {"text", text}});
            continue;
        }
        auto& out = *context.world.out;
        out << toned("== " + printable(log.title), Tone::dim, context.colours) << "\n";
        const std::string shown = text::lines(log.digest.empty() ? "(it left no log)" : text);
        out << shown << (shown.ends_with('\n') ? "" : "\n");
    }
    if (context.json) print_json(context, all);
    if (logs.empty() && !context.json) *context.world.out << "No log yet.\n";
    return ExitCode::ok;
}

ExitCode show_precision(const CommandContext& context) {
    const auto filters = filters_of(context, {"project"});
    const auto precision = context.api.get("/api/v1/precision" + http::query_string(filters));
    if (context.json) return print_json(context, precision);
    print_counts(context, precision);
    const auto& noisiest = array_at(precision, "noisiest");
    if (noisiest.empty()) return ExitCode::ok;
    const auto spread = [](const json& one) {
        return is_set(one, "spread_ratio")
                   ? fmt::format("{:.1f} %", 100 * real_at(one, "spread_ratio"))
                   : "-";
    };
    const std::vector<ListColumn> columns{
        {"ASKED IN VAIN", benchmark_words},
        {"METRIC", "metric"},
        {"NOT REPRODUCED", "not_reproduced"},
        {"UNDECIDED", "undecided"},
        {"RUNS", "runs"},
        {"SPREAD", spread}};
    *context.world.out << "\n" << table_of(context, noisiest, columns);
    return ExitCode::ok;
}

ExitCode show_hours(const CommandContext& context) {
    const auto filters = filters_of(context, {"project"});
    const auto hours = context.api.get("/api/v1/hours" + http::query_string(filters));
    if (context.json) return print_json(context, hours);
    auto& out = *context.world.out;
    out << fmt::format(
        "{}, from {} to before {} (UTC): {:.2f} machine hours, {:.2f} of them builds\n",
        printable(text_at(hours, "project")),
        printable(text_at(hours, "since_day")),
        printable(text_at(hours, "until_day")),
        real_at(hours, "hours"),
        real_at(hours, "build_hours"));
    if (is_set(hours, "budget")) {
        const auto& budget = object_at(hours, "budget");
        out << fmt::format(
            "Budget: {} h a day; today {:.2f} h{}\n",
            number_at(budget, "limit_hours"),
            real_at(budget, "today_hours"),
            flag_at(budget, "spent") ? ", spent: its jobs wait until 00:00 UTC" : "");
    }
    const auto hours_at = [](const char* key) {
        return [key](const json& one) { return fmt::format("{:.2f} h", real_at(one, key)); };
    };
    const std::vector<ListColumn> columns{
        {"DAY", "day"},
        {"CLASS", "machine_class"},
        {"WORK", "work"},
        {"TIME", hours_at("hours")},
        {"OF IT BUILDS", hours_at("build_hours")}};
    const auto& items = array_at(hours, "items");
    if (!items.empty()) out << "\n" << table_of(context, items, columns);
    return ExitCode::ok;
}

ExitCode show_week(const CommandContext& context) {
    const auto filters = filters_of(context, {"project"});
    const auto week = context.api.get("/api/v1/week" + http::query_string(filters));
    if (context.json) return print_json(context, week);
    *context.world.out << printable(text_at(week, "title")) << "\n\n"
                       << text::lines(text_at(week, "body"));
    return ExitCode::ok;
}

}  // namespace vigil::cli
