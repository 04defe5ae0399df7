#include "worker/bench/zoo/blocks/adversaries.hpp"
#include "worker/bench/zoo/blocks/residual_net.hpp"

// He et al. 2019, "Momentum contrast for unsupervised visual representation learning": two views of
// a picture are each other's answer among many that were seen before.

namespace vigil_bench::zoo::moco {

constexpr std::int64_t features = 128;
constexpr std::int64_t remembered = 32'000;
constexpr double momentum = 0.999;
constexpr double temperature = 0.07;

struct EncoderImpl final : nn::Module {
    EncoderImpl() {
        trunk = register_module(
            "trunk", ResidualTrunk(ResidualShape{ResidualShape::Block::bottleneck, {3, 4, 6, 3}}));
        head = register_module("head", nn::Linear(trunk->channels(), features));
    }

    /// [b,3,224,224] -> [b,128], each of length 1
    Tensor forward(const Tensor& pictures) {
        return nn::functional::normalize(
            head->forward(mean_over_picture(trunk->forward(pictures))),
            nn::functional::NormalizeFuncOptions().dim(1));
    }

    ResidualTrunk trunk = nullptr;
    nn::Linear head = nullptr;
};
TORCH_MODULE(Encoder);

struct Moco final : Network {
    Moco() {
        const torch::NoGradGuard no_grad;
        const auto from = asked->parameters();
        auto to = key->parameters();
        for (std::size_t i = 0; i < to.size(); ++i) {
            to[i].copy_(from[i]);
            to[i].requires_grad_(false);
        }
        queue = register_buffer(
            "queue",
            nn::functional::normalize(
                torch::randn({features, remembered}),
                nn::functional::NormalizeFuncOptions().dim(0)));
    }

    Tensors make_inputs(std::int64_t batch) const override {
        return {torch::randn({batch, 3, 224, 224}), torch::randn({batch, 3, 224, 224})};
    }

    /// How alike a view is to the other one, then to all that are remembered, [b,1+32000].
    Tensor likeness(const Tensor& view, const Tensor& keys) {
        const Tensor found = asked->forward(view);
        const Tensor right = (found * keys).sum(1, true);
        return torch::cat({right, found.matmul(queue.detach().clone())}, 1) / temperature;
    }

    Tensors answer(const Tensors& inputs) override {
        return {likeness(inputs[0], key->forward(inputs[1]))};
    }

    Tensor loss(const Tensors& inputs) override {
        Tensor keys;
        {
            const WithoutGradients until_keys;
            const auto from = asked->parameters();
            auto to = key->parameters();
            for (std::size_t i = 0; i < to.size(); ++i) {
                to[i].mul_(momentum).add_(from[i], 1 - momentum);
            }
            keys = key->forward(inputs[1]);
        }
        const Tensor alike = likeness(inputs[0], keys);
        {
            const torch::NoGradGuard no_grad;
            queue.slice(1, 0, keys.size(0)).copy_(keys.t());  // the oldest leave
        }
        const auto first = torch::zeros({alike.size(0)}, alike.options().dtype(torch::kLong));
        return torch::cross_entropy_loss(alike, first);
    }

    Encoder asked = register_module("asked", Encoder());
    Encoder key = register_module("key", Encoder());
    Tensor queue;
};

const Registered<Moco> registered(
    {"moco",
     "representation",
     "MoCo on ResNet-50, 32,000 remembered",
     47'540'608,
     "TorchBench's moco: twice ResNet-50 with 128 outputs, 23,770,304 each; He et al. 2019, "
     "section 3",
     1,
     4});

}  // namespace vigil_bench::zoo::moco
