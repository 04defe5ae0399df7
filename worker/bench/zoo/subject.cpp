#include "worker/bench/subject.hpp"

#include <algorithm>
#include <cmath>

#include "worker/bench/zoo.hpp"
#include "worker/bench/zoo/agreement.hpp"
#include "worker/bench/zoo/network.hpp"

// A model of the zoo as what is measured.

namespace vigil_bench {

namespace zoo {

namespace {

/// Small: measuring takes thousands of steps on one batch, which must not diverge.
constexpr double zoo_learning_rate = 1e-4;

/// A network with a batch of inputs; equal seeds give equal weights and inputs.
struct Cage {
    Cage(const Entry& entry, std::int64_t batch, std::uint64_t seed) {
        torch::manual_seed(seed);
        network = entry.make();
        inputs = network->make_inputs(batch);
        check_count(entry);
    }

    void check_count(const Entry& entry) const {
        std::int64_t count = 0;
        for (const auto& parameter : network->parameters()) count += parameter.numel();
        if (count == entry.parameters) return;
        throw std::runtime_error(
            "model " + entry.name + " has " + std::to_string(count) +
            " parameters, the published one " + std::to_string(entry.parameters));
    }

    /// Turns weights and inputs into float64, in place: never two copies of all weights.
    void to_double() {
        const torch::NoGradGuard no_grad;
        const auto turn = [](Tensor tensor) {
            if (tensor.is_floating_point()) tensor.set_data(tensor.detach().to(torch::kDouble));
        };
        for (const auto& parameter : network->parameters()) turn(parameter);
        for (const auto& buffer : network->buffers()) turn(buffer);
        for (auto& input : inputs) {
            if (input.is_floating_point()) input = input.to(torch::kDouble);
        }
    }

    std::shared_ptr<Network> network;
    Tensors inputs;
};

class ZooInference final : public Subject {
  public:
    ZooInference(const Entry& entry, std::int64_t batch, std::uint64_t seed)
        : batch_(batch), seed_(seed), cage_(entry, batch, seed) {
        cage_.network->eval();
    }

    void iterate() override {
        const torch::NoGradGuard no_grad;
        cage_.network->answer(cage_.inputs);
    }

    std::string find_wrong_answer() override {
        const auto actuals = answers();
        cage_.to_double();
        const auto references = answers();
        return find_disagreement(
            actuals, references, tolerance_of(torch::kFloat, Compared::answers));
    }

    std::int64_t batch() const override { return batch_; }
    std::vector<std::string> library_operators() const override { return {}; }

  private:
    std::vector<NamedTensor> answers() {
        const torch::NoGradGuard no_grad;
        torch::manual_seed(seed_);
        std::vector<NamedTensor> named;
        for (auto& value : cage_.network->answer(cage_.inputs)) {
            named.push_back({"output " + std::to_string(named.size()), std::move(value)});
        }
        return named;
    }

    std::int64_t batch_;
    std::uint64_t seed_;
    Cage cage_;
};

class ZooTraining final : public Subject {
  public:
    ZooTraining(Entry entry, std::int64_t batch, std::uint64_t seed)
        : entry_(std::move(entry)), batch_(batch), seed_(seed) {
        build();
    }

    void iterate() override {
        backward();
        const torch::NoGradGuard no_grad;
        for (auto& parameter : parameters_) {
            if (parameter.grad().defined()) parameter.add_(parameter.grad(), -zoo_learning_rate);
        }
    }

    /// From fresh weights, so that the verdict does not depend on how many steps were measured.
    std::string find_wrong_answer() override {
        const double last_loss = loss_.item<double>();
        if (!std::isfinite(last_loss)) {
            return std::string("the loss after the measured steps is ") +
                   (std::isnan(last_loss) ? "NaN" : "infinite");
        }
        parameters_.clear();
        cage_.reset();
        build();
        const auto actuals = gradients();
        const NamedTensor loss{"the loss", loss_};
        cage_->to_double();
        const auto references = gradients();
        const auto wrong_loss = find_disagreement(
            {loss}, {{"the loss", loss_}}, tolerance_of(torch::kFloat, Compared::answers));
        if (!wrong_loss.empty()) return wrong_loss;
        return find_disagreement(
            actuals, references, tolerance_of(torch::kFloat, Compared::gradients));
    }

    std::int64_t batch() const override { return batch_; }
    std::vector<std::string> library_operators() const override { return {}; }

  private:
    void build() {
        cage_ = std::make_unique<Cage>(entry_, batch_, seed_);
        cage_->network->train();
        parameters_ = cage_->network->parameters();
    }

    void backward() {
        for (auto& parameter : parameters_) parameter.mutable_grad() = Tensor();
        const Tensor loss = cage_->network->loss(cage_->inputs);
        loss.backward();
        loss_ = loss.detach();
    }

    /// Of all parameters, taken out of them.
    std::vector<NamedTensor> gradients() {
        torch::manual_seed(seed_);
        backward();
        std::vector<NamedTensor> named;
        for (auto& item : cage_->network->named_parameters()) {
            named.push_back({"the gradient of " + item.key(), item.value().grad()});
            item.value().mutable_grad() = Tensor();
        }
        return named;
    }

    Entry entry_;
    std::int64_t batch_;
    std::uint64_t seed_;
    std::unique_ptr<Cage> cage_;
    Tensors parameters_;
    Tensor loss_ = torch::zeros({});
};

}  // namespace

}  // namespace zoo

std::unique_ptr<Subject> make_zoo_subject(const Arguments& arguments) {
    if (!arguments.library.empty()) {
        throw UsageError(
            "--library replaces operators of mlp, convnet and attention only, not of '" +
            arguments.model + "'");
    }
    for (const auto& entry : zoo::entries()) {
        if (entry.name != arguments.model) continue;
        if (arguments.mode == Mode::infer) {
            const auto batch = arguments.batch > 0 ? arguments.batch : entry.infer_batch;
            return std::make_unique<zoo::ZooInference>(entry, batch, arguments.seed);
        }
        const auto batch = arguments.batch > 0 ? arguments.batch : entry.train_batch;
        return std::make_unique<zoo::ZooTraining>(entry, batch, arguments.seed);
    }
    throw UsageError("unknown model '" + arguments.model + "'; see --list");
}

}  // namespace vigil_bench
