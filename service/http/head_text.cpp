#include "service/http/head_text.hpp"

#include <string_view>

#include "service/http/conditions.hpp"

namespace vigil::service {

std::string head_text(
    const http::Response& response,
    std::optional<std::uint64_t> size,
    bool keep_alive,
    std::int64_t now_s) {
    std::string head = "HTTP/1.1 " + std::to_string(response.status) + " " +
                       std::string(http::reason_of(response.status)) + "\r\n";
    const auto add = [&](std::string_view name, std::string_view value) {
        VIGIL_ASSERT(value.find_first_of("\r\n") == value.npos);
        head.append(name).append(": ").append(value).append("\r\n");
    };
    add("Date", http_date(now_s));
    add("X-Content-Type-Options", "nosniff");
    if (!response.headers.contains("cache-control")) add("Cache-Control", "no-store");
    for (const auto& [name, value] : response.headers) add(name, value);
    const bool has_body = response.status != 204 && response.status != 304;
    if (has_body && size) add("Content-Length", std::to_string(*size));
    add("Connection", keep_alive ? "keep-alive" : "close");
    return head + "\r\n";
}

}  // namespace vigil::service
