#include "service/http/byte_range.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "service/http/conditions.hpp"

namespace vigil::service {

namespace {

std::optional<std::uint64_t> parse_position(std::string_view text) {
    std::uint64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
    return value;
}

}  // namespace

std::optional<http::FilePart> find_range(std::string_view field, std::uint64_t file_bytes) {
    constexpr std::string_view unit = "bytes=";
    if (!field.starts_with(unit)) return std::nullopt;
    field.remove_prefix(unit.size());
    const auto dash = field.find('-');
    if (dash == field.npos) return std::nullopt;
    const auto first = parse_position(field.substr(0, dash));
    const auto last = parse_position(field.substr(dash + 1));
    if (dash == 0) {  // so many from the end
        if (!last || *last == 0 || file_bytes == 0) return std::nullopt;
        const auto bytes = std::min(*last, file_bytes);
        return http::FilePart{file_bytes - bytes, bytes};
    }
    const bool is_open = dash + 1 == field.size();
    if (!first || *first >= file_bytes || (!last && !is_open)) return std::nullopt;
    if (last && *last < *first) return std::nullopt;
    const auto end = last ? std::min(*last, file_bytes - 1) : file_bytes - 1;
    return http::FilePart{*first, end - *first + 1};
}

void apply_range(const http::Request& request, http::Response& response, std::uint64_t file_bytes) {
    response.headers["accept-ranges"] = "bytes";
    const auto& tag = response.headers.at("etag");
    const auto field = request.header("range");
    if (!field || names_tag(request.header("if-none-match").value_or(""), tag)) return;
    if (request.header("if-range").value_or(tag) != tag) return;
    response.part = find_range(*field, file_bytes);
    if (!response.part) return;
    response.status = 206;
    response.headers["content-range"] = fmt::format(
        "bytes {}-{}/{}",
        response.part->begin,
        response.part->begin + response.part->bytes - 1,
        file_bytes);
}

}  // namespace vigil::service
