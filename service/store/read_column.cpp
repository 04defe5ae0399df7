#include "service/store/read_column.hpp"

#include <string>

#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/wire/json.hpp"

namespace vigil::service {

void with_column(
    std::string_view text,
    const char* column,
    const std::function<void(const nlohmann::json&)>& read) {
    const auto value = wire::parse_json(text, column);
    try {
        read(value);
    } catch (const nlohmann::json::exception& error) {
        throw Error(
            Errc::invalid_argument,
            "reading " + std::string(column) +
                ": it does not hold what was written: " + error.what());
    }
}

}  // namespace vigil::service
