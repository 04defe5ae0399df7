#pragma once

#include <cstdint>

#include "service/config/config.hpp"
#include "service/store/database.hpp"
#include "tests/bench/nights/record.hpp"
#include "tests/bench/nights/world.hpp"

// What a user sees of the ledger: everything is read by the handlers of the service's routes.

namespace vigil::nights {

class Reader {
  public:
    Reader(const World& world, const service::Config& config, service::Database& db);

    /// Appends the reports that came since the last call.
    void read_reports(Record& record, int night, std::int64_t now_s);
    /// Workers that are quarantined.
    std::vector<std::string> held_workers(std::int64_t now_s);
    /// What stands at the end.
    void read_all(Record& record, std::int64_t now_s);

  private:
    const World& world_;
    const service::Config& config_;
    service::Database& db_;
    std::map<std::string, int> series_;  ///< number by id
    std::int64_t last_report_ = 0;
};

}  // namespace vigil::nights
