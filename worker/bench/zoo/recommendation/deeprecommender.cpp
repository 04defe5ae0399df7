#include "worker/bench/zoo/network.hpp"

// Kuchaiev and Ginsburg 2017, "Training deep autoencoders for collaborative filtering",
// section 3.5: n,512,512,1024,512,512,n on Netflix's 17,768 films, with SELU and dropout of 0.8.

namespace vigil_bench::zoo::deeprecommender {

constexpr std::int64_t films = 17768;

struct DeepRecommender final : Network {
    DeepRecommender() {
        const std::vector<std::int64_t> widths = {films, 512, 512, 1024, 512, 512, films};
        for (std::size_t i = 1; i < widths.size(); ++i) {
            layers->push_back(nn::Linear(widths[i - 1], widths[i]));
            layers->push_back(nn::Functional([](Tensor x) { return torch::selu(x); }));
            if (widths[i] == 1024) layers->push_back(nn::Dropout(0.8));
        }
        register_module("layers", layers);
    }

    /// Ratings of one viewer a row, 0 where there is none.
    Tensors make_inputs(std::int64_t batch) const override {
        const Tensor ratings = torch::randint(1, 6, {batch, films}, torch::kFloat);
        return {ratings * (torch::rand({batch, films}) < 0.01)};
    }

    Tensors answer(const Tensors& inputs) override { return {layers->forward(inputs[0])}; }

    /// Mean square over the ratings that there are.
    Tensor loss(const Tensors& inputs) override {
        const Tensor rated = inputs[0] != 0;
        const Tensor off = (layers->forward(inputs[0]) - inputs[0]) * rated;
        return off.square().sum() / rated.sum();
    }

    nn::Sequential layers;
};

const Registered<DeepRecommender> registered(
    {"deeprecommender",
     "recommendation",
     "DeepRecommender on 17,768 films",
     19'788'136,
     "Kuchaiev and Ginsburg 2017, section 3.5, 17,768 films (Table 1): from its sizes",
     64,
     64});

}  // namespace vigil_bench::zoo::deeprecommender
