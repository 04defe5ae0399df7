#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schema/harness/dynamo_name.hpp"
#include "service/tables/rules.hpp"

// The runs of one night as results.

namespace vigil::tables {

/// The backend of a variant that names none, which the others are held against.
inline constexpr const char* plain_backend = "eager";

/// Sets what a variant's name says of the way: words apart by "-", "_", "+" or ".", in any order;
/// a local version at its end ("+cu126") is a setting.
/// train, training, infer, inference, eval: mode; cpu, cuda: device; fp32, tf32, bf16, fp16, amp,
/// amp_fp16: precision; b16, bs16, batch16: batch; t4, threads4: threads; g2, gpus2: GPUs.
/// Whatever else there is names the backend; when nothing does it is `plain_backend`.
void take_variant(const std::string& name, Result& result);

/// The median of one metric of a run.
struct NightMedian {
    std::string metric;  ///< as the model names it: "wall_time_ns"
    std::string unit;
    double value = 0;
};

/// What a run said of itself, beside its samples: "compile_time_ns", "batch", "backend",
/// "breakdown.active".
struct NightSaid {
    std::string name;
    std::optional<double> value = {};
    std::string text = {};
};

/// A run of the night's own.
struct NightRun {
    std::string suite;  ///< the project on the machine class
    std::string benchmark;
    std::string variant;
    std::string outcome;
    std::vector<NightMedian> medians = {};
    std::vector<NightSaid> said = {};
};

/// Processes of one benchmark and variant are one result: its numbers are the medians over them,
/// its status the first that is none of a right answer. Time is wall time, where there is none CPU
/// time; the peak is the allocator's, where there is none the process's. A reported value per
/// second is a throughput. What runs said of themselves is there too: compile time, throughput,
/// leak, shares of the GPU's time, and the way they ran, which goes before what the variant's name
/// says. Of benchmarks/dynamo, as others sent it, the quantities of one model are one result: its
/// speedup, compile time and ratio of memory, and what became of its accuracy, of whatever batch.
class NightResults {
  public:
    void add(const NightRun& run);
    /// Whether a variant is of another backend than `base`: else no two can be compared.
    bool are_compared(const std::string& base) const;
    /// One of each benchmark and variant, whatever they are called.
    std::vector<Result> results() const;
    /// The same as what files say is: variants that say the same way are one.
    /// @throws Error{invalid_argument} when they say different things, or a name is too long
    ResultList take() const;

  private:
    struct Processes {
        Result result;
        std::map<std::string, std::vector<double>> medians;  ///< by metric
        std::map<std::string, std::vector<double>> said;     ///< by name
        std::map<std::string, std::string> words;            ///< the same of texts: the first
        std::string whole;  ///< of benchmarks/dynamo: model and way, without batch
    };
    void add_dynamo(const NightRun& run, const harness::DynamoName& name);

    std::map<std::string, Processes> processes_;
    std::map<std::string, Processes> accuracy_;  ///< of benchmarks/dynamo, by `whole`
};

/// One way to run a suite, held against its base by one rule.
struct NightRatio {
    std::string way;  ///< "tensors on xeon, train, jit"
    Headline headline;
};

/// @param base  the backend that the others are measured against
/// @return  of ways of other backends, and of those that have a speedup or another ratio
std::vector<NightRatio> night_ratios(
    const std::vector<Result>& results, const std::string& base, Rule rule);

}  // namespace vigil::tables
