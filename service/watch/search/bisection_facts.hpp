#pragma once

#include <vector>

#include "bisect/search/search.hpp"
#include "schema/model/ids.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/bisection_records.hpp"

namespace vigil::service {

/// A bisection as the search sees it, read from the ledger.
struct BisectionFacts {
    search::Facts facts;
    std::vector<Revision> line;   ///< by position
    std::vector<BuildId> builds;  ///< by position; {0}: no build row yet
    int lost_probes = 0;          ///< ended without a single value or failure
};

BisectionFacts load_bisection_facts(
    Database& db, BisectionId bisection, const BisectionSettings& settings);

}  // namespace vigil::service
