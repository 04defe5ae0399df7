#include "worker/bench/operators/live_memory.hpp"

#include <algorithm>

namespace vigil_bench {

namespace {

constexpr int settling_iterations = 2;  // in which a model takes what it keeps

}  // namespace

LiveMemory::LiveMemory(std::int64_t bytes_before)
    : counters_(1), live_bytes_(bytes_before), peak_bytes_(bytes_before) {
    counters_[before].bytes = bytes_before;
}

void LiveMemory::allocate(Place place, std::int64_t bytes) {
    change(place, bytes, 1);
    if (live_bytes_ <= peak_bytes_) return;
    peak_bytes_ = live_bytes_;
    ++peaks_;
}

void LiveMemory::release(Place place, std::int64_t bytes) {
    change(place, -bytes, -1);
}

void LiveMemory::change(Place place, std::int64_t bytes, int blocks) {
    if (place >= counters_.size()) counters_.resize(place + std::size_t{1});
    auto& one = counters_[place];
    if (one.changed < peaks_) {
        // As it is now it was at the newest peak.
        one.peak_bytes = one.bytes;
        one.peak_blocks = one.blocks;
        one.changed = peaks_;
    }
    one.bytes += bytes;
    one.blocks += blocks;
    live_bytes_ += bytes;
}

void LiveMemory::end_iteration() {
    if (++iterations_ != settling_iterations) return;
    for (auto& one : counters_) one.early_bytes = one.bytes;
}

std::vector<PlaceMemory> LiveMemory::places() const {
    const int later = iterations_ - settling_iterations;
    std::vector<PlaceMemory> all;
    for (const auto& one : counters_) {
        const bool is_as_at_peak = one.changed < peaks_;
        PlaceMemory memory;
        memory.peak_bytes = is_as_at_peak ? one.bytes : one.peak_bytes;
        memory.peak_blocks =
            std::max<std::int64_t>(0, is_as_at_peak ? one.blocks : one.peak_blocks);
        memory.end_bytes = one.bytes;
        if (later > 0) memory.grown_bytes = (one.bytes - one.early_bytes) / later;
        all.push_back(memory);
    }
    return all;
}

}  // namespace vigil_bench
