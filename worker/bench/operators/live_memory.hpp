#pragma once

#include <cstdint>
#include <vector>

// Who holds the memory when most of it is in use. Knows nothing of LibTorch.

namespace vigil_bench {

/// Of the blocks that one place allocated, wherever they are released.
struct PlaceMemory {
    std::int64_t peak_bytes = 0;  ///< that are in use when most are in all
    std::int64_t peak_blocks = 0;
    std::int64_t end_bytes = 0;    ///< that are in use after the last iteration
    std::int64_t grown_bytes = 0;  ///< in an iteration, of those after the second; may be negative
};

/// Counts blocks in use by place. Each call takes constant time, also one that reaches a new peak:
/// what a place holds at the peak is noted when it changes next.
class LiveMemory {
  public:
    using Place = std::uint32_t;

    static constexpr Place before = 0;  ///< of all that is in use at the start

    /// @param bytes_before  in use now
    explicit LiveMemory(std::int64_t bytes_before);

    /// @param place  a small number: there are as many counters as the largest one
    void allocate(Place place, std::int64_t bytes);
    void release(Place place, std::int64_t bytes);
    void end_iteration();

    std::int64_t peak_bytes() const { return peak_bytes_; }  ///< the highest in all
    std::int64_t live_bytes() const { return live_bytes_; }
    int iterations() const { return iterations_; }
    std::vector<PlaceMemory> places() const;

  private:
    struct Counter {
        std::int64_t bytes = 0;
        std::int64_t blocks = 0;
        std::int64_t peak_bytes = 0;
        std::int64_t peak_blocks = 0;
        std::int64_t changed = 0;      ///< peaks that had been reached at its last change
        std::int64_t early_bytes = 0;  ///< after the second iteration
    };

    void change(Place place, std::int64_t bytes, int blocks);

    std::vector<Counter> counters_;
    std::int64_t live_bytes_ = 0;
    std::int64_t peak_bytes_ = 0;
    std::int64_t peaks_ = 1;  ///< so many times a new peak was reached; the start is one
    int iterations_ = 0;
};

}  // namespace vigil_bench
