#pragma once

#include <vector>

#include "bisect/search/search.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/bisections.hpp"

namespace vigil::service {

/// A bisection as the search sees it, read from the ledger.
struct BisectionFacts {
    search::Facts facts;
    std::vector<Revision> line;  ///< by position
    int lost_probes = 0;         ///< ended without a single value or failure
};

BisectionFacts load_bisection_facts(Database& db, const BisectionRow& bisection);

}  // namespace vigil::service
