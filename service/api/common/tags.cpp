#include "service/api/common/tags.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

#include <nlohmann/json.hpp>

#include "schema/wire/digest.hpp"
#include "schema/wire/json.hpp"
#include "service/api/common/listing.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr std::size_t seen_digits = 32;
constexpr std::size_t rest_digits = 16;

std::string digest_of(std::string_view text, std::size_t digits) {
    return wire::sha256(text).str().substr(0, digits);
}

/// Depth is bounded: these are documents of ours.
json without(const json& value, const std::vector<std::string>& keys) {
    if (value.is_object()) {
        auto left = json::object();
        for (const auto& [key, member] : value.items()) {
            if (std::ranges::count(keys, key) == 0) left[key] = without(member, keys);
        }
        return left;
    }
    if (!value.is_array()) return value;
    auto left = json::array();
    for (const auto& one : value) left.push_back(without(one, keys));
    return left;
}

std::string_view seen_part(std::string_view tag) {
    if (!tag.starts_with('"')) return {};
    tag.remove_prefix(1);
    return tag.substr(0, tag.find_first_of("-\""));
}

}  // namespace

void write_tagged(http::Response& response, std::string_view moving) {
    if (response.document == nullptr) return;
    std::istringstream words{std::string(moving)};
    std::vector<std::string> keys;
    for (std::string key; words >> key;) keys.push_back(key);
    const auto seen = digest_of(wire::write_json(without(*response.document, keys)), seen_digits);
    write_document(response);
    response.headers["etag"] = "\"" + seen + "-" + digest_of(response.body, rest_digits) + "\"";
}

bool names_seen(std::string_view list, std::string_view tag) {
    const auto seen = seen_part(tag);
    return has_tag(list, [&](std::string_view one) {
        const auto part = seen_part(one);
        return !part.empty() && part == seen;
    });
}

}  // namespace vigil::service
