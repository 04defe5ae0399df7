#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace vigil::tests {

/// SQL in a string literal of the service's sources; literals side by side are one.
struct SqlText {
    std::string file;  ///< from the root
    std::size_t line = 0;
    std::string text;
    /// It is joined with another: a constant, or not a whole statement. What it becomes is known
    /// only when it runs.
    bool is_piece = false;
};

/// All of it below `folder`, e.g. "service" or "service/api".
std::vector<SqlText> list_sql(const std::string& folder);

}  // namespace vigil::tests
