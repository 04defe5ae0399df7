#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vigil::worker {

/// Keeps the beginning and the end of a stream that may be longer than we want to hold.
class Capture {
  public:
    /// @param limit_bytes  what is kept in all, > 0: half from the beginning, half from the end
    explicit Capture(std::int64_t limit_bytes);

    void add(std::string_view bytes);

    /// What was kept; where something was left out, a line says how many bytes.
    std::string text() const;
    std::int64_t total_bytes() const { return total_bytes_; }
    bool truncated() const;

  private:
    std::size_t head_limit_;
    std::size_t tail_limit_;
    std::string head_;
    std::string tail_;  ///< at most twice its limit, cut now and then
    std::int64_t total_bytes_ = 0;
};

}  // namespace vigil::worker
