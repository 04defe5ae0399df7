#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// What is summarised: one line for each model and way to run it, whatever file it came from.

namespace vigil::tables {

/// What a result may say; the unit is part of the name.
enum class Field : std::size_t {
    time_s,            ///< one step, by the wall clock
    cpu_time_s,        ///< one step, of all threads
    gpu_time_s,        ///< one step, by the GPU's clock
    first_step_s,      ///< the very first step
    compile_s,         ///< until the first step is done, or compiling alone: as the source says
    throughput_per_s,  ///< samples, of all processes together
    throughput_alone_per_s,  ///< of one process, measured in the same run
    peak_bytes,
    leak_bytes,    ///< growth of memory with each step; may be below 0
    speedup,       ///< time of the base backend / time of this one
    cpu_speedup,   ///< the same of CPU time
    memory_ratio,  ///< peak of the base backend / peak of this one
    active,        ///< share of a step in which the GPU computes, 0..1
    movement,      ///< share in which data move, 0..1
    idle,          ///< share in which the GPU waits, 0..1
};

constexpr std::int64_t unbatched = -1;

/// One model, run in one way.
struct Result {
    std::string suite;
    std::string domain;
    std::string model;
    std::string mode;  ///< "train", "infer"; empty: not said
    std::string device;
    std::string precision;
    std::string backend;
    std::string setting;     ///< another way to run it: "Reduce overhead"
    std::string version;     ///< of what was measured: "2.6.0"
    std::int64_t batch = 0;  ///< 0: not said; unbatched: one sample, not in a batch
    std::int64_t threads = 0;
    std::int64_t processes = 0;
    std::int64_t gpus = 0;
    std::string
        status;  ///< "pass", "fail_accuracy", "oom", ... as the source says; empty: not said
    std::map<Field, double> values;            ///< finite
    std::map<std::string, double> metrics;     ///< what else was measured, by the source's name
    std::map<std::string, std::string> facts;  ///< what else was said: machine, message, verdicts

    std::optional<double> get(Field field) const;
};

/// Everything that tells two ways apart but the batch, model and suite included.
std::string way_of(const Result& result);

/// Whether the answer was right: "pass", "passed" and "pass_due_to_skip".
bool is_passing(const Result& result);
/// Whether it ran out of memory: "oom", "OOM", "out of memory" and the like.
bool is_oom(const std::string& status);
/// Whether it was never tried: "unsupported", "skipped".
bool is_unsupported(const std::string& status);
/// "unsupported in eager too": the base failed as well, so this says nothing of the backend.
/// @param status  is_unsupported
std::string status_of_both(const std::string& status, const std::string& base);
bool is_of_both(const std::string& status);

inline constexpr std::size_t max_results = 200'000;
inline constexpr std::size_t max_text_bytes = 200;  ///< of one name

/// Gathers what several tables say of the same model and way to run it.
class ResultList {
  public:
    /// Joins what is said to what is known: equal in model and way; a batch that is not said fits
    /// any.
    /// @param where  for messages: "file.csv, line 7"
    /// @throws Error{invalid_argument} when a value is said twice, or there are too many results
    void add(Result result, const std::string& where);
    void note(const std::string& text);

    const std::vector<Result>& results() const& { return results_; }
    /// Of a list that ends with the statement: a loop over it would read freed memory.
    std::vector<Result> results() && { return std::move(results_); }
    /// What was not read, and what was read in a way that may be another: one line each.
    std::vector<std::string> notes() const;

  private:
    std::vector<Result> results_;
    std::map<std::string, std::vector<std::size_t>> by_way_;
    std::vector<std::string> notes_;
    std::size_t more_notes_ = 0;
};

}  // namespace vigil::tables
