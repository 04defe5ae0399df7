#include "bisect/detect/two_nights.hpp"

#include <cmath>

namespace vigil::detect {

bool two_nights_exceed(const TwoNights& nights, double factor) {
    const double alike = std::sqrt((1 + nights.memory) / 2);
    const double mean = (nights.tonight + nights.before) / 2;
    return mean > factor * alike * nights.bar &&
           nights.tonight > rule.two_nights_tonight * nights.bar;
}

}  // namespace vigil::detect
