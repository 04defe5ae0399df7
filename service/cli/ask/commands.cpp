#include "service/cli/ask/commands.hpp"

#include "bisect/detect/series_record.hpp"
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
#include "service/cli/ask/show.hpp"
#include "service/cli/ask/status.hpp"
#include "service/cli/ask/trigger.hpp"

namespace vigil::cli {

namespace {

Option report_kind(const std::string& help) {
    return choice_option("kind", "KIND", help, {"regression", "night", "trouble"});
}

const Option revision_option{
    "revision",
    "HASH",
    "build and measure this commit (full hash); one that is not newer than the newest night is "
    "measured beside the nights: shown, and not judged"};
const Option withdrawn_worker{"worker", "NAME", "only what this worker measured in that night"};

std::vector<CommandSpec> watching() {
    return {
        {"status",
         show_status,
         {},
         "tonight: what runs, what waits, what is open, how long it will take",
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
         "the reports that were written",
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
         "builds what a regression's report compares, and measures both by its command",
         {{"print", "", "shows the command instead of running it"},
          {"config",
           "FILE",
           "the daemon's config: the project's repository is the one it names there"}},
         {"vigil reproduce 7",
          "vigil reproduce 7 --config vigild.json",
          "vigil reproduce 7 --print > reproduce.sh"},
         "The command is that of the report's section Reproduce. It clones, builds and measures "
         "in\n"
         "a new folder below $TMPDIR, as you and outside any sandbox, and ends in the three lines\n"
         "of vigil compare. A repository that the daemon has as a folder is not named in reports:\n"
         "give --config FILE, set $REPOSITORY, or stand in a clone of it.\n"
         "Ends with: 0 it ran; 4 there is no command, or it failed.\n"},
        {"jobs",
         list_jobs,
         {},
         "jobs, newest first",
         {project_option,
          choice_option("state", "STATE", "only in this state", names_of<JobState>()),
          choice_option("purpose", "PURPOSE", "only for this", names_of<Purpose>()),
          {"worker", "NAME", "only those this worker has or had last"},
          nightly_option("only those of this night"),
          limit_option},
         {"vigil jobs --state parked", "vigil jobs --nightly 12 --limit 500"}},
        {"logs",
         show_logs,
         {"JOB"},
         "what the builds and runs of a job printed; run/N gives one run's log",
         {},
         {"vigil logs 41", "vigil logs run/107"}}};
}

std::vector<CommandSpec> measuring() {
    return {
        {"workers",
         list_workers,
         {},
         "the workers and what they do",
         {limit_option},
         {"vigil workers"}},
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
          {"open", "", "only those that ask for somebody"},
          {"state", "STATES", "'open', states or ends ('recovered'), with commas between"},
          {"assigned", "NAME", "only those assigned to this person"},
          metric_option,
          benchmark_option,
          case_option,
          variant_option,
          class_option,
          {"author", "TEXT", "only those whose culprit's author is called so, or part of it"},
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
         "what looked worse or better, what became of it, and what waits for its turn and why",
         {project_option,
          choice_option("asked", "WHAT", "only what was asked so", names_of<detect::Asked>()),
          {"waiting", "", "only those that a night had no runs for"},
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
         "changes that are certain and not filed: small ones, and sums of small ones",
         {project_option,
          metric_option,
          benchmark_option,
          case_option,
          nightly_option("only those that this night found"),
          since_option,
          until_option,
          limit_option},
         {"vigil drifts", "vigil drifts --benchmark mlp --since 2026-11-01 --json"}},
        {"week",
         show_week,
         {},
         "the last seven days: found, recovered, better, by whom, and the time of the machines",
         {project_option, until_option},
         {"vigil week --project tensorlab", "vigil week --until 2026-11-23 --json"}},
        {"precision",
         show_precision,
         {},
         "how well the service itself did: confirmed, refuted, not reproduced, and what it cost",
         {project_option, since_option, until_option},
         {"vigil precision --since 2026-11-01", "vigil precision --project tensorlab --json"}}};
}

std::vector<CommandSpec> withdrawing() {
    return {
        {"night withdraw",
         change_night,
         {"NIGHT"},
         "takes a night out of all judgement: it was measured with something broken or wrong; "
         "needs --reason",
         {reason_option, withdrawn_worker, project_option},
         {"vigil night withdraw 2026-11-22 --reason 'wrong driver on the class'",
          "vigil night withdraw 12 --worker xeon-3 --reason 'its fan stood still'"},
         "NIGHT is its number or name (12, 2026-11-22, 2026-11-22.2). From then on nothing is\n"
         "judged by what it measured by itself, and every series is as if that night had never\n"
         "been; its values stay, marked. Builds stay, and so does what was measured of them\n"
         "against each other: a regression that is filed stays open, and its report says so.\n"
         "A night that is still being measured ends. Needs a token of scope admin.\n"},
        {"night restore",
         change_night,
         {"NIGHT"},
         "takes that back: the night counts as if it had never been withdrawn",
         {reason_option, withdrawn_worker, project_option},
         {"vigil night restore 2026-11-22"}}};
}

std::vector<CommandSpec> acting() {
    return {
        {"trigger",
         trigger_night,
         {"PROJECT"},
         "looks for a nightly now",
         {revision_option,
          {"version", "NAME", "take this version of the source"},
          {"key", "TEXT", "makes a retry the same wish (default: a new one each time)"},
          {"wait",
           "",
           "until the night has ended; ends with 1 when it failed or a regression of the project "
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
         {whole_option(
              "nights", "N", "of so many days before the first night (default 30)", 1, 365),
          whole_option("runs-budget", "N", "plans at most N runs (default 10000)", 1, 10'000'000),
          {"dry-run", "", "only says what it would plan"},
          {"wait", "", "until it has ended; ends with 1 when it was cancelled or failed"},
          whole_option(
              "timeout",
              "S",
              "with --wait: give up after this many seconds (default 864000)",
              1,
              8'640'000)},
         {"vigil backfill tensorlab --nights 30 --wait",
          "vigil backfill tensorlab --nights 90 --runs-budget 5000 --dry-run"},
         "Of a git branch the last first-parent commit of each day is measured, of archives those\n"
         "that the source still offers; in their order, and whenever nothing of tonight waits.\n"
         "Nothing old is filed: steps of the past are listed, here and by vigil drifts. Asked\n"
         "again it is the same backfill.\n"},
        {"backfill show",
         show_backfill,
         {"ID"},
         "how far a backfill is, and the steps that it found",
         {},
         {"vigil backfill show 1", "vigil backfill show 1 --json"}},
        {"backfill cancel",
         cancel_backfill,
         {"ID"},
         "ends a backfill; what it has measured becomes history",
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
         "sends again what was given up of a report",
         {},
         {"vigil report retry 12"}},
        {"outbox retry",
         retry_message,
         {"ID"},
         "sends one message again that was given up",
         {},
         {"vigil outbox retry 31"}},
        {"notices retry",
         retry_notice,
         {"ID"},
         "sends one comment or check run again that was given up",
         {},
         {"vigil notices retry 12"}},
        {"worker quarantine",
         change_worker,
         {"NAME"},
         "gives a worker no more jobs until it is released; needs --reason",
         {reason_option},
         {"vigil worker quarantine xeon-3 --reason 'its fan stood still'"}},
        {"worker release",
         change_worker,
         {"NAME"},
         "lets a worker measure again that was held because it alone moved, or by hand",
         {reason_option},
         {"vigil worker release xeon-3"}},
        {"job retry",
         retry_job,
         {"ID"},
         "plans a night's job anew that failed, while the night is measured",
         {},
         {"vigil job retry 41"}},
        {"job cancel",
         cancel_job,
         {"ID"},
         "ends a job that waits or runs",
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
    add("What a daemon watches", watching());
    add("What it judged", regressions());
    add("What it judged", judging());
    add("What it measured", measuring());
    add("What it recorded", record_commands());
    add("Asking it to measure", measure_commands());
    add("Telling it what to do", acting());
    add("Telling it what to do", filling());
    add("Telling it what to do", deciding());
    add("Telling it what to do", muting());
    add("Telling it what to do", {import_command(), answer_command()});
    add("Telling it what to do", import_commands());
    add("Telling it what to do", keeping());
    add("Telling it what to do", granting());
    add("Telling it what to do", withdrawing());
    return list;
}

}  // namespace vigil::cli
