#pragma once

#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "worker/bench/arguments/arguments.hpp"
#include "worker/bench/data_parallel.hpp"
#include "worker/bench/device/breakdown.hpp"
#include "worker/bench/measure/measure.hpp"
#include "worker/bench/measure/process_memory.hpp"
#include "worker/bench/models/subject.hpp"

// What is measured, as JSON.

namespace vigil_bench {

/// The samples that become measurements.
nlohmann::json samples_of(const Measured& measured, const std::optional<ProcessMemory>& before);

/// Which variant was run: model, domain, mode, device, precision, backend, batch, threads,
/// processes, LibTorch and machine.
nlohmann::json variant_of(const Arguments& arguments, std::int64_t batch);

/// The same before anything was run. Without what is not known: the model where the command line
/// names none, the batch where it is searched or the model is unknown.
nlohmann::json introduction_of(const Arguments& arguments);

/// Adds to "metrics", what is known beside the samples: each has value, unit, better direction and
/// definition version.
void add_metric(nlohmann::json& metrics, const char* name, double value);

/// What this machine does not show is there with "absent" and the reason.
void add_absence(nlohmann::json& metrics, const char* name, const std::string& why);

/// "leak", with what each count says of it under "parts".
void add_leak(nlohmann::json& metrics, const Measured& measured);
void add_gpu_leak(nlohmann::json& metrics, const Measured& measured);

/// The metrics of processes that train or answer together.
nlohmann::json scaling_metrics(double rows_per_s_of_one, const SharedWork& together, int processes);

/// "breakdown": the shares, or "absent" and why.
nlohmann::json breakdown_of(const GpuTrace& trace);

/// "accuracy": what the check of a passed run found.
nlohmann::json accuracy_of(const AnswerCheck& check);

}  // namespace vigil_bench
