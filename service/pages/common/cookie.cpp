#include "service/pages/common/cookie.hpp"

#include <string_view>

#include "schema/wire/digest.hpp"

namespace vigil::service {

namespace {

constexpr std::string_view cookie_name = "vigil_token";
constexpr std::string_view cookie_rules = "; Path=/; HttpOnly; SameSite=Strict";
constexpr int kept_s = 30 * 86'400;
constexpr std::size_t max_cookie_bytes = 256;

bool is_plain_secret(std::string_view secret) {
    for (const char c : secret) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '-' || c == '_';
        if (!plain) return false;
    }
    return !secret.empty() && secret.size() <= max_cookie_bytes;
}

}  // namespace

std::optional<std::string> cookie_secret(const http::Headers& headers) {
    const auto found = headers.find("cookie");
    if (found == headers.end()) return std::nullopt;
    std::string_view rest = found->second;
    while (!rest.empty()) {
        auto one = rest.substr(0, rest.find_first_of(";,"));
        rest.remove_prefix(std::min(one.size() + 1, rest.size()));
        while (one.starts_with(' ')) one.remove_prefix(1);
        const auto equals = one.find('=');
        if (equals == one.npos || one.substr(0, equals) != cookie_name) continue;
        const auto secret = one.substr(equals + 1);
        if (is_plain_secret(secret)) return std::string(secret);
    }
    return std::nullopt;
}

std::string cookie_that_keeps(const std::string& secret, const Config& config) {
    const bool is_secure = config.links.public_url.starts_with("https://");
    return std::string(cookie_name) + "=" + secret + "; Max-Age=" + std::to_string(kept_s) +
           std::string(cookie_rules) + (is_secure ? "; Secure" : "");
}

std::string cookie_that_forgets() {
    return std::string(cookie_name) + "=; Max-Age=0" + std::string(cookie_rules);
}

std::string form_key(const http::Headers& headers) {
    const auto secret = cookie_secret(headers);
    return secret ? wire::hmac_sha256_hex(*secret, "a form of Vigil") : "";
}

}  // namespace vigil::service
