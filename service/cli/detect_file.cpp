#include "service/cli/detect_file.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/text/nearest.hpp"
#include "schema/wire/json.hpp"
#include "service/cli/actions.hpp"
#include "service/cli/display.hpp"
#include "service/cli/explain_night.hpp"
#include "service/cli/history_benchmark.hpp"
#include "service/cli/history_rows.hpp"
#include "service/cli/svg_plot.hpp"

namespace vigil::cli {

namespace {

constexpr std::size_t shown_names = 8;
constexpr std::size_t shown_quiet_series = 20;  // of more, only those with something to say

std::string whole_of(std::istream& in, const std::string& name) {
    std::string text;
    std::string piece(std::size_t{1} << 20, '\0');
    while (in && text.size() <= max_history_bytes) {
        in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
        text.append(piece, 0, static_cast<std::size_t>(in.gcount()));
    }
    if (in.bad()) throw Error(Errc::not_found, "reading " + name + " failed");
    return text;
}

NamedText read_named(const std::string& argument, const Surroundings& world) {
    const bool is_input = argument == "-";
    const std::string name = is_input ? "standard input" : argument;
    std::ifstream opened;
    if (!is_input) opened.open(name, std::ios::binary);
    if (!opened) throw Error(Errc::not_found, "cannot open " + name);
    return {name, whole_of(is_input ? *world.in : opened, name)};
}

/// What the arguments say: files, and of one night to be explained SERIES NIGHT after them.
struct NamedNight {
    std::vector<std::string> files;
    std::string series;
    std::string night;  ///< empty: none
};

NamedNight named_night(const Invocation& invocation) {
    NamedNight named{invocation.arguments, "", ""};
    const bool asks = invocation.has("explain") && !invocation.has("series");
    if (!asks || named.files.size() < 3) return named;
    named.night = named.files.back();
    named.series = named.files[named.files.size() - 2];
    named.files.resize(named.files.size() - 2);
    return named;
}

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
        for (const auto& note : file.notes) *world.err << "note: " << printable(note) << "\n";
        *world.out << explained_text(history, explained);
    }
    world.out->flush();
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

[[noreturn]] void refuse_series(
    const std::string& file, const std::string& wanted, const std::vector<std::string>& names) {
    std::string hint = text::did_you_mean(wanted, names, '\'');
    if (hint.empty()) {
        const std::size_t shown = std::min(names.size(), shown_names);
        hint = fmt::format("; it has {}", fmt::join(names.begin(), names.begin() + shown, ", "));
        if (names.size() > shown) hint += fmt::format(" and {} more", names.size() - shown);
    }
    throw Error(Errc::invalid_argument, fmt::format("{} has no series '{}'{}", file, wanted, hint));
}

void check_night(const char* option, const std::string& night) {
    try {
        parse_night(night);
    } catch (const Error& error) {
        throw Error(Errc::invalid_argument, fmt::format("{}: {}", option, error.what()));
    }
}

}  // namespace

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

HistoryFile read_history_of(const Invocation& invocation, const Surroundings& world) {
    std::vector<NamedText> files;
    std::size_t bytes = 0;
    const NamedNight named = named_night(invocation);
    for (const auto& argument : named.files) {
        files.push_back(read_named(argument, world));
        bytes += files.back().text.size();
        if (bytes <= max_history_bytes) continue;
        throw Error(
            Errc::invalid_argument,
            fmt::format(
                "reading {}: more than {} bytes in all", files.back().name, max_history_bytes));
    }
    const bool benchmarks = std::any_of(
        files.begin(), files.end(), [](const auto& one) { return is_benchmark_file(one.text); });
    for (const auto& one : files) {
        if (files.size() == 1 || is_benchmark_file(one.text)) continue;
        throw Error(
            Errc::invalid_argument,
            "reading " + one.name +
                ": several files are read where each is what Google Benchmark or hyperfine wrote "
                "in a night");
    }
    HistoryFile file = benchmarks ? read_benchmark_files(files)
                                  : read_history(files.front().text, files.front().name);
    const std::string wanted = named.night.empty() ? invocation.get("series") : named.series;
    if (named.night.empty() && !invocation.has("series")) return file;
    std::vector<std::string> names;
    for (const auto& one : file.series) names.push_back(one.name);
    std::erase_if(file.series, [&](const History& one) { return one.name != wanted; });
    if (file.series.empty()) {
        refuse_series(files.front().name, wanted, names);
    }
    return file;
}

Direction direction_of(const Invocation& invocation) {
    return invocation.get("direction") == "higher" ? Direction::higher_is_better
                                                   : Direction::lower_is_better;
}

bool is_since(const History& history, std::size_t night, const std::string& since) {
    if (since.empty()) return true;
    const NightKey from = parse_night(since);
    const NightKey mine = parse_night(history.nights[night]);
    if (from.kind != mine.kind) {
        throw Error(
            Errc::invalid_argument,
            "--since " + since + " cannot be compared with nights like " + history.nights[night]);
    }
    return mine.value >= from.value;
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
        for (const auto& note : file.notes) *world.err << "note: " << printable(note) << "\n";
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
    world.out->flush();
    if (tally.bad > 0) return ExitCode::negative;
    return tally.judged == 0 ? ExitCode::unsure : ExitCode::ok;
}

void check_history_files(const Invocation& invocation, const Surroundings&) {
    const auto files = named_night(invocation).files;
    const auto inputs = std::count(files.begin(), files.end(), "-");
    if (inputs == 0 || files.size() == 1) return;
    throw Error(
        Errc::invalid_argument,
        "standard input is read alone, not beside other files; one night is explained by: "
        "vigil detect FILE --explain SERIES NIGHT");
}

void check_detect(const Invocation& invocation, const Surroundings& world) {
    detect_wishes(invocation, world);
    if (invocation.has("svg")) check_writable("svg", invocation.get("svg"));
    check_history_files(invocation, world);
    const bool asks = invocation.has("explain") && !invocation.has("series");
    if (asks && invocation.arguments.size() == 2) {
        throw Error(
            Errc::invalid_argument,
            "one night is explained by: vigil detect FILE --explain SERIES NIGHT; every night of "
            "several files by --explain --series NAME");
    }
    if (invocation.arguments.empty() == invocation.has("stdio")) return;
    throw Error(
        Errc::invalid_argument,
        "vigil detect reads a FILE, or - for standard input, or talks to a program with "
        "--stdio; see vigil detect --help");
}

ExitCode detect(const Invocation& invocation, const Surroundings& world) {
    return invocation.has("stdio") ? detect_over_stdio(invocation, world)
                                   : detect_in_file(invocation, world);
}

}  // namespace vigil::cli
