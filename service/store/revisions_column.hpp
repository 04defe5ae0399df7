#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schema/model/text_ids.hpp"
#include "service/store/row.hpp"

namespace vigil::service {

/// What the JSON columns `suspect.brought` and `regression.suspects` hold: revisions in order.
template <>
struct TextColumn<std::vector<Revision>> {
    static std::string text(const std::vector<Revision>& revisions);
    /// @throws Error{invalid_argument} when it does not hold what we wrote
    static std::vector<Revision> parse(std::string_view text);
};

}  // namespace vigil::service
