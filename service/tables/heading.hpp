#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vigil::tables {

/// A heading that says where, or with which batch, the rows below it were run.
struct PlaceHeading {
    std::string device;      ///< "A100"; empty: only the batch is said
    std::int64_t batch = 0;  ///< 0: not said
};

/// "A100", "V100 (batch size: 16)", "Batch size 4", "Unbatched"; nothing when it is about anything
/// else.
/// @param text  without its marks
std::optional<PlaceHeading> parse_place(std::string_view text);

}  // namespace vigil::tables
