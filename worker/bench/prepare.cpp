#include "worker/bench/prepare.hpp"

#include <dlfcn.h>

#include <ATen/Parallel.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>

#include "worker/bench/measure/counting_allocator.hpp"
#include "worker/bench/measure/process_memory.hpp"

namespace vigil_bench {

namespace {

void set_threads(int threads) {
    at::set_num_threads(threads);
    // LibTorch does not pass the number on to OpenBLAS, whose idle threads burn CPU time.
    using SetThreads = void (*)(int);
    if (void* symbol = dlsym(RTLD_DEFAULT, "openblas_set_num_threads")) {
        reinterpret_cast<SetThreads>(symbol)(threads);
    }
}

/// Makes BLAS take its buffer now, while there is room: where it finds none it waits for ever.
void take_blas_buffer() {
    constexpr std::int64_t side = 64;  // smaller ones do without
    const auto matrix = at::zeros({side, side});
    at::mm(matrix, matrix);
}

}  // namespace

void prepare_process(int threads) {
    keep_freed_memory();
    install_counting_allocator();
    set_threads(threads);
    if (has_limited_address_space()) take_blas_buffer();
}

}  // namespace vigil_bench
