#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

// The fields of a struct in the order they are declared, so that a struct that holds a row is
// itself the list of its columns: `db.all<JobRow>("SELECT id, project_id, ... FROM job")`.

namespace vigil::service {

/// How a type is kept as text of our own making, JSON mostly. Specialised next to the type, with
/// `static T parse(std::string_view)`, which throws Error naming what it is, and
/// `static std::string text(const T&)`.
template <class T>
struct TextColumn;

/// One kept as JSON: `template <> struct TextColumn<Budget> : JsonColumn<Budget> {};` and
/// `extern template struct JsonColumn<Budget>;`. How, is said in a source, see json_column.hpp.
template <class T>
struct JsonColumn {
    static std::string text(const T& value);
    /// @throws Error{invalid_argument} when it does not hold what we wrote
    static T parse(std::string_view text);
};

namespace detail {

template <class T>
concept HasTextColumn = requires(std::string_view text) {
    TextColumn<T>::parse(text);
};

// Stands for a value of every type where only the number of fields is counted. `const`, so that the
// constructor of an optional is the better match and not an ambiguous one.
struct AnyField {
    template <class T>
    operator T() const;
};

template <class T, std::size_t... Is>
constexpr bool takes(std::index_sequence<Is...>) {
    return requires {
        T{(static_cast<void>(Is), AnyField{})...};
    };
}

/// Number of fields of an aggregate.
template <class T, std::size_t Most = 24>
constexpr std::size_t count_fields() {
    static_assert(Most > 0, "no struct of 1 to 24 fields");
    if constexpr (takes<T>(std::make_index_sequence<Most>{})) {
        return Most;
    } else {
        return count_fields<T, Most - 1>();
    }
}

/// References to all fields.
template <class T>
auto tie_fields(T& row) {
    constexpr std::size_t count = count_fields<T>();
    // clang-format off
#define VIGIL_FIELDS(n, ...)          \
    if constexpr (count == n) {       \
        auto& [__VA_ARGS__] = row;    \
        return std::tie(__VA_ARGS__); \
    } else
    VIGIL_FIELDS(1, a)
    VIGIL_FIELDS(2, a, b)
    VIGIL_FIELDS(3, a, b, c)
    VIGIL_FIELDS(4, a, b, c, d)
    VIGIL_FIELDS(5, a, b, c, d, e)
    VIGIL_FIELDS(6, a, b, c, d, e, f)
    VIGIL_FIELDS(7, a, b, c, d, e, f, g)
    VIGIL_FIELDS(8, a, b, c, d, e, f, g, h)
    VIGIL_FIELDS(9, a, b, c, d, e, f, g, h, i)
    VIGIL_FIELDS(10, a, b, c, d, e, f, g, h, i, j)
    VIGIL_FIELDS(11, a, b, c, d, e, f, g, h, i, j, k)
    VIGIL_FIELDS(12, a, b, c, d, e, f, g, h, i, j, k, l)
    VIGIL_FIELDS(13, a, b, c, d, e, f, g, h, i, j, k, l, m)
    VIGIL_FIELDS(14, a, b, c, d, e, f, g, h, i, j, k, l, m, n)
    VIGIL_FIELDS(15, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o)
    VIGIL_FIELDS(16, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)
    VIGIL_FIELDS(17, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q)
    VIGIL_FIELDS(18, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r)
    VIGIL_FIELDS(19, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s)
    VIGIL_FIELDS(20, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t)
    static_assert(count == 0, "a row of more than 20 fields: cut it");
#undef VIGIL_FIELDS
    // clang-format on
}

}  // namespace detail

}  // namespace vigil::service
