#include "worker/bench/zoo/blocks/ocean.hpp"

// One step of the turbulent kinetic energy of an ocean model (Gaspar et al. 1990), as in Veros and
// in pyhpc's benchmark of that name: mixing upwards and dissipation at once for each column (a
// tridiagonal system, Thomas's method), diffusion and Superbee advection (Roe 1985) along the
// levels, the latter by Adams and Bashforth's rule.

namespace vigil_bench::zoo::turbulent_kinetic_energy {

/// pyhpc's grid of a million points, which is TorchBench's.
constexpr std::int64_t columns = 204;
constexpr std::int64_t rows = 204;
constexpr std::int64_t levels = 26;

constexpr double step_s = 3600;
constexpr double mixing_ratio = 30;  ///< of the energy's diffusivity to momentum's
constexpr double dissipation = 0.7;
constexpr double along_levels = 2000;  ///< m^2/s
constexpr double adams = 0.1;
constexpr double tiny = 1e-20;

/// For each column the x with lower x[k - 1] + diagonal x[k] + upper x[k + 1] = right.
Tensor solve_columns(
    const Tensor& lower, const Tensor& diagonal, const Tensor& upper, const Tensor& right) {
    const auto a = lower.unbind(-1);
    const auto b = diagonal.unbind(-1);
    const auto c = upper.unbind(-1);
    const auto d = right.unbind(-1);
    Tensors ratios{c[0] / b[0]};
    Tensors values{d[0] / b[0]};
    for (std::size_t k = 1; k < d.size(); ++k) {
        const Tensor left = b[k] - a[k] * ratios.back();
        values.push_back((d[k] - a[k] * values.back()) / left);
        ratios.push_back(c[k] / left);
    }
    for (std::size_t k = d.size() - 1; k-- > 0;) {
        values[k] = values[k] - ratios[k] * values[k + 1];
    }
    return torch::stack(values, -1);
}

Tensor superbee(const Tensor& ratio) {
    return torch::maximum((2 * ratio).clamp_max(1), ratio.clamp_max(2)).clamp_min(0);
}

/// What the flux through faces is computed from: for the face behind cell i the values of the cells
/// i - 1 to i + 2, and of the faces of i - 1 to i + 1, whether there is water on both sides.
struct Advected {
    Tensor values[4];
    Tensor water[3];
    Tensor velocity;
    Tensor width;  ///< of the cell i, as the velocity's
};

Tensor flux_of(const Advected& at) {
    const Tensor before = (at.values[1] - at.values[0]) * at.water[0];
    const Tensor here = (at.values[2] - at.values[1]) * at.water[1];
    const Tensor behind = (at.values[3] - at.values[2]) * at.water[2];
    const Tensor divisor = torch::where(here.abs() < tiny, torch::full_like(here, tiny), here);
    const Tensor kept = superbee(torch::where(at.velocity > 0, before, behind) / divisor);
    const Tensor speed = at.velocity.abs();
    const Tensor courant = speed * step_s / at.width;
    return at.velocity * (at.values[1] + at.values[2]) / 2 -
           speed * ((1 - kept) + courant * kept) * here / 2;
}

/// Through the east or north faces behind the cells 1 to the last but two.
/// @param faces  whether there is water on both sides
Tensor flux_along(
    Axis axis,
    const Tensor& energy,
    const Tensor& faces,
    const Tensor& velocity,
    const Tensor& width) {
    const auto at = [&](const Tensor& field, std::int64_t by) {
        return cut_along(field, axis, CellRange{1, -2}.shifted(by));
    };
    return flux_of(
        {{at(energy, -1), at(energy, 0), at(energy, 1), at(energy, 2)},
         {at(faces, -1), at(faces, 0), at(faces, 1)},
         at(velocity, 0),
         at(width, 0)});
}

/// Through the top faces of all levels but the highest, inner cells; the ends count twice.
Tensor flux_upwards(const OceanGrid& grid, const Tensor& energy, const Tensor& velocity) {
    const auto count = energy.size(-1);
    const auto middle = [&](const Tensor& field) { return cut(field, inner, inner); };
    const auto padded = [&](const Tensor& field) {
        return torch::cat({field.narrow(-1, 0, 1), field, field.narrow(-1, count - 1, 1)}, -1);
    };
    const Tensor values = padded(middle(energy));
    const Tensor w = middle(grid.w);
    const Tensor both =
        w * torch::cat({w.narrow(-1, 1, count - 1), w.narrow(-1, count - 1, 1)}, -1);
    const Tensor faces = padded(
        torch::cat({both.narrow(-1, 0, count - 1), torch::zeros_like(both.narrow(-1, 0, 1))}, -1));
    const auto at = [&](const Tensor& field, std::int64_t by) {
        return field.narrow(-1, by, count - 1);
    };
    return flux_of(
        {{at(values, 0), at(values, 1), at(values, 2), at(values, 3)},
         {at(faces, 0), at(faces, 1), at(faces, 2)},
         at(middle(velocity), 0),
         at(middle(grid.dzw), 0)});
}

/// Of what goes through faces: what comes in less what goes out, for each level. The highest level
/// of this grid, around the surface, is half as thick.
Tensor gain_of_levels(const OceanGrid& grid, const Tensor& flux) {
    const auto levels_count = flux.size(-1) + 1;
    const Tensor height = cut(grid.dzw, inner, inner);
    const Tensor halved = torch::cat(
        {height.narrow(-1, 0, levels_count - 1), height.narrow(-1, levels_count - 1, 1) / 2}, -1);
    return (torch::constant_pad_nd(flux, {1, 0}) - torch::constant_pad_nd(flux, {0, 1})) / halved;
}

/// The same of east and north faces, by inner cells.
Tensor gain_along(const OceanGrid& grid, const Tensor& east, const Tensor& north) {
    const auto middle = [&](const Tensor& field) { return cut(field, inner, inner); };
    const auto change = [](const Tensor& flux, std::int64_t dim) {
        const auto count = flux.size(dim) - 1;
        return flux.narrow(dim, 1, count) - flux.narrow(dim, 0, count);
    };
    return -change(east, -3) / middle(grid.cost * grid.dxt) -
           change(north, -2) / middle(grid.cost * grid.dyt);
}

struct Fields {
    Tensor energy;     ///< m^2/s^2, at top faces, as all but the wind
    Tensor last_gain;  ///< by advection, in the step before
    Tensor viscosity;  ///< m^2/s
    Tensor length;     ///< m
    Tensor source;     ///< m^2/s^3
    Tensor wind;       ///< m^3/s^3, [b,x,y]
    Tensor u, v, w;    ///< m/s
};

/// Energy after mixing upwards, sources and dissipation.
Tensor mixed_upwards(const OceanGrid& grid, const Fields& fields) {
    const auto count = fields.energy.size(-1);
    const auto but_first = [&](const Tensor& x) { return x.narrow(-1, 1, count - 1); };
    const auto but_last = [&](const Tensor& x) { return x.narrow(-1, 0, count - 1); };
    const Tensor height =
        torch::cat({but_last(grid.dzw), grid.dzw.narrow(-1, count - 1, 1) / 2}, -1);
    const Tensor between = step_s * mixing_ratio / but_first(grid.dzt) *
                           (but_last(fields.viscosity) + but_first(fields.viscosity)) / 2;
    const Tensor below = torch::constant_pad_nd(between, {1, 0});
    const Tensor above = torch::constant_pad_nd(between, {0, 1});
    const Tensor lost = step_s * dissipation * fields.energy.clamp_min(0).sqrt() / fields.length;
    Tensor wanted = fields.energy + step_s * fields.source;
    wanted = torch::cat(
        {but_last(wanted),
         (wanted.select(-1, count - 1) + step_s * fields.wind / height.select(-1, count - 1))
             .unsqueeze(-1)},
        -1);
    const Tensor water = grid.t;
    const Tensor bottom = water * (1 - torch::constant_pad_nd(but_last(water), {1, 0}));
    const Tensor rising = (1 - bottom) * below;  // nothing comes through the sea floor
    const Tensor solved = solve_columns(
        -water * rising / height,
        1 + water * ((above + rising) / height + lost),
        -water * above / height,
        water * wanted);
    return torch::where(water > 0, solved, fields.energy);
}

struct TurbulentKineticEnergy final : Network {
    /// The grid, then the fields.
    Tensors make_inputs(std::int64_t batch) const override {
        Tensors inputs = make_ocean_grid(columns, rows, levels);
        const std::vector<std::int64_t> sizes{batch, columns, rows, levels};
        inputs.push_back(torch::rand(sizes).square() * 1e-2);
        inputs.push_back(torch::randn(sizes) * 1e-7);
        inputs.push_back(torch::rand(sizes) * 1e-2 + 1e-4);
        inputs.push_back(torch::rand(sizes) * 50 + 1);
        inputs.push_back(torch::randn(sizes) * 1e-7);
        inputs.push_back(torch::randn({batch, columns, rows}) * 1e-6);
        inputs.push_back(torch::randn(sizes) * 0.2);
        inputs.push_back(torch::randn(sizes) * 0.2);
        inputs.push_back(torch::randn(sizes) * 1e-4);
        return inputs;
    }

