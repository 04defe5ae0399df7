#include "worker/bench/report.hpp"

#include <array>
#include <stdexcept>
#include <string_view>

#include <nlohmann/json.hpp>

#include "worker/bench/measure/counting_allocator.hpp"
#include "worker/bench/measure/leak.hpp"
#include "worker/bench/measure/processors.hpp"
#include "worker/bench/models/model_list.hpp"

namespace vigil_bench {

namespace {

struct Definition {
    std::string_view name;
    const char* unit;
    const char* direction;
    int version;
};
constexpr const char* lower = "lower_is_better";
constexpr const char* higher = "higher_is_better";

/// docs/measuring.md says what each is.
constexpr std::array<Definition, 13> definitions{
    {{"throughput", "rows/s", higher, 1},
     {"first_step_ns", "ns", lower, 1},
     {"compile_time_ns", "ns", lower, 1},
     {"second_batch_step_ns", "ns", lower, 1},
     {"second_batch_compile_ns", "ns", lower, 1},
     {"instructions", "instructions/iteration", lower, 1},
     {"leak", "bytes/iteration", lower, 2},
     {"gpu_time_ns", "ns", lower, 1},
     {"gpu_leak", "bytes/iteration", lower, 1},
     {"peak_gpu_allocated_bytes", "bytes", lower, 1},
     {"peak_gpu_reserved_bytes", "bytes", lower, 1},
     {"scaling_factor", "", higher, 1},
     {"parallel_efficiency", "", higher, 1}}};

nlohmann::json start_of(const std::string_view name) {
    for (const auto& definition : definitions) {
        if (definition.name != name) continue;
        return {
            {"unit", definition.unit},
            {"direction", definition.direction},
            {"definition", definition.version}};
    }
    throw std::logic_error("there is no metric '" + std::string(name) + "'");
}

nlohmann::json to_json(const Leak& leak) {
    return {
        {"value", leak.bytes_per_iteration},
        {"interval", {leak.low, leak.high}},
        {"verdict", to_text(leak.verdict)}};
}

}  // namespace

nlohmann::json samples_of(const Measured& measured, const std::optional<ProcessMemory>& before) {
    nlohmann::json samples;
    samples["cpu_time_ns"] = measured.cpu_time_ns;
    samples["wall_time_ns"] = measured.wall_time_ns;
    if (!measured.device_time_ns.empty()) samples["gpu_time_ns"] = measured.device_time_ns;
    samples["peak_alloc_bytes"] = {allocation_counts().peak_bytes};
    const auto after = process_memory();
    if (before && after) {
        samples["peak_process_bytes"] = {after->peak_bytes};
        samples["peak_growth_bytes"] = {after->peak_bytes - before->resident_bytes};
    }
    return samples;
}

nlohmann::json variant_of(const Arguments& arguments, std::int64_t batch) {
    nlohmann::json info;
    info["model"] = arguments.called.empty() ? arguments.model : arguments.called;
    info["domain"] = domain_of(arguments.model);
    info["mode"] = to_text(arguments.mode);
    info["device"] = arguments.device;
    info["precision"] = to_text(arguments.precision);
    info["backend"] = to_text(arguments.backend);
    info["layout"] = to_text(arguments.layout);
    if (arguments.size == InputSize::published) info["setting"] = "published size";
    info["batch"] = batch;
    info["threads"] = arguments.threads;
    info["processes"] = arguments.processes;
    for (const auto& [name, value] : torch_facts()) info[name] = value;
    info["machine"] = machine_words();
    return info;
}

nlohmann::json introduction_of(const Arguments& arguments) {
    std::int64_t batch = arguments.batch;
    try {
        batch = batch_of(arguments);
    } catch (const UsageError&) {  // an unknown model is refused where it is to be run
    }
    nlohmann::json info = variant_of(arguments, batch);
    if (batch <= 0) info.erase("batch");
    if (arguments.batch == auto_batch) info["batch_asked"] = "auto";
    if (arguments.model.empty()) {
        info.erase("model");
        info.erase("domain");
    }
    return info;
}

void add_metric(nlohmann::json& metrics, const char* name, double value) {
    metrics[name] = start_of(name);
    metrics[name]["value"] = value;
}

void add_absence(nlohmann::json& metrics, const char* name, const std::string& why) {
    metrics[name] = start_of(name);
    metrics[name]["absent"] = why;
}

void add_leak(nlohmann::json& metrics, const Measured& measured) {
    const LeakParts parts = find_leaks(measured.live_bytes, measured.iterations);
    add_metric(metrics, "leak", 0);
    auto& leak = metrics["leak"];
    leak.update(to_json(joined(parts)));
    leak["parts"] = {
        {"tensors", to_json(parts.tensors)},
        {"malloc", to_json(parts.allocated)},
        {"resident", to_json(parts.resident)}};
}

void add_gpu_leak(nlohmann::json& metrics, const Measured& measured) {
    add_metric(metrics, "gpu_leak", 0);
    metrics["gpu_leak"].update(to_json(find_leak(measured.device_live_bytes, measured.iterations)));
}

nlohmann::json scaling_metrics(
    double rows_per_s_of_one, const SharedWork& together, int processes) {
    nlohmann::json metrics;
    add_metric(metrics, "throughput", together.rows_per_s);
    metrics["throughput"]["of_one_process"] = rows_per_s_of_one;
    add_metric(
        metrics,
        "scaling_factor",
        scaling_factor(rows_per_s_of_one, together.rows_per_s, processes));
    add_metric(metrics, "parallel_efficiency", together.rows_per_s / rows_per_s_of_one / processes);
    return metrics;
}

nlohmann::json breakdown_of(const GpuTrace& trace) {
    if (trace.computing.empty() && trace.moving.empty()) {
        return {
            {"absent", "LibTorch's profiler saw no work of the GPU: was it built with Kineto?"}};
    }
    const GpuShares shares = break_down(trace);
    return {
        {"active", shares.active},
        {"data_movement", shares.data_movement},
        {"idle", shares.idle},
        {"wall_time_ns", trace.wall_ns},
        {"traced_wall_time_ns", trace.traced_wall_ns}};
}

nlohmann::json accuracy_of(const AnswerCheck& check) {
    nlohmann::json accuracy = nlohmann::json::object();
    if (check.repeated) accuracy["deterministic"] = check.nondeterminism.empty();
    if (!check.nondeterminism.empty()) accuracy["nondeterminism"] = check.nondeterminism;
    if (!check.unchecked.empty()) accuracy["unchecked"] = check.unchecked;
    if (!check.widened.empty()) accuracy["widened"] = check.widened;
    return accuracy;
}

}  // namespace vigil_bench
