#pragma once

#include <optional>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// Writes the ledger's events into the log, each once. The first event of a trouble is passed over:
/// its line was written when it was noted. The writer's thread only.
class EventLog {
  public:
    /// The first call begins with what comes after it.
    void tell_new(Database& db);

  private:
    std::optional<EventId> last_;
};

}  // namespace vigil::service
