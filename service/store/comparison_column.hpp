#pragma once

#include <string_view>

#include "schema/model/comparison.hpp"
#include "service/store/row.hpp"

namespace vigil::service {

/// What the JSON columns `suspicion.confirmed` and `regression_series.verified` hold; "{}" is a
/// comparison without runs.
template <>
struct TextColumn<Comparison> {
    /// @throws Error{invalid_argument} when it does not hold what we wrote
    static Comparison parse(std::string_view text);
};

}  // namespace vigil::service
