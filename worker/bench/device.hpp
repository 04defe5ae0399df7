#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// Where a model runs, as far as measuring it must know. Free of LibTorch's headers.

namespace vigil_bench {

/// What the device's allocator held at most; see docs/measuring.md.
struct DevicePeaks {
    std::int64_t allocated_bytes = 0;  ///< by tensors
    std::int64_t reserved_bytes = 0;   ///< from the driver
};

/// The CPU, and the base of every other: it is done when a call returns, has no clock of its own
/// and no memory apart from the process's.
class Device {
  public:
    virtual ~Device() = default;

    /// Whether it goes on working after a call has returned: then CPU time says little.
    virtual bool is_asynchronous() const { return false; }

    /// Returns when it has done all that it was asked to.
    virtual void synchronise() {}

    /// Marks the moments at which it gets to this place in its work.
    virtual void mark_start() {}
    virtual void mark_end() {}

    /// Between the two marks, after synchronise(); nothing: it has no clock of its own.
    virtual std::optional<double> marked_ns() { return std::nullopt; }

    /// What tensors hold of its memory; nothing: it has none of its own, or does not say.
    virtual std::optional<std::int64_t> live_bytes() { return std::nullopt; }

    /// Gives back what is kept for later, and starts new peaks.
    virtual void reset_peaks() {}
    virtual std::optional<DevicePeaks> peaks() { return std::nullopt; }

    /// Its name, driver and the like, as name and value.
    virtual std::vector<std::pair<std::string, std::string>> facts() { return {}; }
};

/// Where a variant is run: "cpu", "cuda", "cuda:1".
struct DeviceName {
    std::string kind;
    int index = 0;
};

/// The parts of a device's name; nothing when it is none.
std::optional<DeviceName> parse_device(const std::string& text);

/// The GPU of one of several processes, as CUDA_VISIBLE_DEVICES has to say it.
/// @param visible  what that variable says now; empty: all of them
/// @param rank     of the process, from 0
/// @return  the entry of that rank, or the rank itself; empty: there are not so many entries
std::string visible_device(const std::string& visible, int rank);

}  // namespace vigil_bench
