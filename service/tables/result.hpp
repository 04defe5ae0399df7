#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

// What is summarised: one line for each model and way to run it, whatever file it came from.

namespace vigil::tables {

/// What a result may say; the unit is part of the name.
enum class Field : std::size_t {
    time_s,            ///< one step
    compile_s,         ///< until the first step is done, or compiling alone: as the source has it
    throughput_per_s,  ///< samples, of all processes together
    peak_bytes,
    speedup,       ///< time of the base backend / time of this one
    memory_ratio,  ///< peak of the base backend / peak of this one
    active,        ///< share of a step in which the GPU computes, 0..1
    movement,      ///< share in which data move, 0..1
    idle,          ///< share in which the GPU waits, 0..1
};

/// One model, run in one way.
struct Result {
    std::string suite;
    std::string domain;
    std::string model;
    std::string mode;  ///< "train", "infer"; empty: not said
    std::string device;
    std::string precision;
    std::string backend;
    std::int64_t batch = 0;  ///< 0: not said
    std::int64_t threads = 0;
    std::int64_t gpus = 0;
    std::string
        status;  ///< "pass", "fail_accuracy", "oom", ... as the source says; empty: not said
    std::map<Field, double> values;  ///< finite

    std::optional<double> get(Field field) const;
};

/// Whether the answer was right: "pass", "passed" and "pass_due_to_skip".
bool is_passing(const Result& result);
/// Whether it ran out of memory: "oom", "OOM", "out of memory" and the like.
bool is_oom(const std::string& status);
/// Whether it was never tried: "unsupported", "skipped".
bool is_unsupported(const std::string& status);

inline constexpr std::size_t max_results = 200'000;
inline constexpr std::size_t max_text_bytes = 200;  ///< of one name

/// Gathers what several tables say of the same model and way to run it.
class ResultList {
  public:
    /// Joins what is said to what is known: equal in everything but `values` and `status`; a batch
    /// that is not said fits any.
    /// @param where  for messages: "file.csv, line 7"
    /// @throws Error{invalid_argument} when a value is said twice, or there are too many results
    void add(Result result, const std::string& where);
    void note(const std::string& text);

    const std::vector<Result>& results() const { return results_; }
    const std::vector<std::string>& notes() const { return notes_; }

  private:
    std::vector<Result> results_;
    std::map<std::string, std::vector<std::size_t>> by_way_;
    std::vector<std::string> notes_;
};

}  // namespace vigil::tables
