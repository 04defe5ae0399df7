#include "worker/bench/measure/counting_allocator.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

namespace vigil_bench {

namespace {

/// Before each block, in a room as large as the alignment LibTorch expects.
struct Header {
    std::int64_t bytes = 0;
    std::uint32_t label = 0;
};

constexpr std::size_t header_bytes = 64;
static_assert(sizeof(Header) <= header_bytes);

std::atomic<std::int64_t> live_bytes{0};
std::atomic<std::int64_t> peak_bytes{0};
std::atomic<std::int64_t> allocations{0};
std::atomic<std::int64_t> asked_bytes{0};
std::atomic<const AllocationHooks*> hooks_now{nullptr};

void count_allocation(std::int64_t bytes) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    asked_bytes.fetch_add(bytes, std::memory_order_relaxed);
    const std::int64_t live = live_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    std::int64_t peak = peak_bytes.load(std::memory_order_relaxed);
    while (live > peak && !peak_bytes.compare_exchange_weak(peak, live)) {
    }
}

void release(void* data) {
    if (data == nullptr) return;
    char* block = static_cast<char*>(data) - header_bytes;
    Header header;
    std::memcpy(&header, block, sizeof header);
    live_bytes.fetch_sub(header.bytes, std::memory_order_relaxed);
    if (const auto* hooks = hooks_now.load()) hooks->released(header.bytes, header.label);
    std::free(block);
}

/// A block of counted memory. The context equals the pointer, or oneDNN's raw allocations abort.
c10::DataPtr counted_block(std::size_t bytes) {
    const c10::Device cpu(c10::DeviceType::CPU);
    if (bytes == 0) return {nullptr, nullptr, &release, cpu};
    void* block = nullptr;
    if (bytes > SIZE_MAX - 2 * header_bytes ||
        posix_memalign(&block, header_bytes, bytes + header_bytes) != 0) {
        throw std::bad_alloc();
    }
    Header header;
    header.bytes = static_cast<std::int64_t>(bytes);
    count_allocation(header.bytes);
    if (const auto* hooks = hooks_now.load()) header.label = hooks->allocated(header.bytes);
    std::memcpy(block, &header, sizeof header);
    void* data = static_cast<char*>(block) + header_bytes;
    return {data, data, &release, cpu};
}

/// LibTorch 1.13 has a const allocate(), later ones another that is not, and a copy_data() that
/// 1.13 does not know. All of them are here without `override`: each version takes its own.
class CountingAllocator final : public c10::Allocator {
  public:
    c10::DataPtr allocate(std::size_t bytes) const { return counted_block(bytes); }
    c10::DataPtr allocate(std::size_t bytes) { return counted_block(bytes); }
    void copy_data(void* to, const void* from, std::size_t bytes) const {
        std::memcpy(to, from, bytes);
    }
    c10::DeleterFnPtr raw_deleter() const override { return &release; }
};

}  // namespace

void install_counting_allocator() {
    static CountingAllocator allocator;
    constexpr std::uint8_t above_all_others = 255;
    c10::SetCPUAllocator(&allocator, above_all_others);
}

AllocationCounts allocation_counts() {
    return {live_bytes.load(), peak_bytes.load(), allocations.load(), asked_bytes.load()};
}

void reset_peak() {
    peak_bytes.store(live_bytes.load());
}

void set_allocation_hooks(const AllocationHooks* hooks) {
    hooks_now.store(hooks);
}

}  // namespace vigil_bench
