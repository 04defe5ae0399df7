#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schema/model/ids.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/database.hpp"

// What builds gave, and what failed ones leave. Reads `product`; ends jobs that wait for a build
// that fails.

namespace vigil::service {

/// What two builds share whose products are the same: equal names, equal products. Products
/// compare only within one toolchain; the least name stands for the fleet. nullopt: not built.
std::optional<std::string> find_product_name(Database& db, BuildId build);

/// How long the newest builds of a project took, on average; nullopt: there is none.
std::optional<double> find_usual_build_ns(Database& db, ProjectId project);

/// The build of the newest night before this one that gave a product, of another revision.
std::optional<BuildId> find_built_before(Database& db, NightlyId nightly);

/// The machine class of a nightly's first job that ended with a result.
std::optional<MachineClassId> find_first_class(Database& db, NightlyId nightly);

/// Whether a job that waits or runs needs the build.
bool is_under_way(Database& db, BuildId build);

/// Fails the waiting jobs of a nightly on every machine class of which one toolchain or more have
/// failed with this recipe so often, and none has built it. @return how many
int fail_unbuildable_jobs(
    Database& db,
    NightlyId nightly,
    BuildId build,
    const Digest& recipe,
    int failures,
    std::int64_t now_s);

}  // namespace vigil::service
