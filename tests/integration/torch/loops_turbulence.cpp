#include <algorithm>
#include <cmath>

#include "tests/integration/torch/loops.hpp"

namespace vigil_bench::zoo::loops {

namespace {

/// One step of the turbulent kinetic energy, of one picture.
struct Turbulence {
    explicit Turbulence(const Tensors& in)
        : g(in),
          energy(in[13][0]),
          last(in[14][0]),
          viscosity(in[15][0]),
          length(in[16][0]),
          source(in[17][0]),
          wind(in[18][0]),
          u(in[19][0]),
          v(in[20][0]),
          w(in[21][0]),
          nx(energy.size(0)),
          ny(energy.size(1)),
          nz(energy.size(2)) {}

    double height(std::int64_t k) const { return k == nz - 1 ? g.dzw(k) / 2 : g.dzw(k); }

    /// A column after mixing: Gauss's elimination from the sea floor up.
    std::vector<double> column(std::int64_t i, std::int64_t j) const {
        std::vector<double> x;
        for (std::int64_t k = 0; k < nz; ++k) x.push_back(energy(i, j, k));
        std::int64_t bottom = 0;
        while (g.t(i, j, bottom) == 0) ++bottom;
        const auto between = [&](std::int64_t k) {  // the levels k and k + 1
            return 3600 * 30 / g.dzt(k + 1) * 0.5 * (viscosity(i, j, k) + viscosity(i, j, k + 1));
        };
        std::vector<double> factor(x.size(), 0);
        for (std::int64_t k = bottom; k < nz; ++k) {
            const double below = k > bottom ? between(k - 1) / height(k) : 0;
            const double above = k < nz - 1 ? between(k) / height(k) : 0;
            const double lost =
                3600 * 0.7 * std::sqrt(std::max(0.0, energy(i, j, k))) / length(i, j, k);
            double right = energy(i, j, k) + 3600 * source(i, j, k);
            if (k == nz - 1) right += 3600 * wind(i, j) / height(k);
            double diagonal = 1 + below + above + lost;
            const auto n = static_cast<std::size_t>(k);
            if (k > bottom) {
                diagonal -= below * factor[n - 1];
                right += below * x[n - 1];
            }
            factor[n] = above / diagonal;
            x[n] = right / diagonal;
        }
        for (std::int64_t k = nz - 2; k >= bottom; --k) {
            const auto n = static_cast<std::size_t>(k);
            x[n] += factor[n] * x[n + 1];
        }
        return x;
    }

    struct Line {
        std::vector<double> values;  ///< four
        std::vector<double> faces;   ///< three
        double speed;
        double width;
    };

    static double superbee_flux(const Line& at) {
        const double before = (at.values[1] - at.values[0]) * at.faces[0];
        double here = (at.values[2] - at.values[1]) * at.faces[1];
        const double behind = (at.values[3] - at.values[2]) * at.faces[2];
        const double ratio =
            (at.speed > 0 ? before : behind) / (std::abs(here) < 1e-20 ? 1e-20 : here);
        const double limit =
            std::max(0.0, std::max(std::min(1.0, 2 * ratio), std::min(2.0, ratio)));
        const double courant = std::abs(at.speed) * 3600 / at.width;
        return at.speed * (at.values[1] + at.values[2]) * 0.5 -
               std::abs(at.speed) * (1 - limit + courant * limit) * here * 0.5;
    }

    double east(std::int64_t i, std::int64_t j, std::int64_t k) const {
        Line at{{}, {}, u(i, j, k), g.cost(j) * g.dxt(i)};
        for (std::int64_t n = -1; n < 3; ++n) at.values.push_back(energy(i + n, j, k));
        for (std::int64_t n = -1; n < 2; ++n) {
            at.faces.push_back(g.w(i + n, j, k) * g.w(i + n + 1, j, k));
        }
        return superbee_flux(at);
    }

    double north(std::int64_t i, std::int64_t j, std::int64_t k) const {
        Line at{{}, {}, g.cosu(j) * v(i, j, k), g.cost(j) * g.dyt(j)};
        for (std::int64_t n = -1; n < 3; ++n) at.values.push_back(energy(i, j + n, k));
        for (std::int64_t n = -1; n < 2; ++n) {
            at.faces.push_back(g.w(i, j + n, k) * g.w(i, j + n + 1, k));
        }
        return superbee_flux(at);
    }

