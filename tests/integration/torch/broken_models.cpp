// Models that misbehave in float32 only, for the tests of the zoo's check; and one without
// training.

#include <cmath>

#include "worker/bench/zoo/choices.hpp"

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

/// Memory ends in the reference only.
struct EndlessReference final : Broken {
    Tensor spoil(const Tensor& right) const override { return right; }

    Tensors answer(const Tensors& inputs) override {
        const auto right = Broken::answer(inputs);
        if (inputs[0].scalar_type() != torch::kDouble) return right;
        return {right[0] + torch::empty({std::int64_t{1} << 50})};
    }
};

/// A model of the zoo whose answer and gradients are off by a quarter, in whatever it is measured.
struct Planted final : Network {
    explicit Planted(const std::string& name) {
        for (const auto& entry : entries()) {
            if (entry.name == name) model_ = register_module("model", entry.make());
        }
    }

    Tensors make_inputs(std::int64_t batch) const override { return model_->make_inputs(batch); }

    Tensors answer(const Tensors& inputs) override {
        auto right = model_->answer(inputs);
        if (is_reference()) return right;
        for (auto& output : right) {
            if (output.is_floating_point()) output = output * 1.25;
        }
        return right;
    }

    Tensor loss(const Tensors& inputs) override {
        const Tensor right = model_->loss(inputs);
        if (is_reference()) return right;
        return right.detach() + 0.5 * (right - right.detach());
    }

    bool is_reference() const { return parameters()[0].scalar_type() == torch::kDouble; }

    std::shared_ptr<Network> model_;
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
        : Registered<Model>({name, "broken", "", parameters, "", 4, train_batch}) {}
};

const RegisteredBroken<Right> right("broken_not");
const RegisteredBroken<OneValue> one_value("broken_value");
const RegisteredBroken<NotANumber> not_a_number("broken_nan");
const RegisteredBroken<Infinite> infinite("broken_infinite");
const RegisteredBroken<Gradient> gradient("broken_gradient");
const RegisteredBroken<Endless> endless("broken_endless");
const RegisteredBroken<EndlessReference> endless_reference("broken_reference");
const RegisteredBroken<Choosing<1>> tie("broken_not_tie");
const RegisteredBroken<Choosing<2>> choice("broken_choice");
const RegisteredBroken<Right> count("broken_count", 37);
const RegisteredBroken<Right> training("broken_untrainable", 36, 0);

std::shared_ptr<Network> planted_in(const char* model) {
    return std::make_shared<Planted>(model);
}

const bool planted = [] {
    const auto add = [](const char* of, std::int64_t parameters, NetworkMaker make) {
        const std::string name = std::string("planted_") + of;
        entries().push_back({{name, "broken", "", parameters, "", 2, 2}, make});
    };
    add("resnet18", 11'689'512, [] { return planted_in("resnet18"); });
    add("squeezenet1_1", 1'235'496, [] { return planted_in("squeezenet1_1"); });
    add("dcgan", 6'342'272, [] { return planted_in("dcgan"); });
    add("speaker_encoder", 9'447'680, [] { return planted_in("speaker_encoder"); });
    add("distilbert", 66'362'880, [] { return planted_in("distilbert"); });
    return true;
}();

}  // namespace

}  // namespace vigil_bench::zoo::broken
