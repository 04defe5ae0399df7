#pragma once

#include <functional>
#include <string>

#include "tests/bench/nights/options.hpp"

namespace vigil::nights {

/// Plays the nights of a world on a ledger in a file, and tells by quarters of them how long the
/// service takes and how large the ledger is. Times are of the processor, but for the backup's.
/// @param ledger  a file that is not there yet; it stays
/// @param tell  gets a table in Markdown, each line once it is known: years take hours
void tell_year(
    const Options& options,
    const std::string& ledger,
    const std::function<void(const std::string&)>& tell);

}  // namespace vigil::nights
