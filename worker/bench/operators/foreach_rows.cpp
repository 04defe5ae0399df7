#include "worker/bench/operators/foreach_rows.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <thread>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <ATen/record_function.h>

#include "worker/bench/operators/hint_clock.hpp"
#include "worker/bench/operators/in_place_rows.hpp"
#include "worker/bench/operators/listen.hpp"
#include "worker/bench/operators/own_inputs.hpp"

namespace vigil_bench {

namespace {

using Tensors = std::vector<at::Tensor>;

/// In float32 128 KiB: above it the memory takes the time, not the call.
constexpr std::int64_t most_elements = 32'768;
constexpr std::size_t most_rows = 5;
constexpr std::size_t most_calls = 500'000;

/// The tensors of a row, each list as long as the row.
struct Operands {
    Tensors changed;
    Tensors first;
    Tensors second;
    at::Scalar number = 1;
};

/// An operator in place, and what does the same for a list.
struct Kind {
    const char* name;
    const char* overload;
    std::size_t tensors;  ///< that it takes, the changed one with them; then numbers
    void (*one)(const Operands& row, std::size_t place);
    void (*all)(const Operands& row);
    const char* foreach;
};

using Row = const Operands&;
constexpr std::array kinds{
    Kind{
        "aten::zero_",
        "",
        1,
        [](Row row, std::size_t i) { row.changed[i].zero_(); },
        [](Row row) { at::_foreach_zero_(row.changed); },
        "_foreach_zero_"},
    Kind{
        "aten::fill_",
        "Scalar",
        1,  // of 0 alone
        [](Row row, std::size_t i) { row.changed[i].fill_(row.number); },
        [](Row row) { at::_foreach_zero_(row.changed); },
        "_foreach_zero_"},
    Kind{
        "aten::add_",
        "Tensor",
        2,
        [](Row row, std::size_t i) { row.changed[i].add_(row.first[i], row.number); },
        [](Row row) { at::_foreach_add_(row.changed, row.first, row.number); },
        "_foreach_add_"},
    Kind{
        "aten::sub_",
        "Tensor",
        2,
        [](Row row, std::size_t i) { row.changed[i].sub_(row.first[i], row.number); },
        [](Row row) { at::_foreach_sub_(row.changed, row.first, row.number); },
        "_foreach_sub_"},
    Kind{
        "aten::mul_",
        "Tensor",
        2,
        [](Row row, std::size_t i) { row.changed[i].mul_(row.first[i]); },
        [](Row row) { at::_foreach_mul_(row.changed, row.first); },
        "_foreach_mul_"},
    Kind{
        "aten::mul_",
        "Scalar",
        1,
        [](Row row, std::size_t i) { row.changed[i].mul_(row.number); },
        [](Row row) { at::_foreach_mul_(row.changed, row.number); },
        "_foreach_mul_"},
    Kind{
        "aten::div_",
        "Scalar",
        1,
        [](Row row, std::size_t i) { row.changed[i].div_(row.number); },
        [](Row row) { at::_foreach_div_(row.changed, row.number); },
        "_foreach_div_"},
    Kind{
        "aten::addcmul_",
        "",
        3,
        [](Row row, std::size_t i) {
            row.changed[i].addcmul_(row.first[i], row.second[i], row.number);
        },
        [](Row row) { at::_foreach_addcmul_(row.changed, row.first, row.second, row.number); },
        "_foreach_addcmul_"},
    Kind{
        "aten::addcdiv_",
        "",
        3,
        [](Row row, std::size_t i) {
            row.changed[i].addcdiv_(row.first[i], row.second[i], row.number);
        },
        [](Row row) { at::_foreach_addcdiv_(row.changed, row.first, row.second, row.number); },
        "_foreach_addcdiv_"},
};

/// What stays of a call: its shape, for one of its kind.
struct Shape {
    const Kind* kind = nullptr;
    std::vector<std::int64_t> sizes;
    at::ScalarType type = at::kFloat;
    bool is_trained = false;  ///< the changed tensor requires gradients
    at::Scalar number = 1;

