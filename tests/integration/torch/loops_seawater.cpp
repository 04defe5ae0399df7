#include <complex>

#include "tests/integration/torch/loops.hpp"

namespace vigil_bench::zoo::loops {

namespace {

using Complex = std::complex<double>;

Complex polynomial(const Complex& x, const std::vector<double>& coefficients) {
    Complex sum = 0;
    for (std::size_t i = coefficients.size(); i-- > 0;) sum = sum * x + coefficients[i];
    return sum;
}

/// In m^3/kg, by the 48 terms of TEOS-10.
Complex specific_volume(double salinity, const Complex& temperature, double pressure) {
    const auto of = [&](const std::vector<double>& coefficients) {
        return polynomial(temperature, coefficients);
    };
    const double root = std::sqrt(salinity);
    const std::vector<Complex> above = {
        of({1,
            2.775927747785646e-3,
            -2.349607444135925e-5,
            1.119513357486743e-6,
            6.743689325042773e-10}) +
            salinity * (of({-7.521448093615448e-3,
                            -2.764306979894411e-5,
                            1.262937315098546e-7,
                            9.527875081696435e-10,
                            -1.811147201949891e-11}) +
                        root * of({-3.303308871386421e-5,
                                   3.801564588876298e-7,
                                   -7.672876869259043e-9,
                                   -4.634182341116144e-11,
                                   2.681097235569143e-12}) +
                        5.419326551148740e-6 * salinity),
        of({-2.742185394906099e-5,
            -3.212746477974189e-7,
            3.191413910561627e-9,
            -1.931012931541776e-12}) +
            salinity * of({-1.105097577149576e-7, 6.211426728363857e-10}),
        of({-1.119011592875110e-10,
            -1.941660213148725e-11 + 1.119522344879478e-14 * salinity,
            -1.864826425365600e-14}),
        of({-1.200507748551599e-15, 6.057902487546866e-17})};
    const std::vector<Complex> below = {
        of({999.8420897506056, 2.839940833161907, -3.147759265588511e-2, 1.181805545074306e-3}) +
            salinity * (of({-6.698001071123802, -2.986498947203215e-2, 2.327859407479162e-4}) +
                        root * of({-3.988822378968490e-2,
                                   5.095422573880500e-4,
                                   -1.426984671633621e-5,
                                   1.645039373682922e-7})),
        of({-2.233269627352527e-2, -3.436090079851880e-4, 3.726050720345733e-6}) +
            salinity * of({-1.806789763745328e-4, 6.876837219536232e-7}),
        of({-3.087032500374211e-7 + 1.550932729220080e-10 * salinity,
            -1.988366587925593e-8,
            -1.061519070296458e-11})};
    Complex n = 0;
    Complex d = 0;
    for (std::size_t i = above.size(); i-- > 0;) n = n * pressure + above[i];
    for (std::size_t i = below.size(); i-- > 0;) d = d * pressure + below[i];
    return n / d;
}

/// The enthalpy's change with temperature, by Simpson's rule over pressure and a step of the
/// temperature that is imaginary, so exact (Squire and Trapp 1998).
double change(double salinity, double temperature, double pressure) {
    constexpr int halves = 32;
    constexpr double step = 1e-30;
    Complex sum = 0;
    for (int i = 0; i <= 2 * halves; ++i) {
        const double weight = i == 0 || i == 2 * halves ? 1 : i % 2 == 1 ? 4 : 2;
        const double at = pressure * i / (2 * halves);
        sum += weight * specific_volume(salinity, {temperature, step}, at);
    }
    return 1e4 * pressure / (6 * halves) * sum.imag() / step;
}

struct SameSeawater : Network {
    Tensors make_inputs(std::int64_t batch) const override {
        return model("seawater_enthalpy")->make_inputs(batch);
    }

    Tensors answer(const Tensors& inputs) override {
        Tensors exact;
        for (const auto& input : inputs) exact.push_back(input.to(torch::kDouble));
        const Tensors answers = model("seawater_enthalpy")->answer(exact);
        const Field s(exact[0][0]);
        const Field t(exact[1][0]);
        const Field p(exact[2][0]);
        const std::vector<std::int64_t> sizes = {s.size(0), s.size(1), 1};
        const Tensor loops = filled(sizes, [&](auto i, auto j, auto) {
            return change(s(i, j), t(i, j) + warmer(), p(i, j));
        });
        compare(answers, {loops.squeeze(2)});
        return answers;
    }

    virtual double warmer() const { return 0; }

    Tensor loss(const Tensors& inputs) override { return answer(inputs)[0].sum(); }
};

struct OtherSeawater final : SameSeawater {
    double warmer() const override { return 1e-6; }
};

const RegisteredLoops<SameSeawater> seawater("loops_seawater", 1);
const RegisteredLoops<OtherSeawater> seawater_off("loops_seawater_off", 1);

}  // namespace

}  // namespace vigil_bench::zoo::loops
