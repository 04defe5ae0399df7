#include "worker/bench/operators/operator_calls.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>

#include "worker/bench/operators/own_inputs.hpp"

namespace vigil_bench {

namespace {

constexpr std::size_t longest_name = 200;
constexpr std::string_view of_aten = "aten::";

const char* short_type(at::ScalarType type) {
    switch (type) {
        case at::kFloat: return "f32";
        case at::kDouble: return "f64";
        case at::kHalf: return "f16";
        case at::kBFloat16: return "bf16";
        case at::kLong: return "i64";
        case at::kInt: return "i32";
        case at::kBool: return "bool";
        default: return c10::toString(type);
    }
}

std::string sizes_text(at::IntArrayRef sizes) {
    std::string text;
    for (const auto size : sizes) text += (text.empty() ? "" : "x") + std::to_string(size);
    return text;
}

std::string tensor_text(const at::Tensor& tensor) {
    std::string text = short_type(tensor.scalar_type());
    text += "[" + sizes_text(tensor.sizes()) + "]";
    return tensor.is_contiguous() ? text : text + "/" + sizes_text(tensor.strides());
}

/// What stays of a tensor between calls: its shape, where values do not matter; else itself.
at::Tensor kept(const at::Tensor& tensor) {
    if (!tensor.is_floating_point()) return tensor.detach().clone();
    return at::empty_strided(
        tensor.sizes(), tensor.strides(), tensor.options().device(at::kMeta).requires_grad(false));
}

at::Tensor filled(const at::Tensor& shape) {
    if (!shape.is_meta()) return shape.clone();
    std::int64_t last = 0;
    for (std::int64_t i = 0; i < shape.dim(); ++i) {
        if (shape.size(i) == 0) last = -1;
        if (last >= 0) last += (shape.size(i) - 1) * shape.stride(i);
    }
    // Several places may be one, as in what was expanded: so the memory is filled first.
    const at::Tensor memory = at::empty({last + 1}, shape.options().device(at::kCPU));
    return memory.uniform_().as_strided(shape.sizes(), shape.strides());
}

bool is_plain(const at::Tensor& tensor) {
    return tensor.defined() && tensor.device().is_cpu() && tensor.layout() == at::kStrided &&
           !tensor.is_quantized() && !tensor.is_complex();
}

/// A value with every tensor replaced. @return nothing: it holds what cannot be called again
template <class Replace>
std::optional<c10::IValue> with_tensors(const c10::IValue& value, const Replace& replace) {
    if (value.isTensor()) {
        if (!value.toTensor().defined()) return value;
        const auto made = replace(value.toTensor());
        return made ? std::optional<c10::IValue>(*made) : std::nullopt;
    }
    if (value.isTensorList()) {
        c10::List<at::Tensor> list;
        for (const at::Tensor& one : value.toTensorVector()) {
            const auto made = replace(one);
            if (!made) return std::nullopt;
            list.push_back(*made);
        }
        return c10::IValue(list);
    }
    if (value.isOptionalTensorList()) {
        c10::List<c10::optional<at::Tensor>> list;
        for (const c10::optional<at::Tensor>& one : value.toOptionalTensorVector()) {
            const auto made = one && one->defined() ? replace(*one) : std::nullopt;
            if (one && one->defined() && !made) return std::nullopt;
            list.push_back(made ? c10::optional<at::Tensor>(*made) : c10::nullopt);
        }
        return c10::IValue(list);
    }
    const bool is_plain_value = value.isNone() || value.isInt() || value.isDouble() ||
                                value.isBool() || value.isScalar() || value.isIntList() ||
                                value.isDoubleList() || value.isBoolList() || value.isString() ||
                                value.isDevice();
    return is_plain_value ? std::optional(value) : std::nullopt;
}

template <class List>
std::string list_text(const List& list) {
    std::string text;
    for (const auto& one : list) text += (text.empty() ? "" : ",") + std::to_string(one);
    return "(" + text + ")";
}

std::string value_text(const c10::IValue& value) {
    if (value.isTensor()) return value.toTensor().defined() ? tensor_text(value.toTensor()) : "";
    if (value.isTensorList()) {
        std::string text;
        for (const at::Tensor& one : value.toTensorVector()) {
            text += (text.empty() ? "" : ",") + tensor_text(one);
        }
        return "{" + text + "}";
    }
    if (value.isOptionalTensorList()) {
        std::string text;
        for (const c10::optional<at::Tensor>& one : value.toOptionalTensorVector()) {
            text += (text.empty() ? "" : ",") +
                    (one && one->defined() ? tensor_text(*one) : std::string("-"));
        }
        return "{" + text + "}";
    }
    if (value.isInt()) return std::to_string(value.toInt());
    if (value.isBool()) return value.toBool() ? "true" : "false";
    if (value.isIntList()) return list_text(value.toIntVector());
    if (value.isDouble()) {
        char text[32];
        std::snprintf(text, sizeof text, "%g", value.toDouble());
        return text;
    }
    return "";
}

/// FNV-1a.
std::string digest_of(const std::string& text) {
    std::uint64_t hash = 14695981039346656037ULL;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    char digest[20];
    std::snprintf(digest, sizeof digest, "%016llx", static_cast<unsigned long long>(hash));
    return digest;
}

std::string name_of(const c10::OperatorName& operation, const std::vector<c10::IValue>& inputs) {
    std::string name = operation.name;
    if (!operation.overload_name.empty()) name += "." + operation.overload_name;
    name += "/";
    bool is_first = true;
    for (const auto& input : inputs) {
        const auto text = value_text(input);
        if (text.empty()) continue;
        name += (is_first ? "" : " ") + text;
        is_first = false;
    }
    if (name.size() <= longest_name) return name;
    const auto digest = digest_of(name);
    return name.substr(0, longest_name - digest.size() - 1) + "#" + digest;
}

class Call final : public OperatorCall {
  public:
    Call(c10::OperatorHandle operation, std::vector<c10::IValue> inputs, std::string name)
        : operation_(std::move(operation)), inputs_(std::move(inputs)), name_(std::move(name)) {}

