#include "worker/bench/operators/element_chains.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>

#include "worker/bench/operators/chains.hpp"
#include "worker/bench/operators/hint_clock.hpp"
#include "worker/bench/operators/listen.hpp"
#include "worker/bench/operators/own_inputs.hpp"

namespace vigil_bench {

namespace {

constexpr std::int64_t piece = 65'536;  ///< elements: in float32 256 KiB, which a cache holds
constexpr std::int64_t least_count = 2 * piece;
constexpr std::size_t most_chains = 5;
constexpr std::size_t most_calls = 500'000;

const std::set<std::string>& element_wise() {
    static const std::set<std::string> names{
        "aten::abs",      "aten::add",        "aten::clamp", "aten::clamp_min",   "aten::cos",
        "aten::div",      "aten::erf",        "aten::exp",   "aten::hardsigmoid", "aten::hardswish",
        "aten::hardtanh", "aten::leaky_relu", "aten::log",   "aten::mul",         "aten::neg",
        "aten::pow",      "aten::reciprocal", "aten::relu",  "aten::rsqrt",       "aten::sigmoid",
        "aten::silu",     "aten::sin",        "aten::sqrt",  "aten::square",      "aten::sub",
        "aten::tanh"};
    return names;
}

/// An element-wise call that can be made again in place.
struct ElementCall {
    c10::OperatorName name;
    std::vector<c10::IValue> inputs;  ///< tensors only as shapes
    std::int64_t count = 0;
    at::ScalarType type = at::kFloat;

    std::string text() const {
        std::string all = name.name + "." + name.overload_name;
        for (const auto& input : inputs) {
            if (input.isTensor()) all += input.toTensor().numel() == count ? " all" : " one";
        }
        return all + " " + std::to_string(count) + c10::toString(type);
    }
};

c10::OperatorName in_place(const c10::OperatorName& name) {
    return {name.name + "_", name.overload_name};
}

/// What writes into memory that it is given, as "mul.Tensor" has "mul.out".
c10::OperatorName into_memory(const c10::OperatorName& name) {
    const bool is_usual = name.overload_name.empty() || name.overload_name == "Tensor";
    return {name.name, is_usual ? "out" : name.overload_name + "_out"};
}

bool is_plain(const at::Tensor& tensor) {
    return tensor.defined() && tensor.device().is_cpu() && tensor.layout() == at::kStrided &&
           !tensor.is_quantized() && tensor.is_floating_point() && tensor.is_contiguous();
}

class Listener {
  public:
    void begin(const at::RecordFunction& function) {
        if (std::this_thread::get_id() != thread_) return;
        if (function.scope() != at::RecordScope::FUNCTION || is_engine(function.name())) {
            return;
        }
        if (++depth_ > 1 || calls_.size() >= most_calls) return;
        calls_.emplace_back();
        elements_.emplace_back();
        for (const auto& input : own_inputs(function)) add_reads(input);
        elements_.back() = element_of(function);
    }

    void end(const at::RecordFunction& function) {
        if (std::this_thread::get_id() != thread_ || depth_ == 0) return;
        if (function.scope() != at::RecordScope::FUNCTION || is_engine(function.name())) {
            return;
        }
        if (--depth_ > 0 || calls_.size() >= most_calls) return;
        auto& call = calls_.back();
        auto& element = elements_.back();
        const auto& outputs = function.outputs();
        if (outputs.empty() || !outputs[0].isTensor() || !outputs[0].toTensor().defined() ||
            !outputs[0].toTensor().has_storage()) {
            element.reset();
            return;
        }
        const at::Tensor& output = outputs[0].toTensor();
        call.writes = output.storage().unsafeGetStorageImpl();
        const auto same = std::find(call.reads.begin(), call.reads.end(), call.writes);
        call.is_in_place = same != call.reads.end();
        const bool fits = element && !call.is_in_place && is_plain(output) &&
                          output.numel() == element->count && output.scalar_type() == element->type;
        if (!fits) element.reset();
        call.is_element_wise = element.has_value();
        if (!element) return;
        const auto& name = element->name.name;
        call.is_symmetric = name == "aten::add" || name == "aten::mul";
    }

