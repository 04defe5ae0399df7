#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "worker/bench/arguments/input_shapes.hpp"

// The command line of vigil-bench.

namespace vigil_bench {

enum class Mode { train, infer };
/// amp and amp_fp16: autocast, to bfloat16 and to float16.
enum class Precision { fp32, tf32, bf16, fp16, amp, amp_fp16 };
enum class Backend { eager, jit, aoti };
enum class Layout { contiguous, channels_last };
/// Of the inputs of models that have two; published: as their source has it.
enum class InputSize { small, published };
enum class Action { run, help, list, cover, operators };
enum class ListFormat { text, json, paper };

struct Arguments {
    Action action = Action::run;
    ListFormat list_format = ListFormat::text;
    std::string model;               ///< a name of --list, or the path of a TorchScript file
    std::string called;              ///< the model in results, as asked for; empty: as `model` is
    std::string python;              ///< which compiles the package of a Python module
    std::vector<InputShape> inputs;  ///< of a file
    Mode mode = Mode::infer;
    Precision precision = Precision::fp32;
    Backend backend = Backend::eager;
    Layout layout = Layout::contiguous;  ///< of images and of the weights that read them
    InputSize size = InputSize::small;
    bool asks_for_size = false;
    std::string device = "cpu";     ///< a kind, with a number after a colon or without
    std::string library;            ///< operators of the build under test; empty: LibTorch's own
    std::string operator_prefix;    ///< namespace of its operators; empty: from its name
    int threads = 1;                ///< all_threads: one for each processor it may use
    int processes = 1;              ///< data parallel
    int rank = 0;                   ///< of a process among them: equal weights, other inputs
    std::int64_t batch = 0;         ///< 0: the model's own; auto_batch: the one that is searched
    std::int64_t second_batch = 0;  ///< another size for the same model, after measuring; 0: none
    std::uint64_t seed = 1;         ///< of weights and inputs
    double min_time_s = 0.6;        ///< measure at least this long
    double max_warmup_s = 0.5;      ///< warm up at most this long
    double sample_time_s = 0.01;    ///< one sample takes at least this long
    double max_lock_wait_s = 0;     ///< wait so long to be the only one that measures; 0: do not
    double time_limit_s = 0;        ///< of the whole process; 0: none
    int breakdown_iterations = 0;   ///< whose time is broken down; 0: none
    int profile_iterations = 0;     ///< whose operators are timed; 0: none
    std::string trace_file;         ///< gets the operators of the profile; empty: none
    std::string coverage_file;      ///< of Action::cover: a suite's results
    double operators_s = 0;         ///< of Action::operators: measure so long at most
    int iterations = 0;  ///< for a profiler: so many, and nothing is measured; 0: measure
    int min_samples = 20;
    int max_samples = 2000;
};

constexpr int all_threads = 0;
constexpr std::int64_t auto_batch = -1;

/// The command line is not one that vigil-bench understands.
class UsageError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// The variant asks for what this LibTorch, machine or model does not have. No failure.
class UnsupportedError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// A model file that is missing, broken or hostile.
class BadFileError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Whether the numbers fit this machine is not asked here.
/// @param arguments  set as far as the command line is understood, also where it is refused
/// @throws UsageError naming the argument and what it takes
void parse_arguments(int count, const char* const* values, Arguments& arguments);

/// Where --model is a name of the paper that another model runs: that model. Results keep the name
/// that was asked for, and with it their series.
void follow_paper_name(Arguments& arguments);

/// Whether --model names a file, not a model of --list.
bool is_model_file(const std::string& model);

/// Whether it names a package of AOTInductor, by its ending.
bool is_package(const std::string& model);

/// Whether it names a module of a Python program: "DIR/compile_bench.py:mlp".
bool is_python_model(const std::string& model);

/// The program and what it calls the module: "DIR/compile_bench.py" and "mlp".
std::pair<std::string, std::string> python_model(const std::string& model);

const char* to_text(Mode mode);
const char* to_text(Precision precision);
const char* to_text(Backend backend);
const char* to_text(Layout layout);
const char* to_text(InputSize size);

}  // namespace vigil_bench
