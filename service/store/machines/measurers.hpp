#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

// Who measured for a night.

namespace vigil::service {

struct Measurer {
    WorkerId worker;
    MachineClassId machine_class;
    std::string class_name;
    std::int64_t last_seen_at_s = 0;
};
/// The active workers that a nightly's own jobs ran on, in the order they came to the service.
std::vector<Measurer> list_measurers(Database& db, NightlyId nightly);

}  // namespace vigil::service
