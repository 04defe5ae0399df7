#include "service/cli/detect/detect_file.hpp"

#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/wire/json.hpp"
#include "service/cli/common/input.hpp"
#include "service/cli/detect/detect_talk.hpp"
#include "service/cli/detect/explain_night.hpp"
#include "service/cli/detect/history_files.hpp"
#include "service/cli/detect/study_text.hpp"
#include "service/cli/detect/svg_plot.hpp"
#include "service/cli/history/night_key.hpp"
#include "service/cli/history/read_history.hpp"

namespace vigil::cli {

namespace {

constexpr std::size_t shown_quiet_series = 20;  // of more, only those with something to say

/// What all series together say.
struct Tally {
    std::size_t judged = 0;
    std::size_t bad = 0;  ///< with a change for the worse above the threshold
    std::size_t quiet = 0;
    std::size_t suspicious = 0;
};

bool has_something(const History& history, const Study& study, const DetectWishes& wishes) {
    for (const auto& change : study.changes) {
        if (is_since(history, change.change.first, wishes.since)) return true;
    }
    return study.newest && study.newest->finding.suspicion >= suspicious;
}

void tally_study(
    const History& history, const Study& study, const DetectWishes& wishes, Tally& tally) {
    tally.judged += study.measured >= least_judged_nights ? 1 : 0;
    tally.quiet += has_something(history, study, wishes) ? 0 : 1;
    tally.suspicious += study.newest && study.newest->finding.suspicion >= suspicious ? 1 : 0;
    for (const auto& change : study.changes) {
        if (!is_bad(change, wishes) || !is_since(history, change.change.first, wishes.since)) {
            continue;
        }
        ++tally.bad;
        break;
    }
}

ExitCode explain_in_file(
    const HistoryFile& file,
    Direction direction,
    const Invocation& invocation,
    const Surroundings& world) {
    const History& history = file.series.front();
    const std::size_t night = find_night(history, named_night(invocation).night);
    const auto explained = explain_night(history, direction, night, {});
    if (invocation.has("json")) {
        *world.out << wire::write_json(explained_json(history, explained)) << "\n";
    } else {
        print_notes(file, world);
        *world.out << explained_text(history, explained);
    }
    return ExitCode::ok;
}

void write_svg(
    const std::string& name, const HistoryFile& file, const std::vector<Study>& studies) {
    std::vector<SvgPanel> panels;
    for (std::size_t i = 0; i < studies.size(); ++i) {
        panels.push_back({&file.series[i], &studies[i]});
    }
    std::ofstream out(name, std::ios::binary | std::ios::trunc);
    out << svg_plot(panels);
    out.close();
    if (!out) throw Error(Errc::not_found, "cannot write " + name);
}

void check_night(const char* option, const std::string& night) {
    try {
        parse_night(night);
    } catch (const Error& error) {
        refuse(fmt::format("{}: {}", option, error.what()));
    }
}

DetectWishes detect_wishes(const Invocation& invocation, const Surroundings& world) {
    DetectWishes wishes;
    wishes.threshold = invocation.ratio("threshold", wishes.threshold);
    wishes.since = invocation.get("since");
    if (invocation.has("since")) check_night("--since", wishes.since);
    wishes.explain = invocation.has("explain");
    wishes.svg = invocation.get("svg");
    wishes.night = named_night(invocation).night;
    if (!wishes.night.empty()) check_night("--explain", wishes.night);
    wishes.plot = world.terminal;
    wishes.width = world.width;
    return wishes;
}

ExitCode detect_in_file(const Invocation& invocation, const Surroundings& world) {
    const Direction direction = direction_of(invocation);
    const DetectWishes wishes = detect_wishes(invocation, world);
    const HistoryFile file = read_history_of(invocation, world);
    if (!wishes.night.empty()) return explain_in_file(file, direction, invocation, world);
    const bool as_json = invocation.has("json");
    nlohmann::json answer{{"series", nlohmann::json::array()}, {"notes", file.notes}};
    Tally tally;
    bool first = true;
    std::vector<Study> studies;
    for (const History& history : file.series) {
        const Study study = study_history(history, direction);
        tally_study(history, study, wishes, tally);
        if (!wishes.svg.empty()) studies.push_back(study);
        if (as_json) {
            answer["series"].push_back(study_json(history, study, wishes));
            continue;
        }
        const bool all = wishes.explain || file.series.size() <= shown_quiet_series;
        if (!all && !has_something(history, study, wishes)) continue;
        *world.out << (first ? "" : "\n") << study_text(history, study, wishes);
        first = false;
    }
    if (as_json) {
        answer["worse"] = tally.bad;
        answer["suspicious"] = tally.suspicious;
        *world.out << wire::write_json(answer) << "\n";
    } else {
        print_notes(file, world);
        if (file.series.size() > 1) {
            *world.out << fmt::format(
                "\n{} series: {} got worse by more than {:g} %, {} suspicious on their newest "
                "night, "
                "{} without anything to say, {} with too few nights\n",
                file.series.size(),
                tally.bad,
                100 * wishes.threshold,
                tally.suspicious,
                tally.quiet,
                file.series.size() - tally.judged);
        }
    }
    if (!wishes.svg.empty()) write_svg(wishes.svg, file, studies);
    if (tally.bad > 0) return ExitCode::negative;
    return tally.judged == 0 ? ExitCode::unsure : ExitCode::ok;
}

void check_detect(const Invocation& invocation, const Surroundings& world) {
    detect_wishes(invocation, world);
    if (invocation.has("svg")) check_writable("svg", invocation.get("svg"));
    check_history_files(invocation, world);
    const bool asks = invocation.has("explain") && !invocation.has("series");
    if (asks && invocation.arguments.size() == 2) {
        refuse(
            "one night is explained by: vigil detect FILE --explain SERIES NIGHT; every night of "
            "several files by --explain --series NAME");
    }
    if (invocation.arguments.empty() == invocation.has("stdio")) return;
    refuse(
        "vigil detect reads a FILE, or - for standard input, or talks to a program with "
        "--stdio; see vigil detect --help");
}

ExitCode detect(const Invocation& invocation, const Surroundings& world) {
    return invocation.has("stdio") ? talk_over_stdio(world, answer_series)
                                   : detect_in_file(invocation, world);
}

}  // namespace

CommandSpec detect_command() {
    return {
        "detect",
        {detect, check_detect},
        {"[FILE...]"},
        "finds where the level of a series of nights changed, and what to measure again",
        {direction_option(),
         rules_option(),
         series_option(),
         format_option(),
         {"ignore-failure", "", "ignore the exit codes of runs, as hyperfine -i does"},
         {"since", "NIGHT", "only changes from this night on"},
         ratio_option("threshold", "a regression above this ends with 1, 7% or 0.07 (default 7%)"),
         {"explain",
          "",
          "prints the result of every night when it was the newest; with SERIES NIGHT after the "
          "file the reasons of that night"},
         {"svg", "FILE", "draws the series into this file"},
         {"stdio", "", "instead of FILE: JSON lines, one series each, with one answer each"}},
        {"vigil detect history.csv",
         "vigil detect history.csv --series mlp/train --explain",
         "vigil detect history.csv --explain mlp/train 2026-03-03",
         "vigil detect nightly/*.json --series BM_Sort/1024",
         "vigil detect history.jsonl --json --direction higher --svg history.svg",
         "vigil detect --stdio"},
        std::string(history_help) +
            "\nEnds with: 0 no certain regression above the threshold; 1 there is one; 2 the "
            "command\n"
            "line is wrong; 4 the file cannot be used; 5 too few nights in every series.\n"};
}

}  // namespace vigil::cli
