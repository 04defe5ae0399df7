#include <algorithm>
#include <cmath>

#include "tests/integration/torch/loops.hpp"

namespace vigil_bench::zoo::loops {

namespace {

/// The slopes of Griffies's triads and the tensor of mixing, of one picture.
struct Isoneutral {
    Isoneutral(const Tensors& in)
        : g(in),
          s(in[13][0]),
          t(in[14][0]),
          kappa(in[15][0]),
          nx(s.size(0)),
          ny(s.size(1)),
          nz(s.size(2)) {}

    double heat(std::int64_t i, std::int64_t j, std::int64_t k) const {
        const double pressure = 1024 * 9.81 * -g.zt(k);
        return -1024 * (1.67e-4 * (1 + 1.1e-8 * pressure) + 1e-5 * (t(i, j, k) - 9.85));
    }

    /// Density's change to the next cell in the east (0) or north (1), by the water of cell
    /// (a,b,k).
    double along(
        int axis, std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t a, std::int64_t b)
        const {
        const std::int64_t i2 = i + (axis == 0 ? 1 : 0);
        const std::int64_t j2 = j + (axis == 1 ? 1 : 0);
        const double scale =
            axis == 0 ? g.u(i, j, k) / (g.dxu(i) * g.cost(j)) : g.v(i, j, k) / g.dyu(j);
        return scale * (heat(a, b, k) * (t(i2, j2, k) - t(i, j, k)) +
                        1024 * 0.78e-3 * (s(i2, j2, k) - s(i, j, k)));
    }

    /// Density's change through the face over level k, by the water of level `of`.
    double up(std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t of) const {
        if (k < 0 || k >= nz - 1) return 0;
        return g.w(i, j, k) / g.dzw(k) *
               (heat(i, j, of) * (t(i, j, k + 1) - t(i, j, k)) +
                1024 * 0.78e-3 * (s(i, j, k + 1) - s(i, j, k)));
    }

    static double slope(double along, double up) { return -along / (std::min(0.0, up) - 1e-20); }
    static double kept(double slope) {
        return 0.5 * (1 + std::tanh((-std::abs(slope) + 1e-3) / 1e-3));
    }

    /// Mixing through the face east or north of a cell; with side and level, that triad's slope.
    double across(
        int axis, std::int64_t i, std::int64_t j, std::int64_t k, int side = -1, int level = -1)
        const {
        const double mask = axis == 0 ? g.u(i, j, k) : g.v(i, j, k);
        double sum = 0;
        for (int n = 0; n < 2; ++n) {
            const std::int64_t a = i + (axis == 0 ? n : 0);
            const std::int64_t b = j + (axis == 1 ? n : 0);
            for (int m = 0; m < 2; ++m) {
                const double found = slope(along(axis, i, j, k, a, b), up(a, b, k - 1 + m, k));
                if (n == side && m == level) return kept(found) * found * mask;
                if (k - 1 + m < 0) continue;
                double around = 0;
                for (int other = 0; other < 2; ++other) {
                    const std::int64_t c = i + (axis == 0 ? other : 0);
                    const std::int64_t d = j + (axis == 1 ? other : 0);
                    around += kappa(c, d, k) + kappa(c, d, std::max<std::int64_t>(0, k - 1));
                }
                sum += g.dzw(k - 1 + m) * mask * std::max(50.0, around / 4 * kept(found));
            }
        }
        return sum / (4 * g.dzt(k));
    }

    /// Mixing through a cell's top; with axis, side and level, that triad's slope.
    double upwards(
        std::int64_t i,
        std::int64_t j,
        std::int64_t k,
        int axis = -1,
        int side = -1,
        int level = -1) const {
        if (k == nz - 1) return 0;
        double sum = 0;
        for (int h = 0; h < 2; ++h) {
            for (int n = 0; n < 2; ++n) {
                const std::int64_t a = i + (h == 0 ? n - 1 : 0);
                const std::int64_t b = j + (h == 1 ? n - 1 : 0);
                for (int m = 0; m < 2; ++m) {
                    const double found = slope(along(h, a, b, k + m, i, j), up(i, j, k, k + m));
                    if (h == axis && n == side && m == level) {
                        return kept(found) * found * g.w(i, j, k);
                    }
                    const double width = h == 0 ? g.dxu(a) / (4 * g.dxt(i))
                                                : g.cosu(b) * g.dyu(b) / (4 * g.dyt(j) * g.cost(j));
                    sum += width * kappa(i, j, k) * kept(found) * found * found * g.w(i, j, k);
                }
            }
        }
        return sum;
    }

    Tensor by_triad(const std::function<Tensor(int, int)>& one) const {
        Tensors all;
        for (int n = 0; n < 2; ++n) {
            for (int m = 0; m < 2; ++m) all.push_back(one(n, m));
        }
        return torch::stack(all, -1).view({all[0].size(0), all[0].size(1), all[0].size(2), 2, 2});
    }

    Tensors answer() const {
        const auto faces = [&](int axis, int side, int level) {
            const std::int64_t fx = axis == 0 ? 1 : 0;  // faces begin one cell before inner cells
            const std::int64_t fy = 1 - fx;
            return filled({nx - 4 + fx, ny - 4 + fy, nz}, [&](auto i, auto j, auto k) {
                return across(axis, i + 2 - fx, j + 2 - fy, k, side, level);
            });
        };
        const auto tops = [&](std::int64_t levels, int axis, int side, int level) {
            return filled({nx - 4, ny - 4, levels}, [&](auto i, auto j, auto k) {
                return upwards(i + 2, j + 2, k, axis, side, level);
            });
        };
        Tensors all{faces(0, -1, -1), faces(1, -1, -1), tops(nz, -1, -1, -1)};
        for (int axis = 0; axis < 2; ++axis) {
            all.push_back(by_triad([&](int n, int m) { return faces(axis, n, m); }));
        }
        for (int axis = 0; axis < 2; ++axis) {
            all.push_back(by_triad([&](int n, int m) { return tops(nz - 1, axis, n, m); }));
        }
        return all;
    }

    Grid g;
    Field s, t, kappa;
    std::int64_t nx, ny, nz;
};

struct SameIsoneutral : Ocean<Isoneutral> {
    SameIsoneutral() : Ocean("isoneutral_mixing") {}
};

struct OtherIsoneutral final : SameIsoneutral {
    Tensors changed(const Tensors& inputs) const override {
        Tensors other = inputs;
        other[14] = other[14] + 1e-3;  // K
        return other;
    }
};

const RegisteredLoops<SameIsoneutral> isoneutral("loops_isoneutral", 1);
const RegisteredLoops<OtherIsoneutral> isoneutral_off("loops_isoneutral_off", 1);

}  // namespace

}  // namespace vigil_bench::zoo::loops
