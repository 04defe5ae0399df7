#include "worker/bench/zoo/network.hpp"

// How the dynamic enthalpy of sea water changes with its temperature, as pyhpc's equation of state
// has it: the 48 terms of TEOS-10 (IOC, SCOR and IAPSO 2010, appendix K). The specific volume is a
// polynomial over another in pressure; its integral is a sum of powers and two logarithms. Here
// each number carries its derivative by temperature along.

namespace vigil_bench::zoo::seawater_enthalpy {

/// Points of one column of the ocean for each row of the batch.
constexpr std::int64_t columns = 64;
constexpr std::int64_t depths = 26;
constexpr double pascals_in_decibar = 1e4;

/// A number and its derivative by temperature.
struct Dual {
    Tensor value;
    Tensor slope;
};

Dual operator+(const Dual& a, const Dual& b) {
    return {a.value + b.value, a.slope + b.slope};
}
Dual operator-(const Dual& a, const Dual& b) {
    return {a.value - b.value, a.slope - b.slope};
}
Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.slope * b.value + a.value * b.slope};
}
Dual operator/(const Dual& a, const Dual& b) {
    const Tensor ratio = a.value / b.value;
    return {ratio, (a.slope - ratio * b.slope) / b.value};
}
Dual operator*(const Dual& a, double factor) {
    return {a.value * factor, a.slope * factor};
}
/// What does not depend on temperature.
Dual operator*(const Dual& a, const Tensor& factor) {
    return {a.value * factor, a.slope * factor};
}

Dual root_of(const Dual& a) {
    const Tensor root = a.value.sqrt();
    return {root, a.slope / (2 * root)};
}

/// ln(1 + a)
Dual log1p(const Dual& a) {
    return {a.value.log1p(), a.slope / (1 + a.value)};
}

/// The polynomial of these coefficients in temperature, the constant first.
Dual polynomial(const Tensor& temperature, const std::vector<double>& coefficients) {
    Dual sum{torch::full_like(temperature, coefficients.back()), torch::zeros_like(temperature)};
    for (std::size_t i = coefficients.size() - 1; i-- > 0;) {
        sum.slope = sum.slope * temperature + sum.value;
        sum.value = sum.value * temperature + coefficients[i];
    }
    return sum;
}

/// The specific volume at pressure p is (n0 + n1 p + n2 p^2 + n3 p^3) / (d0 + d1 p + d2 p^2).
struct Volume {
    Dual n0, n1, n2, n3;
    Dual d0, d1, d2;
};

Volume volume_of(const Tensor& salinity, const Tensor& temperature) {
    const Tensor root = salinity.sqrt();
    const auto of = [&](const std::vector<double>& coefficients) {
        return polynomial(temperature, coefficients);
    };
    Volume v;
    v.d0 =
        of({9.998420897506056e+2, 2.839940833161907, -3.147759265588511e-2, 1.181805545074306e-3}) +
        (of({-6.698001071123802, -2.986498947203215e-2, 2.327859407479162e-4}) +
         of({-3.988822378968490e-2,
             5.095422573880500e-4,
             -1.426984671633621e-5,
             1.645039373682922e-7}) *
             root) *
            salinity;
    v.d1 = of({-2.233269627352527e-2, -3.436090079851880e-4, 3.726050720345733e-6}) +
           of({-1.806789763745328e-4, 6.876837219536232e-7}) * salinity;
    v.d2 = of({-3.087032500374211e-7, -1.988366587925593e-8, -1.061519070296458e-11}) +
           of({1.550932729220080e-10}) * salinity;
    v.n0 = of({1.0,
               2.775927747785646e-3,
               -2.349607444135925e-5,
               1.119513357486743e-6,
               6.743689325042773e-10}) +
           (of({-7.521448093615448e-3,
                -2.764306979894411e-5,
                1.262937315098546e-7,
                9.527875081696435e-10,
                -1.811147201949891e-11}) +
            of({5.419326551148740e-6}) * salinity +
            of({-3.303308871386421e-5,
                3.801564588876298e-7,
                -7.672876869259043e-9,
                -4.634182341116144e-11,
                2.681097235569143e-12}) *
                root) *
               salinity;
    v.n1 = of({-2.742185394906099e-5,
               -3.212746477974189e-7,
               3.191413910561627e-9,
               -1.931012931541776e-12}) +
           of({-1.105097577149576e-7, 6.211426728363857e-10}) * salinity;
    v.n2 = of({-1.119011592875110e-10, -1.941660213148725e-11, -1.864826425365600e-14}) +
           of({0, 1.119522344879478e-14}) * salinity;
    v.n3 = of({-1.200507748551599e-15, 6.057902487546866e-17});
    return v;
}

/// The integral of the specific volume from the surface to pressure p, by partial fractions:
/// n/d = a + b p + (c p + e) / d.
Dual integral_of(const Volume& v, const Tensor& pressure) {
    const Dual b = v.n3 / v.d2;
    const Dual a = (v.n2 - b * v.d1) / v.d2;
    const Dual c = v.n1 - b * v.d0 - a * v.d1;
    const Dual e = v.n0 - a * v.d0;
    const Dual half = v.d1 * 0.5;
    const Dual root = root_of(half * half - v.d0 * v.d2);
    const Dual of_d = log1p((v.d1 + v.d2 * pressure) * pressure / v.d0);
    const Dual of_roots =
        log1p(root * v.d2 * (2 * pressure) / ((half - root) * (half + root + v.d2 * pressure)));
    return a * pressure + b * (0.5 * pressure * pressure) + c / (v.d2 * 2.0) * of_d +
           (e - c * half / v.d2) / (root * 2.0) * of_roots;
}

struct SeawaterEnthalpy final : Network {
    /// Absolute salinity in g/kg, conservative temperature in degrees Celsius, pressure in dbar
    /// over the atmosphere's.
    Tensors make_inputs(std::int64_t batch) const override {
        const std::vector<std::int64_t> sizes = {batch, columns, depths};
        return {torch::rand(sizes) * 10 + 30, torch::rand(sizes) * 30, torch::rand(sizes) * 1000};
    }

    /// In J/(kg K).
    Tensors answer(const Tensors& inputs) override {
        const Dual volume = integral_of(volume_of(inputs[0], inputs[1]), inputs[2]);
        return {volume.slope * pascals_in_decibar};
    }

    Tensor loss(const Tensors& inputs) override { return answer(inputs)[0].sum(); }
};

const Registered<SeawaterEnthalpy> registered(
    {"seawater_enthalpy",
     "scientific",
     "Change of sea water's enthalpy with temperature, 1664 points a row",
     0,
     "no weights; TEOS-10 (IOC, SCOR and IAPSO 2010), its 48 terms",
     64,
     0,
     true});

}  // namespace vigil_bench::zoo::seawater_enthalpy
