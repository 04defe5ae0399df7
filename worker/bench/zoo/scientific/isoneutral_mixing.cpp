#include "worker/bench/zoo/blocks/ocean.hpp"

// Griffies et al. 1998, "Isoneutral diffusion in a z-coordinate ocean model": the tensor that mixes
// along surfaces of equal density, from the slopes of triads, four to each face, tapered where they
// are steep (Danabasoglu and McWilliams 1995); as in Veros and in pyhpc's benchmark of that name,
// with the equation of state of Vallis 2006, (1.57).

namespace vigil_bench::zoo::isoneutral_mixing {

/// pyhpc's grid of a million points, which is TorchBench's.
constexpr std::int64_t columns = 204;
constexpr std::int64_t rows = 204;
constexpr std::int64_t levels = 26;

constexpr double largest_slope = 1e-3;
constexpr double slope_width = 1e-3;
constexpr double steep_diffusivity = 50;  ///< m^2/s, what is left where the slope is tapered away
constexpr double tiny = 1e-20;

constexpr double density = 1024;             ///< kg/m^3
constexpr double thermal = 1.67e-4;          ///< 1/K
constexpr double thermal_square = 1e-5;      ///< 1/K^2
constexpr double thermal_pressure = 1.1e-8;  ///< 1/Pa
constexpr double haline = 0.78e-3;           ///< kg/g
constexpr double reference_celsius = 9.85;
constexpr double gravity = 9.81;

/// Change of density with temperature, kg/m^3/K.
Tensor density_by_heat(const Tensor& temperature, const Tensor& height) {
    const Tensor pressure = -density * gravity * height;
    return -density * (thermal * (1 + thermal_pressure * pressure) +
                       thermal_square * (temperature - reference_celsius));
}

/// What the triads are made of.
struct Water {
    Water(const OceanGrid& sea, const Tensor& salt, const Tensor& temperature, const Tensor& mixing)
        : grid(sea), by_heat(density_by_heat(temperature, sea.zt)), diffusivity(mixing) {
        const auto level_count = temperature.size(-1);
        // By face between two levels, and 0 below the lowest and above the highest.
        const auto up = [&](const Tensor& field) {
            const Tensor step =
                field.narrow(-1, 1, level_count - 1) - field.narrow(-1, 0, level_count - 1);
            const Tensor below = sea.w.narrow(-1, 0, level_count - 1) * step /
                                 sea.dzw.narrow(-1, 0, level_count - 1);
            return torch::constant_pad_nd(below, {1, 1});
        };
        heat_up = up(temperature);
        salt_up = up(salt);
        for (const auto axis : {Axis::x, Axis::y}) {
            const bool east = axis == Axis::x;
            const Tensor scale = east ? sea.u / (sea.dxu * sea.cost) : sea.v / sea.dyu;
            heat_along.push_back(scale * step_along(temperature, axis));
            salt_along.push_back(scale * step_along(salt, axis));
        }
    }

    const OceanGrid& grid;
    Tensor by_heat;
    Tensor diffusivity;
    Tensor heat_up, salt_up;         ///< [..,z + 1]
    Tensors heat_along, salt_along;  ///< by axis
};

constexpr double by_salt = density * haline;

struct Triad {
    /// @param along, up  change of density along the level and upwards
    Triad(const Tensor& along, const Tensor& up)
        : slope(-along / (up.clamp_max(0) - tiny)),
          kept(0.5 * (1 + ((largest_slope - slope.abs()) / slope_width).tanh())) {}

