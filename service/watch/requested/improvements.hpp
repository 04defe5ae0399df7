#pragma once

#include <cstdint>

#include "service/config/config.hpp"
#include "service/store/database.hpp"
#include "service/store/nights/nightlies.hpp"

// The commit that brought a confirmed improvement: a sudden gain is often a bug. It is searched as
// what a person asks for, after everything else, and only where `search.improvements` allows it.

namespace vigil::service {

/// Asks for the searches of a night's improvements, and notes of the others why not. Once for each
/// night: what has rows is not looked at again.
void search_improvements(
    Database& db, const ProjectConfig& config, const NightlyRow& nightly, std::int64_t now_s);

/// Notes what came of those whose request is over.
void settle_improvements(Database& db, std::int64_t now_s);

}  // namespace vigil::service
