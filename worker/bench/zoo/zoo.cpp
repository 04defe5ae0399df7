#include "worker/bench/models/zoo.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "worker/bench/models/loaded_model.hpp"
#include "worker/bench/zoo/choices.hpp"
#include "worker/bench/zoo/network.hpp"
#include "worker/bench/zoo/sizes.hpp"

namespace vigil_bench {

namespace zoo {

std::vector<NetworkEntry>& entries() {
    static std::vector<NetworkEntry> all;
    return all;
}

namespace {

std::vector<SizedModel>& sized() {
    static std::vector<SizedModel> all;
    return all;
}

bool takes_published_size = false;

const NetworkEntry& entry_of(const std::string& name) {
    for (const auto& entry : entries()) {
        if (entry.name == name) return entry;
    }
    throw std::logic_error("building a model: there is no '" + name + "' in the zoo");
}

std::int64_t count_values(const Network& network) {
    std::int64_t count = 0;
    for (const auto& parameter : network.parameters()) count += parameter.numel();
    return count;
}

class LoadedNetwork final : public LoadedModel {
  public:
    explicit LoadedNetwork(const NetworkEntry& entry) : network_(entry.make()) {
        const std::int64_t count = count_values(*network_);
        if (count == entry.parameters) return;
        throw std::runtime_error(
            "model " + entry.name + " has " + std::to_string(count) +
            " parameters, the published one " + std::to_string(entry.parameters));
    }

    Tensors make_inputs(std::int64_t batch) const override { return network_->make_inputs(batch); }
    Tensors answer(const Tensors& inputs) override { return network_->answer(inputs); }
    Tensor loss(const Tensors& inputs) override { return network_->loss(inputs); }
    void set_training(bool is_training) override { network_->train(is_training); }

    std::vector<NamedTensor> named_parameters() const override {
        return named(network_->named_parameters());
    }

    std::vector<NamedTensor> named_buffers() const override {
        return named(network_->named_buffers());
    }

    void convert(at::ScalarType type) override {
        each([&](Tensor& tensor) {
            if (tensor.is_floating_point()) tensor.set_data(tensor.detach().to(type));
        });
    }

    void move_to(c10::Device device) override {
        each([&](Tensor& tensor) { tensor.set_data(tensor.detach().to(device)); });
    }

    std::function<void()> remember_state() override {
        Tensors kept;
        for (const auto& tensor : untrained()) kept.push_back(tensor.detach().clone());
        return [this, kept] {
            const torch::NoGradGuard no_grad;
            auto now = untrained();
            for (std::size_t i = 0; i < kept.size(); ++i) now[i].copy_(kept[i]);
        };
    }

    Tensors choices() const override {
        const Choices* const choices = network_->choices_of_answer();
        return choices != nullptr ? choices->kept() : Tensors{};
    }

    void hand_over(Tensors made) override {
        Choices* const choices = network_->choices_of_answer();
        if (choices != nullptr) choices->hand_over(std::move(made));
    }

  private:
    static std::vector<NamedTensor> named(const torch::OrderedDict<std::string, Tensor>& items) {
        std::vector<NamedTensor> all;
        for (const auto& item : items) all.push_back({item.key(), item.value()});
        return all;
    }

    /// Buffers, and parameters that no gradient trains: a pass may change them itself.
    Tensors untrained() const {
        Tensors all = network_->buffers();
        for (auto& parameter : network_->parameters()) {
            if (!parameter.requires_grad()) all.push_back(parameter);
        }
        return all;
    }

    template <typename Turn>
    void each(const Turn& turn) {
        const torch::NoGradGuard no_grad;
        for (auto& parameter : network_->parameters()) turn(parameter);
        for (auto& buffer : network_->buffers()) turn(buffer);
    }

    std::shared_ptr<Network> network_;
};

}  // namespace

std::int64_t size_of_inputs(std::int64_t small, std::int64_t published) {
    return takes_published_size ? published : small;
}

Sized::Sized(SizedModel model) {
    sized().push_back(std::move(model));
}

}  // namespace zoo

std::vector<SizedModel> sized_models() {
    return zoo::sized();
}

void take_published_size(bool is_published) {
    zoo::takes_published_size = is_published;
}

std::vector<ZooModel> zoo_models() {
    std::vector<ZooModel> models(zoo::entries().begin(), zoo::entries().end());
    std::sort(models.begin(), models.end(), [](const ZooModel& a, const ZooModel& b) {
        return std::tie(a.domain, a.name) < std::tie(b.domain, b.name);
    });
    return models;
}

std::int64_t count_parameters(const std::string& name) {
    return zoo::count_values(*zoo::entry_of(name).make());
}

std::unique_ptr<LoadedModel> make_zoo_model(const std::string& name) {
    return std::make_unique<zoo::LoadedNetwork>(zoo::entry_of(name));
}

}  // namespace vigil_bench
