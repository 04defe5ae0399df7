#include "bisect/detect/two_nights.hpp"

#include <cmath>

namespace vigil::detect {

bool two_nights_exceed(const TwoNights& nights) {
    const double alike = std::sqrt((1 + nights.memory) / 2);
    const double mean = (nights.tonight + nights.before) / 2;
    return mean > alike * nights.bar && nights.tonight > nights.bar / 2;
}

}  // namespace vigil::detect
