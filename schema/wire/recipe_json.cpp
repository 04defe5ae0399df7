// Recipes and benchmarks: what the config, the plans and the leases say about commands.

#include <nlohmann/json.hpp>

#include "schema/wire/digest.hpp"
#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::wire {

using nlohmann::json;

namespace {

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
    for (const auto& argument : items_of(item, max_arguments)) {
        command.push_back(text_of(argument));
    }
    return command;
}

EnvironmentVariables parse_variables(ObjectReader& in, std::string_view key) {
    auto variables = in.text_map(key, max_variables);
    for (const auto& [name, value] : variables) {
        if (name.empty() || name.find('=') != name.npos) {
            refuse(in.path(key), "has a variable whose name is empty or has an equals sign");
        }
    }
    return variables;
}

SampleRule parse_sample_rule(const Item& item) {
    ObjectReader in(item);
    SampleRule rule;
    rule.format = in.choice<SampleFormat>("format");
    rule.printed = in.choice<Metric>("printed");
    rule.unit = in.text("unit", max_name_bytes);
    rule.direction = in.choice<Direction>("direction");
    rule.select = in.text("select", max_name_bytes);
    in.done();
    return rule;
}

}  // namespace

json to_json(const Limits& limits) {
    return {
        {"wall_time_s", limits.wall_time_s},
        {"memory_bytes", limits.memory_bytes},
        {"processes", limits.processes},
        {"output_bytes", limits.output_bytes},
        {"disk_bytes", limits.disk_bytes}};
}

json to_json(const Recipe& recipe) {
    return {
        {"commands", recipe.commands},
        {"outputs", recipe.outputs},
        {"environment", recipe.environment},
        {"limits", to_json(recipe.limits)}};
}

json to_json(const SampleRule& rule) {
    return {
        {"format", to_string(rule.format)},
        {"printed", to_string(rule.printed)},
        {"unit", rule.unit},
        {"direction", to_string(rule.direction)},
        {"select", rule.select}};
}

json to_json(const BenchmarkPlan& plan) {
    return {
        {"benchmark", plan.benchmark},
        {"variant", plan.variant},
        {"kind", to_string(plan.kind)},
        {"command", plan.command},
        {"environment", plan.environment},
        {"samples", to_json(plan.samples)},
        {"limits", to_json(plan.limits)},
        {"interleave", plan.interleave},
        {"wrong_exit_code", plan.wrong_exit_code},
        {"unsupported_exit_code", plan.unsupported_exit_code}};
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

BenchmarkPlan parse_benchmark_plan(const json& value, const std::string& path) {
    ObjectReader in(value, path);
    BenchmarkPlan plan;
    plan.benchmark = in.text("benchmark", max_name_bytes);
    plan.variant = in.text("variant", max_name_bytes);
    plan.kind = in.choice<BenchmarkKind>("kind");
    plan.command = parse_command(in.item("command"));
    if (plan.kind == BenchmarkKind::command && plan.command.empty()) {
        refuse(in.path("command"), "is empty; it must name a program");
    }
    plan.environment = parse_variables(in, "environment");
    plan.samples = parse_sample_rule(in.item("samples"));
    plan.limits = parse_limits(in.item("limits"));
    plan.interleave = in.small_or("interleave", 1, {1, max_interleave});  // older plans lack it
    plan.wrong_exit_code = in.small("wrong_exit_code", exit_codes);
    plan.unsupported_exit_code = in.small("unsupported_exit_code", exit_codes);
    in.done();
    return plan;
}

Digest digest_of(const Recipe& recipe) {
    return sha256(write_json(to_json(recipe)));
}

}  // namespace vigil::wire
