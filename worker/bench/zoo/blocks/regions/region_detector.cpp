#include "worker/bench/zoo/blocks/regions/region_detector.hpp"

#include "worker/bench/zoo/blocks/layers.hpp"
#include "worker/bench/zoo/blocks/regions/boxes.hpp"
#include "worker/bench/zoo/blocks/regions/proposals.hpp"
#include "worker/bench/zoo/blocks/regions/pyramid.hpp"
#include "worker/bench/zoo/blocks/residual_net.hpp"

namespace vigil_bench::zoo {

namespace region_detector {

constexpr std::int64_t side = 320;
constexpr std::int64_t regions = 128;
constexpr std::int64_t detections = 32;
constexpr std::int64_t objects = 4;   ///< in each picture
constexpr std::int64_t masked = 32;   ///< regions of a picture that learn a mask
constexpr double same_object = 0.5;   ///< overlap
constexpr double most_overlap = 0.5;  ///< of detections of one class
constexpr double as_good = 0.01;
constexpr BoxCode region_code{10, 5};

ResidualShape trunk_shape(const RegionShape& shape) {
    ResidualShape trunk;
    trunk.block = ResidualShape::Block::bottleneck;
    trunk.counts = {3, 4, shape.fourth_stage};
    if (shape.trunk != RegionTrunk::c4) trunk.counts.push_back(3);
    trunk.norm = Norm::frozen;
    trunk.stride_comes_first = shape.is_detectron;
    trunk.dilates_last = shape.trunk == RegionTrunk::dilated;
    return trunk;
}

ProposalShape proposal_shape(const RegionShape& shape) {
    ProposalShape proposals;
    proposals.side = side;
    proposals.kept = regions;
    if (shape.trunk == RegionTrunk::pyramid) {
        proposals.depth = PyramidImpl::width;
        for (std::int64_t stride = 4; stride <= 64; stride *= 2) {
            proposals.levels.push_back({stride, {8.0 * static_cast<double>(stride)}});
        }
    } else {
        proposals.depth = shape.trunk == RegionTrunk::c4 ? 1024 : 2048;
        proposals.levels.push_back({16, {32, 64, 128, 256, 512}});
    }
    return proposals;
}

/// Reads a region, [n,c,p,p].
nn::Sequential region_head(const RegionShape& shape, std::int64_t depth) {
    nn::Sequential layers;
    if (shape.trunk == RegionTrunk::c4) {
        const auto trunk = trunk_shape(shape);
        for (int i = 0; i < 3; ++i) {
            add_residual_block(layers, trunk, i == 0 ? 1024 : 2048, 512, i == 0 ? 2 : 1);
        }
        return layers;
    }
    layers->push_back(nn::Flatten());
    layers->push_back(nn::Linear(depth * 7 * 7, 1024));
    layers->push_back(activation(Activation::relu));
    layers->push_back(nn::Linear(1024, 1024));
    layers->push_back(activation(Activation::relu));
    return layers;
}

/// [n,c,p,p] -> [n,classes,2p,2p]
nn::Sequential mask_head(const RegionShape& shape, std::int64_t classes) {
    nn::Sequential layers;
    std::int64_t in = 2048;
    if (shape.trunk != RegionTrunk::c4) {
        in = PyramidImpl::width;
        for (int i = 0; i < 4; ++i) {
            layers->push_back(conv_with_bias(in, 256, Kernel(3)));
            layers->push_back(activation(Activation::relu));
            in = 256;
        }
    }
    layers->push_back(nn::ConvTranspose2d(nn::ConvTranspose2dOptions(in, 256, 2).stride(2)));
    layers->push_back(activation(Activation::relu));
    layers->push_back(conv_with_bias(256, classes, Kernel(1)));
    return layers;
}

struct RegionDetector final : Network {
    explicit RegionDetector(const RegionShape& shape_) : shape(shape_) {
        classes = shape.is_detectron ? 80 : 91;
        trunk = register_module("trunk", ResidualTrunk(trunk_shape(shape)));
        if (shape.is_detectron) trunk->freeze_beginning();
        if (shape.trunk == RegionTrunk::pyramid) {
            pyramid = register_module(
                "pyramid", Pyramid(std::vector<std::int64_t>{256, 512, 1024, 2048}));
        }
        proposals = register_module("proposals", Proposals(proposal_shape(shape)));
        const bool is_c4 = shape.trunk == RegionTrunk::c4;
        const auto depth = is_c4                                 ? 1024
                           : shape.trunk == RegionTrunk::dilated ? 2048
                                                                 : PyramidImpl::width;
        head = register_module("head", region_head(shape, depth));
        const std::int64_t width = is_c4 ? 2048 : 1024;
        // The last class is none; torchvision counts it among its 91, and moves its boxes too.
        const std::int64_t scored = shape.is_detectron ? classes + 1 : classes;
        score = register_module("score", nn::Linear(width, scored));
        step = register_module("step", nn::Linear(width, classes * 4));
        if (shape.masks) mask = register_module("mask", mask_head(shape, classes));
    }

