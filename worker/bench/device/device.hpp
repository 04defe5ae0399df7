#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// Where a model runs, as far as measuring it must know. Free of LibTorch's headers.

namespace vigil_bench {

struct Arguments;

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

/// Where the subject of the same arguments is measured.
std::unique_ptr<Device> make_device(const Arguments& arguments);

}  // namespace vigil_bench
