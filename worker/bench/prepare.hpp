#pragma once

namespace vigil_bench {

/// Readies this process, which computed nothing yet, for a model: how memory is kept and counted,
/// the number of threads, and BLAS's buffer where memory may end.
void prepare_process(int threads);

}  // namespace vigil_bench