    /// Pictures; boxes, classes and masks of their objects; an order of the boxes around points.
    Tensors make_inputs(std::int64_t batch) const override {
        const Tensor corner = torch::rand({batch, objects, 2}) * side / 2;
        const Tensor size = (torch::rand({batch, objects, 2}) * 0.3 + 0.15) * side;
        Tensors inputs = {
            torch::randn({batch, 3, side, side}),
            torch::cat({corner, corner + size}, 2),
            torch::randint(named(), {batch, objects}, torch::kLong),
            torch::rand({batch, proposals->count()})};
        if (shape.masks) inputs.push_back(torch::rand({batch, objects, side, side}).round());
        return inputs;
    }

    /// Maps that regions are read from, and those that they are proposed from.
    std::pair<Tensors, Tensors> look(const Tensor& pictures) {
        const Tensors stages = trunk->stages_of(pictures);
        if (shape.trunk != RegionTrunk::pyramid) return {{stages.back()}, {stages.back()}};
        Tensors maps = pyramid->forward(stages);
        Tensors wider = maps;
        wider.push_back(torch::max_pool2d(maps.back(), {1, 1}, {2, 2}));
        return {maps, wider};
    }

    /// The maps of one picture within its regions, [n,c,size,size].
    Tensor read(const Tensors& maps, std::int64_t picture, const Tensor& boxes, std::int64_t size) {
        const auto aligned = shape.is_detectron ? Aligned::by_half_a_point : Aligned::as_published;
        const auto part = [&](std::size_t level, const Tensor& some) {
            const auto& map = maps[level];
            const double scale = static_cast<double>(map.size(3)) / static_cast<double>(side);
            return align_regions(map.narrow(0, picture, 1), some, scale, size, aligned);
        };
        if (maps.size() == 1) return part(0, boxes);
        const Tensor sides = boxes.slice(1, 2, 4) - boxes.slice(1, 0, 2);
        const Tensor area = (sides.select(1, 0) * sides.select(1, 1)).clamp_min(1e-8);
        const Tensor level = (4 + (area.sqrt() / 224).log2()).floor().clamp(2, 5) - 2;
        Tensors parts;
        Tensors places;
        for (std::size_t i = 0; i < maps.size(); ++i) {
            const Tensor of_level = (level == static_cast<double>(i)).nonzero().squeeze(1);
            if (of_level.size(0) == 0) continue;
            places.push_back(of_level);
            parts.push_back(part(i, boxes.index_select(0, of_level)));
        }
        return torch::cat(parts).index_select(0, torch::cat(places).argsort());
    }

    Tensor read_regions(const Tensors& maps, std::int64_t picture, const Tensor& boxes) {
        return head->forward(read(maps, picture, boxes, shape.trunk == RegionTrunk::c4 ? 14 : 7));
    }

    /// Classes without none.
    std::int64_t named() const { return score->options.out_features() - 1; }

    static Tensor flat(const Tensor& read) { return read.dim() == 4 ? read.mean({2, 3}) : read; }

    /// Masks of all classes, of regions whose heads have been read.
    Tensor masks_of(
        const Tensors& maps, std::int64_t picture, const Tensor& boxes, const Tensor& read_) {
        return mask->forward(
            shape.trunk == RegionTrunk::c4 ? read_ : read(maps, picture, boxes, 14));
    }

    static Tensor of_class(const Tensor& all, const Tensor& which) {
        return all.index({torch::arange(all.size(0), which.options()), which});
    }

