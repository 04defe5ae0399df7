#pragma once

#include <cstdint>
#include <initializer_list>

namespace vigil::bench {

/// A stream of random numbers that depends on its key only: what a run of a commit draws does not
/// depend on who asked for it, or when.
class Dice {
  public:
    Dice(std::uint64_t seed, std::initializer_list<std::uint64_t> key);

    double uniform();  ///< in (0, 1)
    double uniform(double low, double high) { return low + (high - low) * uniform(); }
    double log_uniform(double low, double high);  ///< 0 < low <= high
    int integer(int low, int high);               ///< both inclusive
    bool chance(double p) { return uniform() < p; }
    double normal();
    double student(int freedom);

  private:
    std::uint64_t next();

    std::uint64_t state_;
};

}  // namespace vigil::bench
