#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace vigil::tests {

/// What the statements of this program have done so far, by their texts: steps of SQLite's machine,
/// the same on every computer. Of programs that watch their statements.
std::map<std::string, std::int64_t> statement_steps();

}  // namespace vigil::tests
