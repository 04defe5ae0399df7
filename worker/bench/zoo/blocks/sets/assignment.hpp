#pragma once

#include "worker/bench/zoo/network.hpp"

namespace vigil_bench::zoo {

/// For each column a row of its own, so that the sum of their costs is the smallest possible: the
/// Hungarian method (Kuhn 1955) by shortest augmenting paths, rows times columns squared steps.
/// @param costs  [rows,columns], no more columns than rows
/// @return  [columns] int64, on the costs' device; the first rows where a cost is not finite, which
///          the loss then is not either
/// @throws  std::invalid_argument when there are more columns than rows
Tensor cheapest_rows(const Tensor& costs);

}  // namespace vigil_bench::zoo
