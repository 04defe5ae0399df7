#pragma once

#include <optional>

#include "schema/model/ids.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/database.hpp"

// The rows of bisections.

namespace vigil::service {

/// What a bisection inside of a merge searches.
struct InsideOf {
    BisectionId outer;  ///< it named the merge
    Revision merge;
    int parent = 0;  ///< of the merge, which brought the suspects; from 2
    RegressionId regression;
};
std::optional<InsideOf> find_inside(Database& db, BisectionId bisection);

}  // namespace vigil::service
