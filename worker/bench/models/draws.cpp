#include "worker/bench/models/draws.hpp"

#include <tuple>
#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/ops/bernoulli_ops.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/exponential_ops.h>
#include <ATen/ops/native_dropout.h>
#include <ATen/ops/normal_ops.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/uniform_ops.h>
#include <torch/library.h>

// LibTorch has a dispatch key that is nobody's: it is on while draws are remembered or repeated,
// and every operator but those below passes through it.

namespace vigil_bench {

namespace {

constexpr auto dispatch_key = c10::DispatchKey::TESTING_ONLY_GenericMode;
constexpr bool no_copy = false;

struct Current {
    WithDraws::To what = WithDraws::To::remember;
    Draws* draws = nullptr;
    std::size_t repeated = 0;
};
thread_local Current current;

/// In what type a tensor of this one is to be drawn. What was not remembered is drawn as it is.
c10::ScalarType type_to_draw(c10::ScalarType type) {
    if (current.draws == nullptr) return type;
    if (current.what == WithDraws::To::remember) {
        current.draws->push_back(type);
        return type;
    }
    if (current.repeated == current.draws->size()) return type;
    const auto remembered = (*current.draws)[current.repeated++];
    return type == at::kDouble ? remembered : type;
}

template <class Draw>
at::Tensor& fill(at::Tensor& tensor, const Draw& draw) {
    const c10::impl::ExcludeDispatchKeyGuard guard(dispatch_key);
    const auto type = type_to_draw(tensor.scalar_type());
    if (type == tensor.scalar_type()) {
        draw(tensor);
        return tensor;
    }
    at::Tensor drawn = at::empty_like(tensor, tensor.options().dtype(type));
    draw(drawn);
    tensor.copy_(drawn);
    return tensor;
}

/// The last argument of an operator: how LibTorch says "perhaps" differs between versions.
template <class Result, class... Arguments>
auto last_of(Result (*)(Arguments...)) ->
    typename std::tuple_element<sizeof...(Arguments) - 1, std::tuple<Arguments...>>::type;
using MaybeGenerator = decltype(last_of(static_cast<at::_ops::uniform_::schema*>(nullptr)));
using MaybeBool = decltype(last_of(static_cast<at::_ops::native_dropout::schema*>(nullptr)));

at::Tensor& uniform(at::Tensor& self, double from, double to, MaybeGenerator generator) {
    return fill(
        self, [&](at::Tensor& drawn) { at::_ops::uniform_::call(drawn, from, to, generator); });
}

at::Tensor& normal(at::Tensor& self, double mean, double std, MaybeGenerator generator) {
    return fill(
        self, [&](at::Tensor& drawn) { at::_ops::normal_::call(drawn, mean, std, generator); });
}

at::Tensor& exponential(at::Tensor& self, double rate, MaybeGenerator generator) {
    return fill(
        self, [&](at::Tensor& drawn) { at::_ops::exponential_::call(drawn, rate, generator); });
}

at::Tensor& bernoulli(at::Tensor& self, double p, MaybeGenerator generator) {
    return fill(
        self, [&](at::Tensor& drawn) { at::_ops::bernoulli__float::call(drawn, p, generator); });
}

at::Tensor& bernoulli_of(at::Tensor& self, const at::Tensor& p, MaybeGenerator generator) {
    return fill(self, [&](at::Tensor& drawn) {
        const bool narrower = drawn.scalar_type() != self.scalar_type();
        const auto of = narrower ? p.to(drawn.scalar_type(), no_copy, no_copy) : p;
        at::_ops::bernoulli__Tensor::call(drawn, of, generator);
    });
}

std::tuple<at::Tensor, at::Tensor> dropout(const at::Tensor& input, double p, MaybeBool train) {
    const c10::impl::ExcludeDispatchKeyGuard guard(dispatch_key);
    const auto type = type_to_draw(input.scalar_type());
    const bool drops = !train.has_value() || *train;
    if (type == input.scalar_type() || !drops) return at::native_dropout(input, p, train);
    const auto ones = at::ones_like(input, input.options().dtype(type).requires_grad(false));
    const auto kept = std::get<1>(at::native_dropout(ones, p, train));
    const double scale = p < 1 ? 1 / (1 - p) : 0;
    return {input * kept.to(input.scalar_type(), no_copy, no_copy) * scale, kept};
}

}  // namespace

WithDraws::WithDraws(To what, Draws& draws) : guard_(dispatch_key) {
    current = {what, &draws, 0};
}

WithDraws::~WithDraws() {
    current = {};
}

}  // namespace vigil_bench

TORCH_LIBRARY_IMPL(_, TESTING_ONLY_GenericMode, library) {
    library.fallback(torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, TESTING_ONLY_GenericMode, library) {
    library.impl("uniform_", &vigil_bench::uniform);
    library.impl("normal_", &vigil_bench::normal);
    library.impl("exponential_", &vigil_bench::exponential);
    library.impl("bernoulli_.float", &vigil_bench::bernoulli);
    library.impl("bernoulli_.Tensor", &vigil_bench::bernoulli_of);
    library.impl("native_dropout", &vigil_bench::dropout);
}
