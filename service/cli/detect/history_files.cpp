#include "service/cli/detect/history_files.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "schema/harness/read.hpp"
#include "schema/model/series_rule.hpp"
#include "schema/text/nearest.hpp"
#include "schema/wire/series_rule_json.hpp"
#include "service/cli/common/display.hpp"
#include "service/cli/common/input.hpp"
#include "service/cli/history/benchmark_files.hpp"
#include "service/cli/history/read_history.hpp"
#include "worker/run/guarded.hpp"

namespace vigil::cli {

template <class Io>
void fields(Io& io, History& one) {
    io(one.name, one.direction, one.untold, one.benchmark, one.variant, one.metric, one.machine);
    io(one.nights, one.values, one.environments, one.labels, one.start, one.labelled, one.samples);
}

template <class Io>
void fields(Io& io, HistoryFile& file) {
    io(file.series, file.notes);
}

namespace {

constexpr std::size_t shown_names = 8;

[[noreturn]] void refuse_series(
    const std::string& file, const std::string& wanted, const std::vector<std::string>& names) {
    std::string hint = text::did_you_mean(wanted, names, '\'');
    if (hint.empty()) {
        const std::size_t shown = std::min(names.size(), shown_names);
        hint = fmt::format("; it has {}", fmt::join(names.begin(), names.begin() + shown, ", "));
        if (names.size() > shown) hint += fmt::format(" and {} more", names.size() - shown);
    }
    refuse(fmt::format("{} has no series '{}'{}", file, wanted, hint));
}

NameOfSeries name_of(const History& history) {
    return {
        .suite = "",
        .benchmark = history.benchmark.empty() ? history.name : history.benchmark,
        .variant = history.variant,
        .metric = history.metric,
        .machine_class = history.machine};
}

/// What is not judged, and why.
class Unsettled {
  public:
    /// @return  whether the series is one of them
    bool takes(const History& history, Judging judging) {
        left_out_ += judging == Judging::never ? 1 : 0;
        if (judging != Judging::no_direction) return judging == Judging::never;
        if (untold_++ == 0) first_ = {history.benchmark, history.variant};
        if (untold_ > shown_names) return true;
        names_ += (names_.empty() ? "" : ", ") + history.name;
        return true;
    }

    void tell(std::vector<std::string>& notes) const {
        if (left_out_ > 0) notes.push_back(fmt::format("{} series left out by rules", left_out_));
        if (untold_ == 0) return;
        auto names = names_;
        if (untold_ > shown_names) names += fmt::format(" and {} more", untold_ - shown_names);
        notes.push_back(fmt::format(
            "{} series not judged, as their better direction is unknown: {}; give --direction, or "
            "--rules FILE with [{}]",
            untold_,
            names,
            rule_line(first_.first, first_.second)));
    }