    /// Energy of inner cells, its gain by advection, and what was added to keep the surface at 0.
    Tensors answer(const Tensors& inputs) override {
        const OceanGrid grid(inputs);
        const Tensor* in = &inputs[OceanGrid::input_count];
        const Fields fields{in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7], in[8]};
        const auto middle = [&](const Tensor& field) { return cut(field, inner, inner); };
        const auto last = fields.energy.size(-1) - 1;
        const Tensor& energy = fields.energy;
        const Tensor raw = middle(mixed_upwards(grid, fields));
        const Tensor negative = raw.select(-1, last).clamp_max(0);
        const Tensor added = -negative * middle(grid.dzw).select(-1, last) / 2 / step_s;
        const Tensor mixed = torch::cat(
            {raw.narrow(-1, 0, last), (raw.select(-1, last) - negative).unsqueeze(-1)}, -1);

        const auto face = [&](const Tensor& field, Axis axis) {
            return cut_along(field, axis, {1, -2});
        };
        const Tensor spread_east =
            -along_levels * grid.u * step_along(energy, Axis::x) / (grid.cost * grid.dxu);
        const Tensor spread_north =
            -along_levels * grid.v * grid.cosu * step_along(energy, Axis::y) / grid.dyu;
        const Tensor spread =
            gain_along(grid, face(spread_east, Axis::x), face(spread_north, Axis::y));

        const Tensor east = flux_along(
            Axis::x, energy, grid.w * grid.w.roll(-1, -3), fields.u, grid.cost * grid.dxt);
        const Tensor north = flux_along(
            Axis::y,
            energy,
            grid.w * grid.w.roll(-1, -2),
            grid.cosu * fields.v,
            grid.cost * grid.dyt);
        const Tensor water = middle(grid.w);
        const Tensor gain = water * gain_along(grid, east, north) +
                            gain_of_levels(grid, flux_upwards(grid, energy, fields.w));
        return {
            mixed + step_s * (water * spread + (1.5 + adams) * gain -
                              (0.5 + adams) * middle(fields.last_gain)),
            gain,
            added};
    }

    Tensor loss(const Tensors& inputs) override { return answer(inputs)[0].sum(); }
};

const Registered<TurbulentKineticEnergy> registered(
    {"turbulent_kinetic_energy",
     "scientific",
     "A step of an ocean's turbulence, 204 x 204 x 26",
     0,
     "no weights; Gaspar et al. 1990, as in Veros and pyhpc, 204 x 204 x 26",
     1,
     0,
     true});

}  // namespace vigil_bench::zoo::turbulent_kinetic_energy
