#include "worker/bench/zoo/blocks/sets/deformable.hpp"
#include "worker/bench/zoo/blocks/sets/mask_set.hpp"
#include "worker/bench/zoo/blocks/swin.hpp"
#include "worker/bench/zoo/sizes.hpp"

// Cheng et al. 2022, "Masked-attention mask transformer for universal image segmentation", on
// Swin-T and the 133 classes of COCO's panoptic task: a query attends only to where the layer
// before it saw its object. Training compares masks at points of the picture, all of them drawn
// evenly; the published one draws three of four where a mask is uncertain.

namespace vigil_bench::zoo::mask2former_swin_t {

constexpr std::int64_t width = 256;
constexpr std::int64_t heads = 8;
constexpr std::int64_t queries = 100;
constexpr std::int64_t classes = 133;
constexpr std::int64_t maps_read = 3;  ///< an eighth to a 32nd of the picture's size
constexpr int encoder_layers = 6;
constexpr int decoder_layers = 9;
constexpr std::int64_t points = 112 * 112;
constexpr double class_weight = 2;
constexpr MaskDistance distance{&entropy_terms, 5, 5};

/// A score this near 0, as a part of their mean, may count for either side.
constexpr double tie_ratio = 1e-2;

nn::Sequential project(std::int64_t in) {
    return nn::Sequential(
        conv_with_bias(in, width, Kernel(1)), nn::GroupNorm(nn::GroupNormOptions(32, width)));
}

/// [b,c,h,w] -> [b,h*w,c]
Tensor places_of(const Tensor& map) {
    return map.flatten(2).transpose(1, 2);
}

MapSize size_of(const Tensor& map) {
    return {map.size(2), map.size(3)};
}

Tensor positions_of(const MapSize& size, const Tensor& like) {
    return picture_positions(size.rows, size.columns, width, like);
}

struct PixelLayerImpl final : nn::Module {
    Tensor forward(
        const Tensor& x,
        const Tensor& positions,
        const Tensor& places,
        const std::vector<MapSize>& sizes) {
        const Tensor y = norm(x + look->forward(x + positions, places, x, sizes));
        return feed_norm(y + feed->forward(y));
    }

    DeformableAttention look = register_module("look", DeformableAttention(width, maps_read));
    nn::LayerNorm norm = register_module("norm", layer_norm(width));
    nn::Sequential feed = register_module("feed", perceptron({width, 1024, width}));
    nn::LayerNorm feed_norm = register_module("feed_norm", layer_norm(width));
};
TORCH_MODULE(PixelLayer);

struct Pixels {
    Tensors maps;  ///< the three that the decoder reads, the coarsest first: [b,256,h,w]
    Tensor codes;  ///< of the pixels at a quarter of the picture's size, [b,256,h/4,w/4]
};

struct PixelDecoderImpl final : nn::Module {
    explicit PixelDecoderImpl(const std::vector<std::int64_t>& depths) {
        for (std::size_t i = depths.size() - 1; i > 0; --i) inwards->push_back(project(depths[i]));
        register_module("inwards", inwards);
        finest = register_module(
            "finest", conv_norm(depths.front(), width, Kernel(1), Activation::none, Norm::groups));
    }

    Pixels forward(const Tensors& trunk) {
        Tensors memory;
        Tensors positions;
        Tensors places;
        std::vector<MapSize> sizes;
        for (std::size_t i = 0; i < inwards->size(); ++i) {
            const Tensor map =
                inwards[i]->as<nn::Sequential>()->forward(trunk[trunk.size() - 1 - i]);
            sizes.push_back(size_of(map));
            memory.push_back(places_of(map));
            const auto number = static_cast<std::int64_t>(i);
            positions.push_back(positions_of(sizes[i], map.detach()) + level->weight[number]);
            places.push_back(middles_of(sizes[i], map.detach()));
        }
        Tensor x = torch::cat(memory, 1);
        const Tensor at = torch::cat(positions);
        const Tensor around = torch::cat(places);
        for (const auto& layer : *layers) {
            x = layer->as<PixelLayer>()->forward(x, at, around, sizes);
        }
        Pixels pixels;
        std::int64_t first = 0;
        for (const auto& [rows, columns] : sizes) {
            const Tensor own = x.narrow(1, first, rows * columns).transpose(1, 2);
            pixels.maps.push_back(own.reshape({x.size(0), width, rows, columns}));
            first += rows * columns;
        }
        const Tensor fine = finest->forward(trunk.front());
        const Tensor wide =
            torch::upsample_bilinear2d(pixels.maps.back(), {fine.size(2), fine.size(3)}, false);
        pixels.codes = last(mix->forward(fine + wide));
        return pixels;
    }

    nn::ModuleList inwards;
    nn::Embedding level = register_module("level", nn::Embedding(maps_read, width));
    nn::ModuleList layers =
        register_module("layers", list_of(encoder_layers, [](int) { return PixelLayer(); }));
    nn::Sequential finest = nullptr;
    nn::Sequential mix =
        register_module("mix", conv_norm(width, width, Kernel(3), Activation::relu, Norm::groups));
    nn::Conv2d last = register_module("last", conv_with_bias(width, width, Kernel(1)));
};
TORCH_MODULE(PixelDecoder);

struct LayerImpl final : nn::Module {
    static LayerShape shape() {
        LayerShape shape(width, heads);
        shape.dropout = 0;
        return shape;
    }

    /// @param blind  added to the scores: [b,1,queries,n]
    Tensor forward(
        const Tensor& x,
        const Tensor& asked,
        const Tensor& memory,
        const Tensor& positions,
        const Tensor& blind) {
        const Tensor y =
            cross_norm(x + cross->attend_to(x + asked, memory + positions, memory, blind));
        const Tensor z = self_norm(y + self->attend_to(y + asked, y + asked, y));
        return feed_norm(z + feed->forward(z));
    }

