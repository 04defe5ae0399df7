#include "bisect/stats/distribution.hpp"

#include <cmath>
#include <numbers>

#include <boost/math/distributions/students_t.hpp>

#include "schema/model/error.hpp"

namespace vigil::stats {

namespace {

/// Boost works in long double unless told otherwise: four times as long, for digits that are lost
/// in the answer.
using InDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
using StudentT = boost::math::students_t_distribution<double, InDouble>;

}  // namespace

double student_t_cdf(double x, double freedom) {
    VIGIL_ASSERT(freedom > 0);
    if (std::isinf(x)) return x > 0 ? 1 : 0;
    return boost::math::cdf(StudentT(freedom), x);
}

double student_t_quantile(double p, double freedom) {
    VIGIL_ASSERT(freedom > 0 && p > 0 && p < 1);
    return boost::math::quantile(StudentT(freedom), p);
}

double normal_cdf(double x) {
    return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

double normal_density(double x, double mean, double variance) {
    VIGIL_ASSERT(variance > 0);
    const double away = x - mean;
    return std::exp(-0.5 * away * away / variance) / std::sqrt(2 * std::numbers::pi * variance);
}

}  // namespace vigil::stats
