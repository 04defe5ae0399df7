#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tests/integration/torch/loops.hpp"
#include "worker/bench/zoo/blocks/regions/boxes.hpp"

namespace vigil_bench::zoo::loops {

namespace {

/// The map at a point between its own, which are as far from each other as 1.
double between(const Field& map, double x, double y) {
    const auto last_x = static_cast<double>(map.size(1) - 1);
    const auto last_y = static_cast<double>(map.size(0) - 1);
    x = std::clamp(x, 0.0, last_x);
    y = std::clamp(y, 0.0, last_y);
    const auto x0 = static_cast<std::int64_t>(x);
    const auto y0 = static_cast<std::int64_t>(y);
    const auto x1 = std::min<std::int64_t>(x0 + 1, map.size(1) - 1);
    const auto y1 = std::min<std::int64_t>(y0 + 1, map.size(0) - 1);
    const double right = x - static_cast<double>(x0);
    const double down = y - static_cast<double>(y0);
    return (1 - down) * ((1 - right) * map(y0, x0) + right * map(y0, x1)) +
           down * ((1 - right) * map(y1, x0) + right * map(y1, x1));
}

Tensor aligned(const Field& map, const Field& boxes, double scale, std::int64_t size, Aligned how) {
    const double shift = how == Aligned::by_half_a_point ? -0.5 : 0;
    const auto length = [&](double from, double to) {
        return how == Aligned::by_half_a_point ? to - from : std::max(to - from, 1.0);
    };
    return filled({boxes.size(0), size, size}, [&](auto n, auto i, auto k) {
        const double left = boxes(n, 0) * scale + shift;
        const double top = boxes(n, 1) * scale + shift;
        const double width = length(boxes(n, 0) * scale, boxes(n, 2) * scale);
        const double height = length(boxes(n, 1) * scale, boxes(n, 3) * scale);
        double sum = 0;
        for (const double dy : {0.25, 0.75}) {
            for (const double dx : {0.25, 0.75}) {
                const double x =
                    left + (static_cast<double>(k) + dx) * width / static_cast<double>(size);
                const double y =
                    top + (static_cast<double>(i) + dy) * height / static_cast<double>(size);
                sum += between(map, x, y) / 4;
            }
        }
        return sum;
    });
}

double common(const Field& b, std::int64_t i, std::int64_t k) {
    const double width = std::min(b(i, 2), b(k, 2)) - std::max(b(i, 0), b(k, 0));
    const double height = std::min(b(i, 3), b(k, 3)) - std::max(b(i, 1), b(k, 1));
    return std::max(width, 0.0) * std::max(height, 0.0);
}

std::vector<bool> left_over(const Field& boxes, double most) {
    std::vector<bool> stays(static_cast<std::size_t>(boxes.size(0)), true);
    for (std::int64_t i = 0; i < boxes.size(0); ++i) {
        for (std::int64_t k = 0; k < i; ++k) {
            const double shared = common(boxes, i, k);
            const double both = common(boxes, i, i) + common(boxes, k, k) - shared;
            if (stays[static_cast<std::size_t>(k)] && shared > most * both) {
                stays[static_cast<std::size_t>(i)] = false;
            }
        }
    }
    return stays;
}

void require(bool holds, const char* what) {
    if (!holds) throw std::runtime_error(std::string(what) + " differ from the loops");
}

struct Regions : Network {
    /// Boxes within 64 points, the best first, and a map of a quarter of their points.
    Tensors make_inputs(std::int64_t batch) const override {
        const Tensor corner = torch::rand({batch, 60, 2}) * 40;
        const Tensor boxes = torch::cat({corner, corner + torch::rand({batch, 60, 2}) * 24}, 2);
        return {boxes, torch::randn({batch, 16, 16})};
    }

    Tensors answer(const Tensors& inputs) override {
        const Tensor boxes = inputs[0][0].to(torch::kDouble);
        const Tensor map = inputs[1][0].to(torch::kDouble);
        for (const auto how : {Aligned::as_published, Aligned::by_half_a_point}) {
            const Tensor found = align_regions(map.view({1, 1, 16, 16}), boxes, 0.25, 7, how);
            compare(
                {found.squeeze(1).unsqueeze(0)},
                {aligned(Field(map), Field(boxes), scale(), 7, how)});
        }
        const Tensor stays = survivors(boxes, most());
        const auto loops = left_over(Field(boxes), 0.5);
        for (std::size_t i = 0; i < loops.size(); ++i) {
            require(stays[static_cast<std::int64_t>(i)].item<bool>() == loops[i], "survivors");
        }
        check_published();
        return {inputs[0]};
    }

    virtual double scale() const { return 0.25; }
    virtual double most() const { return 0.5; }

    /// The vectors of detectron2's own test of its RoIAlign.
    static void check_published() {
        const Tensor map = torch::arange(25, torch::kDouble).view({1, 1, 5, 5});
        const Tensor box = torch::tensor({{1.0, 1.0, 3.0, 3.0}}, torch::kDouble);
        const auto first = [&](Aligned how) {
            return align_regions(map, box, 1, 4, how).view({4, 4});
        };
        const Tensor steps = torch::arange(4, torch::kDouble) * 0.5;
        const Tensor ramp = steps.unsqueeze(0) + steps.unsqueeze(1) * 5;
        require(torch::allclose(first(Aligned::as_published), ramp + 7.5), "published regions");
        require(torch::allclose(first(Aligned::by_half_a_point), ramp + 4.5), "published regions");
    }

    Tensor loss(const Tensors& inputs) override { return answer(inputs)[0].sum(); }
};

struct OtherScale final : Regions {
    double scale() const override { return 0.26; }
};

struct OtherOverlap final : Regions {
    double most() const override { return 0.4; }
};

const RegisteredLoops<Regions> regions("loops_regions", 1);
const RegisteredLoops<OtherScale> regions_off("loops_regions_off", 1);
const RegisteredLoops<OtherOverlap> overlap_off("loops_overlap_off", 1);

}  // namespace

}  // namespace vigil_bench::zoo::loops
