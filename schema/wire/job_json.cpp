#include "schema/wire/job_json.hpp"

#include <nlohmann/json.hpp>

#include "schema/wire/object_reader.hpp"

namespace vigil::wire {

using nlohmann::json;

namespace {

template <class Range>
json array_of(const Range& range) {
    json array = json::array();
    for (const auto& element : range) array.push_back(to_json(element));
    return array;
}

void put(json& object, const char* key, const std::optional<Digest>& digest) {
    if (digest) object[key] = digest->str();
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
    in.done();
    return order;
}

}  // namespace

json to_json(const JobPlan& plan) {
    json steps = json::array();
    for (const auto& step : plan.steps) {
        steps.push_back({{"build", step.build}, {"benchmark", step.benchmark}});
    }
    return {{"benchmarks", array_of(plan.benchmarks)}, {"steps", std::move(steps)}};
}

json to_json(const BuildOrder& order) {
    json object = {
        {"id", order.id.value},
        {"revision", order.revision.str()},
        {"input_kind", to_string(order.input_kind)},
        {"input", order.input.str()},
        {"recipe", to_json(order.recipe)}};
    put(object, "product", order.product);
    return object;
}

json to_json(const Lease& lease) {
    json object = {
        {"job", lease.job.value},
        {"attempt", lease.attempt},
        {"ttl_s", lease.ttl_s},
        {"purpose", to_string(lease.purpose)},
        {"project", lease.project},
        {"builds", array_of(lease.builds)},
        {"plan", to_json(lease.plan)},
        {"environment", lease.environment}};
    if (!lease.key.empty()) object["key"] = lease.key;
    return object;
}

json to_json(const Fingerprint& fingerprint) {
    return {
        {"cpu_model", fingerprint.cpu_model},
        {"cpus", fingerprint.cpus},
        {"memory_bytes", fingerprint.memory_bytes},
        {"gpus", fingerprint.gpus},
        {"labels", fingerprint.labels},
        {"toolchain", fingerprint.toolchain}};
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
    for (const auto& item : in.items("builds", max_builds)) {
        lease.builds.push_back(parse_build_order(item));
    }
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

}  // namespace vigil::wire
