#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "schema/model/error.hpp"

namespace vigil {

namespace detail {

// What the compiler calls it: "... [with auto subject = vigil::Color::red; ...]".
template <auto subject>
constexpr std::string_view enumerator_name() {
    std::string_view name = __PRETTY_FUNCTION__;
    name = name.substr(name.find("subject = ") + 10);
    name = name.substr(0, name.find_first_of(";]"));
    if (name.starts_with('(')) return {};  // "(vigil::Color)7": there is none with this number
    return name.substr(name.rfind(':') + 1);
}

template <class Subject>
constexpr std::string_view type_name() {
    std::string_view name = __PRETTY_FUNCTION__;
    name = name.substr(name.find("Subject = ") + 10);
    name = name.substr(0, name.find_first_of(";]"));
    return name.substr(name.rfind(':') + 1);
}

template <class Enum, int from = 0>
constexpr int count_enumerators() {
    if constexpr (enumerator_name<static_cast<Enum>(from)>().empty()) {
        return from;
    } else {
        return count_enumerators<Enum, from + 1>();
    }
}

template <class Enum, int... values>
constexpr auto name_enumerators(std::integer_sequence<int, values...>) {
    return std::array{
        std::pair{static_cast<Enum>(values), enumerator_name<static_cast<Enum>(values)>()}...};
}

/// "CanaryState" in words: "canary state".
std::string words_of_name(std::string_view name);

}  // namespace detail

/// Every `enum class` has names: in the ledger, on the wire and in texts its values are spelled as
/// their enumerators are. So whoever renames one changes what is stored.
template <class Enum>
concept NamedEnum = std::is_enum_v<Enum> && !std::is_convertible_v<Enum, int>;

/// The values of an enum, which count from 0 without a gap, with their spelling. Specialise it
/// where a spelling cannot be a name of C++.
template <NamedEnum Enum>
inline constexpr auto enum_names = detail::name_enumerators<Enum>(
    std::make_integer_sequence<int, detail::count_enumerators<Enum>()>{});

template <NamedEnum Enum>
constexpr std::string_view to_string(Enum value) {
    for (const auto& [candidate, name] : enum_names<Enum>) {
        if (candidate == value) return name;
    }
    return "?";
}

template <NamedEnum Enum>
constexpr std::optional<Enum> find_enum(std::string_view name) {
    for (const auto& [value, candidate] : enum_names<Enum>) {
        if (candidate == name) return value;
    }
    return std::nullopt;
}

/// @throws Error{invalid_argument} naming the choices
template <NamedEnum Enum>
Enum parse_enum(std::string_view name) {
    if (const auto value = find_enum<Enum>(name)) return *value;
    std::string choices;
    for (const auto& [value, candidate] : enum_names<Enum>) {
        choices += (choices.empty() ? "" : ", ") + std::string(candidate);
    }
    throw Error(
        Errc::invalid_argument,
        "unknown " + detail::words_of_name(detail::type_name<Enum>()) + "; the choices are " +
            choices);
}

}  // namespace vigil
