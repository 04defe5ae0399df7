#include "worker/bench/models/operator_model.hpp"

#include <algorithm>

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>

namespace vigil_bench {

namespace {

class OperatorModel final : public LoadedModel {
  public:
    explicit OperatorModel(LearningProblem problem)
        : problem_(std::move(problem)), operators_(reference_operators()) {}

    Tensors make_inputs(std::int64_t batch) const override {
        auto sizes = problem_.input.sizes().vec();
        sizes[0] = batch;
        return {at::randn(sizes), at::randint(home_made_classes, {batch}, at::kLong)};
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

    void convert(at::ScalarType type) override { turn_into(type); }
    void move_to(c10::Device device) override { turn_into(device); }

  private:
    template <typename Target>
    void turn_into(const Target& target) {
        const at::NoGradGuard no_grad;
        for (auto& parameter : problem_.parameters) {
            parameter.set_data(parameter.detach().to(target));
        }
    }

    LearningProblem problem_;
    Operators operators_;
};

constexpr double sgd_rate = 0.1;
constexpr double tolerance_ratio = 1e-3;  ///< of the largest value of the reference
constexpr int checked_steps = 2;

Operators make_operators(const Arguments& arguments) {
    if (arguments.library.empty()) return reference_operators();
    return library_operators(arguments.library, arguments.operator_prefix);
}

/// Where two tensors differ by more than rounding; empty when they do not.
std::string difference(const Tensor& actual, const Tensor& reference, const std::string& what) {
    if (actual.sizes() != reference.sizes()) return what + " has another shape than LibTorch's";
    const double largest = reference.abs().max().item<double>();
    const double off = (actual - reference).abs().max().item<double>();
    if (off <= tolerance_ratio * (largest + 1e-6)) return "";  // false for NaN
    return what + " differs from LibTorch's by " + std::to_string(off) + ", its largest value is " +
           std::to_string(largest);
}

/// The batches of the queue in turn; the one input where there is no queue.
const Tensor& next_input(const LearningProblem& problem, std::size_t iteration) {
    return problem.queue.empty() ? problem.input : problem.queue[iteration % problem.queue.size()];
}

class Inference final : public Subject {
  public:
    Inference(const Arguments& arguments, const ModelEntry& model, std::int64_t batch)
        : operators_(make_operators(arguments)),
          problem_(make_problem(model, batch, arguments.seed)) {
        fill_queue(model, problem_);
    }

    void iterate() override {
        const at::NoGradGuard no_grad;
        problem_.forward(operators_, next_input(problem_, iterations_++));
    }

    /// The reference goes through the batch in parts, to stay below the measured peak of memory.
    void check_answer(AnswerCheck& check) override {
        const at::NoGradGuard no_grad;
        problem_.queue.clear();
        const Tensor actual = problem_.forward(operators_, problem_.input);
        check.nondeterminism = find_nondeterminism(
            prints_of({{"the model's answer", actual}}),
            prints_of({{"the model's answer", problem_.forward(operators_, problem_.input)}}));
        check.repeated = true;
        const Operators reference = reference_operators();
        std::vector<Tensor> parts;
        const std::int64_t step = std::max<std::int64_t>(1, batch() / 4);
        for (std::int64_t at = 0; at < batch(); at += step) {
            const Tensor part = problem_.input.narrow(0, at, std::min(step, batch() - at));
            parts.push_back(problem_.forward(reference, part));
        }
        check.wrong = difference(actual, at::cat(parts), "the model's answer");
    }

    std::int64_t batch() const override { return problem_.input.size(0); }
    std::vector<std::string> library_operators() const override { return operators_.from_library; }

  private:
    Operators operators_;
    LearningProblem problem_;
    std::size_t iterations_ = 0;
};

class Training final : public Subject {
  public:
    Training(const Arguments& arguments, const ModelEntry& model, std::int64_t batch)
        : model_(model),
          batch_(batch),
          seed_(arguments.seed),
          operators_(make_operators(arguments)),
          problem_(make(model, batch, arguments.seed)) {
        fill_queue(model, problem_);
    }

    void iterate() override { step(problem_, next_input(problem_, iterations_++), operators_); }

    void check_answer(AnswerCheck& check) override {
        problem_ = {};
        const auto actual = trained(operators_);
        check.nondeterminism =
            find_nondeterminism(prints_of(named(actual)), prints_of(named(trained(operators_))));
        check.repeated = true;
        const auto reference = trained(reference_operators());
        for (std::size_t i = 0; i < actual.size(); ++i) {
            const std::string what = "parameter " + std::to_string(i) + " after training";
            check.wrong = difference(actual[i], reference[i], what);
            if (!check.wrong.empty()) break;
        }
    }

    std::int64_t batch() const override { return batch_; }
    std::vector<std::string> library_operators() const override { return operators_.from_library; }

  private:
    static LearningProblem make(const ModelEntry& model, std::int64_t batch, std::uint64_t seed) {
        LearningProblem problem = make_problem(model, batch, seed);
        for (auto& parameter : problem.parameters) parameter.requires_grad_();
        return problem;
    }

    static void step(LearningProblem& problem, const Tensor& input, const Operators& operators) {
        for (auto& parameter : problem.parameters) parameter.mutable_grad() = Tensor();
        const Tensor loss =
            at::cross_entropy_loss(problem.forward(operators, input), problem.target);
        loss.backward();
        const at::NoGradGuard no_grad;
        for (auto& parameter : problem.parameters) {
            if (parameter.grad().defined()) {
                operators.sgd_step(parameter, parameter.grad(), sgd_rate);
            }
        }
    }

    static std::vector<NamedTensor> named(const std::vector<Tensor>& changes) {
        std::vector<NamedTensor> all;
        for (const auto& change : changes) {
            all.push_back({"parameter " + std::to_string(all.size()) + " after training", change});
        }
        return all;
    }

    /// What the first steps change at the head of each parameter; a whole copy of them all would
    /// raise the process's peak above the measured one.
    std::vector<Tensor> trained(const Operators& operators) const {
        constexpr std::int64_t compared = 1024;
        LearningProblem problem = make(model_, batch_, seed_);
        const auto heads = [&] {
            std::vector<Tensor> parts;
            for (const auto& parameter : problem.parameters) {
                const Tensor flat = parameter.detach().flatten();
                parts.push_back(flat.narrow(0, 0, std::min(compared, flat.numel())).clone());
            }
            return parts;
        };
        const std::vector<Tensor> before = heads();
        for (int i = 0; i < checked_steps; ++i) step(problem, problem.input, operators);
        std::vector<Tensor> changes = heads();
        for (std::size_t i = 0; i < before.size(); ++i) changes[i].sub_(before[i]);
        return changes;
    }

    ModelEntry model_;
    std::int64_t batch_;
    std::uint64_t seed_;
    Operators operators_;
    LearningProblem problem_;
    std::size_t iterations_ = 0;
};

}  // namespace

ModelMaker operator_model_maker(const ModelEntry& model, std::uint64_t seed) {
    return [model, seed] {
        constexpr std::int64_t any_batch = 1;
        return std::make_unique<OperatorModel>(make_problem(model, any_batch, seed));
    };
}

std::unique_ptr<Subject> make_operator_subject(
    const Arguments& arguments, const ModelEntry& model, std::int64_t batch) {
    if (arguments.mode == Mode::train) return std::make_unique<Training>(arguments, model, batch);
    return std::make_unique<Inference>(arguments, model, batch);
}

}  // namespace vigil_bench
