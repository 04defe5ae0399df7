#include <cmath>

#include "worker/bench/zoo/blocks/sets/object_set.hpp"

// Meng et al. 2021, "Conditional DETR for fast training convergence", on ResNet-50: each query has
// a point in the picture, and attends to places around it separately from what it looks for.

namespace vigil_bench::zoo::conditional_detr_r50 {

constexpr std::int64_t width = 256;
constexpr std::int64_t heads = 8;
constexpr std::int64_t hidden = 2048;
constexpr std::int64_t queries = 300;
constexpr std::int64_t classes = 91;
constexpr int layer_count = 6;
constexpr double dropout = 0.1;
constexpr double class_weight = 2;
constexpr double two_pi = 6.283185307179586;

struct Found {
    Tensor classes;  ///< [b,queries,classes], each class by itself
    Tensor boxes;    ///< [b,queries,4]
};

/// What the decoder's layers read beside the queries.
struct Scene {
    EncodedPicture picture;
    Tensor asked;   ///< [1,queries,256]
    Tensor around;  ///< code of each query's point, [1,queries,256]
};

/// Of each head the columns of one, then those of the other: [b,n,2*width].
Tensor beside(const Tensor& one, const Tensor& other) {
    const auto by_head = [](const Tensor& x) {
        return x.reshape({x.size(0), x.size(1), heads, -1});
    };
    return torch::cat({by_head(one), by_head(other)}, 3).flatten(2);
}

/// The linear layers that every layer has.
enum Part : std::size_t {
    self_query,
    self_query_place,
    self_key,
    self_key_place,
    self_value,
    self_out,
    query_content,
    query_point,
    key_content,
    key_place,
    value_content,
    cross_out,
    part_count
};

struct LayerImpl final : nn::Module {
    /// Only the first layer, 0, knows the query at its cross-attention.
    explicit LayerImpl(int number) {
        for (std::size_t i = 0; i < part_count; ++i) parts->push_back(nn::Linear(width, width));
        register_module("parts", parts);
        if (number == 0) {
            query_place = register_module("query_place", nn::Linear(width, width));
        }
        feed = register_module(
            "feed",
            nn::Sequential(
                nn::Linear(width, hidden),
                activation(Activation::relu),
                nn::Dropout(dropout),
                nn::Linear(hidden, width)));
        self_norm = register_module("self_norm", layer_norm(width));
        cross_norm = register_module("cross_norm", layer_norm(width));
        feed_norm = register_module("feed_norm", layer_norm(width));
    }

    Tensor linear(Part part, const Tensor& x) { return parts[part]->as<nn::Linear>()->forward(x); }

    Tensor drop(const Tensor& branch) { return torch::dropout(branch, dropout, is_training()); }

    Tensor self_attention(const Tensor& x, const Tensor& asked) {
        const Tensor query = linear(self_query, x) + linear(self_query_place, asked);
        const Tensor key = linear(self_key, x) + linear(self_key_place, asked);
        const double scale = 1 / std::sqrt(static_cast<double>(width / heads));
        const double dropped = is_training() ? dropout : 0;
        return linear(
            self_out, attend(query, key, linear(self_value, x), heads, scale, {}, dropped));
    }

    /// @param around  code of each query's point, scaled for this layer
    Tensor cross_attention(const Tensor& x, const Scene& scene, const Tensor& around) {
        const Tensor& memory = scene.picture.memory;
        const Tensor place =
            linear(key_place, scene.picture.positions.unsqueeze(0)).expand_as(memory);
        Tensor query = linear(query_content, x);
        Tensor key = linear(key_content, memory);
        if (query_place) {
            query = query + query_place(scene.asked);
            key = key + place;
        }
        const double scale = 1 / std::sqrt(static_cast<double>(2 * width / heads));
        const double dropped = is_training() ? dropout : 0;
        const Tensor point = linear(query_point, around).expand_as(query);
        return linear(
            cross_out,
            attend(
                beside(query, point),
                beside(key, place),
                linear(value_content, memory),
                heads,
                scale,
                {},
                dropped));
    }

