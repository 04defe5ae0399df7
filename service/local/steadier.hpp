#pragma once

#include <string>
#include <vector>

#include "service/local/order.hpp"

namespace vigil::local {

/// Wall time is what people mean, and what a machine that others share disturbs most. When it takes
/// many runs to tell, and the benchmark is one busy thread, a person should hear that its processor
/// time would tell sooner; where runs had to wait for a processor, after the first few. Pure.
class SteadierHint {
  public:
    /// @param runs  that are many
    SteadierHint(Measure measure, std::size_t runs) : measure_(measure), many_(runs) {}

    /// @param busy_share  of a run: processor time by wall time
    /// @return one line for a person, at most once; mostly empty
    std::string after(double busy_share);

  private:
    Measure measure_;
    std::size_t many_;
    std::vector<double> shares_;
    bool said_ = false;
};

}  // namespace vigil::local
