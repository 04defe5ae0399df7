#pragma once

#include <span>

#include "schema/model/metric.hpp"

namespace vigil::trend {

/// So far from 0 a level is at most, so that squares of levels stay finite.
inline constexpr double most_level = 1e6;

/// Turns values into levels: up is worse, and 0.05 is about 5 %. Logarithms while all is positive;
/// a series that keeps showing zeros or negative values is judged in shares of a typical value.
class Scale {
  public:
    /// @param unit  of shares; 0: logarithms
    explicit Scale(Direction direction, double unit = 0)
        : sign_(direction == Direction::lower_is_better ? 1 : -1), unit_(unit) {}

    double level_of(double value) const;
    /// The value of a level: the inverse, but for values outside of the scale.
    double value_of(double level) const;

    bool is_logarithmic() const { return unit_ == 0; }
    /// From now on in shares of the typical size of `values`.
    void use_shares_of(std::span<const double> values);
    /// A value that is not positive is far below `smallest` on the logarithmic scale.
    void set_smallest(double smallest) { smallest_ = smallest; }
    double unit() const { return unit_; }
    Direction direction() const {
        return sign_ > 0 ? Direction::lower_is_better : Direction::higher_is_better;
    }

  private:
    double sign_;
    double unit_;  ///< 0: logarithmic
    double smallest_ = 1;
};

}  // namespace vigil::trend
