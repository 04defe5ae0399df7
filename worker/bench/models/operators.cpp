#include "worker/bench/models/operators.hpp"

#include <dlfcn.h>
#include <memory>
#include <stdexcept>
#include <stdlib.h>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/add.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/max_pool2d.h>

namespace vigil_bench {

namespace {

std::string namespace_of(const std::string& path) {
    std::string name = path.substr(path.rfind('/') + 1);
    name.resize(std::min(name.size(), name.find('.')));
    return name.rfind("lib", 0) == 0 ? name.substr(3) : name;
}

void load(const std::string& path) {
    const std::unique_ptr<char, decltype(&free)> real(realpath(path.c_str(), nullptr), &free);
    if (real == nullptr) {
        throw std::runtime_error("loading library '" + path + "': no such file");
    }
    // Never closed: LibTorch keeps pointers to what the library registered.
    if (dlopen(real.get(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
        throw std::runtime_error("loading library '" + path + "': " + dlerror());
    }
}

/// Replaces one operator, if the library has it.
template <typename Result, typename... Arguments>
void replace(
    Operators& operators,
    const std::string& prefix,
    const std::string& name,
    std::function<Result(Arguments...)>& place) {
    const auto full_name = prefix + "::" + name;
    const auto handle = c10::Dispatcher::singleton().findSchema({full_name, ""});
    if (!handle.has_value()) return;
    try {
        const auto typed = handle->template typed<Result(Arguments...)>();
        place = [typed](Arguments... arguments) -> Result { return typed.call(arguments...); };
    } catch (const c10::Error& error) {
        throw std::runtime_error(
            "operator " + full_name +
            " has another schema than operators.hpp says: " + error.what_without_backtrace());
    }
    operators.from_library.push_back(name);
}

}  // namespace

Operators reference_operators() {
    Operators operators;
    operators.linear = [](const Tensor& x, const Tensor& weight, const Tensor& bias) {
        return at::linear(x, weight, bias);
    };
    operators.bias_gelu = [](const Tensor& x, const Tensor& bias) {
        return at::gelu(at::add(x, bias));
    };
    operators.layer_norm = [](const Tensor& x, const Tensor& weight, const Tensor& bias) {
        return at::layer_norm(x, weight.sizes(), weight, bias);
    };
    operators.scores = [](const Tensor& query, const Tensor& key) {
        return at::bmm(query, key.transpose(1, 2));
    };
    operators.conv2d = [](const Tensor& x, const Tensor& weight, const Tensor& bias) {
        const auto padding = weight.size(2) / 2;
        return at::conv2d(x, weight, bias, 1, padding);
    };
    operators.max_pool = [](const Tensor& x) { return at::max_pool2d(x, 2); };
    operators.sgd_step = [](const Tensor& parameter, const Tensor& gradient, double rate) {
        Tensor changed = parameter;
        return changed.add_(gradient, -rate);
    };
    return operators;
}

Operators library_operators(const std::string& path, const std::string& prefix) {
    load(path);
    const std::string name_space = prefix.empty() ? namespace_of(path) : prefix;
    Operators operators = reference_operators();
    replace(operators, name_space, "linear", operators.linear);
    replace(operators, name_space, "bias_gelu", operators.bias_gelu);
    replace(operators, name_space, "layer_norm", operators.layer_norm);
    replace(operators, name_space, "scores", operators.scores);
    replace(operators, name_space, "conv2d", operators.conv2d);
    replace(operators, name_space, "max_pool", operators.max_pool);
    replace(operators, name_space, "sgd_step", operators.sgd_step);
    if (operators.from_library.empty()) {
        throw std::runtime_error(
            "library '" + path + "' registers no operator of a model under '" + name_space +
            "'; the names are in operators.hpp, another namespace is given with --prefix");
    }
    return operators;
}

}  // namespace vigil_bench
