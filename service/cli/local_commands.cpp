#include "service/cli/history.hpp"
#include "service/cli/local.hpp"
#include "service/local/order.hpp"

// The rows of the table of commands that need no server.

namespace vigil::cli {

namespace {

constexpr auto most_nights = static_cast<long long>(max_history_rows);

std::vector<Option> common_to_both() {
    return {
        {"good", "COMMIT", "the older commit, whose numbers are right"},
        {"bad", "COMMIT", "the newer commit"},
        {"build",
         "CMD",
         "builds the source tree it is run in (sh -c); default: nothing to build",
         Reads::anything},
        {"bench", "CMD", "what is measured, run in what was built (sh -c)"},
        choice_option(
            "metric",
            "NAME",
            "time (default), cpu, memory, or samples: the numbers it prints",
            names_of<local::Measure>()),
        {"higher-is-better", "", "of the numbers it prints"},
        ratio_option("threshold", "changes above this count, 7% or 0.07 (default 7%)"),
        {"outputs", "PATHS", "what a build makes, by commas; the rest is not kept (default all)"},
        whole_option("timeout", "S", "for each build and each run (default 3600)", 1, 864'000),
        whole_option("jobs", "N", "builds at the same time (default 1)", 1, 64),
        whole_option(
            "at-once",
            "N",
            "runs at the same time: with cpu, on one processor (default 6); with samples, "
            "benchmarks that take turns (default 1)",
            1,
            local::most_at_once),
        {"repo", "DIR", "the repository (default: here)"},
        {"state", "DIR", "where builds and logs are kept (default $XDG_STATE_HOME/vigil)"}};
}

CommandSpec compare_command() {
    CommandSpec spec;
    spec.name = "compare";
    spec.summary = "builds two commits, measures them interleaved until it is sure, and says";
    spec.options = common_to_both();
    spec.options.push_back(
        whole_option("blocks", "N", "at most N blocks of four runs (default 12)", 1, 100));
    spec.examples = {
        "vigil compare --good v1.2 --bad HEAD --build make --bench './bench --quick'",
        "vigil compare --good HEAD~1 --bad HEAD --build make --bench ./bench --metric memory"};
    spec.notes =
        "Ends with: 0 not worse beyond the threshold; 1 worse; 2 the command line is wrong;\n"
        "3 this machine cannot (no git, a full disk); 4 the commits, the build or the benchmark\n"
        "cannot be used; 5 unsure after all blocks; 130 stopped.\n";
    return spec;
}

CommandSpec bisect_command() {
    CommandSpec spec;
    spec.name = "bisect run";
    spec.summary = "finds the commit that made a benchmark worse, in worktrees of its own";
    spec.options = common_to_both();
    for (const Option& option : std::vector<Option>{
             {"path", "P", "commits that touch this path are more likely the culprit"},
             {"budget", "LIST", "like runs=200,builds=20,minutes=90; default: no limit"},
             {"report", "FILE", "writes a report: FILE.md or FILE.html"},
             {"again", "", "begins anew, although this search has a log; builds are kept"}}) {
        spec.options.push_back(option);
    }
    spec.examples = {
        "vigil bisect run --good v1.2 --bad HEAD --build 'make -j4' --bench './bench --quick'",
        "vigil bisect run --good v1.2 --bad HEAD --build make --bench ./bench --metric memory "
        "--report memory.html"};
    spec.notes =
        "The same command goes on where it was stopped, at any point; nothing is measured twice.\n"
        "Ends with: 0 culprit found and verified; 1 not reproduced: the ends do not differ;\n"
        "2 the command line is wrong; 3 this machine cannot (no git, a full disk); 4 the commits,\n"
        "the build or the benchmark cannot be used; 5 only a range, with the reason; 130 "
        "stopped.\n";
    return spec;
}

const Option direction_option = choice_option(
    "direction",
    "WORD",
    "lower or higher: which is better (default lower); a series' own goes first",
    {"lower", "higher"});
const Option series_option{"series", "NAME", "only this series of the file"};

CommandSpec detect_command() {
    CommandSpec spec;
    spec.name = "detect";
    spec.arguments = {"[FILE...]"};
    spec.summary = "finds where the level of a series of nights changed, and what to measure again";
    spec.options = {
        direction_option,
        series_option,
        {"since", "NIGHT", "only changes whose first night is not before this one"},
        ratio_option("threshold", "worse by more than this ends with 1, 7% or 0.07 (default 7%)"),
        {"explain",
         "",
         "prints what every night said when it was the newest; with SERIES NIGHT after the file "
         "why "
         "that one did"},
        {"svg", "FILE", "draws the series into this file"},
        {"stdio", "", "instead of FILE: one series a line as JSON, one answer a line"}};
    spec.examples = {
        "vigil detect history.csv",
        "vigil detect history.csv --series mlp/train --explain",
        "vigil detect history.csv --explain mlp/train 2026-03-03",
        "vigil detect nightly/*.json --series BM_Sort/1024",
        "vigil detect history.jsonl --json --direction higher --svg history.svg",
        "vigil detect --stdio"};
    spec.notes =
        std::string(history_help) +
        "\nEnds with: 0 nothing surely got worse beyond the threshold; 1 something did; 2 the\n"
        "command line is wrong; 4 the file cannot be used; 5 too few nights in every series.\n";
    return spec;
}

CommandSpec backtest_command() {
    CommandSpec spec;
    spec.name = "backtest";
    spec.arguments = {"FILE", "[FILE...]"};
    spec.summary =
        "replays histories night by night: how often, and how late, it would have spoken";
    spec.options = {
        direction_option,
        series_option,
        whole_option(
            "start",
            "N",
            "judge from night N on, counted from 0 (default: the series' own, or 0)",
            0,
            most_nights),
        whole_option(
            "within",
            "N",
            "an alarm so many nights after a labelled one is right (default 14)",
            0,
            most_nights),
        {"rule", "FILE", "replays once more under this rule: which alarms appear, which vanish"}};
    spec.examples = {
        "vigil backtest history.csv",
        "vigil backtest labelled.jsonl --json",
        "vigil backtest history.csv --rule prompter.json"};
    spec.notes =
        std::string(history_help) +
        "\nEnds with: 0 replayed; 2 the command line is wrong; 4 the file cannot be used.\n";
    return spec;
}

CommandSpec init_command() {
    CommandSpec spec;
    spec.name = "init";
    spec.summary = "writes a config for the repository it stands in, and says what to do next";
    spec.options = {
        {"repo", "DIR", "the repository (default: here)"},
        {"into", "DIR", "where it is written (default: vigil/ in the repository)"},
        {"name", "NAME", "of the project (default: the repository's folder)"},
        {"force", "", "overwrites what is there"}};
    spec.examples = {"vigil init", "vigil init --repo ~/src/json --into ~/vigil-json --force"};
    spec.notes =
        "Knows CMake, Meson, Cargo, npm, Python and Make, and looks for a benchmark. What it\n"
        "cannot know is marked FILL IN. vigild accepts the config as it stands.\n"
        "Ends with: 0 written; 2 the command line is wrong; 3 the folder cannot be written;\n"
        "4 there is no repository, or a file is there already.\n";
    return spec;
}

}  // namespace

std::vector<CommandSpec> local_commands() {
    return {
        init_command(),
        compare_command(),
        bisect_command(),
        {"bisect replay",
         {"LOG"},
         "asks the search again from a log, and says whether it comes to the same answer",
         {{"report", "FILE", "writes a report: FILE.md or FILE.html"}},
         {"vigil bisect replay bisect-0123456789ab.jsonl --report found.html"},
         "Ends like bisect run; 4 when the log does not replay to the same answer.\n"},
        {"bisect explain",
         {"LOG"},
         "step by step: what was asked and why, what was seen, what was believed",
         {},
         {"vigil bisect explain bisect-0123456789ab.jsonl"}},
        {"bisect plan",
         {},
         "the search alone: another program builds and measures, this one says what next",
         {{"stdio", "", "one JSON object a line on standard input and output"}},
         {"vigil bisect plan --stdio"}},
        {"confirm",
         {},
         "the judgement alone: another program measures nights and runs, this one gives verdicts",
         {{"stdio", "", "one JSON object a line on standard input and output"},
          {"trigger",
           "WORD[:NATS]",
           "what opens a session: level (tonight's), shape (of the newest nights, from 4.5 nats "
           "on), either or both (default either)"}},
         {"vigil confirm --stdio", "vigil confirm --stdio --trigger either:6"}},
        detect_command(),
        backtest_command()};
}

}  // namespace vigil::cli
