#pragma once

#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/database.hpp"

// Nights as the ends of what is searched (view night).

namespace vigil::service {

struct NightBetween {
    NightlyId id;
    Revision revision;
};
/// The nights after one, up to and with another of the same project, oldest first.
std::vector<NightBetween> list_nights_between(Database& db, NightlyId good, NightlyId bad);

}  // namespace vigil::service
