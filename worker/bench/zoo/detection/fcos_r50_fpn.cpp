#include "worker/bench/zoo/blocks/layers.hpp"
#include "worker/bench/zoo/blocks/regions/boxes.hpp"
#include "worker/bench/zoo/blocks/regions/proposals.hpp"
#include "worker/bench/zoo/blocks/regions/pyramid.hpp"
#include "worker/bench/zoo/blocks/residual_net.hpp"

// Tian et al. 2019, "FCOS: fully convolutional one-stage object detection", on ResNet-50 and a
// feature pyramid, as detectron2 has it: distances in strides, no factor of a level.

namespace vigil_bench::zoo::fcos_r50_fpn {

constexpr std::int64_t side = 320;
constexpr std::int64_t width = PyramidImpl::width;
constexpr std::int64_t classes = 80;
constexpr std::int64_t objects = 4;  ///< in each picture
constexpr std::int64_t detections = 100;
constexpr double most_overlap = 0.6;
constexpr double radius = 1.5;  ///< of an object's centre, in strides

nn::Sequential tower() {
    nn::Sequential layers;
    for (int i = 0; i < 4; ++i) {
        layers->push_back(conv_with_bias(width, width, Kernel(3)));
        layers->push_back(nn::GroupNorm(nn::GroupNormOptions(32, width)));
        layers->push_back(activation(Activation::relu));
    }
    return layers;
}

/// Of all points of all levels.
struct Found {
    Tensor classes;  ///< [b,n,80]
    Tensor sides;    ///< [b,n,4] from the point: left, top, right, bottom, in strides
    Tensor centred;  ///< [b,n]
};

/// What each point should find in one picture.
struct Wanted {
    Tensor is_object;  ///< [n] bool
    Tensor object;     ///< [n] int64
};

struct Fcos final : Network {
    Fcos() {
        ResidualShape shape;
        shape.block = ResidualShape::Block::bottleneck;
        shape.counts = {3, 4, 6, 3};
        shape.norm = Norm::frozen;
        shape.stride_comes_first = true;
        trunk = register_module("trunk", ResidualTrunk(shape));
        trunk->freeze_beginning();
        Tensors at;
        Tensors strides;
        Tensors farthest;
        for (std::int64_t stride = 8; stride <= 128; stride *= 2) {
            const Tensor line = torch::arange(0, side, stride).to(torch::kFloat);
            const auto grid = torch::meshgrid({line, line}, "ij");
            at.push_back(torch::stack({grid[1], grid[0]}, 2).view({-1, 2}));
            const std::int64_t count = at.back().size(0);
            strides.push_back(torch::full({count}, static_cast<double>(stride)));
            farthest.push_back(stride == 128 ? torch::full({count}, 1e6) : 8 * strides.back());
        }
        points = register_buffer("points", torch::cat(at));
        stride_of = register_buffer("stride_of", torch::cat(strides));
        most = register_buffer("most", torch::cat(farthest));
    }

    /// Pictures; boxes and classes of their objects.
    Tensors make_inputs(std::int64_t batch) const override {
        const Tensor corner = torch::rand({batch, objects, 2}) * side / 2;
        const Tensor size = (torch::rand({batch, objects, 2}) * 0.3 + 0.15) * side;
        return {
            torch::randn({batch, 3, side, side}),
            torch::cat({corner, corner + size}, 2),
            torch::randint(classes, {batch, objects}, torch::kLong)};
    }

    Found find(const Tensor& pictures) {
        Tensors stages = trunk->stages_of(pictures);
        stages.erase(stages.begin());
        Tensors maps = pyramid->forward(stages);
        maps.push_back(sixth(maps.back()));
        maps.push_back(seventh(torch::relu(maps.back())));
        const auto by_point = [](const Tensor& map) { return map.flatten(2).transpose(1, 2); };
        Tensors named, sides, centred;
        for (const auto& map : maps) {
            named.push_back(by_point(score(of_class->forward(map))));
            const Tensor place = of_place->forward(map);
            sides.push_back(by_point(torch::relu(distance(place))));
            centred.push_back(by_point(centre(place)).squeeze(2));
        }
        return {torch::cat(named, 1), torch::cat(sides, 1), torch::cat(centred, 1)};
    }

    Tensor boxes_of(const Tensor& sides) const {
        const Tensor far = sides * stride_of.unsqueeze(1);
        return torch::cat({points - far.slice(1, 0, 2), points + far.slice(1, 2, 4)}, 1);
    }

    /// Of each picture the 100 best detections: boxes and scores.
    Tensors answer(const Tensors& inputs) override {
        choices.begin(inputs[0].scalar_type());
        const Found found = find(inputs[0]);
        Tensors boxes, scores;
        for (std::int64_t picture = 0; picture < inputs[0].size(0); ++picture) {
            const Tensor chances =
                (found.classes[picture].sigmoid() * found.centred[picture].sigmoid().unsqueeze(1))
                    .sqrt()
                    .flatten();
            const Tensor each =
                boxes_of(found.sides[picture]).clamp(0, side).repeat_interleave(classes, 0);
            const Tensor names =
                torch::arange(classes, each.options().dtype(torch::kLong)).repeat({points.size(0)});
            const Tensor best =
                choose_apart(each, chances, names, most_overlap, detections, choices);
            boxes.push_back(each.index_select(0, best));
            scores.push_back(chances.index_select(0, best));
        }
        return {torch::stack(boxes), torch::stack(scores)};
    }

