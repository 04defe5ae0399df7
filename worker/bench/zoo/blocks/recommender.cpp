#include "worker/bench/zoo/blocks/recommender.hpp"

namespace vigil_bench::zoo {

namespace {

struct DeepRecommender final : Network {
    explicit DeepRecommender(std::int64_t films_) : films(films_) {
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

    std::int64_t films;
    nn::Sequential layers;
};

}  // namespace

std::shared_ptr<Network> make_recommender(std::int64_t films) {
    return std::make_shared<DeepRecommender>(films);
}

}  // namespace vigil_bench::zoo
