#include "tests/support/heap_watch.hpp"

#include <atomic>
#include <cstdlib>
#include <malloc.h>
#include <new>

namespace {

std::atomic<std::size_t> held{0};
std::atomic<std::size_t> peak{0};
std::atomic<std::size_t> made{0};

void note_made(void* place) {
    const auto bytes = ::malloc_usable_size(place);
    made.fetch_add(bytes, std::memory_order_relaxed);
    const auto now = held.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (now > peak.load(std::memory_order_relaxed)) peak.store(now, std::memory_order_relaxed);
}

}  // namespace

namespace vigil::test {

void watch_heap() {
    peak = held.load();
    made = 0;
}

HeapUse heap_use() {
    return {held.load(), peak.load(), made.load()};
}

}  // namespace vigil::test

void* operator new(std::size_t bytes) {
    void* place = std::malloc(bytes);
    if (place == nullptr) throw std::bad_alloc();
    note_made(place);
    return place;
}

void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    void* place = std::malloc(bytes);
    if (place != nullptr) note_made(place);
    return place;
}

void operator delete(void* place) noexcept {
    if (place != nullptr) held.fetch_sub(::malloc_usable_size(place), std::memory_order_relaxed);
    std::free(place);
}

void operator delete(void* place, std::size_t) noexcept {
    operator delete(place);
}
