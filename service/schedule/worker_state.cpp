#include "service/schedule/worker_state.hpp"

#include <algorithm>

#include "service/schedule/class_fingerprint.hpp"

namespace vigil::service {

std::optional<std::string> why_unfit(
    const MachineClassConfig& machine_class, const Fingerprint& fingerprint) {
    if (fingerprint.cpu_model.find(machine_class.cpu_model) == std::string::npos) {
        return "its CPU is '" + fingerprint.cpu_model + "', not a '" + machine_class.cpu_model +
               "'";
    }
    if (fingerprint.memory_bytes < machine_class.min_memory_bytes) {
        return "it has " + std::to_string(fingerprint.memory_bytes) + " bytes of memory, not " +
               std::to_string(machine_class.min_memory_bytes);
    }
    const auto& gpus = fingerprint.gpus;
    if (!machine_class.gpu.empty() && std::none_of(gpus.begin(), gpus.end(), [&](const auto& gpu) {
            return gpu.find(machine_class.gpu) != std::string::npos;
        })) {
        return "none of its GPUs is a '" + machine_class.gpu + "'";
    }
    for (const auto& [key, value] : machine_class.labels) {
        const auto label = fingerprint.labels.find(key);
        if (label == fingerprint.labels.end() || label->second != value) {
            return "its label " + key + " is not '" + value + "'";
        }
    }
    return std::nullopt;
}

std::int64_t seen_after_s(const JobConfig& jobs, std::int64_t now_s) {
    return now_s - std::max<std::int64_t>(worker_silent_after_s, jobs.lease_ttl_s);
}

std::optional<std::int64_t> unseen_s(
    std::int64_t last_seen_at_s, const JobConfig& jobs, std::int64_t now_s) {
    if (last_seen_at_s > seen_after_s(jobs, now_s)) return std::nullopt;
    return now_s - last_seen_at_s;
}

WorkerId upsert_worker(
    Database& db,
    const Config& config,
    const std::string& name,
    const Fingerprint& fingerprint,
    bool draining,
    std::int64_t now_s,
    const WorkerWords& words) {
    const auto* known_class = find_worker_class(config, name);
    VIGIL_ASSERT(known_class != nullptr);
    const auto& machine_class = *known_class;
    auto unfit = why_unfit(config.machine_classes.at(machine_class), fingerprint);
    if (!unfit && !words.cannot_work.empty()) {
        unfit = "it says that it cannot work: " + words.cannot_work;
    }
    const ShownWorker shown{
        machine_class, fingerprint, unfit.value_or(""), draining, words.containment};
    const auto worker = note_worker(db, name, shown, now_s);
    if (!unfit && !draining)
        compare_with_class(db, config, worker, machine_class, fingerprint, now_s);
    return worker;
}

}  // namespace vigil::service
