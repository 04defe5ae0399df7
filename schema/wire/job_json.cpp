#include "schema/wire/job_json.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <nlohmann/json.hpp>

#include "schema/wire/case_json.hpp"
#include "schema/wire/digest.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/json_types.hpp"
#include "schema/wire/launch_json.hpp"
#include "schema/wire/object_reader.hpp"
#include "schema/wire/run_fact_json.hpp"
#include "schema/wire/sample_rule_json.hpp"

// Written by their members' names, read strictly: what comes from a worker is checked to the last
// number, whoever sent it.

namespace vigil {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(
    Limits, wall_time_s, memory_bytes, processes, output_bytes, disk_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Recipe, commands, outputs, environment, limits)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(
    BenchmarkPlan,
    benchmark,
    variant,
    kind,
    command,
    folder,
    environment,
    launch,
    samples,
    cases,
    limits,
    interleave,
    wrong_exit_code,
    unsupported_exit_code,
    counts_instructions,
    callgrind,
    profiled,
    profiler)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Step, build, benchmark)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(JobPlan, benchmarks, steps)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(
    BuildOrder, id, revision, input_kind, input, recipe, product, build_here)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(
    Lease, job, attempt, ttl_s, purpose, project, builds, plan, environment, key)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(
    Fingerprint, cpu_model, cpus, memory_bytes, gpus, labels, toolchain)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EnvironmentRecord, facts, readings)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BuildOutcome, id, built, product, log, message, duration_ns)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(
    RunOutcome,
    step,
    outcome,
    message,
    log,
    started_at_ns,
    duration_ns,
    samples,
    facts,
    case_failures,
    profile)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(JobResult, builds, runs, before, after, failure, fault, key)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(
    Comparison, before, after, change_ratio, low, high, above, runs_before, runs_after, finding)

}  // namespace vigil

namespace vigil::wire {

using nlohmann::json;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

const std::set<std::string> younger_flags{"counts_instructions", "callgrind", "profiled"};

/// Leaves out what is missing, and a key that older workers refuse where it asks for nothing.
void drop_nulls(json& value) {
    for (auto it = value.begin(); it != value.end();) {
        if (it->is_structured()) drop_nulls(*it);
        const bool idle =
            value.is_object() && ((*it == false && younger_flags.contains(it.key())) ||
                                  (*it == true && it.key() == "build_here") ||
                                  (*it == "callgrind" && it.key() == "profiler"));
        it = it->is_null() || idle ? value.erase(it) : std::next(it);
    }
}

json without_nulls(json value) {
    drop_nulls(value);
    return value;
}

constexpr IntegerRange exit_codes{1, 255};

Limits parse_limits(const Item& item) {
    ObjectReader in(item);
    Limits limits;
    limits.wall_time_s = in.integer("wall_time_s", positive);
    limits.memory_bytes = in.integer("memory_bytes", positive);
    limits.processes = in.integer("processes", positive);
    limits.output_bytes = in.integer("output_bytes", positive);
    limits.disk_bytes = in.integer("disk_bytes", positive);
    in.done();
    return limits;
}

/// An argument vector as the kernel takes it. NUL cannot come from JSON (schema/wire/json.hpp).
Command parse_command(const Item& item) {
    Command command;
    for (const auto& word : items_of(item, max_arguments)) command.push_back(text_of(word));
    return command;
}

EnvironmentVariables parse_variables(ObjectReader& in, std::string_view key) {
    auto variables = in.text_map(key, max_variables);
    for (const auto& [name, value] : variables) {
        const bool fine = !name.empty() && name.find('=') == name.npos;
        if (!fine) refuse(in.path(key), "has a variable whose name is empty or has an equals sign");
    }
    return variables;
}

BuildOrder parse_build_order(const Item& item) {
    ObjectReader in(item);
    BuildOrder order;
    order.id = in.id<BuildTag>("id");
    order.revision = in.revision("revision");
    order.input_kind = in.choice<InputKind>("input_kind");
    order.input = in.digest("input");
    const Item recipe = in.item("recipe");
    order.recipe = parse_recipe(*recipe.value, recipe.path);
    order.product = in.find_digest("product");
    order.build_here = in.flag_or("build_here", true);
    in.done();
    return order;
}

BuildOutcome parse_build_outcome(const Item& item) {
    ObjectReader in(item);
    BuildOutcome build;
    build.id = in.id<BuildTag>("id");
    build.built = in.flag("built");
    build.product = in.find_digest("product");
    build.log = in.find_digest("log");
    build.message = in.text("message", max_message_bytes);
    build.duration_ns = in.integer("duration_ns", not_negative);
    in.done();
    if (build.built != build.product.has_value()) {
        refuse(in.path("product"), "goes with built, and with nothing else");
    }
    return build;
}

RunOutcome parse_run_outcome(const Item& item) {
    ObjectReader in(item);
    RunOutcome run;
    run.step = in.small("step", {0, static_cast<std::int64_t>(max_steps) - 1});
    run.outcome = in.choice<Outcome>("outcome");
    run.message = in.text("message", max_message_bytes);
    run.log = in.find_digest("log");
    run.started_at_ns = in.integer("started_at_ns", not_negative);
    run.duration_ns = in.integer("duration_ns", not_negative);
    run.samples = parse_run_samples(in);
    run.facts = parse_run_facts(in);
    run.case_failures = parse_case_failures(in);
    run.profile = in.text_or("profile", "", max_profile_bytes);
    in.done();
    const auto refuse_any = [&](const char* key, bool empty) {
        if (run.outcome == Outcome::passed || empty) return;
        refuse(in.path(key), "must be empty: the run did not pass");
    };
    refuse_any("samples", run.samples.empty());
    refuse_any("case_failures", run.case_failures.empty());
    refuse_any("profile", run.profile.empty());
    return run;
}

EnvironmentRecord parse_record(const Item& item) {
    ObjectReader in(item);
    EnvironmentRecord record;
    record.facts = in.text_map("facts", max_variables);
    record.readings = in.text_map("readings", max_variables);
    in.done();
    return record;
}

}  // namespace

