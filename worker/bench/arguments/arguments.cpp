#include "worker/bench/arguments/arguments.hpp"

#include <cmath>
#include <functional>
#include <map>
#include <sstream>
#include <type_traits>

#include "worker/bench/arguments/device_name.hpp"
#include "worker/bench/arguments/nearest_name.hpp"
#include "worker/bench/arguments/paper_names.hpp"

namespace vigil_bench {

namespace {

/// As people write it: 1048576, 0.001.
std::string plain(double value) {
    std::ostringstream text;
    text.precision(16);
    text << value;
    return text.str();
}

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
            name + " takes a number from " + plain(low) + " to " + plain(high) + ", not '" + text +
            "'");
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
    const std::string& option, const std::string& text, const std::vector<Choice>& choices) {
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

constexpr double largest_batch = 1 << 20;

std::int64_t batch_of(const std::string& text) {
    return text == "auto" ? auto_batch : whole("--batch", text, 1, largest_batch);
}

std::vector<InputShape> inputs_of(const std::string& text) {
    try {
        return parse_input_shapes(text);
    } catch (const std::invalid_argument& error) {
        throw UsageError(std::string("--input takes ") + error.what());
    }
}

/// Takes the value of the option of this name.
using Setter = std::function<void(Arguments&, const std::string& name, const std::string& value)>;

Setter text_into(std::string Arguments::*member) {
    return [=](Arguments& a, const std::string&, const std::string& v) { a.*member = v; };
}

template <typename Number>
Setter number_into(Number Arguments::*member, double low, double high) {
    return [=](Arguments& a, const std::string& name, const std::string& v) {
        if constexpr (std::is_integral_v<Number>) {
            a.*member = static_cast<Number>(whole(name, v, low, high));
        } else {
            a.*member = number(name, v, low, high);
        }
    };
}

template <typename Choice>
Setter choice_into(Choice Arguments::*member, std::initializer_list<Choice> choices) {
    return [member, all = std::vector<Choice>(choices)](
               Arguments& a, const std::string& name, const std::string& v) {
        a.*member = choice_of(name, v, all);
    };
}

const std::map<std::string, Setter>& setters() {
    static const std::map<std::string, Setter> all{
        {"--model", text_into(&Arguments::model)},
        {"--input",
         [](Arguments& a, const std::string&, const std::string& v) { a.inputs = inputs_of(v); }},
        {"--mode", choice_into(&Arguments::mode, {Mode::train, Mode::infer})},
        {"--precision",
         choice_into(
             &Arguments::precision,
             {Precision::fp32,
              Precision::tf32,
              Precision::bf16,
              Precision::fp16,
              Precision::amp,
              Precision::amp_fp16})},
        {"--backend",
         choice_into(&Arguments::backend, {Backend::eager, Backend::jit, Backend::aoti})},
        {"--layout", choice_into(&Arguments::layout, {Layout::contiguous, Layout::channels_last})},
        {"--size",
         [](Arguments& a, const std::string& name, const std::string& v) {
             a.size = choice_of(name, v, std::vector{InputSize::small, InputSize::published});
             a.asks_for_size = true;
         }},
        {"--device", text_into(&Arguments::device)},
        {"--python", text_into(&Arguments::python)},
        {"--library", text_into(&Arguments::library)},
        {"--prefix", text_into(&Arguments::operator_prefix)},
        {"--threads",
         [](Arguments& a, const std::string&, const std::string& v) { a.threads = threads_of(v); }},
        {"--processes", number_into(&Arguments::processes, 1, 256)},
        {"--batch",
         [](Arguments& a, const std::string&, const std::string& v) { a.batch = batch_of(v); }},
        {"--second-batch", number_into(&Arguments::second_batch, 1, largest_batch)},
        {"--seed", number_into(&Arguments::seed, 0, 1e15)},
        {"--min-time", number_into(&Arguments::min_time_s, 0, 600)},
        {"--max-warmup", number_into(&Arguments::max_warmup_s, 0, 600)},
        {"--time-limit", number_into(&Arguments::time_limit_s, 0.001, 1e6)},
        {"--breakdown", number_into(&Arguments::breakdown_iterations, 1, 1000)},
        {"--profile", number_into(&Arguments::profile_iterations, 1, 1000)},
        {"--trace", text_into(&Arguments::trace_file)},
        {"--ops",
         [](Arguments& a, const std::string&, const std::string& v) {
             a.action = Action::cover;
             a.coverage_file = v;
         }},
        {"--operators",
         [](Arguments& a, const std::string& name, const std::string& v) {
             a.action = Action::operators;
             a.operators_s = number(name, v, 0.1, 86'400);
         }},
        {"--iterations", number_into(&Arguments::iterations, 1, 1'000'000)},
        {"--exclusive", number_into(&Arguments::max_lock_wait_s, 0, 600)},
        {"--sample-time", number_into(&Arguments::sample_time_s, 0, 60)},
        {"--min-samples", number_into(&Arguments::min_samples, 1, 100000)},
        {"--max-samples", number_into(&Arguments::max_samples, 1, 100000)},
    };
    return all;
}

std::vector<std::string> option_names() {
    std::vector<std::string> names{"--help", "--list", "--json", "--paper"};
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
    if (arguments.breakdown_iterations > 0 || arguments.profile_iterations > 0 ||
        arguments.second_batch > 0 || arguments.iterations > 0) {
        throw UsageError(
            "--breakdown, --profile, --second-batch and --iterations are of one process");
    }
}

void check_python(const Arguments& arguments) {
    if (!is_python_model(arguments.model)) {
        if (arguments.python.empty()) return;
        throw UsageError("--python takes a model of a Python program, DIR/compile_bench.py:NAME");
    }
    if (arguments.backend != Backend::aoti) {
        throw UsageError(
            "'" + arguments.model + "' is a Python module: it takes --backend aoti and --python");
    }
    if (!arguments.inputs.empty()) {
        throw UsageError("--input: '" + arguments.model + "' has inputs of its own");
    }
    if (arguments.batch == auto_batch) {
        throw UsageError("--batch auto: a package has the batch that it was compiled for");
    }
}

void check(const Arguments& arguments) {
    if (arguments.list_format == ListFormat::paper ||
        (arguments.list_format == ListFormat::json && arguments.action == Action::run)) {
        throw UsageError("--json goes with --list and --ops only, --paper with --list");
    }
    if (arguments.action == Action::cover) return;
    if (!arguments.trace_file.empty() && arguments.profile_iterations == 0) {
        throw UsageError("--trace takes --profile, whose operators it writes");
    }
    if (arguments.model.empty()) throw UsageError("--model is missing; see --list");
    if (arguments.max_samples < arguments.min_samples) {
        throw UsageError("--max-samples is smaller than --min-samples");
    }
    check_python(arguments);
    const bool is_python = is_python_model(arguments.model);
    const bool is_file = is_model_file(arguments.model) || is_python;
    if (is_file && !is_python && arguments.inputs.empty()) {
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

void follow_paper_name(Arguments& arguments) {
    const PaperName* const row = find_paper_name(arguments.model);
    if (row == nullptr || row->model.empty() || row->model == arguments.model) return;
    arguments.called = arguments.model;
    arguments.model = row->model;
}

bool is_model_file(const std::string& model) {
    return model.find('/') != std::string::npos || ends_with(model, ".pt") ||
           ends_with(model, ".pth") || is_package(model);
}

bool is_package(const std::string& model) {
    return ends_with(model, ".pt2");
}

bool is_python_model(const std::string& model) {
    return model.find(".py:") != std::string::npos;
}

std::pair<std::string, std::string> python_model(const std::string& model) {
    const auto colon = model.find(".py:") + 3;
    return {model.substr(0, colon), model.substr(colon + 1)};
}

void parse_arguments(int count, const char* const* values, Arguments& arguments) {
    for (int i = 1; i < count; ++i) {
        std::string name = values[i];
        if (name == "--help" || name == "-h") {
            arguments.action = Action::help;
            return;
        }
        if (name == "--list") {
            arguments.action = Action::list;
            continue;
        }
        if (name == "--json") {
            arguments.list_format = ListFormat::json;
            continue;
        }
        if (name == "--paper") {
            arguments.list_format = ListFormat::paper;
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
        setter->second(arguments, name, value);
    }
    if (arguments.action != Action::list) check(arguments);
    follow_paper_name(arguments);
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
        case Precision::amp_fp16: return "amp_fp16";
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

const char* to_text(InputSize size) {
    return size == InputSize::published ? "published" : "small";
}

const char* to_text(Layout layout) {
    return layout == Layout::channels_last ? "channels_last" : "contiguous";
}

}  // namespace vigil_bench
