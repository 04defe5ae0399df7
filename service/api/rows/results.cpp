#include "service/api/rows/results.hpp"

#include <nlohmann/json.hpp>

#include "service/api/rows/row_json.hpp"

namespace vigil::service {

VIGIL_ROW(ProjectsNight, id)
VIGIL_ROW(ListedProject, name, newest_nightly)
VIGIL_ROW(ListedNightly, id, name, state, beside, backfill)

}  // namespace vigil::service
