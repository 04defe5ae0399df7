#pragma once

#include <string>

#include "service/tables/grid.hpp"
#include "service/tables/result.hpp"

namespace vigil::tables {

/// Puts a table's rows into the list, by its headers. A table without a column of models or domains
/// holds no results: it is noted and passed over.
/// @param file   for messages   @param suite  where the table names none
/// @throws Error{invalid_argument} with line
void take_grid(
    const Grid& grid, const std::string& file, const std::string& suite, ResultList& list);

}  // namespace vigil::tables
