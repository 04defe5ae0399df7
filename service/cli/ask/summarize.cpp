#include "service/cli/ask/summarize.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bisect/stats/summary.hpp"
#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "service/cli/ask/context.hpp"
#include "service/cli/ask/reply.hpp"
#include "service/cli/common/display.hpp"
#include "service/cli/common/input.hpp"
#include "service/tables/read.hpp"
#include "service/tables/variant.hpp"

namespace vigil::cli {

namespace {

constexpr std::int64_t max_runs = 100'000;
constexpr std::int64_t nights_searched = 50;
constexpr double ns_per_s = 1e9;
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
    if (!invocation.has("rule")) return wishes;
    const std::string rule = invocation.get("rule");
    wishes.rules = {parse_enum<tables::Rule>(rule == short_rule ? "paired_v1" : rule)};
    return wishes;
}

void check_summary(const Invocation& invocation, const Surroundings&) {
    summary_wishes(invocation);
}

ExitCode print_summary(
    const Invocation& invocation, const Surroundings& world, const tables::ResultList& list) {
    const auto summary = tables::summarize(list, summary_wishes(invocation));
    if (invocation.has("json")) {
        *world.out << tables::summary_json(summary).dump(
                          2, ' ', true, nlohmann::json::error_handler_t::replace)
                   << "\n";
    } else {
        const auto detail =
            invocation.has("headline") ? tables::Detail::headlines : tables::Detail::models;
        *world.out << text::lines(tables::summary_text(summary, detail));
        for (const auto& note : summary.notes) *world.err << "note: " << printable(note) << "\n";
    }
    world.out->flush();
    if (!summary.empty()) return ExitCode::ok;
    *world.err << "vigil: there is nothing to make a table of\n";
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

void NightResults::add(const nlohmann::json& run) {
    if (text_at(run, "purpose") != "nightly") return;
    const std::string benchmark = text_at(run, "benchmark");
    const std::string variant = text_at(run, "variant");
    const std::string suite = text_at(run, "project") + " on " + text_at(run, "machine_class");
    const std::string key = suite + "\n" + benchmark + "\n" + variant;
    const auto [at, is_new] = processes_.try_emplace(key);
    Processes& processes = at->second;
    const std::string outcome = text_at(run, "outcome");
    const std::string status = outcome == "passed" ? "pass" : outcome;
    if (is_new) {
        processes.result.suite = suite;
        processes.result.model = benchmark;
        tables::take_variant(variant, processes.result);
        processes.result.status = status;
    }
    if (processes.result.status == "pass") processes.result.status = status;
    for (const auto& measurement : array_at(run, "measurements")) {
        std::string metric = text_at(measurement, "metric");
        const std::string unit = text_at(measurement, "unit");
        if (metric == "reported_value") metric = unit.ends_with("/s") ? "throughput" : "";
        const double median = real_at(measurement, "median");
        if (!metric.empty() && median > 0) processes.medians[metric].push_back(median);
    }
}

tables::ResultList NightResults::take() const {
    tables::ResultList list;
    for (const auto& [key, processes] : processes_) {
        tables::Result result = processes.result;
        const auto set = [&](tables::Field field, const char* metric, double scale) {
            const auto found = processes.medians.find(metric);
            if (found == processes.medians.end()) return;
            result.values.emplace(
                field, stats::median(found->second) * scale);  // the first one stays
        };
        set(tables::Field::time_s, "wall_time_ns", 1 / ns_per_s);
        set(tables::Field::time_s, "cpu_time_ns", 1 / ns_per_s);
        set(tables::Field::peak_bytes, "peak_alloc_bytes", 1);
        set(tables::Field::peak_bytes, "peak_process_bytes", 1);
        set(tables::Field::throughput_per_s, "throughput", 1);
        list.add(std::move(result), "the night's runs");
    }
    return list;
}

namespace {

ExitCode summarize_files(const Invocation& invocation, const Surroundings& world) {
    tables::ResultList list;
    for (const auto& name : invocation.arguments) {
        tables::read_results(
            read_input(name, name, world, tables::max_file_bytes),
            name == "-" ? "standard input" : name,
            list);
    }
    return print_summary(invocation, world, list);
}

ExitCode summarize_night(const CommandContext& context) {
    const auto runs = context.api.list("/api/v1/runs", {{"nightly", night_of(context)}}, max_runs);
    NightResults results;
    for (const auto& run : runs) {
        if (text_at(run, "purpose") != "nightly") continue;
        const bool measured = text_at(run, "outcome") == "passed";
        results.add(
            measured ? context.api.get("/api/v1/runs/" + std::to_string(number_at(run, "id")))
                     : run);
    }
    return print_summary(context.invocation, context.world, results.take());
}

}  // namespace

CommandSpec summarize_command() {
    return {
        "summarize",
        {summarize_files, check_summary, summarize_night},
        {"[FILE...]"},
        "tables of results: pass rate, speedup, compile time, memory, scaling",
        {{"project", "NAME", "without FILE: the newest night of this project that is done"},
         whole_option("nightly", "ID", "without FILE: this night", 1, max_id),
         {"base", "NAME", "the backend that the others are measured against (default eager)"},
         choice_option(
             "rule",
             "NAME",
             "only by this rule: runner_v1, hud_v2 or paired_v1 (default all)",
             rule_names()),
         {"headline", "", "without the tables of single models"}},
        {"vigil summarize dashboard.json",
         "vigil summarize performance.csv accuracy.csv --headline",
         "vigil summarize published.md --json",
         "vigil summarize --project tensors --base eager"},
        "FILE is a published dashboard or results as JSON (of TorchBench, of vigil-bench, or what\n"
        "--json printed), Markdown with tables, or CSV; - is standard input. Several files are "
        "one\n"
        "list: what they say of the same model and way to run it belongs together. Without FILE "
        "the\n"
        "runs of a night are asked of the daemon.\n\n"
        "Every aggregate names its rule and whom it left out; numbers are rounded half up, --json\n"
        "prints them as they are. docs/tables.md has the rules and the columns that are read.\n\n"
        "Ends with: 0 printed; 2 the command line is wrong; 4 a file cannot be used; 5 nothing in\n"
        "the files makes a table.\n"};
}

}  // namespace vigil::cli
