#include "service/cli/ask/summarize.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "service/cli/ask/context.hpp"
#include "service/cli/ask/reply.hpp"
#include "service/cli/common/display.hpp"
#include "service/cli/common/input.hpp"
#include "service/tables/against.hpp"
#include "service/tables/chart.hpp"
#include "service/tables/read.hpp"

namespace vigil::cli {

namespace {

constexpr std::int64_t max_runs = 100'000;
constexpr std::int64_t nights_searched = 50;
constexpr const char* short_rule = "paired";

std::vector<std::string> rule_names() {
    auto names = names_of<tables::Rule>();
    names.emplace_back(short_rule);
    return names;
}

/// @throws Error{invalid_argument} naming the option
tables::SummaryWishes summary_wishes(const Invocation& invocation) {
    tables::SummaryWishes wishes;
    wishes.base = invocation.get("base", wishes.base);
    for (const char* option : {"project", "nightly"}) {
        if (invocation.arguments.empty() || !invocation.has(option)) continue;
        refuse(fmt::format("--{} is for the daemon's nights; leave it or the files out", option));
    }
    const std::string against = invocation.get("against");
    const bool is_night = std::all_of(
        against.begin(), against.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    if (invocation.arguments.empty() && invocation.has("against") && !is_night) {
        refuse("--against takes the number of a night where no FILE is given");
    }
    if (!invocation.has("rule")) return wishes;
    const std::string rule = invocation.get("rule");
    wishes.rules = {parse_enum<tables::Rule>(rule == short_rule ? "paired_v1" : rule)};
    return wishes;
}

/// "model=HEADER,time_ms=HEADER": by the header.
/// @throws Error{invalid_argument} naming the option
tables::ColumnNames column_names(const Invocation& invocation) {
    tables::ColumnNames names;
    std::istringstream pairs(invocation.get("columns"));
    for (std::string pair; std::getline(pairs, pair, ',');) {
        const auto equals = pair.find('=');
        if (equals == pair.npos || equals == 0 || equals + 1 == pair.size()) {
            refuse("--columns must be like model=HEADER,time_ms=HEADER, not '" + pair + "'");
        }
        if (!names.emplace(pair.substr(equals + 1), pair.substr(0, equals)).second) {
            refuse("--columns names '" + pair.substr(equals + 1) + "' twice");
        }
    }
    return names;
}

void check_summary(const Invocation& invocation, const Surroundings&) {
    summary_wishes(invocation);
    column_names(invocation);
    if (invocation.has("svg")) check_writable("svg", invocation.get("svg"));
}

void print_json(const Surroundings& world, const nlohmann::json& value) {
    *world.out << value.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) << "\n";
}

/// @throws Error{unavailable} when the file cannot be written
void write_chart(const std::string& file, const tables::Summary& summary) {
    const std::string svg = tables::chart_svg(summary);
    if (svg.empty()) throw Error(Errc::invalid_argument, "there is no table to draw for --svg");
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    if (!(out << svg).flush()) throw Error(Errc::unavailable, "writing " + file + " failed");
}

ExitCode print_summary(
    const Invocation& invocation, const Surroundings& world, const tables::ResultList& list) {
    const auto summary = tables::summarize(list, summary_wishes(invocation));
    if (invocation.has("svg")) write_chart(invocation.get("svg"), summary);
    if (invocation.has("json")) {
        print_json(world, tables::summary_json(summary));
    } else {
        const auto detail =
            invocation.has("headline") ? tables::Detail::headlines : tables::Detail::models;
        *world.out << text::lines(tables::summary_text(summary, detail));
    }
    world.out->flush();
    if (!summary.empty()) return ExitCode::ok;
    *world.err << "vigil: there are no results for a table\n";
    return ExitCode::unsure;
}

tables::ResultChanges changes_of(
    const Invocation& invocation,
    const tables::ResultList& before,
    const tables::ResultList& after) {
    const auto wishes = summary_wishes(invocation);
    return tables::compare_results(
        tables::summarize(before, wishes).results,
        tables::summarize(after, wishes).results,
        invocation.ratio("threshold", tables::worse_by_default));
}

ExitCode print_changes(
    const Invocation& invocation, const Surroundings& world, const tables::ResultChanges& changes) {
    if (invocation.has("json")) {
        print_json(world, tables::changes_json(changes));
    } else {
        *world.out << text::lines(tables::changes_text(changes));
    }
    world.out->flush();
    if (changes.paired > 0) return ExitCode::ok;
    *world.err << "vigil: the two lists have no model and variant in common\n";
    return ExitCode::unsure;
}

/// The night that is asked for, or the newest that is done.
std::string night_of(const CommandContext& context) {
    if (context.invocation.has("nightly")) return context.invocation.get("nightly");
    auto filters = filters_of(context, {"project"});
    filters["state"] = "done";
    for (const auto& night : list_known(context, "/api/v1/nightlies", filters, nights_searched)) {
        if (!is_set(night, "beside")) return std::to_string(number_at(night, "id"));
    }
    throw Error(Errc::not_found, "there is no night that is done");
}

}  // namespace

std::optional<tables::NightRun> night_run_of(const nlohmann::json& run) {
    if (text_at(run, "purpose") != "nightly") return std::nullopt;
    tables::NightRun found{
        .suite = text_at(run, "project") + " on " + text_at(run, "machine_class"),
        .benchmark = text_at(run, "benchmark"),
        .variant = text_at(run, "variant"),
        .outcome = text_at(run, "outcome")};
    for (const auto& one : array_at(run, "measurements")) {
        found.medians.push_back(
            {text_at(one, "metric"), text_at(one, "unit"), real_at(one, "median")});
    }
    for (const auto& one : array_at(run, "said")) {
        tables::NightSaid said{.name = text_at(one, "name"), .text = text_at(one, "text")};
        const auto value = one.find("value");
        if (value != one.end() && value->is_number()) said.value = value->get<double>();
        found.said.push_back(std::move(said));
    }
    return found;
}

namespace {

/// The metric of a number that two nights are compared by; empty: it is none that is judged.
std::string metric_of(const std::string& number) {
    return number == "time_s" ? "wall_time_ns" : number == "cpu_time_s" ? "cpu_time_ns" : "";
}

/// Whether the night measured this again and found no such change.
bool is_noise(const tables::NumberPair& pair, const nlohmann::json& suspicion) {
    const auto metric = text_at(suspicion, "metric");
    const bool is_memory = pair.number == "peak_bytes" && metric.ends_with("_bytes");
    if (text_at(suspicion, "benchmark") != pair.model ||
        text_at(suspicion, "variant") != pair.variant ||
        !(is_memory || metric == metric_of(pair.number))) {
        return false;
    }
    const auto& again = object_at(suspicion, "confirmed");
    if (number_at(again, "runs_after") == 0) return false;
    const bool is_worse = is_set(again, "low") && real_at(again, "low") > 0;
    const bool is_better = is_set(again, "high") && real_at(again, "high") < 0;
    return pair.change_ratio > 0 ? !is_worse : !is_better;
}

}  // namespace

void take_out_noise(tables::ResultChanges& changes, const nlohmann::json& suspicions) {
    const auto take = [&](std::vector<tables::NumberPair>& pairs) {
        const auto is_kept = [&](const tables::NumberPair& pair) {
            return std::none_of(suspicions.begin(), suspicions.end(), [&](const auto& one) {
                return is_noise(pair, one);
            });
        };
        const auto noise = std::stable_partition(pairs.begin(), pairs.end(), is_kept);
        changes.noise.insert(changes.noise.end(), noise, pairs.end());
        pairs.erase(noise, pairs.end());
    };
    take(changes.worse);
    take(changes.better);
}

namespace {

void read_file(
    const std::string& name,
    const Surroundings& world,
    const tables::ColumnNames& names,
    tables::ResultList& list) {
    tables::read_results(
        read_input(name, name, world, tables::max_file_bytes),
        name == "-" ? "standard input" : name,
        list,
        names);
}

ExitCode summarize_files(const Invocation& invocation, const Surroundings& world) {
    tables::ResultList list;
    const auto names = column_names(invocation);
    for (const auto& name : invocation.arguments) read_file(name, world, names, list);
    if (!invocation.has("against")) return print_summary(invocation, world, list);
    tables::ResultList before;
    read_file(invocation.get("against"), world, names, before);
    return print_changes(invocation, world, changes_of(invocation, before, list));
}

tables::ResultList results_of_night(const CommandContext& context, const std::string& night) {
    const auto runs = context.api.list("/api/v1/runs", {{"nightly", night}}, max_runs);
    tables::NightResults results;
    for (const auto& run : runs) {
        if (text_at(run, "purpose") != "nightly") continue;
        // One that failed says how it ran, too.
        const auto found =
            night_run_of(context.api.get("/api/v1/runs/" + std::to_string(number_at(run, "id"))));
        if (found) results.add(*found);
    }
    return results.take();
}

/// The commit that a regression of this night names for a benchmark; empty: none does.
std::string suspect_of(
    const CommandContext& context,
    const std::string& night,
    const std::string& benchmark,
    const std::string& variant) {
    constexpr std::int64_t one = 1;
    const auto regressions = list_known(
        context,
        "/api/v1/regressions",
        {{"nightly", night}, {"benchmark", benchmark}, {"variant", variant}},
        one);
    if (regressions.empty()) return "";
    const auto& found = regressions.front();
    const std::string culprit = text_at(found, "culprit");
    if (culprit.empty()) return "regression " + std::to_string(number_at(found, "id"));
    const auto commit = found.find("culprit_commit");
    const std::string subject =
        commit != found.end() && commit->is_object() ? " " + text_at(*commit, "subject") : "";
    return printable(culprit.substr(0, 12) + subject);
}

ExitCode summarize_night(const CommandContext& context) {
    const std::string night = night_of(context);
    const auto results = results_of_night(context, night);
    const auto& invocation = context.invocation;
    if (!invocation.has("against")) return print_summary(invocation, context.world, results);
    const auto before = results_of_night(context, invocation.get("against"));
    auto changes = changes_of(invocation, before, results);
    constexpr std::int64_t most_requested = 5000;
    take_out_noise(
        changes, list_known(context, "/api/v1/suspicions", {{"nightly", night}}, most_requested));
    for (auto& pair : changes.worse) {
        pair.suspect = suspect_of(context, night, pair.model, pair.variant);
    }
    for (auto& pair : changes.new_failures) {
        pair.suspect = suspect_of(context, night, pair.model, pair.variant);
    }
    return print_changes(invocation, context.world, changes);
}

}  // namespace

CommandSpec summarize_command() {
    return {
        "summarize",
        {summarize_files, check_summary, summarize_night},
        {"[FILE...]"},
        "tables of results: pass rate, speedup, compile time, memory, scaling; two lists compared",
        {{"project", "NAME", "without FILE: the newest night of this project that is done"},
         whole_option("nightly", "ID", "without FILE: this night", 1, max_id),
         {"base", "NAME", "the base of the ratios: a backend (default eager), or a device"},
         {"against", "FILE|ID", "compare with these results: a file, or a night (without FILE)"},
         ratio_option("threshold", "with --against: worse is above this (default 7%)"),
         {"svg", "FILE", "also write charts of the tables to this file"},
         choice_option(
             "rule",
             "NAME",
             "only this rule: runner_v1, hud_v2 or paired_v1 (default all)",
             rule_names()),
         {"columns",
          "LIST",
          "meaning of other headers, like model=HEADER,eager=HEADER; docs/tables.md has the names"},
         {"headline", "", "without the tables of single models"}},
        {"vigil summarize dashboard.json",
         "vigil summarize performance.csv accuracy.csv --headline",
         "vigil summarize published.md --json",
         "vigil summarize tonight.csv --against yesterday.csv",
         "vigil summarize --project tensors --base eager"},
        "FILE is a published dashboard or results as JSON (TorchBench, vigil-bench, or the output "
        "of\n"
        "--json), Markdown with tables, or CSV; - is standard input. Several files are one list:\n"
        "their values of the same model and variant are joined. Without FILE the runs of a night\n"
        "are read from the daemon.\n\n"
        "Every aggregate names its rule and the models left out; numbers are rounded half up,\n"
        "unrounded with --json. docs/tables.md has the rules and the columns that are read.\n\n"
        "Ends with: 0 printed; 2 the command line is wrong; 4 a file cannot be used; 5 the\n"
        "files have no table.\n"};
}

}  // namespace vigil::cli
