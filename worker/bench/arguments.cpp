#include "worker/bench/arguments.hpp"

#include <cmath>
#include <functional>
#include <map>

#include "worker/bench/device.hpp"
#include "worker/bench/nearest_name.hpp"

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

/// The choice that has this name.
template <typename Choice>
Choice choice_of(
    const std::string& option, const std::string& text, std::initializer_list<Choice> choices) {
    std::string names;
    std::vector<std::string> all;
    for (const Choice choice : choices) {
        all.emplace_back(to_text(choice));
        if (text == all.back()) return choice;
        names += (names.empty() ? "" : ", ") + all.back();
    }
    throw UsageError(
        option + " takes one of " + names + ", not '" + text + "'" + suggestion(text, all));
}

int threads_of(const std::string& text) {
    if (text == "one") return 1;
    if (text == "all") return all_threads;
    return static_cast<int>(whole("--threads", text, 1, 1024));
}

std::int64_t batch_of(const std::string& text) {
    return text == "auto" ? auto_batch : whole("--batch", text, 1, 1 << 20);
}

std::vector<InputShape> inputs_of(const std::string& text) {
    try {
        return parse_input_shapes(text);
    } catch (const std::invalid_argument& error) {
        throw UsageError(std::string("--input takes ") + error.what());
    }
}

using Setter = std::function<void(Arguments&, const std::string&)>;

using Setters = std::map<std::string, Setter>;

/// What is measured.
Setters variant_setters() {
    return {
        {"--model", [](Arguments& a, const std::string& v) { a.model = v; }},
        {"--input", [](Arguments& a, const std::string& v) { a.inputs = inputs_of(v); }},
        {"--mode",
         [](Arguments& a, const std::string& v) {
             a.mode = choice_of("--mode", v, {Mode::train, Mode::infer});
         }},
        {"--precision",
         [](Arguments& a, const std::string& v) {
             a.precision = choice_of(
                 "--precision",
                 v,
                 {Precision::fp32,
                  Precision::tf32,
                  Precision::bf16,
                  Precision::fp16,
                  Precision::amp});
         }},
        {"--backend",
         [](Arguments& a, const std::string& v) {
             a.backend = choice_of("--backend", v, {Backend::eager, Backend::jit, Backend::aoti});
         }},
        {"--device", [](Arguments& a, const std::string& v) { a.device = v; }},
        {"--library", [](Arguments& a, const std::string& v) { a.library = v; }},
        {"--prefix", [](Arguments& a, const std::string& v) { a.operator_prefix = v; }},
        {"--threads", [](Arguments& a, const std::string& v) { a.threads = threads_of(v); }},
        {"--processes",
         [](Arguments& a, const std::string& v) {
             a.processes = static_cast<int>(whole("--processes", v, 1, 256));
         }},
        {"--batch", [](Arguments& a, const std::string& v) { a.batch = batch_of(v); }},
    };
}

/// How it is measured.
Setters measuring_setters() {
    return {
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
        {"--time-limit",
         [](Arguments& a, const std::string& v) {
             a.time_limit_s = number("--time-limit", v, 0.001, 1e6);
         }},
        {"--breakdown",
         [](Arguments& a, const std::string& v) {
             a.breakdown_iterations = static_cast<int>(whole("--breakdown", v, 1, 1000));
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
}

const Setters& setters() {
    static const Setters all = [] {
        Setters both = variant_setters();
        both.merge(measuring_setters());
        return both;
    }();
    return all;
}

std::vector<std::string> option_names() {
    std::vector<std::string> names{"--help", "--list", "--json"};
    for (const auto& [name, setter] : setters()) names.push_back(name);
    return names;
}

bool ends_with(const std::string& text, const std::string& end) {
    return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

void check_device(const Arguments& arguments) {
    if (!parse_device(arguments.device)) {
        throw UsageError(
            "--device takes cpu, cuda or cuda:N, not '" + arguments.device + "'" +
            suggestion(arguments.device, {"cpu", "cuda"}));
    }
    if (arguments.processes == 1) return;
    if (arguments.batch == auto_batch) {
        throw UsageError("--processes takes a batch, not --batch auto");
    }
    if (arguments.device.find(':') != std::string::npos) {
        throw UsageError("--processes takes a GPU each: --device cuda, without a number");
    }
    if (arguments.breakdown_iterations > 0) {
        throw UsageError("--breakdown is of one process");
    }
}

void check(const Arguments& arguments) {
    if (arguments.list_format == ListFormat::json) throw UsageError("--json goes with --list only");
    if (arguments.model.empty()) throw UsageError("--model is missing; see --list");
    if (arguments.max_samples < arguments.min_samples) {
        throw UsageError("--max-samples is smaller than --min-samples");
    }
    const bool is_file = is_model_file(arguments.model);
    if (is_file && arguments.inputs.empty()) {
        throw UsageError("a model file needs --input, e.g. --input 1x3x224x224; see --help");
    }
    if (!is_file && !arguments.inputs.empty()) {
        throw UsageError(
            "--input goes with a model file only: '" + arguments.model + "' has its own");
    }
    if (is_package(arguments.model) && arguments.backend != Backend::aoti) {
        throw UsageError("'" + arguments.model + "' is a package: it takes --backend aoti");
    }
    if (is_file && !arguments.library.empty()) {
        throw UsageError("--library replaces operators of the models of --list, not of a file");
    }
    check_device(arguments);
}

}  // namespace

bool is_model_file(const std::string& model) {
    return model.find('/') != std::string::npos || ends_with(model, ".pt") ||
           ends_with(model, ".pth") || is_package(model);
}

bool is_package(const std::string& model) {
    return ends_with(model, ".pt2");
}

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
            throw UsageError(
                "unknown argument '" + name + "'; see --help" + suggestion(name, option_names()));
        }
        if (!has_value) {
            if (++i == count) throw UsageError(name + " takes a value; see --help");
            value = values[i];
        }
        setter->second(arguments, value);
    }
    if (arguments.action == Action::list) return arguments;
    check(arguments);
    return arguments;
}

const char* to_text(Mode mode) {
    return mode == Mode::train ? "train" : "infer";
}

const char* to_text(Precision precision) {
    switch (precision) {
        case Precision::fp32: return "fp32";
        case Precision::tf32: return "tf32";
        case Precision::bf16: return "bf16";
        case Precision::fp16: return "fp16";
        case Precision::amp: return "amp";
    }
    return "fp32";
}

const char* to_text(Backend backend) {
    switch (backend) {
        case Backend::eager: return "eager";
        case Backend::jit: return "jit";
        case Backend::aoti: return "aoti";
    }
    return "eager";
}

}  // namespace vigil_bench
