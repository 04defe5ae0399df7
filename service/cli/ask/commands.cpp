#include "service/cli/ask/commands.hpp"

#include "bisect/detect/series_record.hpp"
#include "schema/model/allocation.hpp"
#include "schema/model/canary.hpp"
#include "schema/model/metric.hpp"
#include "schema/model/states.hpp"
#include "service/cli/ask/answer.hpp"
#include "service/cli/ask/backfill.hpp"
#include "service/cli/ask/change.hpp"
#include "service/cli/ask/decisions.hpp"
#include "service/cli/ask/import.hpp"
#include "service/cli/ask/imports.hpp"
#include "service/cli/ask/lists.hpp"
#include "service/cli/ask/measure.hpp"
#include "service/cli/ask/options.hpp"
#include "service/cli/ask/record_commands.hpp"
#include "service/cli/ask/reproduce.hpp"
#include "service/cli/ask/revert.hpp"
#include "service/cli/ask/show.hpp"
#include "service/cli/ask/status.hpp"
#include "service/cli/ask/trigger.hpp"
#include "service/cli/ask/watch.hpp"
#include "service/cli/ask/why.hpp"

namespace vigil::cli {

namespace {

Option report_kind(const std::string& help) {
    return choice_option("kind", "KIND", help, {"regression", "night", "trouble"});
}

const Option revision_option{
    "revision",
    "HASH",
    "build and measure this commit (full hash); a commit older than the newest night is "
    "measured beside the nights: displayed, but not judged"};
const Option withdrawn_worker{"worker", "NAME", "only the values of this worker in that night"};

std::vector<CommandSpec> watching() {
    return {
        {"status",
         show_status,
         {},
         "tonight: running and queued jobs, open regressions, time left",
         {project_option, {"exit-code", "", "end with 1 when a regression is open"}},
         {"vigil status", "vigil status --exit-code && deploy-it"}},
        {"nights",
         list_nights,
         {},
         "the nights, newest first",
         {project_option, limit_option},
         {"vigil nights --limit 7"}},
        {"reports",
         list_reports,
         {},
         "the written reports",
         {project_option, report_kind("regression, night, trouble, comment or week"), limit_option},
         {"vigil reports --kind regression"}},
        {"report show",
         show_report,
         {"ID"},
         "one report as Markdown; ID is its number, or 'latest'",
         {project_option, report_kind("with latest: regression, night, trouble, comment or week")},
         {"vigil report show 12", "vigil report show latest --kind night"}},
        {"reproduce",
         reproduce,
         {"ID"},
         "builds both revisions of a regression's report, and measures them by its command",
         {{"print", "", "shows the command instead of running it"},
          {"config", "FILE", "the daemon's config: it names the project's repository"}},
         {"vigil reproduce 7",
          "vigil reproduce 7 --config vigild.json",
          "vigil reproduce 7 --print > reproduce.sh"},
         "The command is in the report's section Reproduce. It clones, builds and measures in a "
         "new\n"
         "folder below $TMPDIR, as you and without a sandbox, and prints the three lines of vigil\n"
         "compare. Reports do not name a repository that is a folder of the daemon's machine:\n"
         "give --config FILE, set $REPOSITORY, or run it in a clone.\n"
         "Ends with: 0 it ran; 4 there is no command, or it failed.\n"},
        {"jobs",
         list_jobs,
         {},
         "jobs, newest first",
         {project_option,
          choice_option("state", "STATE", "only in this state", names_of<JobState>()),
          choice_option("purpose", "PURPOSE", "only of this purpose", names_of<Purpose>()),
          {"worker", "NAME", "only those last leased by this worker"},
          nightly_option("only those of this night"),
          limit_option},
         {"vigil jobs --state parked", "vigil jobs --nightly 12 --limit 500"}},
        {"logs",
         show_logs,
         {"JOB"},
         "the logs of a job's builds and runs; run/N prints the log of one run",
         {},
         {"vigil logs 41", "vigil logs run/107"}}};
}

std::vector<CommandSpec> measuring() {
    return {
        {"workers",
         list_workers,
         {},
         "the workers and their jobs",
         {limit_option},
         {"vigil workers"}},
        {"fleet",
         list_allocations,
         {},
         "the machines that a cluster was asked for: state, reason and hours, newest first",
         {choice_option("state", "STATE", "only in this state", names_of<AllocationState>()),
          {"machine-class", "NAME", "only of this machine class"},
          since_option,
          until_option,
          limit_option},
         {"vigil fleet", "vigil fleet --state pending"}},
        {"canaries",
         list_canaries,
         {},
         "the reference builds (canaries) of each machine class, worker by worker, night by night",
         {{"worker", "NAME", "only of this worker"},
          nightly_option("only of this night"),
          choice_option("state", "STATE", "only in this state", names_of<CanaryState>()),
          since_option,
          until_option,
          limit_option},
         {"vigil canaries --worker xeon-3", "vigil canaries --state moved"}},
        {"history",
         export_history,
         {},
         "the measured nights of series as lines of JSON, for detect and backtest",
         {project_option,
          benchmark_option,
          case_option,
          variant_option,
          class_option,
          metric_option,
          whole_option("nights", "N", "the newest N nights of each series (default 400)", 1, 5000)},
         {"vigil history --project tensorlab > history.jsonl",
          "vigil history --metric cpu_time_ns > history.jsonl"}}};
}

std::vector<CommandSpec> regressions() {
    return {
        {"regressions",
         list_regressions,
         {},
         "confirmed regressions",
         {project_option,
          {"open", "", "only those that need attention"},
          {"state", "STATES", "'open', states or ends ('recovered'), separated by commas"},
          {"assigned", "NAME", "only those assigned to this person"},
          metric_option,
          benchmark_option,
          case_option,
          variant_option,
          class_option,
          {"author", "TEXT", "only those with this name, or part of it, as the culprit's author"},
          {"culprit", "HASH", "only of this commit"},
          since_option,
          until_option,
          format_option,
          limit_option},
         {"vigil regressions --open",
          "vigil regressions --state open --since 7d --format csv --limit 500"}},
        {"regression show",
         show_regression,
         {"ID"},
         "one regression: its commits, series, report and issue, with their addresses",
         {},
         {"vigil regression show 7"}}};
}

std::vector<CommandSpec> judging() {
    return {
        {"suspicions",
         list_suspicions,
         {},
         "suspected changes, their verdicts, and the deferred ones with the reason",
         {project_option,
          choice_option("asked", "WHAT", "only of this kind", names_of<detect::Asked>()),
          {"waiting", "", "only deferred ones, which had no runs in a night"},
          choice_option("verdict", "VERDICT", "only with this verdict", names_of<Verdict>()),
          metric_option,
          benchmark_option,
          case_option,
          nightly_option("only those of this night"),
          whole_option("series", "ID", "only those of this series", 1, max_id),
          since_option,
          until_option,
          limit_option},
         {"vigil suspicions --waiting", "vigil suspicions --nightly 12 --json"}},
        {"drifts",
         list_drifts,
         {},
         "certain changes too small to be filed, and sums of small ones",
         {project_option,
          metric_option,
          benchmark_option,
          case_option,
          nightly_option("only those found in this night"),
          since_option,
          until_option,
          limit_option},
         {"vigil drifts", "vigil drifts --benchmark mlp --since 2026-11-01 --json"}},
        {"week",
         show_week,
         {},
         "the last seven days: regressions found and recovered, improvements, machine time",
         {project_option, until_option},
         {"vigil week --project tensorlab", "vigil week --until 2026-11-23 --json"}},
        {"hours",
         show_hours,
         {},
         "machine hours of a project by day, machine class and work",
         {project_option, since_option, until_option},
         {"vigil hours --project tensorlab", "vigil hours --since 30d --json"},
         "An attempt counts from its claim to its end, lost ones too, for the UTC day of its "
         "claim.\n"
         "Without --since: the last seven days. The hours of a cluster's machines: vigil fleet.\n"},
        {"precision",
         show_precision,
         {},
         "precision of the service: confirmed, refuted and not reproduced, and the cost",
         {project_option, since_option, until_option},
         {"vigil precision --since 2026-11-01", "vigil precision --project tensorlab --json"}}};
}

std::vector<CommandSpec> withdrawing() {
    return {
        {"night withdraw",
         change_night,
         {"NIGHT"},
         "excludes a night from judgement, as its measurements are wrong; needs --reason",
         {reason_option, withdrawn_worker, project_option},
         {"vigil night withdraw 2026-11-22 --reason 'wrong driver on the class'",
          "vigil night withdraw 12 --worker xeon-3 --reason 'its fan stood still'"},
         "NIGHT is its number or name (12, 2026-11-22, 2026-11-22.2). Its values are no\n"
         "longer judged, and stay visible, marked. Its builds stay, and so do comparisons of "
         "them:\n"
         "a filed regression stays open, and its report names the withdrawal. A night that is\n"
         "still measured ends. Needs a token of scope admin.\n"},
        {"night restore",
         change_night,
         {"NIGHT"},
         "ends a withdrawal: the night counts as if it had never been withdrawn",
         {reason_option, withdrawn_worker, project_option},
         {"vigil night restore 2026-11-22"}}};
}

std::vector<CommandSpec> acting() {
    return {
        {"trigger",
         trigger_night,
         {"PROJECT"},
         "requests a nightly now",
         {revision_option,
          {"version", "NAME", "this version of the source"},
          {"key", "TEXT", "a retry with the same key is the same request (default: a new key)"},
          {"wait",
           "",
           "waits for the night's end; ends with 1 if it failed or a regression of the project "
           "is open"},
          whole_option(
              "timeout",
              "S",
              "with --wait: give up after this many seconds (default 86400)",
              1,
              864'000)},
         {"vigil trigger tensorlab --wait",
          "vigil trigger tensorlab --revision 9cf258be147ad0369cf258be147ad0369cf258be"}}};
}

std::vector<CommandSpec> filling() {
    return {
        {"backfill",
         ask_backfill,
         {"PROJECT"},
         "measures earlier nights, so that a new project has a history",
         {whole_option("nights", "N", "days before the first night (default 30)", 1, 365),
          whole_option("runs-budget", "N", "plans at most N runs (default 10000)", 1, 10'000'000),
          {"dry-run", "", "prints the plan, and stores nothing"},
          {"wait", "", "waits for its end; ends with 1 if it was cancelled or failed"},
          whole_option(
              "timeout",
              "S",
              "with --wait: give up after this many seconds (default 864000)",
              1,
              8'640'000)},
         {"vigil backfill tensorlab --nights 30 --wait",
          "vigil backfill tensorlab --nights 90 --runs-budget 5000 --dry-run"},
         "Measures the last first-parent commit of each day of a git branch, or the archives that\n"
         "the source still has, oldest first, while no job of tonight is queued. Old changes are\n"
         "not filed: they are listed, here and by vigil drifts. The same request again returns\n"
         "the running backfill.\n"},
        {"backfill show",
         show_backfill,
         {"ID"},
         "the progress of a backfill, and the steps found in its nights",
         {},
         {"vigil backfill show 1", "vigil backfill show 1 --json"}},
        {"backfill cancel",
         cancel_backfill,
         {"ID"},
         "ends a backfill; the nights already measured become history",
         {},
         {"vigil backfill cancel 1"}},
        {"backfills",
         list_backfills,
         {},
         "the backfills, newest first",
         {project_option, limit_option},
         {"vigil backfills --project tensorlab"}}};
}

std::vector<CommandSpec> keeping() {
    return {
        {"report retry",
         retry_report,
         {"ID"},
         "sends the failed deliveries of a report again",
         {},
         {"vigil report retry 12"}},
        {"outbox retry",
         retry_message,
         {"ID"},
         "sends a message again that was given up",
         {},
         {"vigil outbox retry 31"}},
        {"notices retry",
         retry_message,
         {"ID"},
         "sends a comment or check run again that was given up",
         {},
         {"vigil notices retry 12"}},
        {"worker quarantine",
         change_worker,
         {"NAME"},
         "assigns no more jobs to a worker until it is released; needs --reason",
         {reason_option},
         {"vigil worker quarantine xeon-3 --reason 'its fan stood still'"}},
        {"worker release",
         change_worker,
         {"NAME"},
         "releases a worker that was held because it alone moved, or by hand",
         {reason_option},
         {"vigil worker release xeon-3"}},
        {"job retry",
         retry_job,
         {"ID"},
         "queues a failed job of a night again, while the night is measured",
         {},
         {"vigil job retry 41"}},
        {"job cancel",
         cancel_job,
         {"ID"},
         "ends a queued or running job",
         {},
         {"vigil job cancel 41"}}};
}

}  // namespace

std::vector<CommandSpec> daemon_commands() {
    std::vector<CommandSpec> list;
    const auto add = [&](const std::string& section, std::vector<CommandSpec> commands) {
        for (auto& command : commands) {
            command.section = section;
            list.push_back(std::move(command));
        }
    };
    add("Status of a daemon", watching());
    add("Status of a daemon", {doctor_command()});
    add("Results of detection", regressions());
    add("Results of detection", judging());
    add("Measurements", measuring());
    add("Records", record_commands());
    add("Requests", measure_commands());
    add("Decisions and administration", acting());
    add("Decisions and administration", filling());
    add("Decisions and administration", deciding());
    add("Results of detection", explaining());
    add("Results of detection", reverting());
    add("Decisions and administration", muting());
    add("Decisions and administration", {import_command(), answer_command()});
    add("Decisions and administration", import_commands());
    add("Decisions and administration", keeping());
    add("Decisions and administration", granting());
    add("Decisions and administration", withdrawing());
    return list;
}

}  // namespace vigil::cli