    const std::string& name() const override { return name_; }

    std::function<void()> prepare() const override {
        const at::NoGradGuard no_grad;
        torch::jit::Stack inputs;
        for (const auto& input : inputs_) {
            inputs.push_back(*with_tensors(input, [](const at::Tensor& shape) {
                return std::optional<at::Tensor>(filled(shape));
            }));
        }
        const auto call = [operation = operation_, inputs] {
            const at::NoGradGuard none;
            torch::jit::Stack stack = inputs;
            operation.callBoxed(&stack);
        };
        call();
        return call;
    }

  private:
    c10::OperatorHandle operation_;
    std::vector<c10::IValue> inputs_;
    std::string name_;
};

/// It hands its input on, and computes nothing.
bool is_view(const c10::FunctionSchema& schema) {
    const auto& made = schema.returns();
    return std::any_of(made.begin(), made.end(), [](const c10::Argument& one) {
        return one.alias_info() != nullptr && !one.alias_info()->isWrite();
    });
}

class Collector {
  public:
    void add(const at::RecordFunction& function) {
        const auto name = function.operator_name();
        if (!name || name->name.compare(0, of_aten.size(), of_aten) != 0) return;
        const at::DisableRecordFunctionGuard until_done;
        const std::lock_guard guard(mutex_);
        const auto operation = c10::Dispatcher::singleton().findSchema(*name);
        if (!operation || is_view(operation->schema()) ||
            operation->hasKernelForDispatchKey(at::DispatchKey::CompositeImplicitAutograd)) {
            return;
        }
        std::vector<c10::IValue> inputs;
        int tensors = 0;
        for (const auto& input : own_inputs(function)) {
            auto value = with_tensors(input, [&](const at::Tensor& one) {
                ++tensors;
                return is_plain(one) ? std::optional(kept(one)) : std::nullopt;
            });
            if (!value) return;
            inputs.push_back(std::move(*value));
        }
        if (tensors == 0) return;
        auto text = name_of(*name, inputs);
        if (calls_.count(text) > 0) return;
        calls_[text] = std::make_shared<Call>(*operation, std::move(inputs), text);
    }

    OperatorCalls take() const {
        OperatorCalls all;
        for (const auto& [name, call] : calls_) all.push_back(call);
        return all;
    }

  private:
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<OperatorCall>> calls_;
};

/// Of the run that is listened to now: LibTorch calls plain functions.
Collector*& listening() {
    static Collector* now = nullptr;
    return now;
}

std::unique_ptr<at::ObserverContext> note(const at::RecordFunction& function) {
    if (listening() != nullptr) listening()->add(function);
    return nullptr;
}

}  // namespace

OperatorCalls calls_of(const std::function<void()>& run) {
    Collector collector;
    const auto handle = at::addGlobalCallback(
        at::RecordFunctionCallback(note).needsInputs(true).scopes({at::RecordScope::FUNCTION}));
    const auto stop = [&] {
        at::removeCallback(handle);
        listening() = nullptr;
    };
    listening() = &collector;
    try {
        run();
    } catch (...) {
        stop();
        throw;
    }
    stop();
    return collector.take();
}

}  // namespace vigil_bench