    double top(std::int64_t i, std::int64_t j, std::int64_t k) const {
        if (k < 0 || k == nz - 1) return 0;
        const auto clamped = [&](std::int64_t m) {
            return std::min(nz - 1, std::max<std::int64_t>(0, m));
        };
        Line at{{}, {}, w(i, j, k), g.dzw(k)};
        for (std::int64_t n = -1; n < 3; ++n) at.values.push_back(energy(i, j, clamped(k + n)));
        for (std::int64_t n = -1; n < 2; ++n) {
            const auto m = clamped(k + n);
            at.faces.push_back(m == nz - 1 ? 0 : g.w(i, j, m) * g.w(i, j, m + 1));
        }
        return superbee_flux(at);
    }

    double gain(std::int64_t i, std::int64_t j, std::int64_t k) const {
        return g.w(i, j, k) * (-(east(i, j, k) - east(i - 1, j, k)) / (g.cost(j) * g.dxt(i)) -
                               (north(i, j, k) - north(i, j - 1, k)) / (g.cost(j) * g.dyt(j))) -
               (top(i, j, k) - top(i, j, k - 1)) / height(k);
    }

    double spread(std::int64_t i, std::int64_t j, std::int64_t k) const {
        const auto over_east = [&](std::int64_t n) {
            return g.u(n, j, k) * (energy(n + 1, j, k) - energy(n, j, k)) / (g.cost(j) * g.dxu(n));
        };
        const auto over_north = [&](std::int64_t n) {
            return g.cosu(n) * g.v(i, n, k) * (energy(i, n + 1, k) - energy(i, n, k)) / g.dyu(n);
        };
        return 2000 * g.w(i, j, k) *
               ((over_east(i) - over_east(i - 1)) / (g.cost(j) * g.dxt(i)) +
                (over_north(j) - over_north(j - 1)) / (g.cost(j) * g.dyt(j)));
    }

    Tensors answer() const {
        const std::vector<std::int64_t> sizes{nx - 4, ny - 4, nz};
        const Tensor gains =
            filled(sizes, [&](auto i, auto j, auto k) { return gain(i + 2, j + 2, k); });
        Tensor added = torch::zeros({nx - 4, ny - 4}, torch::kDouble);
        Tensor mixed = filled(sizes, [](auto, auto, auto) { return 0.0; });
        auto mixed_at = mixed.accessor<double, 3>();
        auto added_at = added.accessor<double, 2>();
        for (std::int64_t i = 0; i < nx - 4; ++i) {
            for (std::int64_t j = 0; j < ny - 4; ++j) {
                auto solved = column(i + 2, j + 2);
                if (solved.back() < 0) {
                    added_at[i][j] = -solved.back() * height(nz - 1) / 3600;
                    solved.back() = 0;
                }
                for (std::int64_t k = 0; k < nz; ++k) {
                    mixed_at[i][j][k] = solved[static_cast<std::size_t>(k)];
                }
            }
        }
        const Tensor rest = filled(sizes, [&](auto i, auto j, auto k) {
            return spread(i + 2, j + 2, k) - 0.6 * last(i + 2, j + 2, k);
        });
        return {mixed + 3600 * (rest + 1.6 * gains), gains, added};
    }

    Grid g;
    Field energy, last, viscosity, length, source, wind, u, v, w;
    std::int64_t nx, ny, nz;
};

struct SameTurbulence : Ocean<Turbulence> {
    SameTurbulence() : Ocean("turbulent_kinetic_energy") {}
};

struct OtherTurbulence final : SameTurbulence {
    Tensors changed(const Tensors& inputs) const override {
        Tensors other = inputs;
        other[21] = other[21] * 1.001;  // upwards
        return other;
    }
};

const RegisteredLoops<SameTurbulence> turbulence("loops_turbulence", 1);
const RegisteredLoops<OtherTurbulence> turbulence_off("loops_turbulence_off", 1);

}  // namespace

}  // namespace vigil_bench::zoo::loops
