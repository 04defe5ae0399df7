#include "worker/bench/prepare.hpp"

#include "worker/bench/measure/address_space.hpp"
#include "worker/bench/measure/counting_allocator.hpp"
#include "worker/bench/measure/process_memory.hpp"
#include "worker/bench/models/subject.hpp"

namespace vigil_bench {

void prepare_process(int threads) {
    keep_freed_memory();
    install_counting_allocator();
    set_threads(threads);
    if (has_limited_address_space()) take_blas_buffer();
}

}  // namespace vigil_bench
