#include "worker/bench/models/operator_model.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>

namespace vigil_bench {

namespace {

constexpr std::int64_t classes = 16;

class OperatorModel final : public LoadedModel {
  public:
    explicit OperatorModel(LearningProblem problem)
        : problem_(std::move(problem)), operators_(reference_operators()) {}

    Tensors make_inputs(std::int64_t batch) const override {
        auto sizes = problem_.input.sizes().vec();
        sizes[0] = batch;
        return {at::randn(sizes), at::randint(classes, {batch}, at::kLong)};
    }

    Tensors answer(const Tensors& inputs) override {
        return {problem_.forward(operators_, inputs[0])};
    }

    at::Tensor loss(const Tensors& inputs) override {
        return at::cross_entropy_loss(problem_.forward(operators_, inputs[0]), inputs[1]);
    }

    void set_training(bool is_training) override {
        for (auto& parameter : problem_.parameters) parameter.requires_grad_(is_training);
    }

    std::vector<NamedTensor> named_parameters() const override {
        std::vector<NamedTensor> named;
        for (const auto& parameter : problem_.parameters) {
            named.push_back({"parameter " + std::to_string(named.size()), parameter});
        }
        return named;
    }

    void convert(at::ScalarType type) override {
        const at::NoGradGuard no_grad;
        for (auto& parameter : problem_.parameters) {
            parameter.set_data(parameter.detach().to(type));
        }
    }

    void move_to(c10::Device device) override {
        const at::NoGradGuard no_grad;
        for (auto& parameter : problem_.parameters) {
            parameter.set_data(parameter.detach().to(device));
        }
    }

  private:
    LearningProblem problem_;
    Operators operators_;
};

}  // namespace

ModelMaker operator_model_maker(const ModelEntry& model, std::uint64_t seed) {
    return [model, seed] {
        constexpr std::int64_t any_batch = 1;
        return std::make_unique<OperatorModel>(make_problem(model, any_batch, seed));
    };
}

}  // namespace vigil_bench
