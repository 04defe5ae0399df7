#include <array>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/http/target.hpp"
#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/nearest.hpp"
#include "schema/text/numbers.hpp"
#include "service/cli/actions.hpp"
#include "service/cli/display.hpp"

namespace vigil::cli {

using nlohmann::json;

namespace {

constexpr std::int64_t default_limit = 30;

std::string brief(const std::string& revision) {
    return revision.substr(0, 10);
}

std::string span(const nlohmann::json& item, std::int64_t now_s) {
    const std::int64_t began = number_at(item, "created_at_s");
    const std::int64_t ended = is_set(item, "ended_at_s") ? number_at(item, "ended_at_s") : now_s;
    return text::duration(ended - began);
}

struct KnownNames {
    const char* filter;
    const char* path;  ///< of the list that has them all
    const char* key;
};

/// Nothing was found: @throws Error{not_found} when it was asked for by a name that nothing has
void check_names(const Session& session, const std::map<std::string, std::string>& filters) {
    static constexpr std::array all{
        KnownNames{"project", "/api/v1/projects", "name"},
        KnownNames{"benchmark", "/api/v1/series", "benchmark"},
        KnownNames{"variant", "/api/v1/series", "variant"},
        KnownNames{"machine_class", "/api/v1/series", "machine_class"},
        KnownNames{"worker", "/api/v1/workers", "name"}};
    for (const auto& [filter, path, key] : all) {
        const auto asked = filters.find(filter);
        if (asked == filters.end() || asked->second.empty()) continue;
        std::set<std::string> known;
        for (const auto& one : session.api.list(path, {}, max_lines)) {
            known.insert(text_at(one, key));
        }
        if (known.empty() || known.contains(asked->second)) continue;
        const std::vector<std::string> names(known.begin(), known.end());
        std::string hint = text::did_you_mean(asked->second, names, '\'');
        if (hint.empty())
            hint = text::fitted(fmt::format("; it has {}", fmt::join(names, ", ")), 400);
        throw Error(
            Errc::not_found,
            fmt::format("the daemon knows no {} '{}'{}", filter, asked->second, hint));
    }
}

/// Of a regression's series: as confirmed, else as the night saw it.
double change_ratio(const nlohmann::json& series) {
    const auto& confirmed = object_at(series, "confirmed");
    return real_at(is_set(confirmed, "change_ratio") ? confirmed : series, "change_ratio");
}

/// The nights whose builds it is held against, the filed pair's first.
std::string old_nights_words(const nlohmann::json& suspicion) {
    std::string names;
    for (const auto& night : array_at(suspicion, "old_nights")) {
        names += (names.empty() ? "" : ", ") + text_at(night, "name");
    }
    return names.empty() ? "-" : names;
}

}  // namespace

std::string id_at(const nlohmann::json& item, const char* key) {
    return is_set(item, key) ? std::to_string(number_at(item, key)) : "";
}

ExitCode print_table(
    const Session& session, const Table& table, const std::string& none, int toned_column) {
    if (table.empty()) {
        *session.world.out << none << "\n";
    } else {
        *session.world.out << table.text(session.world.width, session.colours, toned_column);
    }
    return ExitCode::ok;
}

bool is_open_state(const std::string& state) {
    return state == "confirmed" || state == "searching" || state == "attributed" ||
           state == "range" || state == "reported" || state == "acknowledged";
}

std::string change_words(const nlohmann::json& series) {
    return text_at(series, "verdict") == "broken" ? "broken" : text::percent(change_ratio(series));
}

std::string regression_words(const nlohmann::json& regression) {
    const auto& series = array_at(regression, "series");
    if (series.empty()) return "no series";
    const nlohmann::json* worst = &series.front();
    for (const auto& one : series) {
        if (change_ratio(one) > change_ratio(*worst)) worst = &one;
    }
    return fmt::format(
        "{} ({}) on {}, {} {}{}",
        text_at(*worst, "benchmark"),
        text_at(*worst, "variant"),
        text_at(*worst, "machine_class"),
        text_at(*worst, "metric"),
        change_words(*worst),
        series.size() > 1 ? fmt::format(", and {} more", series.size() - 1) : "");
}

std::string worker_words(const nlohmann::json& worker) {
    const std::string state = text_at(worker, "state");
    if (!is_set(worker, "unseen_s")) return state;
    return (state == "quarantined" ? state + ", " : "") + "not seen for " +
           text::duration(number_at(worker, "unseen_s"));
}

void print_json(const Session& session, const nlohmann::json& value) {
    *session.world.out << value.dump(2, ' ', true, nlohmann::json::error_handler_t::replace)
                       << "\n";
}

std::string id_argument(const Session& session, std::size_t index) {
    const auto& name = session.invocation.command->arguments[index];
    return std::to_string(parse_number(session.invocation.arguments[index], name, 1, max_id));
}

std::int64_t limit_of(const Session& session) {
    return session.invocation.number("limit", default_limit);
}

json list_known(
    const Session& session,
    const std::string& path,
    const std::map<std::string, std::string>& filters,
    std::int64_t limit) {
    json items = session.api.list(path, filters, limit);
    if (items.empty()) check_names(session, filters);
    return items;
}

std::map<std::string, std::string> filters_of(
    const Session& session, const std::vector<std::string>& names) {
    std::map<std::string, std::string> filters;
    for (const auto& name : names) filters[name] = session.invocation.get(name);
    return filters;
}

std::map<std::string, std::string> with_days(
    const Session& session, std::map<std::string, std::string> filters) {
    for (const std::string name : {"since", "until"}) {
        if (!session.invocation.has(name)) continue;
        filters[name + "_s"] = std::to_string(text::parse_day(session.invocation.get(name)));
    }
    return filters;
}

ExitCode list_nights(const Session& session) {
    const auto nights = list_known(
        session, "/api/v1/nightlies", filters_of(session, {"project"}), limit_of(session));
    if (session.json) return print_json(session, nights), ExitCode::ok;
    Table table({"ID", "PROJECT", "NIGHT", "REVISION", "STATE", "BEGAN", "TOOK", "MESSAGE"});
    for (const auto& night : nights) {
        const auto withdrawn = withdrawn_words(array_at(night, "withdrawn"));
        const auto message = text_at(night, "message");
        table.add(
            {id_at(night, "id"),
             text_at(night, "project"),
             night_name(night),
             brief(text_at(night, "revision")),
             text_at(night, "state"),
             text::utc(number_at(night, "created_at_s")),
             span(night, session.world.now_s()),
             withdrawn + (withdrawn.empty() || message.empty() ? "" : "; ") + message});
    }
    return print_table(session, table, "No night yet.", 4);
}

ExitCode list_regressions(const Session& session) {
    auto filters =
        with_days(session, filters_of(session, {"project", "state", "metric", "benchmark"}));
    const std::int64_t limit = limit_of(session);
    const bool only_open = session.invocation.has("open");
    // The server filters one state; which states are open is decided here, over all of them.
    const auto all =
        list_known(session, "/api/v1/regressions", filters, only_open ? max_lines : limit);
    auto chosen = nlohmann::json::array();
    for (const auto& regression : all) {
        if (static_cast<std::int64_t>(chosen.size()) == limit) break;
        if (!only_open || is_open_state(text_at(regression, "state"))) {
            chosen.push_back(regression);
        }
    }
    if (session.json) return print_json(session, chosen), ExitCode::ok;
    Table table({"ID", "PROJECT", "STATE", "FOUND", "CULPRIT", "WHAT"});
    for (const auto& regression : chosen) {
        const std::string culprit = brief(text_at(regression, "culprit"));
        const auto left = array_at(regression, "suspects").size();
        table.add(
            {id_at(regression, "id"),
             text_at(regression, "project"),
             text_at(regression, "state"),
             text::utc(number_at(regression, "created_at_s")),
             !culprit.empty() ? culprit
             : left > 0       ? fmt::format("1 of {}", left)
                              : "-",
             regression_words(regression)});
    }
    return print_table(session, table, only_open ? "Nothing is open." : "No regression.", 2);
}

ExitCode list_suspicions(const Session& session) {
    auto filters = with_days(
        session,
        filters_of(
            session, {"project", "verdict", "asked", "metric", "benchmark", "nightly", "series"}));
    if (session.invocation.has("waiting")) filters["waiting"] = "1";
    const auto suspicions = list_known(session, "/api/v1/suspicions", filters, limit_of(session));
    if (session.json) return print_json(session, suspicions), ExitCode::ok;
    Table table(
        {"ID",
         "NIGHT",
         "BECAME",
         "CHANGE",
         "CHANCE",
         "WAITED",
         "SERIES",
         "ASKED",
         "AGAINST",
         "SAYS"});
    for (const auto& suspicion : suspicions) {
        const std::string waits = text_at(suspicion, "waits");
        const std::string verdict = text_at(suspicion, "verdict");
        const std::string asked = text_at(suspicion, "asked");
        table.add(
            {id_at(suspicion, "id"),
             id_at(suspicion, "nightly"),
             !waits.empty()     ? "waits"
             : !verdict.empty() ? verdict
                                : text_at(suspicion, "state"),
             text::percent(real_at(suspicion, "change_ratio")),
             fmt::format("{:.2g}", real_at(suspicion, "chance")),
             id_at(suspicion, "waited"),
             fmt::format(
                 "{} ({}) on {}, {}",
                 text_at(suspicion, "benchmark"),
                 text_at(suspicion, "variant"),
                 text_at(suspicion, "machine_class"),
                 text_at(suspicion, "metric")),
             asked.empty() ? "-" : asked,
             old_nights_words(suspicion),
             waits.empty() ? text_at(suspicion, "reason") : waits});
    }
    const bool waiting = session.invocation.has("waiting");
    return print_table(session, table, waiting ? "Nothing waits." : "No suspicion.", 2);
}

ExitCode list_drifts(const Session& session) {
    auto filters =
        with_days(session, filters_of(session, {"project", "metric", "benchmark", "nightly"}));
    const auto drifts = list_known(session, "/api/v1/drifts", filters, limit_of(session));
    if (session.json) return print_json(session, drifts), ExitCode::ok;
    Table table({"ID", "PROJECT", "SINCE", "CHANGE", "90 %", "FOUND BY", "SERIES"});
    for (const auto& drift : drifts) {
        table.add(
            {id_at(drift, "id"),
             text_at(drift, "project"),
             is_set(drift, "since_name") ? text_at(drift, "since_name")
                                         : text_at(drift, "since_day"),
             text::percent(real_at(drift, "change_ratio")),
             text::percent(real_at(drift, "low")) + " to " + text::percent(real_at(drift, "high")),
             text_at(drift, "kind"),
             fmt::format(
                 "{} ({}) on {}, {}",
                 text_at(drift, "benchmark"),
                 text_at(drift, "variant"),
                 text_at(drift, "machine_class"),
                 text_at(drift, "metric"))});
    }
    return print_table(session, table, "No drift.", -1);
}

ExitCode list_reports(const Session& session) {
    const auto reports = list_known(
        session, "/api/v1/reports", filters_of(session, {"project", "kind"}), limit_of(session));
    if (session.json) return print_json(session, reports), ExitCode::ok;
    Table table({"ID", "PROJECT", "KIND", "VERSION", "WRITTEN", "TITLE"});
    for (const auto& report : reports) {
        table.add(
            {id_at(report, "id"),
             text_at(report, "project"),
             text_at(report, "kind"),
             id_at(report, "version"),
             text::utc(number_at(report, "created_at_s")),
             text_at(report, "title")});
    }
    return print_table(session, table, "No report yet.", -1);
}

ExitCode list_jobs(const Session& session) {
    const auto jobs = list_known(
        session,
        "/api/v1/jobs",
        filters_of(session, {"project", "state", "purpose", "worker", "nightly"}),
        limit_of(session));
    if (session.json) return print_json(session, jobs), ExitCode::ok;
    Table table({"ID", "PROJECT", "PURPOSE", "STATE", "CLASS", "WORKER", "LOST", "MADE", "SAYS"});
    for (const auto& job : jobs) {
        const bool runs = text_at(job, "state") == "leased";
        table.add(
            {id_at(job, "id"),
             text_at(job, "project"),
             text_at(job, "purpose"),
             text_at(job, "state"),
             text_at(job, "machine_class"),
             text_at(job, "worker"),
             id_at(job, "lost_attempts"),
             text::ago(number_at(job, "created_at_s"), session.world.now_s()),
             runs ? text_at(job, "progress") : text_at(job, "message")});
    }
    return print_table(session, table, "No job.", 3);
}

ExitCode export_history(const Session& session) {
    auto filters = filters_of(session, {"project", "benchmark", "variant", "metric", "nights"});
    filters["machine_class"] = session.invocation.get("machine-class");
    bool empty = true;
    session.api.each_page(
        "/api/v1/history" + http::query_string(filters), [&](const std::string& lines) {
            *session.world.out << text::lines(lines);
            empty = empty && lines.empty();
        });
    if (empty) {
        check_names(session, filters);
        *session.world.err << "vigil: no night was measured of such a series\n";
    }
    return ExitCode::ok;
}

ExitCode list_tokens(const Session& session) {
    const auto tokens = session.api.list("/api/v1/tokens", {}, limit_of(session));
    if (session.json) return print_json(session, tokens), ExitCode::ok;
    Table table({"NAME", "SCOPE", "MADE", "REVOKED"});
    for (const auto& token : tokens) {
        table.add(
            {text_at(token, "name"),
             text_at(token, "scope"),
             text::utc(number_at(token, "created_at_s")),
             is_set(token, "revoked_at_s") ? text::utc(number_at(token, "revoked_at_s")) : ""});
    }
    return print_table(session, table, "No token.", -1);
}

}  // namespace vigil::cli
