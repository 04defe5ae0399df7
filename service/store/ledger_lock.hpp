#pragma once

#include <filesystem>

namespace vigil::service {

/// Holds a state folder for this process: two daemons on one ledger would both write it. The kernel
/// lets go of it when the process ends, however it ends. The folder's file `lock` may be removed,
/// and the ledger may be reached by another path, so the ledger itself is held too.
class LedgerLock {
  public:
    /// @throws Error{conflict} naming the process that has it; Error{unavailable} when the folder
    ///         cannot be written
    explicit LedgerLock(const std::filesystem::path& state_folder);
    ~LedgerLock();
    LedgerLock(const LedgerLock&) = delete;
    LedgerLock& operator=(const LedgerLock&) = delete;

    /// Holds a ledger that is there; again is nothing. This process's connections to it end before
    /// this object does: closing any file of it gives up all locks that SQLite has there.
    /// @throws Error{conflict} when another process holds it; Error{unavailable} when it cannot be
    ///         opened
    void hold(const std::filesystem::path& ledger);

  private:
    int file_ = -1;
    int ledger_ = -1;
};

}  // namespace vigil::service