    Tensor slope;
    Tensor kept;  ///< 0 to 1
};

struct Mixing {
    Tensor diffusivity;
    Tensor slopes;  ///< [...,2,2], side and level
};

Tensor by_side_and_level(const Tensors& four) {
    return torch::stack(four, -1).unflatten(-1, {2, 2});
}

/// Through the east or north faces.
Mixing mix_across(const Water& water, Axis axis) {
    const auto& grid = water.grid;
    const auto index = axis == Axis::x ? 0U : 1U;
    const auto level_count = water.by_heat.size(-1);
    const auto at = [&](const Tensor& field, std::int64_t side) {
        return cut_along(field, axis, CellRange{1, -2}.shifted(side));
    };
    const Tensor mask = at(axis == Axis::x ? grid.u : grid.v, 0);
    // A quarter of the four values around the face; below the lowest level, the lowest again.
    const Tensor& values = water.diffusivity;
    const Tensor with_below = torch::cat({values.narrow(-1, 0, 1), values}, -1);
    Tensor around;
    for (const std::int64_t side : {0, 1}) {
        const Tensor here = at(with_below, side);
        const Tensor sum = here.narrow(-1, 0, level_count) + here.narrow(-1, 1, level_count);
        around = around.defined() ? around + sum : sum;
    }
    around = around / 4;
    const Tensor heights = torch::constant_pad_nd(grid.dzw, {1, 0});
    Tensor sum = torch::zeros_like(around);
    Tensors slopes;
    for (const std::int64_t side : {0, 1}) {
        const Tensor by_heat = at(water.by_heat, side);
        const Tensor along =
            by_heat * at(water.heat_along[index], 0) + by_salt * at(water.salt_along[index], 0);
        for (const std::int64_t level : {0, 1}) {
            const auto face = [&](const Tensor& field) {
                return at(field, side).narrow(-1, level, level_count);
            };
            const Triad triad(along, by_heat * face(water.heat_up) + by_salt * face(water.salt_up));
            sum = sum + at(heights, 0).narrow(-1, level, level_count) * mask *
                            (around * triad.kept).clamp_min(steep_diffusivity);
            slopes.push_back(triad.kept * triad.slope * mask);
        }
    }
    return {sum / (4 * at(grid.dzt, 0)), by_side_and_level(slopes)};
}

/// Through the top faces, by slopes along one axis; the diffusivity is still to be divided by 4
/// widths of the cell.
Mixing mix_upwards(const Water& water, Axis axis) {
    const auto& grid = water.grid;
    const auto index = axis == Axis::x ? 0U : 1U;
    const auto faces = water.by_heat.size(-1) - 1;
    const auto middle = [&](const Tensor& field) { return cut(field, inner, inner); };
    const Tensor mask = middle(grid.w).narrow(-1, 0, faces);
    const Tensor mixed = middle(water.diffusivity).narrow(-1, 0, faces);
    const Tensor widths = axis == Axis::x ? grid.dxu : grid.cosu * grid.dyu;
    Tensor sum = torch::zeros_like(mixed);
    Tensors slopes;
    for (const std::int64_t side : {0, 1}) {
        const auto beside = [&](const Tensor& field) {
            return cut_along(field, axis, inner.shifted(side - 1));
        };
        for (const std::int64_t level : {0, 1}) {
            const auto at = [&](const Tensor& field) { return field.narrow(-1, level, faces); };
            const Tensor by_heat = at(middle(water.by_heat));
            const Tensor along = by_heat * at(beside(water.heat_along[index])) +
                                 by_salt * at(beside(water.salt_along[index]));
            const Triad triad(
                along,
                by_heat * middle(water.heat_up).narrow(-1, 1, faces) +
                    by_salt * middle(water.salt_up).narrow(-1, 1, faces));
            sum = sum + beside(widths).narrow(-1, 0, faces) * mixed * triad.kept *
                            triad.slope.square() * mask;
            slopes.push_back(triad.kept * triad.slope * mask);
        }
    }
    return {sum, by_side_and_level(slopes)};
}

struct IsoneutralMixing final : Network {
    /// The grid; salinity, temperature, diffusivity.
    Tensors make_inputs(std::int64_t batch) const override {
        Tensors inputs = make_ocean_grid(columns, rows, levels);
        const Tensor warmth = torch::linspace(2, 20, levels);
        const auto noise = [&] { return torch::randn({batch, columns, rows, levels}); };
        inputs.push_back(35 + 0.1 * noise());
        inputs.push_back(warmth + 0.3 * noise());
        inputs.push_back(1000 + 100 * noise());
        return inputs;
    }

    Tensors answer(const Tensors& inputs) override {
        const Tensor* fields = &inputs[OceanGrid::input_count];
        const OceanGrid grid(inputs);
        const Water water(grid, fields[0], fields[1], fields[2]);
        const Mixing east = mix_across(water, Axis::x);
        const Mixing north = mix_across(water, Axis::y);
        const Mixing by_x = mix_upwards(water, Axis::x);
        const Mixing by_y = mix_upwards(water, Axis::y);
        const auto middle = [&](const Tensor& field) { return cut(field, inner, inner, {0, -1}); };
        const Tensor up = by_x.diffusivity / (4 * middle(grid.dxt)) +
                          by_y.diffusivity / (4 * middle(grid.dyt * grid.cost));
        return {
            east.diffusivity,
            north.diffusivity,
            torch::constant_pad_nd(up, {0, 1}),
            east.slopes,
            north.slopes,
            by_x.slopes,
            by_y.slopes};
    }

    Tensor loss(const Tensors& inputs) override { return answer(inputs)[0].sum(); }
};

const Registered<IsoneutralMixing> registered(
    {"isoneutral_mixing",
     "scientific",
     "Mixing along equal density, 204 x 204 x 26",
     0,
     "no weights; Griffies et al. 1998, as in Veros and pyhpc, 204 x 204 x 26",
     1,
     0,
     true});

}  // namespace vigil_bench::zoo::isoneutral_mixing
