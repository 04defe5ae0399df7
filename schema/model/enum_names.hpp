#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "schema/model/error.hpp"

namespace vigil {

/// The spelling of an enum's values in the ledger and on the wire. Specialise with
/// `static constexpr std::string_view noun` and `static constexpr std::array names{pair...}`.
template <class Enum>
struct EnumNames;

template <class Enum>
concept NamedEnum = requires {
    EnumNames<Enum>::names;
};

template <NamedEnum Enum>
constexpr std::string_view to_string(Enum value) {
    for (const auto& [candidate, name] : EnumNames<Enum>::names) {
        if (candidate == value) return name;
    }
    return "?";
}

template <NamedEnum Enum>
constexpr std::optional<Enum> find_enum(std::string_view name) {
    for (const auto& [value, candidate] : EnumNames<Enum>::names) {
        if (candidate == name) return value;
    }
    return std::nullopt;
}

/// @throws Error{invalid_argument} naming the choices
template <NamedEnum Enum>
Enum parse_enum(std::string_view name) {
    if (const auto value = find_enum<Enum>(name)) return *value;
    std::string choices;
    for (const auto& [value, candidate] : EnumNames<Enum>::names) {
        choices += (choices.empty() ? "" : ", ") + std::string(candidate);
    }
    throw Error(
        Errc::invalid_argument,
        "unknown " + std::string(EnumNames<Enum>::noun) + "; the choices are " + choices);
}

}  // namespace vigil
