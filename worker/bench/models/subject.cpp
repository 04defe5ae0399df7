#include "worker/bench/models/subject.hpp"

#include <algorithm>
#include <cctype>
#include <new>
#include <optional>
#include <string_view>

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/Version.h>
#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>
#include <torch/version.h>

#include "worker/bench/arguments/refused_model.hpp"
#include "worker/bench/device/gpu.hpp"
#include "worker/bench/device/torch_device.hpp"
#include "worker/bench/models/input_size.hpp"
#include "worker/bench/models/loaded_subject.hpp"
#include "worker/bench/models/operator_model.hpp"
#include "worker/bench/models/package_model.hpp"
#include "worker/bench/models/script_model.hpp"
#include "worker/bench/models/zoo.hpp"

namespace vigil_bench {

namespace {

std::optional<ZooModel> find_zoo_model(const std::string& name) {
    for (auto& model : zoo_models()) {
        if (model.name == name) return std::move(model);
    }
    return std::nullopt;
}

[[noreturn]] void refuse_unknown(const std::string& name) {
    std::vector<std::string> here;
    for (const auto& model : models()) here.push_back(model.name);
    for (const auto& model : zoo_models()) here.push_back(model.name);
    throw UsageError(why_no_model(name, here, zoo_names()));
}

bool is_on_cpu(const Arguments& arguments) {
    return arguments.device.rfind("cpu", 0) == 0;
}

/// What the home-made models with a library's operators are able to do.
bool is_plain(const Arguments& arguments) {
    return is_on_cpu(arguments) && arguments.precision == Precision::fp32 &&
           arguments.backend == Backend::eager && arguments.layout == Layout::contiguous &&
           arguments.processes == 1 && arguments.second_batch == 0;
}

bool has_one_of(const std::string& text, std::initializer_list<const char*> parts) {
    return std::any_of(parts.begin(), parts.end(), [&](const char* part) {
        return text.find(part) != std::string::npos;
    });
}

bool is_lower_case_part(const std::string& text, const std::string& part) {
    const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == b;
    };
    return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

/// LibTorch 1.13 takes the channels of a transposed convolution for those of a convolution, in
/// bfloat16 and on processors that have it: the input has as many as the weight wants, it says.
bool is_mistaken_transpose(const std::string& text) {
    constexpr std::string_view weight = "weight of size [";
    const auto at = text.find(weight);
    if (at == std::string::npos) return false;
    const auto from = at + weight.size();
    const auto channels = text.substr(from, text.find(',', from) - from);
    if (text.find("but got " + channels + " channels", from) == std::string::npos) return false;
    const c10::NoGradGuard no_gradients;
    try {
        at::conv_transpose2d(
            at::ones({1, 2, 1, 1}, at::kBFloat16), at::ones({2, 3, 4, 4}, at::kBFloat16));
        return false;
    } catch (const c10::Error&) {
        return true;
    }
}

std::string find_unsupported_size(const Arguments& arguments) {
    if (!arguments.asks_for_size) return "";
    for (const auto& one : sized_models()) {
        if (one.model == arguments.model) return "";
    }
    return std::string("--size ") + to_text(arguments.size) + ": the inputs of '" +
           arguments.model + "' have one size";
}

std::string find_unsupported_backend(const Arguments& arguments) {
    if (arguments.backend == Backend::jit && arguments.mode == Mode::train) {
        return "--backend jit: a frozen model cannot be trained";
    }
    if (arguments.backend != Backend::aoti) return "";
    const bool is_python = is_python_model(arguments.model);
    if (!is_package(arguments.model) && !is_python) {
        return "--backend aoti: LibTorch compiles no package, its Python does; take FILE.pt2";
    }
    if (is_python && arguments.python.empty()) {
        return "--backend aoti: name a Python with torch 2.6 or later by --python, which compiles "
               "the package";
    }
    if (arguments.mode == Mode::train) return "--backend aoti: a package cannot be trained";
    if (arguments.precision != Precision::fp32) {
        return "--backend aoti: a package has the precision that it was compiled for; take fp32";
    }
    if (arguments.layout != Layout::contiguous) {
        return "--backend aoti: a package has the layout that it was compiled for";
    }
    return why_no_packages();
}

}  // namespace

std::string find_unsupported(const Arguments& arguments) {
    const bool on_cpu = is_on_cpu(arguments);
    const auto model = find_zoo_model(arguments.model);
    const bool float16 =
        arguments.precision == Precision::fp16 || arguments.precision == Precision::amp_fp16;
    if (model && model->leaves_float16 && float16) {
        return std::string("--precision ") + to_text(arguments.precision) + ": numbers of model '" +
               model->name + "' lie outside its range";
    }
    if (on_cpu && arguments.precision == Precision::tf32) {
        return "--precision tf32: only some GPUs have it, the cpu does not";
    }
    if (on_cpu && arguments.precision == Precision::fp16) {
        return "--precision fp16: the cpu lacks most operators in it; take bf16";
    }
    if (on_cpu && arguments.precision == Precision::amp_fp16) {
        return "--precision amp_fp16: the cpu lacks most operators in it; take amp";
    }
    const std::string backend = find_unsupported_backend(arguments);
    if (!backend.empty()) return backend;
    const std::string size = find_unsupported_size(arguments);
    if (!size.empty()) return size;
    if (model && arguments.mode == Mode::train && model->train_batch == 0) {
        return "model '" + model->name + "' has nothing to train";
    }
    if (!arguments.library.empty() && !is_plain(arguments)) {
        return "--library: its operators run in float32, eager, contiguous, in one process on the "
               "cpu, with one batch";
    }
    return "";
}

std::int64_t batch_of(const Arguments& arguments) {
    if (arguments.batch > 0) return arguments.batch;
    const bool is_training = arguments.mode == Mode::train;
    if (is_model_file(arguments.model) || is_python_model(arguments.model)) {
        if (arguments.inputs.empty()) return std::max<std::int64_t>(arguments.batch, 0);
        const auto& sizes = arguments.inputs.front().sizes;
        return sizes.empty() ? 1 : sizes.front();
    }
    if (const ModelEntry* model = find_model(arguments.model)) {
        return is_training ? model->train_batch : model->infer_batch;
    }
    const auto model = find_zoo_model(arguments.model);
    if (!model) refuse_unknown(arguments.model);
    return is_training ? model->train_batch : model->infer_batch;
}

/// float32 is no TF32, which LibTorch chooses for convolutions unasked.
void set_tf32(const Arguments& arguments) {
    const bool wanted = arguments.precision == Precision::tf32;
    const c10::Device device = torch_device(arguments);
    if (wanted && !has_tf32(device.index())) {
        throw UnsupportedError("--precision tf32: this GPU does not have it");
    }
    at::globalContext().setAllowTF32CuBLAS(wanted);
    at::globalContext().setAllowTF32CuDNN(wanted);
}

std::unique_ptr<Subject> make_subject(const Arguments& arguments) {
    const std::int64_t batch = batch_of(arguments);
    if (!is_on_cpu(arguments)) set_tf32(arguments);
    if (is_package(arguments.model)) {
        const auto make = package_model_maker(arguments.model, arguments.inputs);
        return make_loaded_subject(make, batch, arguments);
    }
    if (is_model_file(arguments.model)) {
        const auto make =
            script_model_maker(arguments.model, arguments.inputs, torch_device(arguments));
        return make_loaded_subject(make, batch, arguments);
    }
    if (const ModelEntry* model = find_model(arguments.model)) {
        if (is_plain(arguments)) return make_operator_subject(arguments, *model, batch);
        return make_loaded_subject(operator_model_maker(*model, arguments.seed), batch, arguments);
    }
    if (!arguments.library.empty()) {
        throw UsageError(
            "--library replaces operators of mlp, convnet and attention only, not of '" +
            arguments.model + "'");
    }
    const bool is_published = arguments.size == InputSize::published;
    const auto make = [name = arguments.model, is_published] {
        take_published_size(is_published);
        return make_zoo_model(name);
    };
    return make_loaded_subject(make, batch, arguments);
}

AnswerCheck check_answer_of(Subject& subject) {
    AnswerCheck check;
    try {
        subject.check_answer(check);
    } catch (const std::exception& error) {
        if (!is_out_of_memory(error)) throw;
        check.unchecked = "memory ended while checking the answer: " + message_of(error);
    }
    return check;
}

std::vector<std::pair<std::string, std::string>> torch_facts() {
    // LibTorch's own text is the one place that every version has.
    const std::string config = at::show_config();
    const std::string key = "CPU capability usage: ";
    const auto start = config.find(key);
    std::string capability = "unknown";
    if (start != std::string::npos) {
        const auto value = start + key.size();
        capability = config.substr(value, config.find('\n', value) - value);
    }
    return {{"torch_version", TORCH_VERSION}, {"cpu_capability", capability}};
}

bool is_out_of_memory(const std::exception& error) {
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return true;
    return has_one_of(
               error.what(),
               {"can't allocate memory",
                "not enough memory",
                "std::bad_alloc",
                "out of memory",
                "Cannot allocate memory"}) ||
           is_out_of_gpu_memory(error);
}

bool is_out_of_gpu_memory(const std::exception& error) {
    // Only allocators of devices throw c10's.
    return has_one_of(
               error.what(),
               {"CUDA out of memory",
                "CUDA error: out of memory",
                "HIP out of memory",
                "CUBLAS_STATUS_ALLOC_FAILED",
                "CUDNN_STATUS_ALLOC_FAILED"}) ||
           dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr;
}

bool is_missing_precision(const Arguments& arguments, const std::exception& error) {
    if (arguments.precision == Precision::fp32) return false;
    const std::string text = error.what();
    for (const auto* words :
         {"not implemented for", "scalar type", "dtype", "should be the same", "not supported"}) {
        if (is_lower_case_part(text, words)) return true;
    }
    return is_mistaken_transpose(text);
}

std::string message_of(const std::exception& error) {
    const auto* from_torch = dynamic_cast<const c10::Error*>(&error);
    std::string text = from_torch ? from_torch->what_without_backtrace() : error.what();
    // A script's own words come after a listing of it.
    if (text.find("TorchScript interpreter") != std::string::npos) {
        const auto end = text.find_last_not_of(" \n");
        text.resize(end == std::string::npos ? 0 : end + 1);
        text = "in the script: " + text.substr(text.rfind('\n') + 1);
    }
    // What a hostile file holds may be part of it.
    for (char& c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\n' || c == '\t') c = ' ';
        if (byte < 0x20 || byte >= 0x7f) c = c == ' ' ? ' ' : '?';
    }
    constexpr std::size_t most = 1000;
    return text.size() <= most ? text : text.substr(0, most) + "...";
}

}  // namespace vigil_bench