    Attention cross = register_module("cross", Attention(shape()));
    nn::LayerNorm cross_norm = register_module("cross_norm", layer_norm(width));
    Attention self = register_module("self", Attention(shape()));
    nn::LayerNorm self_norm = register_module("self_norm", layer_norm(width));
    nn::Sequential feed = register_module("feed", perceptron({width, 2048, width}));
    nn::LayerNorm feed_norm = register_module("feed_norm", layer_norm(width));
};
TORCH_MODULE(Layer);

/// [b,k,h,w] at points [b,n,2]: [b,k,n].
Tensor at_points(const Tensor& masks, const Tensor& places) {
    return values_at(masks, places.unsqueeze(1)).squeeze(2);
}

struct Mask2Former final : Network {
    Tensors make_inputs(std::int64_t batch) const override {
        Tensors inputs = {torch::randn({batch, 3, side, side})};
        for (auto& wanted : make_masks(batch, classes, side / 4)) inputs.push_back(wanted);
        return inputs;
    }

    /// What the queries find; masks are [b,queries,h/4,w/4].
    FoundMasks look(const Tensor& x, const Tensor& codes) {
        const Tensor normal = norm(x);
        const Tensor masks = torch::bmm(to_mask->forward(normal), codes.flatten(2));
        return {classify(normal), masks.view({x.size(0), queries, codes.size(2), codes.size(3)})};
    }

    /// Minus infinity where the last layer saw something else. Who saw nothing looks everywhere.
    Tensor blind_of(const Tensor& masks, const MapSize& size) {
        const Tensor seen =
            torch::upsample_bilinear2d(masks.detach(), {size.rows, size.columns}, false).flatten(2);
        const Tensor off = choices.settle((seen < 0).to(torch::kLong), [&](const Tensor&) {
            return seen.abs() <= tie_ratio * seen.abs().mean();
        });
        const Tensor hidden = (off == 1).logical_and((off == 0).any(2, true));
        return torch::zeros_like(seen)
            .masked_fill_(hidden, -std::numeric_limits<double>::infinity())
            .unsqueeze(1);
    }

    /// What is found before the first layer, and by each.
    std::vector<FoundMasks> forward(const Tensor& pictures) {
        choices.begin(pictures.scalar_type());
        const Pixels pixels = decoder->forward(trunk->forward(pictures));
        const Tensor question = asked->weight.unsqueeze(0);
        Tensor x = content->weight.unsqueeze(0).expand({pictures.size(0), queries, width});
        std::vector<FoundMasks> found = {look(x, pixels.codes)};
        for (std::size_t i = 0; i < layers->size(); ++i) {
            const auto number = i % static_cast<std::size_t>(maps_read);
            const Tensor& map = pixels.maps[number];
            const MapSize size = size_of(map);
            const Tensor memory = places_of(map) + level->weight[static_cast<std::int64_t>(number)];
            x = layers[i]->as<Layer>()->forward(
                x,
                question,
                memory,
                positions_of(size, map.detach()),
                blind_of(found.back().masks, size));
            found.push_back(look(x, pixels.codes));
        }
        return found;
    }

    Tensors answer(const Tensors& inputs) override {
        const FoundMasks last = forward(inputs[0]).back();
        return {last.classes, last.masks};
    }

    Choices* choices_of_answer() override { return &choices; }

    /// Of every layer, each with its own pairs.
    Tensor loss(const Tensors& inputs) override {
        const Tensor& names = inputs[1];
        const Tensor wanted = inputs[2].view({inputs[2].size(0), -1, side / 4, side / 4});
        Tensor sum = torch::zeros({}, inputs[0].options());
        for (const auto& found : forward(inputs[0])) {
            const Tensor places = torch::rand({names.size(0), points, 2}, inputs[0].options());
            const Tensor here = at_points(found.masks, places);
            const Tensor there = at_points(wanted, places);
            const Tensor costs = class_weight * class_costs(found.classes, names) +
                                 distance.costs(here.detach(), there);
            const Tensor pairs = best_pairs(costs, choices);
            sum = sum + class_weight * class_loss(found.classes, names, pairs) +
                  distance.loss(paired(here, pairs), there);
        }
        return sum;
    }

    std::int64_t side = size_of_inputs(384, 800);
    SwinMaps trunk = register_module("trunk", SwinMaps(SwinShape()));
    PixelDecoder decoder = register_module("decoder", PixelDecoder(trunk->widths()));
    nn::ModuleList layers =
        register_module("layers", list_of(decoder_layers, [](int) { return Layer(); }));
    nn::LayerNorm norm = register_module("norm", layer_norm(width));
    nn::Embedding content = register_module("content", nn::Embedding(queries, width));
    nn::Embedding asked = register_module("asked", nn::Embedding(queries, width));
    nn::Embedding level = register_module("level", nn::Embedding(maps_read, width));
    nn::Linear classify = register_module("classify", nn::Linear(width, classes + 1));
    nn::Sequential to_mask = register_module("to_mask", perceptron({width, width, width, width}));
    Choices choices;
};

const Registered<Mask2Former> registered(
    {"mask2former_swin_t",
     "segmentation",
     "Mask2Former on Swin-T",
     47'435'264,
     "Cheng et al. 2022, Table 1 (47 M); from its sizes",
     1,
     1});

const Sized sized({"mask2former_swin_t", "384 x 384", "800 x 800"});

}  // namespace vigil_bench::zoo::mask2former_swin_t
