#pragma once

#include <vector>

namespace vigil_bench {

/// How much faster one way is than another that measured in turns with it.
struct TurnsSpeedup {
    double ratio = 0;  ///< median of base / other, turn by turn
    double low = 0;    ///< of its interval at 95 %, by the order of the ratios (sign test)
    double high = 0;
    int turns = 0;
};

/// @param base, other  samples, > 0; the i-th of both saw the same moment; what has no partner is
///                     left out. At least one pair.
TurnsSpeedup speedup_in_turns(const std::vector<double>& base, const std::vector<double>& other);

}  // namespace vigil_bench