    const std::vector<MemoryCall>& calls() const { return calls_; }
    const ElementCall& element(std::size_t place) const { return *elements_[place]; }

  private:
    /// What autograd calls around operators, in the scope of operators.
    static bool is_engine(const std::string& name) { return name.rfind("autograd::", 0) == 0; }

    void add_reads(const c10::IValue& value) {
        const auto add = [&](const at::Tensor& one) {
            if (!one.defined() || !one.has_storage()) return;
            calls_.back().reads.push_back(one.storage().unsafeGetStorageImpl());
        };
        if (value.isTensor()) add(value.toTensor());
        if (!value.isTensorList()) return;
        for (const at::Tensor& one : value.toTensorVector()) add(one);
    }

    static std::optional<ElementCall> element_of(const at::RecordFunction& function) {
        const auto name = function.operator_name();
        const auto inputs = own_inputs(function);
        if (!name || element_wise().count(name->name) == 0 || inputs.empty()) return {};
        if (!c10::Dispatcher::singleton().findSchema(in_place(*name))) return {};
        if (!inputs[0].isTensor() || !is_plain(inputs[0].toTensor())) return {};
        const at::DisableRecordFunctionGuard until_done;
        ElementCall call{*name, {}, inputs[0].toTensor().numel(), at::kFloat};
        call.type = inputs[0].toTensor().scalar_type();
        if (call.count < least_count) return {};
        for (const auto& input : inputs) {
            if (!input.isTensor()) {
                if (input.isTensorList()) return {};
                call.inputs.push_back(input);
                continue;
            }
            const at::Tensor& tensor = input.toTensor();
            if (tensor.defined() && tensor.dim() == 0 && tensor.device().is_cpu()) {
                call.inputs.push_back(tensor.detach().clone());  // a number
                continue;
            }
            const bool fits = is_plain(tensor) && tensor.scalar_type() == call.type &&
                              (tensor.numel() == call.count || tensor.numel() == 1);
            if (!fits) return {};
            call.inputs.push_back(at::empty(
                {tensor.numel()}, tensor.options().device(at::kMeta).requires_grad(false)));
        }
        return call;
    }

    std::thread::id thread_ = std::this_thread::get_id();
    int depth_ = 0;
    std::vector<MemoryCall> calls_;
    std::vector<std::optional<ElementCall>> elements_;
};

/// The calls of a chain on random values, in both ways.
class Replay {
  public:
    explicit Replay(const std::vector<ElementCall>& calls) : count_(calls.front().count) {
        const auto options = at::TensorOptions().dtype(calls.front().type);
        start_ = at::empty({count_}, options).uniform_(0.5, 1.5);
        into_ = at::empty({count_}, options);
        auto& dispatcher = c10::Dispatcher::singleton();
        into_memory_ = dispatcher.findSchema(into_memory(calls.front().name));
        for (const auto& call : calls) {
            std::vector<c10::IValue> inputs;
            for (const auto& input : call.inputs) {
                const bool is_shape = input.isTensor() && input.toTensor().is_meta();
                inputs.push_back(
                    is_shape
                        ? c10::IValue(
                              at::empty({input.toTensor().numel()}, options).uniform_(0.5, 1.5))
                        : input);
            }
            steps_.push_back(
                {*dispatcher.findSchema(call.name),
                 *dispatcher.findSchema(in_place(call.name)),
                 std::move(inputs)});
        }
    }

    void through_memory() const {
        at::Tensor x = start_;
        for (const auto& step : steps_) {
            torch::jit::Stack stack = step.inputs;
            stack[0] = x;
            step.apart.callBoxed(&stack);
            x = stack[0].toTensor();
        }
    }

