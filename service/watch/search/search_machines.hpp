#pragma once

#include <cstdint>
#include <vector>

#include "bisect/search/search.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/bisections.hpp"

namespace vigil::service {

/// By machine class of a search, the workers that are there, and how many more its fleet may ask
/// for. Nothing for a search of nights: the commits that it leaves are verified by the next one.
std::vector<search::GroupMachines> list_search_machines(
    Database& db, const Config& config, const BisectionRow& bisection, std::int64_t now_s);

}  // namespace vigil::service
