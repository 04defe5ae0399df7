#include "service/runtime/memory.hpp"

#include <malloc.h>

namespace vigil::service {

void keep_no_large_blocks() {
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
}

void give_back_memory() {
    malloc_trim(0);
}

}  // namespace vigil::service
