#pragma once

#include <nlohmann/json_fwd.hpp>

#include "service/store/work/machine_time.hpp"

namespace vigil::service {

/// {machine_class, work, hours, build_hours}; the two in hours.
nlohmann::json machine_time_json(const MachineTime& time);

}  // namespace vigil::service