json to_json(const Recipe& recipe) {
    return recipe;
}

json to_json(const BenchmarkPlan& plan) {
    return without_nulls(plan);
}

json to_json(const JobPlan& plan) {
    return without_nulls(plan);
}

json to_json(const Lease& lease) {
    json object = without_nulls(lease);
    if (lease.key.empty()) object.erase("key");
    return object;
}

json to_json(const Fingerprint& fingerprint) {
    return fingerprint;
}

json to_json(const JobResult& result) {
    json object = without_nulls(result);
    for (auto& run : object["runs"]) {
        if (run["case_failures"].empty()) run.erase("case_failures");
        if (run["profile"] == "") run.erase("profile");
    }
    if (result.fault == Fault::job) object.erase("fault");
    if (result.key.empty()) object.erase("key");
    return object;
}

json to_json(const Comparison& comparison) {
    json object = comparison;
    if (!std::isfinite(comparison.change_ratio)) object["change_ratio"] = nullptr;
    if (!std::isfinite(comparison.low)) object["low"] = nullptr;
    if (!std::isfinite(comparison.high)) object["high"] = nullptr;
    if (comparison.of_sources) object["of_sources"] = true;
    return object;
}

Recipe parse_recipe(const json& value, const std::string& path) {
    ObjectReader in(value, path);
    Recipe recipe;
    for (const auto& item : in.items("commands", max_commands)) {
        recipe.commands.push_back(parse_command(item));
        if (recipe.commands.back().empty()) refuse(item.path, "is empty; it must name a program");
    }
    recipe.outputs = in.texts("outputs", max_outputs);
    recipe.environment = parse_variables(in, "environment");
    recipe.limits = parse_limits(in.item("limits"));
    in.done();
    return recipe;
}

/// Plans of before the key named it by a variable.
Profiler older_profiler(const BenchmarkPlan& plan) {
    const auto named = plan.environment.find(profiler_variable);
    if (!plan.profiled || named == plan.environment.end()) return Profiler::callgrind;
    return find_enum<Profiler>(named->second).value_or(Profiler::callgrind);
}

BenchmarkPlan parse_benchmark_plan(const json& value, const std::string& path) {
    ObjectReader in(value, path);
    BenchmarkPlan plan;
    plan.benchmark = in.text("benchmark", max_name_bytes);
    plan.variant = in.text("variant", max_name_bytes);
    plan.kind = in.choice<BenchmarkKind>("kind");
    plan.command = parse_command(in.item("command"));
    const bool may_lack = plan.kind == BenchmarkKind::torch || plan.kind == BenchmarkKind::build;
    if (!may_lack && plan.command.empty())
        refuse(in.path("command"), "is empty; it must name a program or a file");
    plan.folder = parse_folder(in);
    plan.environment = parse_variables(in, "environment");
    if (const auto launch = in.find("launch")) plan.launch = parse_launch(*launch);
    plan.samples = parse_sample_rule(in.item("samples"));
    if (const auto cases = in.find("cases")) plan.cases = parse_case_plan(*cases);
    plan.limits = parse_limits(in.item("limits"));
    plan.interleave = in.small_or("interleave", 1, {1, max_interleave});  // older plans lack it
    plan.wrong_exit_code = in.small("wrong_exit_code", exit_codes);
    plan.unsupported_exit_code = in.small("unsupported_exit_code", exit_codes);
    plan.counts_instructions = in.flag_or("counts_instructions", false);
    plan.callgrind = in.flag_or("callgrind", false);
    plan.profiled = in.flag_or("profiled", false);
    plan.profiler = in.choice_or("profiler", older_profiler(plan));
    in.done();
    return plan;
}

