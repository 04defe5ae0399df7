#include "service/http/body_rules.hpp"

#include <cctype>
#include <string>

namespace vigil::service {

namespace {

/// The media type without its parameters, lower-case.
std::string media_type(const Head& head) {
    const auto found = head.headers.find("content-type");
    if (found == head.headers.end()) return "";
    std::string type = found->second.substr(0, found->second.find(';'));
    while (!type.empty() && type.back() == ' ') type.pop_back();
    for (auto& c : type) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return type;
}

}  // namespace

std::int64_t body_limit(BodyRule rule, const HttpConfig& config) {
    switch (rule) {
        case BodyRule::none: return 0;
        case BodyRule::json:
        case BodyRule::optional_json: return config.max_body_bytes;
        case BodyRule::result: return max_result_bytes;
        case BodyRule::webhook: return config.max_webhook_bytes;
        case BodyRule::file: return config.max_content_bytes;
    }
    return 0;
}

std::optional<Refusal> check_body(const Route& route, const Head& head, const HttpConfig& config) {
    const bool has_body = head.chunked || head.content_length.value_or(0) > 0;
    if (!has_body) return std::nullopt;
    if (route.body == BodyRule::none) return Refusal{400, "this request takes no body"};
    if (head.headers.contains("content-encoding")) {
        return Refusal{415, "bodies are taken without Content-Encoding"};
    }
    const bool wants_json = route.body != BodyRule::webhook && route.body != BodyRule::file;
    if (wants_json && media_type(head) != "application/json") {
        return Refusal{415, "the body must be application/json"};
    }
    const auto limit = static_cast<std::uint64_t>(body_limit(route.body, config));
    if (head.content_length.value_or(0) > limit) {
        return Refusal{413, "the body is larger than " + std::to_string(limit) + " bytes"};
    }
    return std::nullopt;
}

}  // namespace vigil::service
