#pragma once

#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

// Where reports were filed. Reads `report` and `outbox`.

namespace vigil::service {

/// The addresses of a regression's issues, as trackers gave them.
std::vector<std::string> list_filed_addresses(Database& db, RegressionId regression);

}  // namespace vigil::service
