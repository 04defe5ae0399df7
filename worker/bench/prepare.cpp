#include "worker/bench/prepare.hpp"

#include "worker/bench/address_space.hpp"
#include "worker/bench/counting_allocator.hpp"
#include "worker/bench/process_memory.hpp"
#include "worker/bench/subject.hpp"

namespace vigil_bench {

void prepare_process(int threads) {
    keep_freed_memory();
    install_counting_allocator();
    set_threads(threads);
    if (has_limited_address_space()) take_blas_buffer();
}

}  // namespace vigil_bench
