#pragma once

#include <cstdint>

#include "service/store/database.hpp"

namespace vigil::service {

/// Unused pages of a ledger, of which the file has so many in all.
struct Pages {
    std::int64_t unused = 0;
    std::int64_t all = 0;
};

/// Whether the file should become smaller: more than a tenth of it is unused, and more than 8 MB.
/// What is below that is soon used again.
bool should_shrink(Pages pages);

/// Takes at most 256 unused pages off the end of the file, one short transaction. A ledger that was
/// made before version 0.2.0 keeps its size (docs/operations.md says what helps).
/// @return  whether there are more to take
bool shrink_slice(Database& writer);

}  // namespace vigil::service