Digest digest_of(const Recipe& recipe) {
    return sha256(write_json(to_json(recipe)));
}

JobPlan parse_job_plan(const json& value, const std::string& path) {
    ObjectReader in(value, path);
    JobPlan plan;
    for (const auto& item : in.items("benchmarks", max_benchmarks)) {
        plan.benchmarks.push_back(parse_benchmark_plan(*item.value, item.path));
    }
    const auto last_benchmark = static_cast<std::int64_t>(plan.benchmarks.size()) - 1;
    for (const auto& item : in.items("steps", max_steps)) {
        ObjectReader step(item);
        plan.steps.push_back(
            {.build = step.small("build", {0, static_cast<std::int64_t>(max_builds) - 1}),
             .benchmark = step.small("benchmark", {0, last_benchmark})});
        step.done();
    }
    in.done();
    return plan;
}

Lease parse_lease(const json& value) {
    ObjectReader in(value, "lease");
    Lease lease;
    lease.job = in.id<JobTag>("job");
    lease.attempt = in.small("attempt", positive);
    lease.ttl_s = in.integer("ttl_s", positive);
    lease.purpose = in.choice<Purpose>("purpose");
    lease.project = in.text("project", max_name_bytes);
    for (const auto& item : in.items("builds", max_builds))
        lease.builds.push_back(parse_build_order(item));
    const Item plan = in.item("plan");
    lease.plan = parse_job_plan(*plan.value, plan.path);
    for (std::size_t i = 0; i < lease.plan.steps.size(); ++i) {
        if (lease.plan.steps[i].build < static_cast<int>(lease.builds.size())) continue;
        refuse(
            plan.path + ".steps[" + std::to_string(i) + "].build",
            "is " + std::to_string(lease.plan.steps[i].build) + "; the lease has " +
                std::to_string(lease.builds.size()) + " builds");
    }
    lease.environment = in.text_map("environment", max_variables);
    lease.key = in.text_or("key", "", max_name_bytes);
    in.done();
    return lease;
}

Fingerprint parse_fingerprint(const json& value) {
    ObjectReader in(value, "fingerprint");
    Fingerprint fingerprint;
    fingerprint.cpu_model = in.text("cpu_model", max_message_bytes);
    fingerprint.cpus = in.small("cpus", positive);
    fingerprint.memory_bytes = in.integer("memory_bytes", not_negative);
    fingerprint.gpus = in.texts("gpus", max_variables);
    fingerprint.labels = in.text_map("labels", max_variables);
    fingerprint.toolchain = in.text("toolchain", max_name_bytes);
    in.done();
    return fingerprint;
}

JobResult parse_job_result(const json& value) {
    ObjectReader in(value, "result");
    JobResult result;
    std::set<BuildId> builds;
    for (const auto& item : in.items("builds", max_builds)) {
        result.builds.push_back(parse_build_outcome(item));
        if (!builds.insert(result.builds.back().id).second) {
            refuse(item.path, "is a build that is there already");
        }
    }
    std::set<int> steps;
    for (const auto& item : in.items("runs", max_steps)) {
        result.runs.push_back(parse_run_outcome(item));
        if (!steps.insert(result.runs.back().step).second) {
            refuse(item.path, "is a run of a step that has one already");
        }
    }
    result.before = parse_record(in.item("before"));
    result.after = parse_record(in.item("after"));
    result.failure = in.text("failure", max_message_bytes);
    result.fault = in.choice_or<Fault>("fault", Fault::job);
    result.key = in.text_or("key", "", max_name_bytes);
    in.done();
    if (result.fault == Fault::worker && result.failure.empty()) {
        refuse(in.path("fault"), "goes with a failure, and with nothing else");
    }
    return result;
}

Comparison parse_comparison(const json& value) {
    ObjectReader in(value, "comparison");
    Comparison comparison;
    if (value.empty()) return comparison;
    comparison.before = in.number("before");
    comparison.after = in.number("after");
    if (!value.contains("change_ratio")) refuse(in.path("change_ratio"), "is missing");
    comparison.change_ratio = in.number_or("change_ratio", from_zero);
    const bool is_from_zero = comparison.change_ratio == from_zero;
    comparison.low = in.number_or("low", is_from_zero ? from_zero : -infinity);
    comparison.high = in.number_or("high", infinity);
    comparison.above = in.number("above", {0, 1});
    comparison.runs_before = in.small("runs_before", not_negative);
    comparison.runs_after = in.small("runs_after", not_negative);
    comparison.finding = in.choice<Finding>("finding");
    comparison.of_sources = in.flag_or("of_sources", false);
    in.done();
    return comparison;
}

}  // namespace vigil::wire
