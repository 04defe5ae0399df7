#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

// The command line of vigil-bench.

namespace vigil_bench {

enum class Mode { train, infer };
enum class Action { run, help, list };
enum class ListFormat { text, json };

struct Arguments {
    Action action = Action::run;
    ListFormat list_format = ListFormat::text;
    std::string model;
    Mode mode = Mode::infer;
    std::string device = "cpu";
    std::string library;          ///< operators of the build under test; empty: LibTorch's own
    std::string operator_prefix;  ///< namespace of the library's operators; empty: from its name
    int threads = 1;
    std::int64_t batch = 0;       ///< 0: the model's own
    std::uint64_t seed = 1;       ///< of weights and inputs
    double min_time_s = 0.6;      ///< measure at least this long
    double max_warmup_s = 0.5;    ///< warm up at most this long
    double sample_time_s = 0.01;  ///< one sample takes at least this long
    double max_lock_wait_s = 0;   ///< wait so long to be the only one that measures; 0: do not
    int min_samples = 20;
    int max_samples = 2000;
};

/// The command line is not one that vigil-bench understands.
class UsageError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// @throws UsageError naming the argument and what it takes
Arguments parse_arguments(int count, const char* const* values);

/// The text of --help, without the list of models.
std::string help_text();

const char* to_text(Mode mode);

}  // namespace vigil_bench
