#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

struct sqlite3;

namespace vigil::tests {

/// A statement that may read more as the ledger grows.
struct AllowedGrowth {
    std::string piece;  ///< of its text
    std::string reason;
};

const std::vector<AllowedGrowth>& allowed_growth();

/// How SQLite would run a statement on a ledger of the newest schema. The rows do not matter: it
/// chooses by the schema alone, since nothing in the product runs ANALYZE.
class Plans {
  public:
    Plans();

    bool prepares(const std::string& sql) const;

    /// The steps of its plan that read more rows with every night: over a table that grows, without
    /// an index or by one that tells only whose or of what kind the rows are. An index of no more
    /// than what is open is fine. Empty for a statement that does not prepare.
    std::vector<std::string> growing(const std::string& sql) const;

    /// The same, less what allowed_growth() names.
    std::vector<std::string> refused(const std::string& sql) const;

  private:
    std::shared_ptr<sqlite3> ledger_;
    std::set<std::string> growing_tables_;
};

}  // namespace vigil::tests
