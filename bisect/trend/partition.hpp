#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace vigil::trend {

/// Cuts values into segments of one mean, or one straight line, and one variance each.
class Partition {
  public:
    enum class Shape { flat, line };
    static constexpr std::size_t shortest = 5;  ///< values of a segment

    /// @param values  [n] finite
    /// @param least_deviation  of a segment, for values that do not vary at all; > 0
    Partition(std::span<const double> values, Shape shape, double least_deviation);

    /// The cut with the least cost: half a segment's length times ln(its variance), and `penalty`
    /// for each segment after the first.
    /// @return  where segments begin, without the first
    std::vector<std::size_t> best(double penalty) const;

    std::size_t size() const { return flat_.size() - 1; }
    double mean(std::size_t from, std::size_t to) const;
    /// Sum of squared distances from the mean.
    double squares(std::size_t from, std::size_t to) const;

  private:
    struct Sums {
        double y = 0;
        double yy = 0;
    };
    double variance(std::size_t from, std::size_t to) const;
    double line_squares(std::size_t from, std::size_t to) const;

    Shape shape_;
    double least_variance_;
    double centre_ = 0;
    std::vector<Sums> flat_;       ///< [n + 1] sums of the first i values, less the centre
    std::vector<long double> xy_;  ///< [n + 1] of position times value, for lines
};

}  // namespace vigil::trend
