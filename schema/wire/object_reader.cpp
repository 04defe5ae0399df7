#include "schema/wire/object_reader.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/nearest.hpp"
#include "schema/wire/value_error.hpp"

namespace vigil::wire {

using nlohmann::json;

namespace {

constexpr std::size_t max_shown_bytes = 60;
constexpr std::size_t max_path_bytes = 200;

/// A stranger's value in a message: short, and on one line.
std::string shown(const json& value) {
    if (value.is_structured()) return value.is_object() ? "an object" : "an array";
    std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
    if (text.size() > max_shown_bytes) text = text.substr(0, max_shown_bytes) + "...";
    return text;
}

[[noreturn]] void wrong_type(const Item& item, std::string_view wanted) {
    refuse(item.path, fmt::format("must be {}, not {}", wanted, shown(*item.value)));
}

constexpr std::string_view cut_mark = "...";

/// A stranger's key may be long, and each of its members would hold it once more.
std::string cut(const std::string& path) {
    if (path.size() < max_path_bytes) return path;
    return std::string(text::first_bytes(path, max_path_bytes)).append(cut_mark);
}

/// The path of a member; below one that was cut, nothing is added.
std::string below(const std::string& path, std::string_view dot, std::string_view step) {
    if (path.size() >= max_path_bytes) return path;
    return cut(path + std::string(dot) + std::string(step.substr(0, max_path_bytes)));
}

template <class Range, class Value>
void check_range(const Item& item, Value value, const Range& range) {
    if (value >= range.low && value <= range.high) return;
    if (range.high == Range{}.high) {
        refuse(item.path, fmt::format("is {}; it must be at least {}", value, range.low));
    }
    refuse(item.path, fmt::format("is {}; it must be {} to {}", value, range.low, range.high));
}

void check_count(const Item& item, std::size_t limit) {
    if (item.value->size() <= limit) return;
    refuse(item.path, fmt::format("has {} entries; at most {} fit", item.value->size(), limit));
}

}  // namespace

void refuse(const std::string& path, const std::string& why) {
    throw ValueError(cut(path) + " " + why, path);
}

std::string pointer_of(std::string_view path) {
    if (path.size() >= max_path_bytes) {  // of what is whole of it
        path.remove_suffix(cut_mark.size());
        path = path.substr(0, path.find_last_of(".["));
    }
    std::string pointer;
    bool in_index = false;
    for (const char c : path.substr(std::min(path.find_first_of(".["), path.size()))) {
        const bool begins = c == '.' || c == '[';
        if (begins) pointer += '/';
        in_index = c == '[' || (in_index && c != ']');
        if (begins || c == ']') continue;
        pointer += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    }
    return pointer;
}

std::string text_of(const Item& item, std::size_t max_bytes) {
    if (!item.value->is_string()) wrong_type(item, "a string");
    const auto& text = item.value->get_ref<const std::string&>();
    if (text.size() > max_bytes) {
        refuse(item.path, fmt::format("has {} bytes; at most {} fit", text.size(), max_bytes));
    }
    return text;
}

std::int64_t integer_of(const Item& item, IntegerRange range) {
    if (!item.value->is_number_integer()) wrong_type(item, "an integer");
    if (item.value->is_number_unsigned() && item.value->get<std::uint64_t>() > INT64_MAX) {
        wrong_type(item, "an integer of 64 bits with sign");
    }
    const auto value = item.value->get<std::int64_t>();
    check_range(item, value, range);
    return value;
}

double number_of(const Item& item, NumberRange range) {
    if (!item.value->is_number()) wrong_type(item, "a number");
    const auto value = item.value->get<double>();
    if (!std::isfinite(value)) wrong_type(item, "a finite number");
    check_range(item, value, range);
    return value;
}

bool flag_of(const Item& item) {
    if (!item.value->is_boolean()) wrong_type(item, "true or false");
    return item.value->get<bool>();
}

std::vector<double> numbers_of(const Item& item, NumberRange range, std::size_t limit) {
    if (!item.value->is_array()) wrong_type(item, "an array");
    check_count(item, limit);
    std::vector<double> numbers;
    numbers.reserve(item.value->size());
    for (const auto& element : *item.value) {
        const auto value = element.is_number() ? element.get<double>() : range.low;
        const bool fits = element.is_number() && value >= range.low && value <= range.high;
        const auto path = fits ? "" : below(item.path, "", fmt::format("[{}]", numbers.size()));
        numbers.push_back(fits ? value : number_of({&element, path}, range));
    }
    return numbers;
}

std::vector<Item> items_of(const Item& item, std::size_t limit) {
    if (!item.value->is_array()) wrong_type(item, "an array");
    check_count(item, limit);
    std::vector<Item> items;
    items.reserve(item.value->size());
    for (const auto& element : *item.value) {
        items.push_back({&element, below(item.path, "", fmt::format("[{}]", items.size()))});
    }
    return items;
}

std::map<std::string, Item> members_of(const Item& item, std::size_t limit) {
    if (!item.value->is_object()) wrong_type(item, "an object");
    check_count(item, limit);
    std::map<std::string, Item> members;
    for (const auto& [key, value] : item.value->items()) {
        if (key.size() > max_text_bytes) {
            refuse(
                item.path,
                fmt::format("has a key of {} bytes; at most {} fit", key.size(), max_text_bytes));
        }
        members.emplace(key, Item{&value, below(item.path, ".", key)});
    }
    return members;
}

ObjectReader::ObjectReader(const json& value, std::string path)
    : value_(&value), path_(std::move(path)) {
    if (!value.is_object()) wrong_type({&value, path_}, "an object");
}

ObjectReader::ObjectReader(const Item& item) : ObjectReader(*item.value, item.path) {}

std::string ObjectReader::path(std::string_view key) const {
    return below(path_, path_.empty() ? "" : ".", key);
}

bool ObjectReader::has(std::string_view key) const {
    const auto found = value_->find(key);
    return found != value_->end() && !found->is_null();
}

std::optional<Item> ObjectReader::find(std::string_view key) {
    known_.emplace(key);
    if (!has(key)) return std::nullopt;
    return Item{&*value_->find(key), path(key)};
}

Item ObjectReader::item(std::string_view key) {
    if (auto found = find(key)) return *std::move(found);
    refuse(path(key), "is missing");
}

std::string ObjectReader::text(std::string_view key, std::size_t max_bytes) {
    return text_of(item(key), max_bytes);
}

std::string ObjectReader::text_or(
    std::string_view key, std::string fallback, std::size_t max_bytes) {
    const auto found = find(key);
    return found ? text_of(*found, max_bytes) : std::move(fallback);
}

std::optional<std::string> ObjectReader::find_text(std::string_view key, std::size_t max_bytes) {
    const auto found = find(key);
    return found ? std::optional(text_of(*found, max_bytes)) : std::nullopt;
}

std::int64_t ObjectReader::integer(std::string_view key, IntegerRange range) {
    return integer_of(item(key), range);
}

std::int64_t ObjectReader::integer_or(
    std::string_view key, std::int64_t fallback, IntegerRange range) {
    const auto found = find(key);
    return found ? integer_of(*found, range) : fallback;
}

int ObjectReader::small(std::string_view key, IntegerRange range) {
    constexpr std::int64_t low = std::numeric_limits<int>::min();
    constexpr std::int64_t high = std::numeric_limits<int>::max();
    return static_cast<int>(integer(key, {std::max(range.low, low), std::min(range.high, high)}));
}

int ObjectReader::small_or(std::string_view key, int fallback, IntegerRange range) {
    return find(key) ? small(key, range) : fallback;
}

double ObjectReader::number(std::string_view key, NumberRange range) {
    return number_of(item(key), range);
}

double ObjectReader::number_or(std::string_view key, double fallback, NumberRange range) {
    const auto found = find(key);
    return found ? number_of(*found, range) : fallback;
}

bool ObjectReader::flag(std::string_view key) {
    return flag_of(item(key));
}

bool ObjectReader::flag_or(std::string_view key, bool fallback) {
    const auto found = find(key);
    return found ? flag_of(*found) : fallback;
}

ObjectReader ObjectReader::object(std::string_view key) {
    return ObjectReader(item(key));
}

std::optional<ObjectReader> ObjectReader::find_object(std::string_view key) {
    const auto found = find(key);
    return found ? std::optional<ObjectReader>(*found) : std::nullopt;
}

std::vector<Item> ObjectReader::items(std::string_view key, std::size_t limit) {
    return items_of(item(key), limit);
}

std::vector<Item> ObjectReader::items_or_none(std::string_view key, std::size_t limit) {
    const auto found = find(key);
    return found ? items_of(*found, limit) : std::vector<Item>{};
}

std::map<std::string, Item> ObjectReader::members(std::string_view key, std::size_t limit) {
    const auto found = find(key);
    return found ? members_of(*found, limit) : std::map<std::string, Item>{};
}

std::vector<std::string> ObjectReader::texts(std::string_view key, std::size_t limit) {
    std::vector<std::string> texts;
    for (const auto& element : items(key, limit)) texts.push_back(text_of(element));
    return texts;
}

std::vector<std::string> ObjectReader::texts_or_none(std::string_view key, std::size_t limit) {
    return find(key) ? texts(key, limit) : std::vector<std::string>{};
}

std::map<std::string, std::string> ObjectReader::text_map(std::string_view key, std::size_t limit) {
    std::map<std::string, std::string> map;
    for (const auto& [name, member] : members(key, limit)) map.emplace(name, text_of(member));
    return map;
}

Digest ObjectReader::digest(std::string_view key) {
    const std::string hex = text(key);
    if (hex.size() != 64 || !is_lower_hex(hex)) {
        refuse(path(key), "must be a SHA-256 digest: 64 lower-case hex digits");
    }
    return Digest(hex);
}

std::optional<Digest> ObjectReader::find_digest(std::string_view key) {
    return find(key) ? std::optional(digest(key)) : std::nullopt;
}

Revision ObjectReader::revision(std::string_view key) {
    const std::string hash = text(key);
    if ((hash.size() != 40 && hash.size() != 64) || !is_lower_hex(hash)) {
        refuse(path(key), "must be a full commit hash: 40 or 64 lower-case hex digits");
    }
    return Revision(hash);
}

void ObjectReader::done() const {
    for (const auto& [key, value] : value_->items()) {
        if (known_.contains(key)) continue;
        refuse(
            path_.empty() ? "the text" : path_,
            "has the unknown key " + shown(json(key)) +
                "; known keys: " + text::joined({known_.begin(), known_.end()}));
    }
}

void ObjectReader::refuse_choice(
    std::string_view key, const std::string& name, const std::string& choices) const {
    refuse(path(key), "is " + shown(json(name)) + "; the choices are " + choices);
}

}  // namespace vigil::wire
