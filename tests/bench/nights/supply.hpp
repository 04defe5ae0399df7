#pragma once

#include <cstdint>

#include "service/config/config.hpp"
#include "service/store/database.hpp"
#include "tests/bench/nights/world.hpp"

// What the daemon has of others: its config, and what it asks of a repository.

namespace vigil::nights {

constexpr const char* project_name = "sim";
constexpr std::int64_t content_bytes = 1000;  ///< of a tree and of a product

service::Config make_config(const World& world);

/// Answers what the service asks of the repository: suspects, commits of fixes, trees. The caller
/// is in a transaction.
/// @return  whether it asked for something
bool supply(
    service::Database& db,
    const service::Config& config,
    const Commits& commits,
    std::int64_t now_s);

}  // namespace vigil::nights
