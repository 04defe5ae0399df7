#include <cmath>

#include "tests/integration/torch/loops.hpp"
#include "worker/bench/zoo/blocks/sets/deformable.hpp"
#include "worker/bench/zoo/blocks/swin.hpp"

// What reads a few places of a picture: shifted windows, and attention that says where.

namespace vigil_bench::zoo::loops {

namespace {

constexpr std::int64_t window = 5;
constexpr std::int64_t rows = 10;
constexpr std::int64_t columns = 15;

/// Places of a window see each other where they were neighbours before the map was moved.
Tensor edges_by_loops(std::int64_t moved) {
    constexpr std::int64_t across = columns / window;
    constexpr std::int64_t n = window * window;
    return filled({rows / window * across, n, n}, [&](auto w, auto i, auto k) {
        const auto row = [&](std::int64_t place) {
            return (w / across * window + place / window + moved) % rows;
        };
        const auto column = [&](std::int64_t place) {
            return (w % across * window + place % window + moved) % columns;
        };
        const bool near =
            std::abs(row(i) - row(k)) < window && std::abs(column(i) - column(k)) < window;
        return near ? 0.0 : -100.0;
    });
}

struct Windows : Network {
    explicit Windows(std::int64_t moved_ = window / 2) : moved(moved_) {}

    Tensors make_inputs(std::int64_t batch) const override { return {torch::zeros({batch})}; }

    Tensors answer(const Tensors& inputs) override {
        const Tensor like = torch::zeros({}, torch::kDouble);
        const Tensor edges = edges_of_windows(rows, columns, window, like).squeeze(1);
        const Tensor numbers = window_distances(window).to(torch::kDouble);
        const Tensor numbers_by_loops =
            filled({window * window, window * window, 1}, [](auto i, auto k, auto) {
                const auto down = i / window - k / window + window - 1;
                const auto right = i % window - k % window + window - 1;
                return static_cast<double>(down * (2 * window - 1) + right);
            });
        compare(
            {edges.unsqueeze(0), numbers.unsqueeze(0)},
            {edges_by_loops(moved), numbers_by_loops.flatten()});
        return {inputs[0]};
    }

    Tensor loss(const Tensors& inputs) override { return inputs[0].sum(); }

    std::int64_t moved;
};

struct WindowsOff final : Windows {
    WindowsOff() : Windows(1) {}
};

constexpr std::int64_t width = 16;
const std::vector<MapSize> sizes = {{3, 4}, {6, 5}};

/// A map's value at a place, across and down in places, by its neighbours; nothing outside.
double between(
    const Field& memory, std::int64_t first, MapSize size, double x, double y, std::int64_t c) {
    double sum = 0;
    for (const double row : {std::floor(y), std::floor(y) + 1}) {
        for (const double column : {std::floor(x), std::floor(x) + 1}) {
            const auto i = static_cast<std::int64_t>(row);
            const auto k = static_cast<std::int64_t>(column);
            if (i < 0 || k < 0 || i >= size.rows || k >= size.columns) continue;
            const double part = (1 - std::abs(y - row)) * (1 - std::abs(x - column));
            sum += part * memory(first + i * size.columns + k, c);
        }
    }
    return sum;
}

/// Two maps of 12 and 30 places, read by 5 queries.
struct Deformable : Network {
    explicit Deformable(double moved_ = 0) : moved(moved_) {}

    Tensors make_inputs(std::int64_t batch) const override {
        return {
            torch::randn({batch, 5, width}), torch::rand({5, 2}), torch::randn({batch, 42, width})};
    }

    Tensors answer(const Tensors& inputs) override {
        DeformableAttention attention(width, 2);
        attention->to(torch::kDouble);
        const Tensor query = inputs[0].to(torch::kDouble);
        const Tensor places = inputs[1].to(torch::kDouble);
        const Tensor memory = inputs[2].to(torch::kDouble);
        const auto part = [&](const char* name, const Tensor& x) {
            const auto named = attention->named_parameters();
            return torch::linear(
                x, named[std::string(name) + ".weight"], named[std::string(name) + ".bias"]);
        };
        const Tensor mixed = by_loops(
            part("offsets", query[0]),
            part("weights", query[0]),
            Field(places),
            Field(part("value", memory[0])));
        compare({attention->forward(query, places, memory, sizes)}, {part("out", mixed)});
        return {inputs[0]};
    }

    Tensor by_loops(
        const Tensor& offsets,
        const Tensor& scores,
        const Field& places,
        const Field& memory) const {
        constexpr auto heads = DeformableAttentionImpl::heads;
        constexpr auto points = DeformableAttentionImpl::points;
        const Field offset(offsets.view({5, heads * 2 * points, 2}));
        const Field weight(scores.view({5, heads, 2 * points}).softmax(-1));
        return filled(
                   {5, width, 1},
                   [&](auto query, auto c, auto) {
                       const std::int64_t head = c / (width / heads);
                       double sum = 0;
                       for (std::int64_t map = 0; map < 2; ++map) {
                           const MapSize size = sizes[static_cast<std::size_t>(map)];
                           for (std::int64_t point = 0; point < points; ++point) {
                               const std::int64_t at = (head * 2 + map) * points + point;
                               const double x =
                                   places(query, 0) * static_cast<double>(size.columns) +
                                   offset(query, at, 0) - 0.5 + moved;
                               const double y = places(query, 1) * static_cast<double>(size.rows) +
                                                offset(query, at, 1) - 0.5;
                               sum += weight(query, head, map * points + point) *
                                      between(memory, map * 12, size, x, y, c);
                           }
                       }
                       return sum;
                   })
            .squeeze(2);
    }

    Tensor loss(const Tensors& inputs) override { return inputs[0].sum(); }

    double moved;
};

struct DeformableOff final : Deformable {
    DeformableOff() : Deformable(0.5) {}
};

const RegisteredLoops<Windows> windows("loops_windows", 1);
const RegisteredLoops<WindowsOff> windows_off("loops_windows_off", 1);
const RegisteredLoops<Deformable> deformable("loops_deformable", 1);
const RegisteredLoops<DeformableOff> deformable_off("loops_deformable_off", 1);

}  // namespace

}  // namespace vigil_bench::zoo::loops
