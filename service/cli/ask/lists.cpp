#include "service/cli/ask/lists.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/http/target.hpp"
#include "schema/model/scopes.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/nearest.hpp"
#include "schema/text/numbers.hpp"
#include "service/cli/ask/reply.hpp"

namespace vigil::cli {

namespace {

using nlohmann::json;

std::string change_at(const json& item) {
    return text::percent(real_at(item, "change_ratio"));
}

std::string night_message(const json& night) {
    const auto withdrawn = withdrawn_words(array_at(night, "withdrawn"));
    const auto message = text_at(night, "message");
    return withdrawn + (withdrawn.empty() || message.empty() ? "" : "; ") + message;
}

std::string culprit_or_suspects(const json& regression) {
    const std::string culprit = brief_at(regression, "culprit");
    const auto left = array_at(regression, "suspects").size();
    return !culprit.empty() ? culprit : left > 0 ? fmt::format("1 of {}", left) : "-";
}

/// "reported", "recovered", "reported, muted, ada's".
std::string regression_state(const json& regression) {
    const auto whose = text_at(regression, "assigned");
    return standing_at(regression) + (flag_at(regression, "muted") ? ", muted" : "") +
           (whose.empty() ? "" : ", " + whose + "'s");
}

/// The nights whose builds it is held against, the filed pair's first.
std::string old_nights_words(const json& suspicion) {
    std::string names;
    for (const auto& night : array_at(suspicion, "old_nights")) {
        names += (names.empty() ? "" : ", ") + text_at(night, "name");
    }
    return names.empty() ? "-" : names;
}

std::string became(const json& suspicion) {
    if (!text_at(suspicion, "waits").empty()) return "waits";
    const auto verdict = text_at(suspicion, "verdict");
    return verdict.empty() ? text_at(suspicion, "state") : verdict;
}

/// "yes", or the layers that the worker told it lacks.
std::string contained_words(const json& worker) {
    const auto& layers = object_at(worker, "containment");
    if (layers.empty()) return "?";
    std::string lacks;
    for (const auto& layer : layers.items()) {
        if (layer.value() != "none") continue;
        lacks += (lacks.empty() ? "no " : ", no ") + layer.key();
    }
    return lacks.empty() ? "yes" : lacks;
}

/// Why it does not measure; else what it is.
std::string machine_words(const json& worker) {
    const std::string reason = text_at(worker, "reason");
    if (!reason.empty()) return reason;
    const auto& fingerprint = object_at(worker, "fingerprint");
    return fmt::format(
        "{} cpus, {} GiB, {}",
        number_at(fingerprint, "cpus"),
        number_at(fingerprint, "memory_bytes") >> 30,
        text_at(fingerprint, "cpu_model"));
}

}  // namespace

ExitCode list_nights(const CommandContext& context) {
    const auto took = [now_s = context.world.now_s()](const json& night) {
        const bool ended = is_set(night, "ended_at_s");
        return text::duration(
            (ended ? number_at(night, "ended_at_s") : now_s) - number_at(night, "created_at_s"));
    };
    return print_list(
        context,
        list_requested(context, "/api/v1/nightlies", {"project"}),
        "No night yet.",
        {{"ID", "id"},
         {"PROJECT", "project"},
         {"NIGHT", night_name},
         {"REVISION", hash_at("revision")},
         {"STATE", "state"},
         {"BEGAN", utc_at("created_at_s")},
         {"TOOK", took},
         {"MESSAGE", night_message}},
        "STATE");
}

ExitCode list_regressions(const CommandContext& context) {
    auto filters = filters_of(
        context,
        {"project",
         "state",
         "metric",
         "benchmark",
         "case",
         "variant",
         "author",
         "culprit",
         "assigned",
         "machine-class"});
    const bool only_open = context.invocation.has("open");
    if (only_open) filters["state"] = "open";
    if (print_format(context, "/api/v1/regressions", filters)) return ExitCode::ok;
    return print_list(
        context,
        list_known(context, "/api/v1/regressions", filters, limit_of(context)),
        only_open ? "Nothing is open." : "No regression.",
        {{"ID", "id"},
         {"PROJECT", "project"},
         {"STATE", regression_state},
         {"FOUND", utc_at("created_at_s")},
         {"CULPRIT", culprit_or_suspects},
         {"WHAT", regression_words}},
        "STATE");
}

ExitCode list_suspicions(const CommandContext& context) {
    auto filters = filters_of(
        context,
        {"project", "verdict", "asked", "metric", "benchmark", "case", "nightly", "series"});
    const bool waiting = context.invocation.has("waiting");
    if (waiting) filters["waiting"] = "1";
    return print_list(
        context,
        list_known(context, "/api/v1/suspicions", filters, limit_of(context)),
        waiting ? "No suspicion is deferred." : "No suspicion.",
        {{"ID", "id"},
         {"NIGHT", "nightly"},
         {"BECAME", became},
         {"CHANGE", change_at},
         {"CHANCE", [](const json& one) { return fmt::format("{:.2g}", real_at(one, "chance")); }},
         {"WAITED", "waited"},
         {"SERIES", series_words},
         {"ASKED",
          [](const json& one) { return is_set(one, "asked") ? text_at(one, "asked") : "-"; }},
         {"AGAINST", old_nights_words},
         {"SAYS",
          [](const json& one) {
              return text_at(one, text_at(one, "waits").empty() ? "reason" : "waits");
          }}},
        "BECAME");
}

ExitCode list_drifts(const CommandContext& context) {
    return print_list(
        context,
        list_requested(
            context, "/api/v1/drifts", {"project", "metric", "benchmark", "case", "nightly"}),
        "No drift.",
        {{"ID", "id"},
         {"PROJECT", "project"},
         {"SINCE",
          [](const json& one) {
              return text_at(one, is_set(one, "since_name") ? "since_name" : "since_day");
          }},
         {"CHANGE", change_at},
         {"90 %",
          [](const json& one) {
              return text::percent(real_at(one, "low")) + " to " +
                     text::percent(real_at(one, "high"));
          }},
         {"FOUND BY", "kind"},
         {"SERIES", series_words}});
}

ExitCode list_reports(const CommandContext& context) {
    return print_list(
        context,
        list_requested(context, "/api/v1/reports", {"project", "kind"}),
        "No report yet.",
        {{"ID", "id"},
         {"PROJECT", "project"},
         {"KIND", "kind"},
         {"VERSION", "version"},
         {"WRITTEN", utc_at("created_at_s")},
         {"TITLE", "title"}});
}

ExitCode list_jobs(const CommandContext& context) {
    const auto says = [](const json& job) {
        return text_at(job, text_at(job, "state") == "leased" ? "progress" : "message");
    };
    return print_list(
        context,
        list_requested(
            context, "/api/v1/jobs", {"project", "state", "purpose", "worker", "nightly"}),
        "No job.",
        {{"ID", "id"},
         {"PROJECT", "project"},
         {"PURPOSE", "purpose"},
         {"STATE", "state"},
         {"CLASS", "machine_class"},
         {"WORKER", "worker"},
         {"LOST", "lost_attempts"},
         {"MADE", ago_at(context, "created_at_s")},
         {"SAYS", says}},
        "STATE");
}

ExitCode list_workers(const CommandContext& context) {
    return print_list(
        context,
        list_requested(context, "/api/v1/workers", {}),
        "No worker yet.",
        {{"NAME", "name"},
         {"CLASS", "machine_class"},
         {"STATE", worker_words},
         {"JOB", "job"},
         {"SEEN", ago_at(context, "last_seen_at_s")},
         {"CONTAINED", contained_words},
         {"MACHINE", machine_words}},
        "STATE");
}

ExitCode list_allocations(const CommandContext& context) {
    const auto hours = [now_s = context.world.now_s()](const json& one) -> std::string {
        if (!is_set(one, "started_at_s")) return "";
        const auto end_s = is_set(one, "ended_at_s") ? number_at(one, "ended_at_s") : now_s;
        const auto spent_s = end_s - number_at(one, "started_at_s");
        return text::rounded(static_cast<double>(spent_s) / 3600, 2);
    };
    const auto state = [](const json& one) {
        const auto outcome = text_at(one, "outcome");
        return outcome.empty() ? text_at(one, "state") : outcome;
    };
    return print_list(
        context,
        list_requested(context, "/api/v1/allocations", {"state", "machine-class"}),
        "No machine of a cluster was requested yet.",
        {{"CLASS", "machine_class"},
         {"NAME", "name"},
         {"JOB", "cluster_job"},
         {"STATE", state},
         {"MACHINE", "machine"},
         {"REQUESTED", utc_at("created_at_s")},
         {"HOURS", hours},
         {"REASON", "reason"}},
        "STATE");
}

ExitCode list_canaries(const CommandContext& context) {
    const auto off = [](const json& canary) {
        return is_set(canary, "moved_ratio") ? text::percent(real_at(canary, "moved_ratio")) : "-";
    };
    return print_list(
        context,
        list_requested(context, "/api/v1/canaries", {"worker", "nightly", "state"}),
        "No canary was measured yet.",
        {{"NIGHT", "nightly"},
         {"WORKER", "worker"},
         {"CLASS", "machine_class"},
         {"STATE", "state"},
         {"OFF", off},
         {"SAYS", "message"}},
        "STATE");
}

ExitCode list_tokens(const CommandContext& context) {
    const auto projects = [](const json& token) -> std::string {
        const auto& names = token.at("projects");
        if (names.is_array()) return text::joined(names.get<std::vector<std::string>>(), ",");
        const auto scopes = parse_scopes(text_at(token, "scope"));
        return scopes.may(Scope::ingest) ? "all" : "";
    };
    return print_list(
        context,
        list_requested(context, "/api/v1/tokens", {}),
        "No token.",
        {{"ID", "id"},
         {"NAME", "name"},
         {"SCOPE", "scope"},
         {"SENDS FOR", projects},
         {"MADE", utc_at("created_at_s")},
         {"USED", utc_at("used_at_s")},
         {"EXPIRES", utc_at("expires_at_s")},
         {"REVOKED", utc_at("revoked_at_s")}});
}

ExitCode list_mutes(const CommandContext& context) {
    const auto what = [](const json& mute) {
        return is_set(mute, "regression")
                   ? fmt::format("regression {}", number_at(mute, "regression"))
                   : fmt::format("series {}: {}", number_at(mute, "series"), series_words(mute));
    };
    return print_list(
        context,
        list_requested(context, "/api/v1/mutes", {"project", "state", "owner"}),
        "Nothing is muted.",
        {{"ID", "id"},
         {"PROJECT", "project"},
         {"WHAT", what},
         {"STATE", "state"},
         {"OWNER", "owner"},
         {"UNTIL", utc_at("until_s")},
         {"REASON", "reason"},
         {"ENDED", "ended_why"}},
        "STATE");
}

ExitCode list_missed(const CommandContext& context) {
    return print_list(
        context,
        list_requested(context, "/api/v1/missed", {"project", "state", "series"}),
        "No missed regression was reported.",
        {{"ID", "id"},
         {"PROJECT", "project"},
         {"SINCE", "night"},
         {"SERIES", "series"},
         {"WHAT", series_words},
         {"STATE", "state"},
         {"REGRESSION", "regression"},
         {"BY", "by"},
         {"MESSAGE", "message"}},
        "STATE");
}

ExitCode list_audit(const CommandContext& context) {
    return print_list(
        context,
        list_requested(context, "/api/v1/audit", {"who", "action", "object"}),
        "No change was recorded.",
        {{"WHEN", utc_at("at_s")},
         {"WHO", "who"},
         {"FROM", "address"},
         {"ACTION", "action"},
         {"OBJECT", "object"},
         {"ASKED",
          [](const json& one) {
              const auto& asked = object_at(one, "asked");
              return asked.empty() ? "" : asked.dump(-1, ' ', true);
          }},
         {"REASON", "reason"}});
}

ExitCode export_history(const CommandContext& context) {
    const auto filters = filters_of(
        context, {"project", "benchmark", "case", "variant", "machine-class", "metric", "nights"});
    bool empty = true;
    context.api.each_page(
        "/api/v1/history" + http::query_string(filters), [&](const std::string& lines) {
            *context.world.out << text::lines(lines);
            empty = empty && lines.empty();
        });
    if (empty) {
        check_names(context, filters);
        *context.world.err << "vigil: no measured night matches these filters\n";
    }
    return ExitCode::ok;
}

}  // namespace vigil::cli
