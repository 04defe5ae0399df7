#pragma once

#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>

namespace vigil_bench {

using Tensors = std::vector<at::Tensor>;

/// How far results of a precision may lie from the same computed in float64.
struct Tolerance {
    double cosine_gap = 0;  ///< 1 - cosine of the angle between the two
    double rms_ratio = 0;   ///< root mean square of the difference over that of the reference
};

enum class Compared { answers, gradients };

/// @param type  in which it computes: float32, bfloat16, float16
Tolerance tolerance_of(at::ScalarType type, Compared compared);

struct NamedTensor {
    std::string name;
    at::Tensor value;  ///< undefined: there is none, e.g. no gradient
};

/// The first disagreement in words, naming NaN and infinity; empty when all agree.
///
/// Each pair of tensors must keep both tolerances. Where a reference's root mean square is below
/// 1e-3 of the largest among all of them, the difference is measured by that instead and the angle
/// does not count: a gradient that is zero in theory (a bias in front of a norm) is rounding noise.
/// @param references  float64, the same names in the same order
/// @param tolerances  one for each reference
std::string find_disagreement(
    const std::vector<NamedTensor>& actuals,
    const std::vector<NamedTensor>& references,
    const std::vector<Tolerance>& tolerances);

/// The same with one tolerance for all.
std::string find_disagreement(
    const std::vector<NamedTensor>& actuals,
    const std::vector<NamedTensor>& references,
    const Tolerance& tolerance);

/// How far two tensors lie apart, as a Tolerance counts it.
using Distance = Tolerance;

/// Of each pair, in sizes of the references; 0 where one of the two is not there.
/// @param references  as for find_disagreement(), finite
std::vector<Distance> distances_of(
    const std::vector<NamedTensor>& some,
    const std::vector<NamedTensor>& others,
    const std::vector<NamedTensor>& references);

/// Whether all are there, of equal shapes and finite: then only rounding or a fault parts them.
bool is_comparable(
    const std::vector<NamedTensor>& actuals, const std::vector<NamedTensor>& references);

/// A tensor's sum and the sum of its magnitudes: equal where it is equal to the bit, without a
/// copy.
struct Print {
    std::string name;
    double sum = 0;
    double magnitude = 0;
};
std::vector<Print> prints_of(const std::vector<NamedTensor>& tensors);

/// The first tensor that two computations from one seed made differently, in words; empty when
/// there is none.
std::string find_nondeterminism(const std::vector<Print>& once, const std::vector<Print>& again);

}  // namespace vigil_bench
