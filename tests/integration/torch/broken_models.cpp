// Models that misbehave in float32 only, for the tests of the zoo's check; and one without
// training.

#include <cmath>

#include "worker/bench/zoo/blocks/choices.hpp"

namespace vigil_bench::zoo::broken {

namespace {

/// Adds to the answer, or to the gradient, what should not be there; never in the float64
/// reference.
class Broken : public Network {
  public:
    Broken() { layer_ = register_module("layer", nn::Linear(8, 4)); }

    Tensors make_inputs(std::int64_t batch) const override { return {torch::randn({batch, 8})}; }

    Tensors answer(const Tensors& inputs) override {
        const Tensor right = layer_(inputs[0]);
        return {right.scalar_type() == torch::kFloat ? spoil(right) : right};
    }

    Tensor loss(const Tensors& inputs) override { return answer(inputs)[0].square().mean(); }

  protected:
    virtual Tensor spoil(const Tensor& right) const = 0;

  private:
    nn::Linear layer_ = nullptr;
};

struct Right final : Broken {
    Tensor spoil(const Tensor& right) const override { return right; }
};

/// One of all values is off by 1 %.
struct OneValue final : Broken {
    Tensor spoil(const Tensor& right) const override {
        Tensor changed = right.clone();
        changed.index_put_({0, 0}, right.index({0, 0}) * 1.01);
        return changed;
    }
};

struct NotANumber final : Broken {
    Tensor spoil(const Tensor& right) const override { return right * std::nan(""); }
};

struct Infinite final : Broken {
    Tensor spoil(const Tensor& right) const override { return right / 0.0; }
};

/// The same value with another gradient.
struct Gradient final : Broken {
    Tensor spoil(const Tensor& right) const override {
        return right.detach() + 0.2 * (right - right.detach());
    }
};

struct Endless final : Broken {
    Tensor spoil(const Tensor& right) const override {
        return right + torch::empty({std::int64_t{1} << 50});
    }
};

/// Chooses among two that are as good and a third; the reference's own choice is the first.
template <std::int64_t chosen>
struct Choosing final : Network {
    Choosing() { register_module("layer", nn::Linear(8, 4)); }

    Tensors make_inputs(std::int64_t batch) const override { return {torch::randn({batch, 8})}; }

    Tensor choose(torch::ScalarType type) {
        const Tensor scores = torch::tensor({1.0, 1.0, 0.5});
        const Tensor own = torch::full({1}, type == torch::kDouble ? 0 : chosen, torch::kLong);
        choices.begin(type);
        return choices.settle(own, [&](const Tensor& kept) {
            return scores.index_select(0, kept) >= 0.99 * scores.max();
        });
    }

    Tensors answer(const Tensors& inputs) override {
        const auto type = inputs[0].scalar_type();
        return {(1 + choose(type)).to(type)};
    }

    Tensor loss(const Tensors& inputs) override { return answer(inputs)[0].sum(); }

    Choices choices;
};

template <typename Model>
struct RegisteredBroken : Registered<Model> {
    explicit RegisteredBroken(
        const char* name, std::int64_t parameters = 36, std::int64_t train_batch = 4)
        : Registered<Model>({name, "broken", "", parameters, 4, train_batch}) {}
};

const RegisteredBroken<Right> right("broken_not");
const RegisteredBroken<OneValue> one_value("broken_value");
const RegisteredBroken<NotANumber> not_a_number("broken_nan");
const RegisteredBroken<Infinite> infinite("broken_infinite");
const RegisteredBroken<Gradient> gradient("broken_gradient");
const RegisteredBroken<Endless> endless("broken_endless");
const RegisteredBroken<Choosing<1>> tie("broken_not_tie");
const RegisteredBroken<Choosing<2>> choice("broken_choice");
const RegisteredBroken<Right> count("broken_count", 37);
const RegisteredBroken<Right> training("broken_untrainable", 36, 0);

}  // namespace

}  // namespace vigil_bench::zoo::broken
