#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "service/store/database.hpp"

// Table `hooked_repository`: the names of repositories that send deliveries.

namespace vigil::service {

/// By GitHub's id: every name that the repository was seen with and no other has taken since, the
/// newest last.
using HookedRepositories = std::map<std::int64_t, std::vector<std::string>>;

HookedRepositories hooked_repositories(Database& db);

/// From now on the name is this repository's.
void note_hooked_repository(
    Database& db, std::int64_t github_id, const std::string& name, std::int64_t now_s);

}  // namespace vigil::service
