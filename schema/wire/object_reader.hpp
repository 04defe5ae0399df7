#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "schema/model/enum_names.hpp"
#include "schema/model/ids.hpp"
#include "schema/model/text_ids.hpp"

namespace vigil::wire {

/// Allowed values, both ends included.
struct IntegerRange {
    std::int64_t low = std::numeric_limits<std::int64_t>::min();
    std::int64_t high = std::numeric_limits<std::int64_t>::max();
};
struct NumberRange {
    double low = std::numeric_limits<double>::lowest();
    double high = std::numeric_limits<double>::max();
};

constexpr IntegerRange not_negative{0, std::numeric_limits<std::int64_t>::max()};
constexpr IntegerRange positive{1, std::numeric_limits<std::int64_t>::max()};
constexpr std::size_t max_text_bytes = std::size_t{1} << 20;  ///< of one string
constexpr std::size_t max_items = 100'000;                    ///< of one array or map

/// A value and how it is called in errors, e.g. "lease.plan.steps[3]"; what is long is cut and ends
/// with "...".
struct Item {
    const nlohmann::json* value;
    std::string path;
};

/// Reads one JSON object strictly: each accessor names a key, checks type and range, and remembers
/// that the key is known; `done()` refuses whatever was never asked for. Errors are
/// Error{invalid_argument} and begin with the path of the value. A missing key and null are the
/// same to the `find_` and `_or` accessors. Keeps a reference: the JSON must outlive the reader.
class ObjectReader {
  public:
    /// @throws Error{invalid_argument} unless `value` is an object
    ObjectReader(const nlohmann::json& value, std::string path);
    explicit ObjectReader(const Item& item);

    const std::string& path() const { return path_; }
    std::string path(std::string_view key) const;
    bool has(std::string_view key) const;  ///< false for null too, as `find` has it

    /// The raw member; nothing when it is missing or null.
    std::optional<Item> find(std::string_view key);
    Item item(std::string_view key);

    std::string text(std::string_view key, std::size_t max_bytes = max_text_bytes);
    std::string text_or(
        std::string_view key, std::string fallback, std::size_t max_bytes = max_text_bytes);
    std::optional<std::string> find_text(
        std::string_view key, std::size_t max_bytes = max_text_bytes);

    std::int64_t integer(std::string_view key, IntegerRange range = {});
    std::int64_t integer_or(std::string_view key, std::int64_t fallback, IntegerRange range = {});
    /// As `integer`, for members of type int.
    int small(std::string_view key, IntegerRange range = {});
    int small_or(std::string_view key, int fallback, IntegerRange range = {});

    double number(std::string_view key, NumberRange range = {});
    double number_or(std::string_view key, double fallback, NumberRange range = {});

    bool flag(std::string_view key);
    bool flag_or(std::string_view key, bool fallback);

    /// The member's object, as a reader; its `done()` is yours to call.
    ObjectReader object(std::string_view key);
    std::optional<ObjectReader> find_object(std::string_view key);

    /// An array's elements in order; a missing array is empty for `items_or_none`.
    std::vector<Item> items(std::string_view key, std::size_t limit = max_items);
    std::vector<Item> items_or_none(std::string_view key, std::size_t limit = max_items);
    /// An object's members by key; missing is empty.
    std::map<std::string, Item> members(std::string_view key, std::size_t limit = max_items);

    std::vector<std::string> texts(std::string_view key, std::size_t limit = max_items);
    std::vector<std::string> texts_or_none(std::string_view key, std::size_t limit = max_items);
    /// An object of strings; missing is empty.
    std::map<std::string, std::string> text_map(
        std::string_view key, std::size_t limit = max_items);

    Digest digest(std::string_view key);
    std::optional<Digest> find_digest(std::string_view key);
    Revision revision(std::string_view key);

    template <class Tag>
    Id<Tag> id(std::string_view key) {
        return Id<Tag>{integer(key, positive)};
    }

    template <NamedEnum Enum>
    Enum choice(std::string_view key) {
        const std::string name = text(key);
        if (const auto value = find_enum<Enum>(name)) return *value;
        std::string choices;
        for (const auto& [value, candidate] : enum_names<Enum>) {
            choices += (choices.empty() ? "" : ", ") + std::string(candidate);
        }
        refuse_choice(key, name, choices);
    }
    template <NamedEnum Enum>
    Enum choice_or(std::string_view key, Enum fallback) {
        return find(key) ? choice<Enum>(key) : fallback;
    }

    /// @throws Error{invalid_argument} when the object has a key that nobody asked for
    void done() const;

  private:
    [[noreturn]] void refuse_choice(
        std::string_view key, const std::string& name, const std::string& choices) const;

    const nlohmann::json* value_;
    std::string path_;
    std::set<std::string, std::less<>> known_;
};

/// Readers of one value, for elements of arrays. Errors as above.
std::string text_of(const Item& item, std::size_t max_bytes = max_text_bytes);
std::int64_t integer_of(const Item& item, IntegerRange range = {});
double number_of(const Item& item, NumberRange range = {});
bool flag_of(const Item& item);
/// An array of numbers, which may be long.
std::vector<double> numbers_of(
    const Item& item, NumberRange range = {}, std::size_t limit = max_items);
std::vector<Item> items_of(const Item& item, std::size_t limit = max_items);
std::map<std::string, Item> members_of(const Item& item, std::size_t limit = max_items);

/// @throws Error{invalid_argument} "<path> <why>"
[[noreturn]] void refuse(const std::string& path, const std::string& why);

}  // namespace vigil::wire
