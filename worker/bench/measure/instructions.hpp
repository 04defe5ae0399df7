#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace vigil_bench {

/// Instructions that this process retires in user mode, its later threads included, where the
/// machine has such a counter and lets it be read (perf_event_open). A machine without one is
/// nothing wrong: `absence` says why.
class InstructionCounter {
  public:
    InstructionCounter();  ///< before threads are started
    ~InstructionCounter();
    InstructionCounter(const InstructionCounter&) = delete;
    InstructionCounter& operator=(const InstructionCounter&) = delete;

    /// Since the start of the counter, scaled when it shared the hardware with others.
    std::optional<double> count() const;
    const std::string& absence() const { return absence_; }

  private:
    int file_ = -1;
    std::string absence_;
};

}  // namespace vigil_bench
