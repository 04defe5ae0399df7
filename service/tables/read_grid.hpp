#pragma once

#include <map>
#include <string>

#include "service/tables/grid.hpp"
#include "service/tables/result.hpp"

namespace vigil::tables {

/// What headers of another language, or of a publisher's own, mean: by the header as it stands
/// there, a header that is known or a backend's name.
using ColumnNames = std::map<std::string, std::string>;

/// Puts a table's rows into the list, by its headers. A table without a column of models or domains
/// holds no results: it is noted and passed over. So is a row that cannot be read.
/// @param file   for messages   @param suite  where the table names none
void take_grid(
    const Grid& grid,
    const std::string& file,
    const std::string& suite,
    const ColumnNames& names,
    ResultList& list);

}  // namespace vigil::tables