    void in_pieces() const {
        for (std::int64_t at = 0; at < count_; at += piece) {
            const auto size = std::min(piece, count_ - at);
            const at::Tensor x = into_.narrow(0, at, size);
            const at::Tensor from = start_.narrow(0, at, size);
            if (into_memory_) {
                auto stack = piece_of(steps_.front(), at, size);
                stack[0] = from;
                stack.push_back(x);
                into_memory_->callBoxed(&stack);
            } else {
                x.copy_(from);
            }
            for (std::size_t i = into_memory_ ? 1 : 0; i < steps_.size(); ++i) {
                auto stack = piece_of(steps_[i], at, size);
                stack[0] = x;
                steps_[i].in_place.callBoxed(&stack);
            }
        }
    }

  private:
    struct Step {
        c10::OperatorHandle apart;
        c10::OperatorHandle in_place;
        std::vector<c10::IValue> inputs;
    };

    torch::jit::Stack piece_of(const Step& step, std::int64_t at, std::int64_t size) const {
        torch::jit::Stack stack = step.inputs;
        for (auto& input : stack) {
            if (!input.isTensor() || input.toTensor().numel() != count_) continue;
            input = input.toTensor().narrow(0, at, size);
        }
        return stack;
    }

    std::int64_t count_;
    at::Tensor start_;
    at::Tensor into_;
    c10::optional<c10::OperatorHandle> into_memory_;  ///< of the first step
    std::vector<Step> steps_;
};

std::string words_of(const std::vector<ElementCall>& chain, std::size_t times) {
    std::string text = std::to_string(chain.size()) + " element-wise operators in a row (";
    for (std::size_t i = 0; i < std::min<std::size_t>(chain.size(), 6); ++i) {
        text += (i == 0 ? "" : ", ") + chain[i].name.name.substr(6);
    }
    text += chain.size() > 6 ? ", ...)" : ")";
    return text + " over " + std::to_string(chain.front().count) + " elements, " +
           std::to_string(times) + " times, as one loop in place";
}

Hint measure_chain(const std::vector<ElementCall>& chain, std::size_t times, int threads) {
    const Replay replay(chain);
    constexpr double round_ns = 5e6;
    const double once_ns = taken_ns([&] { replay.through_memory(); }, 1, threads);
    const int repeats = std::clamp(static_cast<int>(round_ns / std::max(1.0, once_ns)), 1, 100);
    replay.in_pieces();
    std::vector<double> saved_ns;
    for (std::size_t i = 0; i < hint_rounds; ++i) {
        const double apart = taken_ns([&] { replay.through_memory(); }, repeats, threads);
        saved_ns.push_back(apart - taken_ns([&] { replay.in_pieces(); }, repeats, threads));
    }
    return hint_of(
        "element_wise_chain",
        words_of(chain, times),
        std::move(saved_ns),
        static_cast<double>(times));
}

}  // namespace

std::vector<Hint> measure_chains(const std::function<void()>& iterate, int threads) {
    Listener listener;
    listen(listener, iterate, {at::RecordScope::FUNCTION}, true);
    struct Kind {
        std::vector<ElementCall> chain;
        std::size_t times = 0;
        double elements = 0;  ///< that it goes through memory with
    };
    std::map<std::string, Kind> kinds;
    for (const auto& places : find_chains(listener.calls())) {
        std::string text;
        std::vector<ElementCall> chain;
        for (const auto place : places) {
            chain.push_back(listener.element(place));
            text += chain.back().text() + ";";
        }
        auto& kind = kinds[text];
        ++kind.times;
        kind.elements +=
            static_cast<double>(chain.front().count) * static_cast<double>(chain.size());
        kind.chain = std::move(chain);
    }
    std::vector<const Kind*> largest;
    for (const auto& [text, kind] : kinds) largest.push_back(&kind);
    std::stable_sort(largest.begin(), largest.end(), [](const Kind* a, const Kind* b) {
        return a->elements > b->elements;
    });
    largest.resize(std::min(largest.size(), most_chains));
    const at::NoGradGuard no_grad;
    std::vector<Hint> hints;
    for (const auto* kind : largest)
        hints.push_back(measure_chain(kind->chain, kind->times, threads));
    return hints;
}

}  // namespace vigil_bench