    std::int64_t elements() const { return c10::multiply_integers(sizes); }
};

bool fits(const c10::IValue& value, const at::Tensor& changed) {
    if (!value.isTensor()) return false;
    const at::Tensor& tensor = value.toTensor();
    return tensor.defined() && tensor.has_storage() && tensor.device().is_cpu() &&
           tensor.layout() == at::kStrided && !tensor.is_quantized() &&
           tensor.is_floating_point() && tensor.is_contiguous() &&
           tensor.scalar_type() == changed.scalar_type() && tensor.sizes() == changed.sizes();
}

const Kind* kind_of(const at::RecordFunction& function) {
    const auto name = function.operator_name();
    if (!name) return nullptr;
    const auto inputs = own_inputs(function);
    const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& one) {
        return name->name == one.name && name->overload_name == one.overload;
    });
    if (kind == kinds.end() || inputs.size() < kind->tensors) return nullptr;
    const bool has_tensor = inputs[0].isTensor() && inputs[0].toTensor().defined();
    if (!has_tensor) return nullptr;
    const at::Tensor& changed = inputs[0].toTensor();
    // Autograd would follow such a call.
    if (at::GradMode::is_enabled() && changed.requires_grad()) return nullptr;
    for (std::size_t i = 0; i < kind->tensors; ++i) {
        if (!fits(inputs[i], changed)) return nullptr;
    }
    return &*kind;
}

class Listener {
  public:
    void begin(const at::RecordFunction& function) {
        if (std::this_thread::get_id() != thread_) return;
        if (++open_of(function) > 1 || is_backward(function) || calls_.size() >= most_calls) return;
        const Kind* const kind = backward_ > 0 ? nullptr : kind_of(function);
        if (kind != nullptr && add(*kind, function)) return;
        if (!calls_.empty() && calls_.back().kind.empty()) return;  // one is enough
        calls_.emplace_back();
        shapes_.emplace_back();
    }

    void end(const at::RecordFunction& function) {
        if (std::this_thread::get_id() != thread_) return;
        int& open = open_of(function);
        open = std::max(0, open - 1);
    }

    const std::vector<InPlaceCall>& calls() const { return calls_; }
    const Shape& shape(std::size_t place) const { return shapes_[place]; }

  private:
    static bool is_backward(const at::RecordFunction& function) {
        return function.scope() == at::RecordScope::BACKWARD_FUNCTION ||
               std::string(function.name()).rfind("autograd::", 0) == 0;
    }

    int& open_of(const at::RecordFunction& function) {
        return is_backward(function) ? backward_ : depth_;
    }

    bool add(const Kind& kind, const at::RecordFunction& function) {
        const auto inputs = own_inputs(function);
        const at::Tensor& changed = inputs[0].toTensor();
        Shape shape{&kind, changed.sizes().vec(), changed.scalar_type(), changed.requires_grad()};
        InPlaceCall call;
        call.kind = std::string(kind.name) + "." + kind.overload + " " +
                    c10::toString(changed.scalar_type());
        for (std::size_t i = kind.tensors; i < inputs.size(); ++i) {
            if (!inputs[i].isScalar() || inputs[i].isComplexDouble()) return false;
            shape.number = inputs[i].toScalar();
            call.kind += " " + std::to_string(shape.number.toDouble());
        }
        const bool is_fill = std::string(kind.name) == "aten::fill_";
        if (is_fill && shape.number.toDouble() != 0) return false;
        call.writes = memory_of(changed);
        for (std::size_t i = 1; i < kind.tensors; ++i) {
            call.reads.push_back(memory_of(inputs[i].toTensor()));
        }
        calls_.push_back(std::move(call));
        shapes_.push_back(std::move(shape));
        return true;
    }