  private:
    std::size_t left_out_ = 0;
    std::size_t untold_ = 0;
    std::string names_;
    std::pair<std::string, std::string> first_;  ///< benchmark and variant
};

/// A rule of --rules goes first, then what the file says, then --direction. Series of which nothing
/// says it, or that a rule leaves out, are taken out; a note names them.
void settle_directions(HistoryFile& file, const Invocation& invocation, const Surroundings& world) {
    std::vector<SeriesRule> rules;
    if (invocation.has("rules")) {
        const auto name = invocation.get("rules");
        rules = wire::parse_series_rules(read_rules(name, world), name);
    }
    Unsettled unsettled;
    std::erase_if(file.series, [&](History& one) {
        std::optional<Direction> told = one.direction;
        if (!told && (!one.untold || invocation.has("direction"))) told = direction_of(invocation);
        const auto settled = settle(told, find_rule(rules, name_of(one)));
        one.direction = settled.direction;
        return unsettled.takes(one, settled.judging);
    });
    unsettled.tell(file.notes);
}

/// What a series holds of a short row is many times the row.
worker::GuardLimits limits_of(std::size_t bytes) {
    constexpr std::size_t times_text = 32;
    auto limits = worker::limits_for(bytes);
    limits.memory_bytes += times_text * bytes;
    return limits;
}

HistoryFile read_files(
    const std::vector<NamedText>& files,
    OfFailed of_failed,
    const std::optional<harness::Harness>& format) {
    const bool benchmarks = format || std::any_of(files.begin(), files.end(), [](const auto& one) {
                                return harness::is_report(one.text);
                            });
    if (!benchmarks && files.size() > 1) {
        refuse(
            "reading " + files.front().name +
            ": several files are read where each is what a benchmark program wrote in a night");
    }
    return benchmarks ? read_benchmark_files(files, of_failed, format)
                      : read_history(files.front().text, files.front().name);
}

}  // namespace

NamedNight named_night(const Invocation& invocation) {
    NamedNight named{invocation.arguments, "", ""};
    const bool asks = invocation.has("explain") && !invocation.has("series");
    if (!asks || named.files.size() < 3) return named;
    named.night = named.files.back();
    named.series = named.files[named.files.size() - 2];
    named.files.resize(named.files.size() - 2);
    return named;
}

HistoryFile read_history_of(const Invocation& invocation, const Surroundings& world) {
    std::vector<NamedText> files;
    std::size_t bytes = 0;
    const NamedNight named = named_night(invocation);
    for (const auto& argument : named.files) {
        const std::string name = argument == "-" ? "standard input" : argument;
        files.push_back({name, read_input(argument, name, world, max_history_bytes)});
        bytes += files.back().text.size();
        if (bytes <= max_history_bytes) continue;
        refuse(fmt::format(
            "reading {}: more than {} bytes in all", files.back().name, max_history_bytes));
    }
    std::optional<harness::Harness> format;
    if (invocation.has("format")) format = find_enum<harness::Harness>(invocation.get("format"));
    const auto of_failed = invocation.has("ignore-failure") ? OfFailed::taken : OfFailed::left_out;
    HistoryFile file =
        worker::guarded(limits_of(bytes), [&] { return read_files(files, of_failed, format); });
    const std::string wanted = named.night.empty() ? invocation.get("series") : named.series;
    if (named.night.empty() && !invocation.has("series")) {
        settle_directions(file, invocation, world);
        return file;
    }
    std::vector<std::string> names;
    for (const auto& one : file.series) names.push_back(one.name);
    std::erase_if(file.series, [&](const History& one) { return one.name != wanted; });
    if (file.series.empty()) {
        refuse_series(files.front().name, wanted, names);
    }
    settle_directions(file, invocation, world);
    if (file.series.empty() && !named.night.empty()) refuse(file.notes.back());
    return file;
}

void print_notes(const HistoryFile& file, const Surroundings& world) {
    for (const auto& note : file.notes) *world.err << "note: " << printable(note) << "\n";
}

void check_history_files(const Invocation& invocation, const Surroundings&) {
    const auto files = named_night(invocation).files;
    const auto inputs = std::count(files.begin(), files.end(), "-");
    if (inputs == 0 || files.size() == 1) return;
    refuse(
        "standard input is read alone, not beside other files; one night is explained by: "
        "vigil detect FILE --explain SERIES NIGHT");
}

Option direction_option() {
    return choice_option(
        "direction",
        "WORD",
        "which is better: lower (default) or higher; a series' own direction has precedence",
        {"lower", "higher"});
}

Option format_option() {
    return choice_option(
        "format",
        "NAME",
        "format of the files (default: detected from each)",
        names_of<harness::Harness>());
}

Option series_option() {
    return {"series", "NAME", "only this series of the file"};
}

Option rules_option() {
    return {"rules", "FILE", "better direction of series, and series not to judge: see below"};
}

Direction direction_of(const Invocation& invocation) {
    return invocation.get("direction") == "higher" ? Direction::higher_is_better
                                                   : Direction::lower_is_better;
}

}  // namespace vigil::cli
