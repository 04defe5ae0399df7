#pragma once

#include <string>

namespace vigil_bench {

/// An exclusive lock on a file that can be read. It ends with the process at the latest.
class FileLock {
  public:
    FileLock() = default;
    explicit FileLock(const std::string& path);  ///< a file that cannot be opened is never locked
    ~FileLock();
    FileLock(FileLock&& other) noexcept;
    FileLock& operator=(FileLock&& other) noexcept;
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

    bool exists() const { return file_ >= 0; }
    bool try_take();
    void give();

  private:
    int file_ = -1;
};

/// LibTorch's own file, which every vigil-bench has open, also in a sandbox and read-only. Who
/// locks it is the only one that measures on this machine: two at a time slow each other down by
/// up to 60 %, when their processors share a core.
std::string machine_lock_path();

}  // namespace vigil_bench
