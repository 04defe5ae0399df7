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

/// Which variant was run: model, mode, precision, backend, batch, threads, LibTorch.
nlohmann::json variant_of(const Arguments& arguments, std::int64_t batch);

/// "metrics": what is known beside the samples, each with value, unit, better direction and
/// definition version. What this machine does not show is there with "absent" and the reason.
class Metrics {
  public:
    Metrics();
    ~Metrics();
    Metrics(const Metrics&) = delete;
    Metrics& operator=(const Metrics&) = delete;

    void add(const char* name, double value);
    void add_absence(const char* name, const std::string& why);
    /// @param live_bytes  after each sample
    /// @param iterations  made until then
    void add_leak(
        const char* name,
        const std::vector<double>& live_bytes,
        const std::vector<double>& iterations);
    void add_scaling(double rows_per_s_of_one, const SharedWork& together, int processes);
    nlohmann::json take();

  private:
    std::unique_ptr<nlohmann::json> all_;
};

/// "breakdown": the shares, or "absent" and why.
nlohmann::json breakdown_of(const GpuTrace& trace);

/// "accuracy": what the check of a passed run found.
nlohmann::json accuracy_of(const AnswerCheck& check);

}  // namespace vigil_bench
