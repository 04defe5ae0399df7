#include "worker/bench/zoo/network.hpp"

// The density of sea water, a long chain of operations on each element, as pyhpc's equation of
// state is one: here EOS-80 (Fofonoff and Millard 1983, UNESCO technical paper 44).

namespace vigil_bench::zoo::equation_of_state {

/// Points of one column of the ocean for each row of the batch.
constexpr std::int64_t columns = 64;
constexpr std::int64_t depths = 26;

/// The polynomial of these coefficients, the constant first.
Tensor polynomial(const Tensor& x, const std::vector<double>& coefficients) {
    Tensor sum = torch::full_like(x, coefficients.back());
    for (std::size_t i = coefficients.size() - 1; i-- > 0;) sum = sum * x + coefficients[i];
    return sum;
}

/// @param salinity     practical
/// @param temperature  degrees Celsius
/// @param pressure     bar over the atmosphere's
/// @return kg/m^3
Tensor density(const Tensor& salinity, const Tensor& temperature, const Tensor& pressure) {
    const auto of_temperature = [&](const std::vector<double>& coefficients) {
        return polynomial(temperature, coefficients);
    };
    const Tensor root = salinity * salinity.sqrt();
    const Tensor at_surface =
        of_temperature(
            {999.842594, 6.793952e-2, -9.095290e-3, 1.001685e-4, -1.120083e-6, 6.536332e-9}) +
        salinity * of_temperature({0.824493, -4.0899e-3, 7.6438e-5, -8.2467e-7, 5.3875e-9}) +
        root * of_temperature({-5.72466e-3, 1.0227e-4, -1.6546e-6}) + salinity.square() * 4.8314e-4;
    const Tensor bulk = of_temperature({19652.21, 148.4206, -2.327105, 1.360477e-2, -5.155288e-5}) +
                        salinity * of_temperature({54.6746, -0.603459, 1.09987e-2, -6.1670e-5}) +
                        root * of_temperature({7.944e-2, 1.6483e-2, -5.3009e-4});
    const Tensor linear = of_temperature({3.239908, 1.43713e-3, 1.16092e-4, -5.77905e-7}) +
                          salinity * of_temperature({2.2838e-3, -1.0981e-5, -1.6078e-6}) +
                          root * 1.91075e-4;
    const Tensor square = of_temperature({8.50935e-5, -6.12293e-6, 5.2787e-8}) +
                          salinity * of_temperature({-9.9348e-7, 2.0816e-8, 9.1697e-10});
    const Tensor modulus = bulk + linear * pressure + square * pressure.square();
    return at_surface / (1 - pressure / modulus);
}

struct EquationOfState final : Network {
    Tensors make_inputs(std::int64_t batch) const override {
        const std::vector<std::int64_t> sizes = {batch, columns, depths};
        return {torch::rand(sizes) * 10 + 30, torch::rand(sizes) * 30, torch::rand(sizes) * 1000};
    }

    Tensors answer(const Tensors& inputs) override {
        return {density(inputs[0], inputs[1], inputs[2])};
    }

    Tensor loss(const Tensors& inputs) override { return answer(inputs)[0].sum(); }
};

const Registered<EquationOfState> registered(
    {"equation_of_state",
     "scientific",
     "Density of sea water, 1664 points a row",
     0,
     "no weights; EOS-80, Fofonoff and Millard 1983 (pyhpc's, of 2010, has other coefficients)",
     64,
     0,
     true});

}  // namespace vigil_bench::zoo::equation_of_state
