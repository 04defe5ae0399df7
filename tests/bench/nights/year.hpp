#pragma once

#include <string>

#include "tests/bench/nights/options.hpp"

namespace vigil::nights {

/// Plays the nights of a world on a ledger in a file, and tells by quarters of them how long the
/// service takes and how large the ledger is. Times are of the processor, but for the backup's.
/// @param ledger  a file that is not there yet; it stays
/// @return  a table in Markdown
std::string year_table(const Options& options, const std::string& ledger);

}  // namespace vigil::nights
