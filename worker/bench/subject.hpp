#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "worker/bench/arguments.hpp"

// What is measured: a model in a mode on the operators of a library. The only door between main
// and LibTorch, free of LibTorch's headers.

namespace vigil_bench {

class Subject {
  public:
    virtual ~Subject() = default;

    /// One forward pass, or one step of training.
    virtual void iterate() = 0;

    /// Gives back the model's memory, computes its answer again with these operators and with
    /// LibTorch's, and says where they differ; empty when they agree. Nothing after it.
    virtual std::string find_wrong_answer() = 0;

    virtual std::int64_t batch() const = 0;
    virtual std::vector<std::string> library_operators() const = 0;
};

/// Whether LibTorch was able to run this at all; empty when it can.
std::string find_unsupported(const Arguments& arguments);

/// Loads the library and builds the model.
/// @throws UsageError for an unknown model; std::exception for what the library or LibTorch says
std::unique_ptr<Subject> make_subject(const Arguments& arguments);

/// Sets the number of threads of LibTorch and of its BLAS.
void set_threads(int threads);

/// The version of LibTorch, its CPU code path and the like, as name and value.
std::vector<std::pair<std::string, std::string>> torch_facts();

/// Whether this exception means that memory ran out.
bool is_out_of_memory(const std::exception& error);

/// The exception's text, one line, without LibTorch's backtrace.
std::string message_of(const std::exception& error);

}  // namespace vigil_bench
