#include "service/cli/ask/record_commands.hpp"

#include <utility>

#include "schema/model/job.hpp"
#include "schema/model/states.hpp"
#include "service/cli/ask/change.hpp"
#include "service/cli/ask/open.hpp"
#include "service/cli/ask/options.hpp"
#include "service/cli/ask/records.hpp"
#include "service/cli/ask/watch.hpp"

namespace vigil::cli {

namespace {

std::vector<CommandSpec> measured() {
    return {
        {"projects",
         list_projects,
         {},
         "the projects, and their newest nights",
         {format_option, limit_option},
         {"vigil projects"}},
        {"series",
         list_series,
         {},
         "the series: benchmark, variant, machine class and metric",
         {project_option,
          benchmark_option,
          case_option,
          variant_option,
          class_option,
          metric_option,
          format_option,
          limit_option},
         {"vigil series --benchmark mlp"}},
        {"series show",
         show_series,
         {"ID"},
         "the nights of one series, with their values",
         with_days_and_format({choice_option(
             "purpose",
             "PURPOSE",
             "values of the nights' builds for this purpose (default nightly)",
             names_of<Purpose>())}),
         {"vigil series show 12 --limit 60", "vigil series show 12 --purpose confirm"}},
        {"bisections",
         list_bisections,
         {},
         "the searches for culprits",
         with_days_and_format(
             {project_option,
              choice_option("state", "STATE", "only in this state", names_of<BisectionState>()),
              nightly_option("only those of this night")}),
         {"vigil bisections --state searching"}}};
}

std::vector<CommandSpec> kept() {
    return {
        {"retention",
         list_retention,
         {},
         "nights that are rolled up: how many of their jobs, runs and samples are gone",
         with_days_and_format({project_option}),
         {"vigil retention --project tensorlab"},
         "A night older than ledger.raw_nights is rolled up: of each run the median, the spread "
         "and\n"
         "the number of samples stay. A job stays as it was when a run of it failed, or when a\n"
         "regression stands on it (KEPT).\n"},
        {"retention content",
         list_dropped,
         {},
         "how much content was removed on each day, and why",
         with_days_and_format(
             {choice_option("kind", "KIND", "only of this kind", names_of<ContentKind>())}),
         {"vigil retention content --kind product"},
         "Its run was rolled up (run_gone), nothing used it for longer than the config says\n"
         "(unused), or the content store was larger than the config says (no_room).\n"}};
}

std::vector<CommandSpec> opened() {
    CommandAction action(open_page);
    action.check = check_page_words;
    return {
        {"open",
         action,
         {"[WHAT]", "[ID]"},
         "opens a page of the daemon in a browser: regression, series, night or search",
         {{"print", "", "prints the address instead"}},
         {"vigil open", "vigil open regression 7", "vigil open night --print"},
         "Without an ID it opens the newest; without arguments, tonight.\n"}};
}

std::vector<CommandSpec> happened() {
    return {
        {"watch",
         watch_events,
         {"[PROJECT]"},
         "prints events as they happen: nights, suspicions, regressions, reports",
         {{"all", "", "every event, also those of single jobs"},
          whole_option("since", "ID", "begins after this event (default: the newest)", 0, max_id),
          {"until-done", "", "ends when a night is done (0) or has failed (1)"}},
         {"vigil watch tensorlab", "vigil watch tensorlab --until-done --json"},
         "With --json each event is one line. A connection that is lost is made again, and goes "
         "on\n"
         "where it ended; where the server refuses to send events it is asked for them instead.\n"},
        {"events",
         list_events,
         {},
         "the events, newest first",
         with_days_and_format(
             {project_option,
              {"kind", "KIND", "only of this kind, such as nightly.done"},
              {"subject", "WHAT", "only events of this, such as regression/7"}}),
         {"vigil events --subject regression/7", "vigil events --since 12h --format ndjson"}},
        {"triggers",
         list_triggers,
         {},
         "requested nightlies, and their outcome",
         with_days_and_format(
             {project_option,
              choice_option("state", "STATE", "only in this state", {"waiting", "done", "failed"}),
              choice_option(
                  "cause", "CAUSE", "only by this", {"schedule", "request", "delivery"})}),
         {"vigil triggers --state waiting"}},
        {"deliveries",
         list_deliveries,
         {},
         "received webhooks, and their outcome",
         with_days_and_format({choice_option(
             "state", "STATE", "only in this state", {"received", "acted", "ignored"})}),
         {"vigil deliveries --state ignored"}},
        {"outbox",
         list_outbox,
         {},
         "messages to report targets: pending, sent, and given up",
         with_days_and_format(
             {project_option,
              choice_option("state", "STATE", "only in this state", {"pending", "sent", "dead"}),
              {"target", "NAME", "only to this report target"},
              whole_option("report", "ID", "only of this report", 1, max_id),
              given_up_option}),
         {"vigil outbox --given-up"}}};
}

std::vector<CommandSpec> below_issues() {
    return {
        {"notices",
         list_notices,
         {},
         "comments and check runs that are updated on GitHub",
         with_days_and_format(
             {choice_option("state", "STATE", "only in this state", {"pending", "sent", "dead"}),
              {"target", "NAME", "only of this report target"},
              whole_option("number", "NUMBER", "only of this issue or pull request", 0, max_id),
              given_up_option}),
         {"vigil notices --given-up"}},
        {"pulls",
         list_pulls,
         {},
         "measured commits of pull requests",
         with_days_and_format(
             {project_option,
              choice_option("state", "STATE", "only in this state", names_of<PullState>()),
              {"target", "NAME", "only of this report target"},
              whole_option("number", "NUMBER", "only of this pull request", 1, max_id)}),
         {"vigil pulls --number 7"}}};
}

}  // namespace

std::vector<CommandSpec> record_commands() {
    auto commands = measured();
    for (auto& command : kept()) commands.push_back(std::move(command));
    for (auto& command : opened()) commands.push_back(std::move(command));
    for (auto& command : happened()) commands.push_back(std::move(command));
    for (auto& command : below_issues()) commands.push_back(std::move(command));
    return commands;
}

}  // namespace vigil::cli