    Tensor forward(const Tensor& x, const Scene& scene, const Tensor& around) {
        const Tensor y = self_norm(x + drop(self_attention(x, scene.asked)));
        const Tensor z = cross_norm(y + drop(cross_attention(y, scene, around)));
        return feed_norm(z + drop(feed->forward(z)));
    }

    nn::ModuleList parts;
    nn::Linear query_place = nullptr;
    nn::Sequential feed = nullptr;
    nn::LayerNorm self_norm = nullptr;
    nn::LayerNorm cross_norm = nullptr;
    nn::LayerNorm feed_norm = nullptr;
};
TORCH_MODULE(Layer);

struct ConditionalDetr final : Network {
    ConditionalDetr() {
        const torch::NoGradGuard no_grad;
        classify->bias.fill_(-std::log(99.0));  // at first, one score in a hundred says yes
    }

    Tensors make_inputs(std::int64_t batch) const override {
        return make_pictures_with_objects(batch, classes);
    }

    /// What each layer of the decoder finds.
    std::vector<Found> forward(const Tensor& pictures) {
        Scene scene{encoder->forward(pictures), asked->weight.unsqueeze(0), {}};
        const Tensor raw_point = to_point->forward(scene.asked);  // across, down
        const Tensor point = raw_point.sigmoid() * two_pi;
        scene.around = torch::cat(
            {sine_code(point.select(2, 1), width / 2), sine_code(point.select(2, 0), width / 2)},
            2);
        Tensor x = torch::zeros(
            {pictures.size(0), queries, width},
            scene.picture.memory.options().requires_grad(false));
        const Tensor start = torch::cat({raw_point, torch::zeros_like(raw_point)}, 2);
        std::vector<Found> found;
        for (std::size_t i = 0; i < decoder->size(); ++i) {
            const Tensor around = i == 0 ? scene.around : scene.around * to_scale->forward(x);
            x = decoder[i]->as<Layer>()->forward(x, scene, around);
            const Tensor normal = norm(x);
            found.push_back({classify(normal), (place->forward(normal) + start).sigmoid()});
        }
        return found;
    }

    Tensors answer(const Tensors& inputs) override {
        const Found last = forward(inputs[0]).back();
        return {last.classes, last.boxes};
    }

    /// Of every layer, each with its own pairs.
    Tensor loss(const Tensors& inputs) override {
        const Tensor& names = inputs[1];
        const Tensor& boxes = inputs[2];
        choices.begin(inputs[0].scalar_type());
        Tensor sum = torch::zeros({}, inputs[0].options());
        for (const auto& found : forward(inputs[0])) {
            const Tensor costs =
                class_weight * focal_costs(found.classes, names) + box_costs(found.boxes, boxes);
            const Tensor pairs = best_pairs(costs, choices);
            sum = sum + class_weight * focal_loss(found.classes, names, pairs) +
                  box_loss(paired(found.boxes, pairs), boxes);
        }
        return sum;
    }

    PictureEncoder encoder = register_module("encoder", PictureEncoder());
    nn::ModuleList decoder =
        register_module("decoder", list_of(layer_count, [](int i) { return Layer(i); }));
    nn::LayerNorm norm = register_module("norm", layer_norm(width));
    nn::Embedding asked = register_module("asked", nn::Embedding(queries, width));
    nn::Sequential to_point = register_module("to_point", perceptron({width, width, 2}));
    nn::Sequential to_scale = register_module("to_scale", perceptron({width, width, width}));
    nn::Linear classify = register_module("classify", nn::Linear(width, classes));
    nn::Sequential place = register_module("place", perceptron({width, width, width, 4}));
    Choices choices;
};

const Registered<ConditionalDetr> registered(
    {"conditional_detr_r50",
     "detection",
     "Conditional DETR on ResNet-50, 480 x 640",
     43'418'401,
     "official Conditional DETR prints 43,196,001 trained; 222,400 more in the fixed stem and "
     "first stage; Meng et al. 2021, Table 1 (44 M)",
     1,
     1});

}  // namespace vigil_bench::zoo::conditional_detr_r50
