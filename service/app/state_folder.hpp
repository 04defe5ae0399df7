#pragma once

#include <filesystem>
#include <string>

#include "service/config/config.hpp"
#include "service/store/content_store.hpp"
#include "service/store/database.hpp"
#include "service/store/ledger_lock.hpp"

namespace vigil::service {

/// The daemon's state folder, held for this process: lock, ledger.sqlite, content/, git/,
/// admin.token. Made when missing, mode 0700.
class StateFolder {
  public:
    /// Takes the lock, brings the ledger's schema up to date, and writes the first admin token to
    /// admin.token (mode 0600) when the ledger has none.
    /// @throws Error{conflict} when another daemon holds the folder
    explicit StateFolder(const Config& config);

    Database open_writer() const;
    Database open_reader() const;
    ContentStore open_content() const;
    std::filesystem::path ballast() const { return folder_ / "ballast"; }

  private:
    std::filesystem::path folder_;
    LedgerLock lock_;
};

/// Makes rows for the projects and machine classes that a config names.
void ensure_names(Database& db, const Config& config, std::int64_t now_s);

}  // namespace vigil::service
