#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "schema/wire/json.hpp"
#include "schema/wire/json_types.hpp"
#include "service/store/row.hpp"

// For the sources that say how a JsonColumn is written and read, with <nlohmann/json.hpp>: by
// to_json and from_json of its type, as nlohmann's macros make them, then
//
//     template <> constexpr const char* column_of<Budget> = "bisection.budget";  // for errors
//     template struct JsonColumn<Budget>;

namespace vigil::service {

template <class T>
constexpr const char* column_of = nullptr;

/// Parses text and reads it. What we wrote ourselves is read without much ceremony.
/// @throws Error{invalid_argument} naming the column
void with_column(
    std::string_view text,
    const char* column,
    const std::function<void(const nlohmann::json&)>& read);

template <class T>
std::string JsonColumn<T>::text(const T& value) {
    return wire::write_json(nlohmann::json(value));
}

template <class T>
T JsonColumn<T>::parse(std::string_view text) {
    T read{};
    with_column(text, column_of<T>, [&](const auto& json) { read = json.template get<T>(); });
    return read;
}

}  // namespace vigil::service
