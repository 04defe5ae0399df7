#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <nlohmann/json_fwd.hpp>

namespace vigil::service {

/// What we wrote ourselves is read without much ceremony: a column that does not fit is one error.
/// @throws Error{invalid_argument} naming the column
void with_column(
    std::string_view text,
    const char* column,
    const std::function<void(const nlohmann::json&)>& read);

/// The same with what `read` returns.
template <class Read>
auto read_column(std::string_view text, const char* column, Read read) {
    std::optional<std::invoke_result_t<Read, const nlohmann::json&>> value;
    with_column(text, column, [&](const nlohmann::json& json) { value = read(json); });
    return std::move(*value);
}

}  // namespace vigil::service
