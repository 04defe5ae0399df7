#pragma once

#include <optional>
#include <string>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

// Nights by name and by order.

namespace vigil::service {

/// The version of a nightly.
std::optional<std::string> find_version(Database& db, NightlyId nightly);

/// The build of the project's first nightly of this version or revision.
std::optional<BuildId> find_build_of(
    Database& db, ProjectId project, const std::string& version_or_revision);

/// The project's newest night before this one that did not fail.
std::optional<NightlyId> find_night_before(Database& db, ProjectId project, NightlyId nightly);

}  // namespace vigil::service
