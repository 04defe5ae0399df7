// Suites: folded in the file (a benchmark once, with its variants), one plan per variant in memory.

#include <algorithm>
#include <utility>

#include "schema/model/case_run.hpp"
#include "schema/text/nearest.hpp"
#include "service/config/bench_models.hpp"
#include "service/config/keys.hpp"
#include "service/config/text_rules.hpp"

namespace vigil::service {

namespace {

struct VariantKeys {
    Command command;  // empty: the benchmark's
    std::vector<std::string> args;
    EnvironmentVariables environment;
    std::optional<Launch> launch;  // nothing: the benchmark's
    Limits limits;
    bool callgrind = false;
    std::string local_version;  // empty: the benchmark's
};

struct BenchmarkKeys {
    BenchmarkPlan plan;         // what all variants share
    std::string local_version;  // empty: each of the source
    std::map<std::string, VariantKeys> variants;
    std::vector<std::string> models;   // it stands for a benchmark each; "all": the zoo's
    std::vector<std::string> presets;  // it has these variants too
};

using SuiteKeys = std::map<std::string, BenchmarkKeys>;

constexpr std::string_view only_variant = "default";
constexpr const char* all_models = "all";
constexpr const char* no_command = "is not for the kind build, which runs the recipe's commands";

void describe_samples(KeyVisitor& v, BenchmarkPlan& plan) {
    SampleRule& rule = plan.samples;
    v.choice("format", rule.format);
    v.choice("printed", rule.printed);
    v.text("unit", rule.unit, {"ns us ms s; bytes KiB MiB GiB; any for reported_value"});
    v.choice("direction", rule.direction);
    v.text("select", rule.select, {"name of one benchmark"});
    v.flag("ignore_exit_code", rule.ignore_exit_code);
    const bool torch = plan.kind == BenchmarkKind::torch;
    v.check(
        !torch || rule.format == SampleFormat::vigil, "format", "must be vigil for the kind torch");
    if (rule.format != SampleFormat::lines) return;
    const auto is_one_of = [&](std::initializer_list<std::string_view> units) {
        for (const auto unit : units) {
            if (rule.unit == unit) return true;
        }
        return false;
    };
    switch (kind_of(rule.printed)) {
        case MetricKind::time:
            v.check(is_one_of({"ns", "us", "ms", "s"}), "unit", "must be ns, us, ms or s");
            break;
        case MetricKind::memory:
            v.check(
                is_one_of({"bytes", "KiB", "MiB", "GiB"}),
                "unit",
                "must be bytes, KiB, MiB or GiB");
            break;
        case MetricKind::count:
        case MetricKind::other:
            v.check(!rule.unit.empty(), "unit", "is missing: what does the benchmark print?");
            break;
    }
}

/// Of one program many series, one a case.
void describe_cases(KeyVisitor& v, BenchmarkPlan& plan) {
    constexpr std::string_view all = "all";
    auto cases = plan.cases.value_or(CasePlan{});
    if (cases.names == std::vector<std::string>{"*"}) cases.names = {std::string(all)};
    v.texts(
        "cases", cases.names, {"all, or patterns of * and ?", nullptr, Presence::optional, true});
    v.texts("case_arguments", cases.arguments, {"arguments with {case}"});
    if (cases.names == std::vector<std::string>{std::string(all)}) cases.names = {"*"};
    const auto problem = case_arguments_problem(cases.arguments);
    v.check(problem.empty(), "case_arguments", problem);
    if (cases.names.empty()) {
        v.check(cases.arguments.empty(), "case_arguments", "goes with cases, which is missing");
        plan.cases.reset();
        return;
    }
    const auto format = plan.samples.format;
    const bool prints_cases = format == SampleFormat::harness ||
                              format == SampleFormat::google_benchmark ||
                              format == SampleFormat::hyperfine;
    v.check(prints_cases, "cases", "needs \"samples\": {\"format\": \"harness\"}");
    v.check(
        plan.samples.select.empty(),
        "cases",
        "and samples.select are both given; select names one result, cases takes many");
    for (const auto& name : cases.names) v.check(!name.empty(), "cases", "has an empty pattern");
    plan.cases = std::move(cases);
}

/// Which of the night's local versions is measured.
void describe_local_version(KeyVisitor& v, std::string& local_version, const SourceConfig& source) {
    v.text("local_version", local_version, {"local version", local_version_problem});
    const auto& all = source.local_versions;
    if (local_version.empty()) return;
    v.check(
        all.size() > 1,
        "local_version",
        "chooses among those of the source; list several in source.local_version");
    v.check(
        std::ranges::count(all, local_version) > 0,
        "local_version",
        "is none of source.local_version: " + text::joined(all));
}

/// What is wrong with the command of an artifact; empty: nothing.
std::string artifact_problem(const Command& command) {
    if (command.empty()) return "";
    if (command.size() > 2) return "is of a path, and at most the name of an ELF section behind it";
    return output_problem(command.front());
}

void describe_callgrind(KeyVisitor& v, const BenchmarkPlan& plan, bool& callgrind) {
    v.flag("callgrind", callgrind);
    if (!callgrind) return;
    v.check(plan.kind == BenchmarkKind::command, "callgrind", "is for the kind command alone");
    v.check(
        plan.samples.format == SampleFormat::none,
        "callgrind",
        "counts the whole process and takes nothing that it prints: samples.format must be none");
}

void describe_variant(
    KeyVisitor& v, const BenchmarkPlan& plan, VariantKeys& variant, const SourceConfig& source) {
    const bool torch = plan.kind == BenchmarkKind::torch;
    const bool artifact = plan.kind == BenchmarkKind::artifact;
    v.command("command", variant.command, torch || artifact ? Shell::refused : Shell::allowed);
    v.texts("args", variant.args, {"arguments"});
    if (artifact) {
        const auto& own = variant.command;
        const auto problem =
            artifact_problem(with_arguments(own.empty() ? plan.command : own, variant.args));
        v.check(problem.empty(), own.empty() ? "args" : "command", problem);
    }
    v.text_map("environment", variant.environment);
    v.object("launch", variant.launch, describe_launch);
    v.object("limits", variant.limits, describe_limits);
    describe_callgrind(v, plan, variant.callgrind);
    describe_local_version(v, variant.local_version, source);
    const bool builds = plan.kind == BenchmarkKind::build;
    v.check(!builds || variant.args.empty(), "args", no_command);
    v.check(!builds || variant.command.empty(), "command", no_command);
    v.check(
        torch || builds || !plan.command.empty() || !variant.command.empty(),
        "command",
        "is missing, here and in the benchmark");
}

std::string problem_of_preset(std::string_view name) {
    std::vector<std::string> names;
    for (const auto& preset : bench_presets()) names.push_back(preset.name);
    if (std::find(names.begin(), names.end(), name) != names.end()) return "";
    return "must be one of " + text::joined(names);
}

std::string problem_of_model(std::string_view name) {
    auto known = zoo_model_names();
    for (auto& paper : paper_model_names()) known.push_back(std::move(paper));
    if (name == all_models || std::find(known.begin(), known.end(), name) != known.end()) return "";
    return "is no model of the zoo" + text::did_you_mean(std::string(name), known);
}

/// What stands for many runs of vigil-bench.
void describe_bench(KeyVisitor& v, BenchmarkKeys& benchmark) {
    v.texts("models", benchmark.models, {"models of the zoo, or all", problem_of_model});
    v.texts(
        "presets",
        benchmark.presets,
        {"train-cpu, infer-cpu, train-cuda, infer-cuda", problem_of_preset});
    const auto& command = benchmark.plan.command;
    const bool names_model = std::find(command.begin(), command.end(), "--model") != command.end();
    v.check(
        benchmark.models.empty() || !names_model,
        "models",
        "goes without --model in the command, which names one");
}

void describe_benchmark(KeyVisitor& v, BenchmarkKeys& benchmark, const SourceConfig& source) {
    BenchmarkPlan& plan = benchmark.plan;
    v.choice("kind", plan.kind);
    const bool torch = plan.kind == BenchmarkKind::torch;
    if (torch && plan.samples.format == SampleFormat::none) {
        plan.samples.format = SampleFormat::vigil;
    }
    const bool artifact = plan.kind == BenchmarkKind::artifact;
    v.command("command", plan.command, torch || artifact ? Shell::refused : Shell::allowed);
    const auto problem = artifact ? artifact_problem(plan.command) : "";
    v.check(problem.empty(), "command", problem);
    const bool builds = plan.kind == BenchmarkKind::build;
    v.check(!builds || plan.command.empty(), "command", no_command);
    if (torch || v.every()) describe_bench(v, benchmark);
    v.text_map("environment", plan.environment);
    v.object("launch", plan.launch, describe_launch);
    v.object("samples", plan, describe_samples);
    describe_cases(v, plan);
    v.object("limits", plan.limits, describe_limits);
    describe_callgrind(v, plan, plan.callgrind);
    describe_local_version(v, benchmark.local_version, source);
    v.small("interleave", plan.interleave, {1, max_interleave});
    v.small("wrong_exit_code", plan.wrong_exit_code, {1, 255});
    v.small("unsupported_exit_code", plan.unsupported_exit_code, {1, 255});
    v.check(
        plan.wrong_exit_code != plan.unsupported_exit_code,
        "unsupported_exit_code",
        "is the same as wrong_exit_code");
    for (const auto& name : v.enter_table("variants", "<variant>", names_of(benchmark.variants))) {
        v.enter_entry(name);
        VariantKeys fresh;
        fresh.limits = plan.limits;
        fresh.callgrind = plan.callgrind;
        auto& variant = benchmark.variants.try_emplace(name, fresh).first->second;
        describe_variant(v, plan, variant, source);
        v.check(
            benchmark.models.empty() || variant.command.empty(),
            "command",
            "would take the place of the models; use args");
        v.leave();
    }
    v.leave();
    const bool may_lack = torch || builds || !benchmark.variants.empty();
    v.check(may_lack || !plan.command.empty(), "command", "is missing");
}

std::map<std::string, SuiteKeys> fold(
    const std::map<std::string, std::vector<BenchmarkPlan>>& suites) {
    std::map<std::string, SuiteKeys> folded;
    for (const auto& [suite, plans] : suites) {
        for (const auto& plan : plans) {
            auto& keys = folded[suite]
                             .try_emplace(plan.benchmark, BenchmarkKeys{plan, {}, {}, {}, {}})
                             .first->second;
            keys.plan.command.clear();
            keys.plan.environment.clear();
            keys.plan.launch.reset();
            keys.plan.folder.reset();
            keys.plan.callgrind = false;
            const std::string local = plan.folder ? "+" + *plan.folder : "";
            keys.variants[plan.variant] = {
                plan.command,
                {},
                plan.environment,
                plan.launch,
                plan.limits,
                plan.callgrind,
                local};
        }
    }
    return folded;
}

/// A benchmark that stands for models becomes one of each, with the model's name; one that is
/// described by itself goes before.
SuiteKeys with_models(const SuiteKeys& suite) {
    SuiteKeys each;
    for (const auto& [name, benchmark] : suite) {
        if (benchmark.models.empty()) each[name] = benchmark;
    }
    for (const auto& [name, benchmark] : suite) {
        auto models = benchmark.models;
        if (std::find(models.begin(), models.end(), all_models) != models.end()) {
            models = zoo_model_names();
        }
        for (const auto& model : models) {
            BenchmarkKeys one = benchmark;
            one.plan.command = with_arguments({"--model", model}, one.plan.command);
            each.try_emplace(model, std::move(one));
        }
    }
    return each;
}

std::map<std::string, VariantKeys> variants_of(const BenchmarkKeys& benchmark) {
    auto variants = benchmark.variants;
    for (const auto& preset : bench_presets()) {
        const auto& wished = benchmark.presets;
        if (std::find(wished.begin(), wished.end(), preset.name) == wished.end()) continue;
        VariantKeys keys{{}, preset.arguments, {}, {}, benchmark.plan.limits, false, {}};
        variants.try_emplace(preset.name, std::move(keys));
    }
    if (variants.empty()) {
        auto& only = variants[std::string(only_variant)];
        only.limits = benchmark.plan.limits;
        only.callgrind = benchmark.plan.callgrind;
    }
    return variants;
}

/// Each variant once for each local version, unless it names one; "infer" becomes "infer+cpu".
std::map<std::string, VariantKeys> with_local_versions(
    const BenchmarkKeys& benchmark, const SourceConfig& source) {
    auto variants = variants_of(benchmark);
    if (source.local_versions.size() < 2) return variants;
    std::map<std::string, VariantKeys> each;
    for (auto& [name, keys] : variants) {
        if (keys.local_version.empty()) keys.local_version = benchmark.local_version;
        if (!keys.local_version.empty()) each[name] = keys;
    }
    for (auto& [name, keys] : variants) {
        if (!keys.local_version.empty()) continue;
        for (const auto& local : source.local_versions) {
            keys.local_version = local;
            each.try_emplace(name + local, keys);
        }
    }
    return each;
}

std::vector<BenchmarkPlan> unfold(const SuiteKeys& suite, const SourceConfig& source) {
    std::vector<BenchmarkPlan> plans;
    for (const auto& [name, benchmark] : with_models(suite)) {
        auto variants = with_local_versions(benchmark, source);
        for (auto& [variant, keys] : variants) {
            BenchmarkPlan plan = benchmark.plan;
            plan.benchmark = name;
            plan.variant = variant;
            if (!keys.command.empty()) plan.command = keys.command;
            plan.command = with_arguments(plan.command, keys.args);
            for (auto& [key, value] : keys.environment) plan.environment[key] = value;
            if (keys.launch) plan.launch = keys.launch;
            plan.limits = keys.limits;
            plan.callgrind = keys.callgrind;
            const auto folder = folder_of(source, keys.local_version);
            if (!folder.empty()) plan.folder = folder;
            plans.push_back(std::move(plan));
        }
    }
    return plans;
}

}  // namespace

void describe_limits(KeyVisitor& v, Limits& limits) {
    constexpr std::int64_t mib = 1024 * 1024;
    constexpr std::int64_t tib = mib * mib;
    v.integer("wall_time_s", limits.wall_time_s, {1, 7 * 86400});
    v.integer("memory_bytes", limits.memory_bytes, {16 * mib, 1024 * tib});
    v.integer("processes", limits.processes, {1, 1'000'000});
    v.integer("output_bytes", limits.output_bytes, {1024, 1024 * mib});
    v.integer("disk_bytes", limits.disk_bytes, {mib, 1024 * tib});
}

std::string folder_of(const SourceConfig& source, const std::string& local_version) {
    return source.local_versions.size() < 2 || local_version.empty() ? "" : local_version.substr(1);
}

void describe_suites(
    KeyVisitor& v,
    std::map<std::string, std::vector<BenchmarkPlan>>& suites,
    const SourceConfig& source) {
    auto folded = fold(suites);
    for (const auto& suite : v.enter_table("suites", "<suite>", names_of(folded))) {
        v.table(
            suite, "<benchmark>", folded[suite], [&](KeyVisitor& each, BenchmarkKeys& benchmark) {
                describe_benchmark(each, benchmark, source);
            });
    }
    v.leave();
    suites.clear();
    for (const auto& [name, suite] : folded) suites[name] = unfold(suite, source);
}

}  // namespace vigil::service
