#include "worker/bench/arguments.hpp"

#include <cmath>
#include <functional>
#include <map>

namespace vigil_bench {

namespace {

double number(const std::string& name, const std::string& text, double low, double high) {
    std::size_t used = 0;
    double value = 0;
    try {
        value = std::stod(text, &used);
    } catch (const std::exception&) {
        used = 0;
    }
    if (used != text.size() || text.empty() || !std::isfinite(value) || value < low ||
        value > high) {
        throw UsageError(
            name + " takes a number from " + std::to_string(low) + " to " + std::to_string(high) +
            ", not '" + text + "'");
    }
    return value;
}

std::int64_t whole(const std::string& name, const std::string& text, double low, double high) {
    const double value = number(name, text, low, high);
    if (value != std::floor(value)) {
        throw UsageError(name + " takes a whole number, not '" + text + "'");
    }
    return static_cast<std::int64_t>(value);
}

Mode mode_of(const std::string& text) {
    if (text == "train") return Mode::train;
    if (text == "infer") return Mode::infer;
    throw UsageError("--mode takes train or infer, not '" + text + "'");
}

using Setter = std::function<void(Arguments&, const std::string&)>;

const std::map<std::string, Setter>& setters() {
    static const std::map<std::string, Setter> all = {
        {"--model", [](Arguments& a, const std::string& v) { a.model = v; }},
        {"--mode", [](Arguments& a, const std::string& v) { a.mode = mode_of(v); }},
        {"--device", [](Arguments& a, const std::string& v) { a.device = v; }},
        {"--library", [](Arguments& a, const std::string& v) { a.library = v; }},
        {"--prefix", [](Arguments& a, const std::string& v) { a.operator_prefix = v; }},
        {"--threads",
         [](Arguments& a, const std::string& v) {
             a.threads = static_cast<int>(whole("--threads", v, 1, 1024));
         }},
        {"--batch",
         [](Arguments& a, const std::string& v) { a.batch = whole("--batch", v, 1, 1 << 20); }},
        {"--seed",
         [](Arguments& a, const std::string& v) {
             a.seed = static_cast<std::uint64_t>(whole("--seed", v, 0, 1e15));
         }},
        {"--min-time",
         [](Arguments& a, const std::string& v) {
             a.min_time_s = number("--min-time", v, 0, 600);
         }},
        {"--max-warmup",
         [](Arguments& a, const std::string& v) {
             a.max_warmup_s = number("--max-warmup", v, 0, 600);
         }},
        {"--exclusive",
         [](Arguments& a, const std::string& v) {
             a.max_lock_wait_s = number("--exclusive", v, 0, 600);
         }},
        {"--sample-time",
         [](Arguments& a, const std::string& v) {
             a.sample_time_s = number("--sample-time", v, 0, 60);
         }},
        {"--min-samples",
         [](Arguments& a, const std::string& v) {
             a.min_samples = static_cast<int>(whole("--min-samples", v, 1, 100000));
         }},
        {"--max-samples",
         [](Arguments& a, const std::string& v) {
             a.max_samples = static_cast<int>(whole("--max-samples", v, 1, 100000));
         }},
    };
    return all;
}

}  // namespace

Arguments parse_arguments(int count, const char* const* values) {
    Arguments arguments;
    for (int i = 1; i < count; ++i) {
        std::string name = values[i];
        if (name == "--help" || name == "-h") {
            arguments.action = Action::help;
            return arguments;
        }
        if (name == "--list") {
            arguments.action = Action::list;
            continue;
        }
        if (name == "--json") {
            arguments.list_format = ListFormat::json;
            continue;
        }
        std::string value;
        const auto equals = name.find('=');
        const bool has_value = equals != std::string::npos;
        if (has_value) {
            value = name.substr(equals + 1);
            name.resize(equals);
        }
        const auto setter = setters().find(name);
        if (setter == setters().end()) {
            throw UsageError("unknown argument '" + name + "'; see --help");
        }
        if (!has_value) {
            if (++i == count) throw UsageError(name + " takes a value; see --help");
            value = values[i];
        }
        setter->second(arguments, value);
    }
    if (arguments.action == Action::list) return arguments;
    if (arguments.list_format == ListFormat::json) throw UsageError("--json goes with --list only");
    if (arguments.model.empty()) throw UsageError("--model is missing; see --list");
    if (arguments.max_samples < arguments.min_samples) {
        throw UsageError("--max-samples is smaller than --min-samples");
    }
    return arguments;
}

std::string help_text() {
    return R"(vigil-bench: measures one model in one process, on the LibTorch it is compiled against

usage: vigil-bench --model NAME [options]     prints one JSON object on standard output
       vigil-bench --list [--json]            names the models, one a line; as JSON with the
                                              parameters of each counted in the built model
       vigil-bench --help

  --model NAME        the model to run
  --mode infer|train  forward only (default), or forward, backward and a step of SGD
  --library FILE.so   operators of the build under test, used in place of LibTorch's own (models
                      mlp, convnet, attention)
  --prefix NAME       namespace of its operators (default: libNAME.so gives NAME)
  --threads N         of LibTorch and of its BLAS (default 1)
  --batch N           rows per iteration (default: the model's own)
  --seed N            of weights and inputs (default 1)
  --device cpu        the only device so far; another one is `unsupported`
  --min-time S        measure at least S seconds (default 0.6)
  --min-samples N     and at least N samples (default 20)
  --max-samples N     and at most N samples (default 2000)
  --sample-time S     one sample is the mean of so many iterations that they take S seconds
                      (default 0.01)
  --exclusive S       wait up to S seconds until no other vigil-bench with --exclusive measures on
                      this machine (default 0: do not care)
  --max-warmup S      warm-up ends when it is steady, or after S seconds (default 0.5)

examples:
  vigil-bench --model mlp
  vigil-bench --model convnet --batch 8 --min-time 2
  vigil-bench --model mlp --mode train --library lib/libtensorlab.so
  vigil-bench --model resnet50 --mode train --batch 4     with the zoo built in

output, one line:
  {"vigil_bench":1,"outcome":"passed","samples":{"cpu_time_ns":[...],"wall_time_ns":[...],
   "peak_process_bytes":[n],"peak_growth_bytes":[n],"peak_alloc_bytes":[n]},"info":{...}}
  times are nanoseconds per iteration, one value per sample; peaks are one value per process.
  outcome: passed, failed, wrong, oom, unsupported; other than passed it has a "message".

exit codes: 0 passed, 1 failed, 2 wrong usage, 3 wrong answer, 4 out of memory, 77 unsupported

a library registers its operators with TORCH_LIBRARY, any subset of those listed in
operators.hpp; what it lacks is taken from LibTorch. Its answers are checked against LibTorch's.
)";
}

const char* to_text(Mode mode) {
    return mode == Mode::train ? "train" : "infer";
}

}  // namespace vigil_bench
