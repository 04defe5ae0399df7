#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "schema/model/text_ids.hpp"
#include "service/store/content_store.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// Where the content store and the ledger do not agree. Each list has the first ones.
struct ContentCheck {
    std::vector<Digest> lost;     ///< the ledger knows it, and its file is gone
    std::vector<Digest> unknown;  ///< a file that no row knows
    int parts = 256;              ///< of the store, by the first two digits of the digest
    int checked = 0;              ///< of these
};

/// Compares files and rows part by part until the time is over. A file younger than an hour may
/// have its row yet to come; a row that is gone on a second look was evicted meanwhile.
/// @param first  part to begin with, counted on: another one each time meets all in time
ContentCheck check_content(
    Database& db,
    const ContentStore& store,
    std::int64_t now_s,
    std::chrono::milliseconds at_most,
    std::int64_t first);

}  // namespace vigil::service
