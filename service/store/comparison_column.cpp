#include "service/store/comparison_column.hpp"

#include <nlohmann/json.hpp>

#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"

namespace vigil::service {

Comparison TextColumn<Comparison>::parse(std::string_view text) {
    return wire::parse_comparison(wire::parse_json(text, "comparison"));
}

}  // namespace vigil::service
