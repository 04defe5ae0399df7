#pragma once

#include <cstddef>
#include <vector>

#include <c10/core/DispatchKey.h>
#include <c10/core/ScalarType.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace vigil_bench {

/// The types in which a pass drew its random numbers, in order.
///
/// Equal seeds do not give equal numbers in another type: LibTorch draws float64 from more bits,
/// and a GPU hands them to other elements. So float64 would drop other elements than the pass that
/// it is the reference of.
using Draws = std::vector<c10::ScalarType>;

/// While it lives, what this thread draws is either remembered, or, where float64 draws, drawn in
/// the remembered type and widened: with one seed both have the same numbers. That holds for
/// dropout and for whatever fills a tensor evenly, normally, exponentially or with yes and no.
/// One at a time on a thread.
class WithDraws {
  public:
    enum class To { remember, repeat };
    /// @param draws  outlives it
    WithDraws(To what, Draws& draws);
    ~WithDraws();
    WithDraws(const WithDraws&) = delete;
    WithDraws& operator=(const WithDraws&) = delete;

  private:
    c10::impl::IncludeDispatchKeyGuard guard_;
};

}  // namespace vigil_bench
