#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "worker/bench/arguments/arguments.hpp"
#include "worker/bench/models/named_memory.hpp"

// What is measured: a model in a mode on the operators of a library. The only door between main
// and LibTorch, free of LibTorch's headers.

namespace vigil_bench {

/// What a second look at the answer found.
struct AnswerCheck {
    std::string wrong;           ///< where it differs from the reference; empty: it does not
    std::string nondeterminism;  ///< where two calls with one seed differ; empty: nowhere
    std::string unchecked;       ///< what could not be held against a reference, and why
    std::string widened;         ///< what was allowed more than usual, and why
    bool repeated = false;       ///< whether two calls were compared
};

/// Averages gradients over the processes that train together.
/// @param values  [count], this process's; afterwards everybody's mean
using ShareGradients = std::function<void(float* values, std::size_t count)>;

class Subject {
  public:
    virtual ~Subject() = default;

    /// One forward pass, or one step of training.
    virtual void iterate() = 0;

    /// Gives back the model's memory, computes its answer again, as measured and as the reference,
    /// and says where they differ. Nothing after it. What was found before it throws remains.
    virtual void check_answer(AnswerCheck& check) = 0;

    virtual std::int64_t batch() const = 0;

    /// One forward pass or step of training with a batch of another size, by the same model; empty:
    /// this subject has one size. It lives as long as the subject.
    virtual std::function<void()> with_batch(std::int64_t) { return {}; }

    /// Those that a library replaced.
    virtual std::vector<std::string> library_operators() const { return {}; }

    /// The memory of the model's parameters and buffers; empty: it does not say.
    virtual std::vector<NamedMemory> named_memory() const { return {}; }

    /// How long compiling took; 0: nothing was compiled.
    virtual double compile_time_ns() const { return 0; }

    /// In every step of training from here on, between gradients and weights.
    /// @return  how many values a step shares; 0: this subject does not train, or cannot share
    virtual std::size_t share_gradients(ShareGradients) { return 0; }
};

/// Why LibTorch is not able to run this on a device that is there, before anything is built; empty
/// when it may.
std::string find_unsupported(const Arguments& arguments);

/// The batch that the arguments ask for, or the model's own; 0: a file whose inputs are not said.
/// @throws UsageError for an unknown model
std::int64_t batch_of(const Arguments& arguments);

/// Loads the library and builds the model. The arguments' batch is a number.
/// @throws UsageError for an unknown model; BadFileError, UnsupportedError; std::exception for what
///         the library or LibTorch says
std::unique_ptr<Subject> make_subject(const Arguments& arguments);

/// The subject's own check; where memory ends in it the answer is unchecked, since what was
/// measured took less.
AnswerCheck check_answer_of(Subject& subject);

/// The version of LibTorch, its CPU code path and the like, as name and value.
std::vector<std::pair<std::string, std::string>> torch_facts();

/// Whether this exception means that memory ran out.
bool is_out_of_memory(const std::exception& error);

/// Whether the memory that ran out is a GPU's.
bool is_out_of_gpu_memory(const std::exception& error);

/// Whether this exception means that an operator lacks the arguments' precision.
bool is_missing_precision(const Arguments& arguments, const std::exception& error);

/// The exception's text, one line of at most 1000 printable characters of ASCII, without LibTorch's
/// backtrace.
std::string message_of(const std::exception& error);

}  // namespace vigil_bench