    static const void* memory_of(const at::Tensor& tensor) {
        return tensor.storage().unsafeGetStorageImpl();
    }

    std::thread::id thread_ = std::this_thread::get_id();
    int depth_ = 0;
    int backward_ = 0;
    std::vector<InPlaceCall> calls_;
    std::vector<Shape> shapes_;
};

/// Ones everywhere, and products by 1: values stay far from those that a processor is slow with.
Operands operands_of(const std::vector<Shape>& row) {
    const Kind& kind = *row.front().kind;
    Operands operands;
    for (const auto& shape : row) {
        const auto options = at::TensorOptions().dtype(shape.type);
        operands.changed.push_back(at::ones(shape.sizes, options));
        operands.changed.back().requires_grad_(shape.is_trained);
        if (kind.tensors > 1) operands.first.push_back(at::ones(shape.sizes, options));
        if (kind.tensors > 2) operands.second.push_back(at::ones(shape.sizes, options));
    }
    const std::string name = kind.name;
    const bool is_product = name == "aten::mul_" || name == "aten::div_";
    operands.number = is_product ? at::Scalar(1) : row.front().number;
    return operands;
}

Hint measure_row(const std::vector<Shape>& row, std::size_t times, int threads) {
    const Kind& kind = *row.front().kind;
    const Operands operands = operands_of(row);
    const auto one_by_one = [&] {
        for (std::size_t i = 0; i < row.size(); ++i) kind.one(operands, i);
    };
    const auto at_once = [&] { kind.all(operands); };
    constexpr double round_ns = 5e6;
    one_by_one();
    at_once();
    const double once_ns = taken_ns(one_by_one, 1, threads);
    const int repeats = std::clamp(static_cast<int>(round_ns / std::max(1.0, once_ns)), 1, 100);
    std::vector<double> saved_ns;
    for (std::size_t i = 0; i < hint_rounds; ++i) {
        const double apart = taken_ns(one_by_one, repeats, threads);
        saved_ns.push_back(apart - taken_ns(at_once, repeats, threads));
    }
    std::int64_t count = 0;
    for (const auto& shape : row) count += shape.elements();
    return hint_of(
        "foreach",
        std::string(kind.name).substr(6) + " on " + std::to_string(row.size()) +
            " small tensors one by one (" + std::to_string(count) + " elements in all), " +
            std::to_string(times) + " times, as one " + kind.foreach,
        std::move(saved_ns),
        static_cast<double>(times));
}

}  // namespace

std::vector<Hint> measure_rows(const std::function<void()>& iterate, int threads) {
    Listener listener;
    listen(
        listener, iterate, {at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}, false);
    struct Found {
        std::vector<Shape> row;
        std::size_t times = 0;
    };
    std::map<std::string, Found> all;  // an iteration may do the same several times
    for (const auto& places : find_rows(listener.calls())) {
        std::string text = listener.calls()[places.front()].kind;
        std::vector<Shape> row;
        for (const auto place : places) {
            // A foreach would take the large ones too, which gain nothing.
            if (listener.shape(place).elements() > most_elements) continue;
            row.push_back(listener.shape(place));
            for (const auto size : row.back().sizes) text += " " + std::to_string(size);
            text += row.back().is_trained ? ";" : ",";
        }
        if (row.size() < least_row) continue;
        auto& found = all[text];
        ++found.times;
        found.row = std::move(row);
    }
    std::vector<const Found*> longest;
    for (const auto& [text, found] : all) longest.push_back(&found);
    std::stable_sort(longest.begin(), longest.end(), [](const Found* a, const Found* b) {
        return a->row.size() * a->times > b->row.size() * b->times;
    });
    longest.resize(std::min(longest.size(), most_rows));
    const at::NoGradGuard no_grad;
    std::vector<Hint> hints;
    for (const auto* found : longest) {
        hints.push_back(measure_row(found->row, found->times, threads));
    }
    return hints;
}

}  // namespace vigil_bench
