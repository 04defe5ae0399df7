#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/json_types.hpp"
#include "service/store/row.hpp"

// For the sources that say how a JsonColumn is written and read: by to_json and from_json of its
// type, as nlohmann's macros make them, then
//
//     template <> constexpr const char* column_of<Budget> = "bisection.budget";  // for errors
//     template struct JsonColumn<Budget>;

namespace vigil::service {

template <class T>
constexpr const char* column_of = nullptr;

template <class T>
std::string JsonColumn<T>::text(const T& value) {
    return wire::write_json(nlohmann::json(value));
}

// What we wrote ourselves is read without much ceremony: a column that does not fit is one error.
template <class T>
T JsonColumn<T>::parse(std::string_view text) {
    const auto value = wire::parse_json(text, column_of<T>);
    try {
        return value.template get<T>();
    } catch (const nlohmann::json::exception& error) {
        throw Error(
            Errc::invalid_argument,
            "reading " + std::string(column_of<T>) +
                ": it does not hold what was written: " + error.what());
    }
}

}  // namespace vigil::service
