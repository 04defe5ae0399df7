#pragma once

namespace vigil_bench {

/// While it lives, no other vigil-bench that asks for the same measures on this machine: two at a
/// time slow each other down by up to 60 %, when their processors share a core. The lock lies on
/// LibTorch's own file, which all of them have open, also in a sandbox and read-only.
class MachineLock {
  public:
    /// Waits for at most `max_wait_s`, then goes on without the lock.
    explicit MachineLock(double max_wait_s);
    ~MachineLock();
    MachineLock(const MachineLock&) = delete;
    MachineLock& operator=(const MachineLock&) = delete;

    bool is_held() const { return is_held_; }
    double waited_s() const { return waited_s_; }

  private:
    int file_ = -1;
    bool is_held_ = false;
    double waited_s_ = 0;
};

}  // namespace vigil_bench