    /// Of each picture the 32 best detections: boxes, scores, and masks.
    Tensors answer(const Tensors& inputs) override {
        choices.begin(inputs[0].scalar_type());
        const auto [maps, wider] = look(inputs[0]);
        const auto seen = proposals->forward(wider);
        Tensors boxes, scores, masks;
        for (std::int64_t picture = 0; picture < inputs[0].size(0); ++picture) {
            const Tensor found = proposals->propose(seen, picture, choices);
            const Tensor read_ = read_regions(maps, picture, found);
            const Tensor chances =
                torch::softmax(score(flat(read_)), 1).narrow(1, 0, named()).flatten();
            const Tensor steps = step(flat(read_)).view({regions, classes, 4});
            const Tensor each = move_boxes(
                found.unsqueeze(1).expand({-1, named(), -1}).reshape({-1, 4}),
                steps.narrow(1, 0, named()).reshape({-1, 4}),
                region_code,
                side);
            const Tensor name = torch::arange(named(), each.options().dtype(torch::kLong));
            const Tensor names = name.expand({regions, -1}).flatten();
            const Tensor best = choose_apart(
                each.detach(), chances.detach(), names, most_overlap, detections, choices);
            boxes.push_back(each.index_select(0, best));
            scores.push_back(chances.index_select(0, best));
            if (!shape.masks) continue;
            const Tensor region = torch::floor_divide(best, named());
            const Tensor all = masks_of(maps, picture, boxes.back(), read_.index_select(0, region));
            masks.push_back(of_class(all, names.index_select(0, best)).sigmoid());
        }
        Tensors found = {torch::stack(boxes), torch::stack(scores)};
        if (shape.masks) found.push_back(torch::stack(masks));
        return found;
    }

    Tensor loss(const Tensors& inputs) override {
        choices.begin(inputs[0].scalar_type());
        const auto [maps, wider] = look(inputs[0]);
        const auto seen = proposals->forward(wider);
        Tensor sum = torch::zeros({}, inputs[0].options());
        const std::int64_t batch = inputs[0].size(0);
        for (std::int64_t picture = 0; picture < batch; ++picture) {
            const Tensor there = inputs[1][picture];
            const Tensor found = torch::cat({proposals->propose(seen, picture, choices), there});
            const auto [most, which] = overlap(found, there).max(1);
            const Tensor is_object = most >= same_object;
            const Tensor name = inputs[2][picture].index_select(0, which);
            const Tensor read_ = read_regions(maps, picture, found);
            const Tensor scores = score(flat(read_));
            const Tensor none = torch::full_like(name, scores.size(1) - 1);
            const Tensor counted = is_object.to(scores.scalar_type());
            const Tensor steps =
                of_class(step(flat(read_)).view({found.size(0), classes, 4}), name);
            // Where nothing is, the step counts nothing; the object's own box is always finite.
            const Tensor from =
                torch::where(is_object.unsqueeze(1), found, there.index_select(0, which));
            const Tensor wanted = steps_between(from, there.index_select(0, which), region_code);
            sum = sum + proposals->loss(seen, picture, there, inputs[3][picture]) +
                  torch::cross_entropy_loss(scores, torch::where(is_object, name, none)) +
                  ((steps - wanted).abs().sum(1) * counted).mean();
            if (!shape.masks) continue;
            const Tensor fresh = std::get<1>(most.topk(masked));
            const Tensor best = choices.settle(fresh, [&](const Tensor& other) {
                return most.index_select(0, other) >= most.index_select(0, fresh) - as_good;
            });
            sum = sum +
                  mask_loss(
                      masks_of(
                          maps, picture, found.index_select(0, best), read_.index_select(0, best)),
                      name.index_select(0, best),
                      masks_within(
                          inputs[4][picture],
                          found.index_select(0, best),
                          which.index_select(0, best)),
                      counted.index_select(0, best));
        }
        return sum / batch;
    }

    /// The masks of objects within regions, [n,size,size].
    Tensor masks_within(const Tensor& masks, const Tensor& boxes, const Tensor& which) const {
        const std::int64_t size = shape.trunk == RegionTrunk::c4 ? 14 : 28;
        const Tensor all =
            align_regions(masks.unsqueeze(0), boxes, 1, size, Aligned::by_half_a_point);
        return of_class(all, which);
    }

    static Tensor mask_loss(
        const Tensor& all, const Tensor& name, const Tensor& wanted, const Tensor& counted) {
        const Tensor made = of_class(all, name);
        const Tensor each =
            torch::binary_cross_entropy_with_logits(made, wanted, {}, {}, at::Reduction::None);
        return (each.mean({1, 2}) * counted).mean();
    }

    Choices* choices_of_answer() override { return &choices; }

    RegionShape shape;
    std::int64_t classes = 0;
    ResidualTrunk trunk = nullptr;
    Pyramid pyramid = nullptr;
    Proposals proposals = nullptr;
    nn::Sequential head = nullptr;
    nn::Linear score = nullptr;
    nn::Linear step = nullptr;
    nn::Sequential mask = nullptr;
    Choices choices;
};

}  // namespace region_detector

std::shared_ptr<Network> make_region_detector(const RegionShape& shape) {
    return std::make_shared<region_detector::RegionDetector>(shape);
}

}  // namespace vigil_bench::zoo
