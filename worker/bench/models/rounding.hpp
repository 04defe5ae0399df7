#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "worker/bench/models/agreement.hpp"

namespace vigil_bench {

/// What is thought of results, held against the same in float64.
struct Judged {
    std::string wrong;      ///< the first that is off by more than rounding explains
    std::string unchecked;  ///< those that rounding alone moves as far as they are large
    std::string widened;    ///< the one whose tolerance was widened most, and by what
};

/// The results once more, as they were measured, from weights and inputs that are each off by up to
/// `ratio` of themselves, drawn from the seed.
using Rounded = std::function<std::vector<NamedTensor>(double ratio, std::uint64_t seed)>;

/// Judges results by the tolerances of their type. Where these are not kept, by what rounding does
/// to each of them: layers of batch norm over few rows, one after the other, magnify it a hundred
/// times. So they are computed again from weights and inputs that are off by less than the type
/// tells apart. That is no other problem, but another rounding in every layer. A result may lie a
/// few times as far off as this moves it: what rounds moves with it, what is wrong stays wrong. One
/// that moves by about its own size says nothing, whatever it is.
///
/// What is not finite, missing or of another shape is wrong at once.
/// @param type  in which it was computed
Judged judge(
    const std::vector<NamedTensor>& actuals,
    const std::vector<NamedTensor>& references,
    at::ScalarType type,
    Compared compared,
    const Rounded& rounded);

}  // namespace vigil_bench
