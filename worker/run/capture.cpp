#include "worker/run/capture.hpp"

#include <algorithm>

#include "schema/model/error.hpp"

namespace vigil::worker {

Capture::Capture(std::int64_t limit_bytes)
    : head_limit_(static_cast<std::size_t>(limit_bytes + 1) / 2),
      tail_limit_(static_cast<std::size_t>(limit_bytes) / 2) {
    VIGIL_ASSERT(limit_bytes > 0);
}

void Capture::add(std::string_view bytes) {
    total_bytes_ += static_cast<std::int64_t>(bytes.size());
    const auto room = std::min(bytes.size(), head_limit_ - head_.size());
    head_ += bytes.substr(0, room);
    bytes.remove_prefix(room);
    if (bytes.size() > tail_limit_) bytes.remove_prefix(bytes.size() - tail_limit_);
    tail_ += bytes;
    if (tail_.size() > 2 * tail_limit_) tail_.erase(0, tail_.size() - tail_limit_);
}

bool Capture::truncated() const {
    return total_bytes_ > static_cast<std::int64_t>(head_limit_ + tail_limit_);
}

std::string Capture::text() const {
    if (!truncated()) return head_ + tail_;
    const auto end = tail_.substr(tail_.size() - tail_limit_);
    const auto left_out = total_bytes_ - static_cast<std::int64_t>(head_.size() + end.size());
    return head_ + "\n[... " + std::to_string(left_out) + " bytes left out ...]\n" + end;
}

}  // namespace vigil::worker
