#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace vigil::text {
class ReadBudget;
}

// The only JSON parse of the project. Whoever needs the values includes <nlohmann/json.hpp> in a
// source file.

namespace vigil::wire {

enum class Comments { refused, allowed };

struct JsonLimits {
    std::size_t max_bytes = std::size_t{32} << 20;
    int max_depth = 64;                  ///< of arrays and objects in each other
    std::size_t max_values = 4'000'000;  ///< everything counted: bounds the memory a text can ask
    Comments comments = Comments::refused;  ///< // and /* */
    /// What the values hold is drawn from it and stays drawn. Deeper than its levels is over it.
    text::ReadBudget* budget = nullptr;
};

/// Where in a text something stands; both count from 1.
struct JsonPosition {
    int line = 1;
    int column = 1;
};

/// Parses one JSON value. Stricter than the library: no byte beyond the limits, no NUL (not as
/// \u0000 either), no key twice in an object, valid UTF-8, finite numbers, and no integer outside
/// of 64 bits with sign (so that `get<std::int64_t>()` never changes a value).
/// @param what  names the text in errors: a file, "the body", "result of job 12"
/// @throws Error{invalid_argument} naming `what`, line and column; BudgetError likewise
nlohmann::json parse_json(std::string_view text, std::string_view what, JsonLimits limits = {});

/// As parse_json, and notes where every object member and array element begins.
/// @param positions  gets one entry for each member and element, by JSON pointer ("/a/0/b"); the
///                   root is "". A member stands where its key stands.
nlohmann::json parse_json(
    std::string_view text,
    std::string_view what,
    JsonLimits limits,
    std::map<std::string, JsonPosition>& positions);

/// As parse_json, and keeps only what `pointers` name, with the objects around it: memory follows
/// what is kept, not what is read. The rest is checked too, but for keys that stand twice in it.
/// @param pointers  JSON pointers to members of objects ("/a/b"), whose values are kept whole
nlohmann::json parse_json_parts(
    std::string_view text,
    std::string_view what,
    const std::set<std::string>& pointers,
    JsonLimits limits = {});

/// One line of JSON with the keys in alphabetical order: equal values give equal bytes. Bytes that
/// are no UTF-8 become U+FFFD. Never throws.
std::string write_json(const nlohmann::json& value);

/// @throws Error{invalid_argument} naming `what` and the first byte that is NUL or not UTF-8
void check_utf8(std::string_view text, std::string_view what);

/// `key` as one step of a JSON pointer: ~ becomes ~0 and / becomes ~1.
std::string pointer_step(std::string_view key);

}  // namespace vigil::wire
