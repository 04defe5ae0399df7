#pragma once

#include <filesystem>
#include <vector>

#include "service/config/config.hpp"
#include "service/store/content_store.hpp"
#include "service/store/database.hpp"
#include "service/store/ids.hpp"
#include "service/store/ledger_lock.hpp"

namespace vigil::service {

/// What begins where the state folder has no ledger.
enum class NewLedger {
    in_empty_folder,  ///< a new ledger; anything else in the folder is a reason to refuse
    set_aside_rest    ///< whatever lies there goes to unknown/ first; the operator said so
};

/// The daemon's state folder, held for this process: lock, ledger.sqlite, content/, git/,
/// admin.token, and unknown/ with what the ledger does not know, which only a person cleans. Made
/// when missing; mode 0700, taken from others where it was wider.
class StateFolder {
  public:
    /// Takes the lock and the ledger, brings the ledger's schema up to date, and writes the first
    /// admin token to admin.token (mode 0600) when the ledger has none. When it returns, the ledger
    /// takes changes.
    /// @throws Error{conflict} when another daemon holds the folder, or it has files and no ledger;
    ///         Error{denied} when it belongs to another user; Error{unavailable} when it or the
    ///         ledger cannot be written
    explicit StateFolder(const Config& config, NewLedger rule = NewLedger::in_empty_folder);

    Database open_writer() const;
    Database open_reader() const;
    ContentStore open_content() const;
    /// Where the ledger's steady time goes on.
    std::int64_t steady_s() const;
    /// Every project that the ledger knows, those that left the config too.
    std::vector<ProjectName> projects() const;
    std::filesystem::path ballast() const { return folder_ / "ballast"; }

  private:
    Database open_ledger(NewLedger rule);
    void quarantine_unknown(Database& db) const;

    std::filesystem::path folder_;
    LedgerLock lock_;
};

/// Makes rows for the projects and machine classes that a config names.
void ensure_names(Database& db, const Config& config, std::int64_t now_s);

}  // namespace vigil::service
