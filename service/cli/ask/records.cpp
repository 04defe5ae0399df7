#include "service/cli/ask/records.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/numbers.hpp"
#include "schema/text/rolled_up.hpp"
#include "service/cli/ask/reply.hpp"

namespace vigil::cli {

namespace {

using nlohmann::json;
using Filters = std::map<std::string, std::string>;

/// A list as a table, or in the format that was asked for.
ExitCode show_records(
    const CommandContext& context,
    const std::string& path,
    const Filters& filters,
    const std::string& none,
    const std::vector<ListColumn>& columns,
    const std::string& toned = "") {
    if (print_format(context, path, filters)) return ExitCode::ok;
    const auto items = list_known(context, path, filters, limit_of(context));
    return print_list(context, items, none, columns, toned);
}

Filters with_given_up(const CommandContext& context, Filters filters) {
    if (context.invocation.has("given-up")) filters["given_up"] = "true";
    return filters;
}

std::string newest_night(const json& project) {
    const auto& night = object_at(project, "newest_nightly");
    return night.empty() ? "-" : night_name(night);
}

std::string value_words(const json& night) {
    return is_set(night, "value") ? fmt::format("{:.6g}", real_at(night, "value")) : "-";
}

}  // namespace

ExitCode list_projects(const CommandContext& context) {
    return show_records(
        context,
        "/api/v1/projects",
        {},
        "No project.",
        {{"ID", "id"},
         {"NAME", "name"},
         {"NEWEST NIGHT", newest_night},
         {"STATE",
          [](const json& project) {
              return text_at(object_at(project, "newest_nightly"), "state");
          }}},
        "STATE");
}

ExitCode list_series(const CommandContext& context) {
    return show_records(
        context,
        "/api/v1/series",
        filters_of(context, {"project", "benchmark", "case", "variant", "machine-class", "metric"}),
        "No series.",
        {{"ID", "id"},
         {"PROJECT", "project"},
         {"BENCHMARK", shown_benchmark},
         {"VARIANT", "variant"},
         {"CLASS", "machine_class"},
         {"METRIC", "metric"},
         {"UNIT", "unit"},
         {"BETTER", "direction"}});
}

ExitCode show_series(const CommandContext& context) {
    return show_records(
        context,
        "/api/v1/series/" + id_argument(context) + "/nights",
        filters_of(context, {"purpose"}),
        "No night yet.",
        {{"NIGHT", "night"},
         {"VERSION", "version"},
         {"REVISION", hash_at("revision")},
         {"STATE", "state"},
         {"VALUE", value_words},
         {"RUNS",
          [](const json& night) {
              const auto runs = std::ssize(array_at(night, "runs"));
              if (!is_set(night, "rolled_up_at_s")) return std::to_string(runs);
              return text::rolled_up(runs, number_at(night, "rolled_up_at_s"));
          }}},
        "STATE");
}

ExitCode list_retention(const CommandContext& context) {
    return show_records(
        context,
        "/api/v1/retention",
        filters_of(context, {"project"}),
        "No night is rolled up.",
        {{"ID", "id"},
         {"PROJECT", "project"},
         {"NIGHT", "night"},
         {"ROLLED UP", utc_at("rolled_up_at_s")},
         {"JOBS", "jobs"},
         {"KEPT", "kept_jobs"},
         {"RUNS", "runs"},
         {"SAMPLES", "samples"},
         {"REFUTED", "suspicions"}});
}

ExitCode list_dropped(const CommandContext& context) {
    return show_records(
        context,
        "/api/v1/retention/content",
        filters_of(context, {"kind"}),
        "No content was removed.",
        {{"ID", "id"},
         {"DAY", "day"},
         {"KIND", "kind"},
         {"REASON", "reason"},
         {"FILES", "files"},
         {"BYTES", "bytes"}});
}

ExitCode list_events(const CommandContext& context) {
    return show_records(
        context,
        "/api/v1/events",
        filters_of(context, {"project", "kind", "subject"}),
        "No event.",
        {{"ID", "id"},
         {"AT", utc_at("at_s")},
         {"KIND", "kind"},
         {"PROJECT", "project"},
         {"SUBJECT", "subject"},
         {"MESSAGE", "message"}});
}

ExitCode list_bisections(const CommandContext& context) {
    return show_records(
        context,
        "/api/v1/bisections",
        filters_of(context, {"project", "state", "nightly"}),
        "No search.",
        {{"ID", "id"},
         {"PROJECT", "project"},
         {"NIGHT", "nightly"},
         {"KIND", "kind"},
         {"STATE", "state"},
         {"GOOD", hash_at("good_revision")},
         {"BAD", hash_at("bad_revision")},
         {"BEGAN", utc_at("created_at_s")},
         {"ENDED", utc_at("ended_at_s")}},
        "STATE");
}

ExitCode list_triggers(const CommandContext& context) {
    return show_records(
        context,
        "/api/v1/triggers",
        filters_of(context, {"project", "state", "cause"}),
        "No trigger.",
        {{"ID", "id"},
         {"PROJECT", "project"},
         {"CAUSE", "cause"},
         {"STATE", "state"},
         {"NIGHT", "nightly"},
         {"MADE", utc_at("created_at_s")},
         {"SAYS", "message"}},
        "STATE");
}

ExitCode list_deliveries(const CommandContext& context) {
    return show_records(
        context,
        "/api/v1/deliveries",
        filters_of(context, {"state"}),
        "No delivery.",
        {{"ID", "id"},
         {"CAME", utc_at("received_at_s")},
         {"EVENT", "event"},
         {"STATE", "state"},
         {"REPLAYS", "replays"},
         {"SAYS", "message"}},
        "STATE");
}

ExitCode list_outbox(const CommandContext& context) {
    return show_records(
        context,
        "/api/v1/outbox",
        with_given_up(context, filters_of(context, {"project", "state", "target", "report"})),
        "No message.",
        {{"ID", "id"},
         {"PROJECT", "project"},
         {"REPORT", "report"},
         {"TARGET", "target"},
         {"STATE", "state"},
         {"FAILED", "attempts"},
         {"NEXT", utc_at("next_attempt_at_s")},
         {"WENT TO", "external_ref"},
         {"SAYS", "message"}},
        "STATE");
}

ExitCode list_notices(const CommandContext& context) {
    return show_records(
        context,
        "/api/v1/notices",
        with_given_up(context, filters_of(context, {"state", "target", "number"})),
        "No notice.",
        {{"ID", "id"},
         {"TARGET", "target"},
         {"PLACE", "place"},
         {"BELOW", "number"},
         {"STATE", "state"},
         {"FAILED", "attempts"},
         {"NEXT", utc_at("next_attempt_at_s")},
         {"SAYS", "message"}},
        "STATE");
}

ExitCode list_pulls(const CommandContext& context) {
    return show_records(
        context,
        "/api/v1/pulls",
        filters_of(context, {"project", "state", "target", "number"}),
        "No pull request.",
        {{"ID", "id"},
         {"PROJECT", "project"},
         {"NUMBER", "number"},
         {"COMMIT", "head"},
         {"BY", "by"},
         {"STATE", "state"},
         {"REQUEST", "request"},
         {"SAYS", "message"}},
        "STATE");
}

}  // namespace vigil::cli