    /// A point finds the smallest object near whose centre it lies, on the level of its size.
    Wanted wanted_of(const Tensor& there) const {
        const Tensor x = points.select(1, 0).unsqueeze(1);
        const Tensor y = points.select(1, 1).unsqueeze(1);
        const auto edges = there.unbind(1);
        const Tensor sides =
            torch::stack({x - edges[0], y - edges[1], edges[2] - x, edges[3] - y}, 2);
        const Tensor from_centre = torch::maximum(
            (x - (edges[0] + edges[2]) / 2).abs(), (y - (edges[1] + edges[3]) / 2).abs());
        const Tensor longest = sides.amax({2});
        const Tensor upper = most.unsqueeze(1);
        const Tensor lower =
            torch::where(stride_of == 8, torch::zeros_like(stride_of), 4 * stride_of).unsqueeze(1);
        const Tensor matches = (from_centre < radius * stride_of.unsqueeze(1))
                                   .logical_and(sides.amin({2}) > 0)
                                   .logical_and(longest > lower)
                                   .logical_and(longest < upper);
        const Tensor area = (edges[2] - edges[0]) * (edges[3] - edges[1]);
        const auto [smallest, which] =
            torch::where(matches, area.unsqueeze(0), torch::full_like(longest, 1e9)).min(1);
        return {smallest < 1e9, which};
    }

    /// Lin et al. 2017, "Focal loss": of each class apart.
    static Tensor focal(const Tensor& scores, const Tensor& truth) {
        const Tensor chance = scores.sigmoid();
        const Tensor right = chance * truth + (1 - chance) * (1 - truth);
        const Tensor weight = 0.25 * truth + 0.75 * (1 - truth);
        const Tensor cost =
            torch::binary_cross_entropy_with_logits(scores, truth, {}, {}, at::Reduction::None);
        return (weight * (1 - right).square() * cost).sum();
    }

    /// 1 - generalised overlap (Rezatofighi et al. 2019) of two boxes around one point.
    static Tensor apart(const Tensor& found, const Tensor& wanted) {
        const auto area = [](const Tensor& sides) {
            const auto s = sides.unbind(1);
            return (s[0] + s[2]) * (s[1] + s[3]);
        };
        const Tensor common = area(torch::minimum(found, wanted));
        const Tensor both = (area(found) + area(wanted) - common).clamp_min(1e-6);
        const Tensor around = area(torch::maximum(found, wanted)).clamp_min(1e-6);
        return 1 - common / both + (around - both) / around;
    }

    Tensor loss(const Tensors& inputs) override {
        const Found found = find(inputs[0]);
        Tensor sum = torch::zeros({}, inputs[0].options());
        for (std::int64_t picture = 0; picture < inputs[0].size(0); ++picture) {
            const Tensor there = inputs[1][picture];
            const Wanted wanted = wanted_of(there);
            const Tensor at = wanted.is_object.nonzero().squeeze(1);
            const Tensor which = wanted.object.index_select(0, at);
            const Tensor scores = found.classes[picture];
            const Tensor truth = torch::zeros_like(scores).index_put(
                {at, inputs[2][picture].index_select(0, which)},
                torch::ones({at.size(0)}, scores.options().requires_grad(false)));
            const Tensor box = there.index_select(0, which);
            const Tensor point = points.index_select(0, at);
            const Tensor sides =
                torch::cat({point - box.slice(1, 0, 2), box.slice(1, 2, 4) - point}, 1) /
                stride_of.index_select(0, at).unsqueeze(1);
            const auto s = sides.unbind(1);
            const Tensor centred = (torch::minimum(s[0], s[2]) / torch::maximum(s[0], s[2]) *
                                    torch::minimum(s[1], s[3]) / torch::maximum(s[1], s[3]))
                                       .sqrt();
            const Tensor said = found.centred[picture].index_select(0, at);
            const Tensor total =
                focal(scores, truth) +
                apart(found.sides[picture].index_select(0, at), sides).sum() +
                torch::binary_cross_entropy_with_logits(said, centred, {}, {}, at::Reduction::Sum);
            sum = sum + total / std::max<std::int64_t>(at.size(0), 1);
        }
        return sum;
    }

    Choices* choices_of_answer() override { return &choices; }

    ResidualTrunk trunk = nullptr;
    Pyramid pyramid =
        register_module("pyramid", Pyramid(std::vector<std::int64_t>{512, 1024, 2048}));
    nn::Conv2d sixth = register_module("sixth", conv_with_bias(width, width, Kernel(3, 2)));
    nn::Conv2d seventh = register_module("seventh", conv_with_bias(width, width, Kernel(3, 2)));
    nn::Sequential of_class = register_module("of_class", tower());
    nn::Sequential of_place = register_module("of_place", tower());
    nn::Conv2d score = register_module("score", conv_with_bias(width, classes, Kernel(3)));
    nn::Conv2d distance = register_module("distance", conv_with_bias(width, 4, Kernel(3)));
    nn::Conv2d centre = register_module("centre", conv_with_bias(width, 1, Kernel(3)));
    Tensor points;     ///< [n,2]
    Tensor stride_of;  ///< [n] points of the picture by points of the map
    Tensor most;       ///< [n] how far a side of an object may lie
    Choices choices;
};

const Registered<Fcos> registered(
    {"fcos_r50_fpn",
     "detection",
     "FCOS on ResNet-50 and a feature pyramid, 320 x 320",
     32'244'245,
     "detectron2's fcos_R_50_FPN, from its sizes; Tian et al. 2019",
     1,
     1});

}  // namespace vigil_bench::zoo::fcos_r50_fpn
