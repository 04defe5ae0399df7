#pragma once

#include <filesystem>

namespace vigil::service {

/// Holds a state folder for this process: two daemons on one ledger would both write it. The kernel
/// lets go of it when the process ends, however it ends.
class LedgerLock {
  public:
    /// @throws Error{conflict} naming the process that has it; Error{unavailable} when the folder
    ///         cannot be written
    explicit LedgerLock(const std::filesystem::path& state_folder);
    ~LedgerLock();
    LedgerLock(const LedgerLock&) = delete;
    LedgerLock& operator=(const LedgerLock&) = delete;

  private:
    int file_ = -1;
};

}  // namespace vigil::service
