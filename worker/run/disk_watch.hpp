#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace vigil::worker {

/// Follows what one run writes, from a thread of its own: all its files together, and the room that
/// is left on the disk, which also shows files without a name. Looks once a second, and less often
/// where a look is long: it takes at most a twentieth of a processor.
class DiskWatch {
  public:
    /// @param folders    that the run may write; what they hold already does not count
    /// @param max_bytes  of all that is added, > 0
    DiskWatch(std::vector<std::filesystem::path> folders, std::int64_t max_bytes);

    /// Turns true when it is too much; the run shall end then.
    const std::atomic<bool>& over() const { return over_; }

    /// Looks for a last time, after the run.
    /// @return why it is too much, one line; empty when it is not
    std::string why();

  private:
    void loop(const std::stop_token& ended);
    void look();

    std::vector<std::filesystem::path> folders_;
    std::int64_t max_bytes_;
    std::int64_t before_ = 0;
    std::int64_t least_room_ = 0;
    std::atomic<bool> over_ = false;
    std::mutex mutex_;
    std::string why_;
    std::condition_variable_any woken_;
    std::jthread thread_;
};

}  // namespace vigil::worker
