#pragma once

#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/database.hpp"

// A revision's source tree that equals the archive of a night: one build, not two.

namespace vigil::service {

/// The archives of a source build's revision that have a product by the recipe, the newest first.
std::vector<Digest> list_built_archives(
    Database& db, BuildId source, const Digest& recipe, int limit);

/// What the archive of a source build's revision became by the recipe is what the source build
/// becomes. Products that it has stay.
void share_products(Database& db, BuildId source, const Digest& recipe, const Digest& archive);

}  // namespace vigil::service
