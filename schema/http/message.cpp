#include "schema/http/message.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "schema/text/characters.hpp"
#include "schema/wire/json.hpp"

namespace vigil::http {

namespace {

constexpr std::size_t max_failure_text = 500;

constexpr std::array reasons{
    std::pair{200, std::string_view("OK")},
    std::pair{201, std::string_view("Created")},
    std::pair{202, std::string_view("Accepted")},
    std::pair{204, std::string_view("No Content")},
    std::pair{206, std::string_view("Partial Content")},
    std::pair{303, std::string_view("See Other")},
    std::pair{304, std::string_view("Not Modified")},
    std::pair{307, std::string_view("Temporary Redirect")},
    std::pair{400, std::string_view("Bad Request")},
    std::pair{401, std::string_view("Unauthorized")},
    std::pair{403, std::string_view("Forbidden")},
    std::pair{404, std::string_view("Not Found")},
    std::pair{405, std::string_view("Method Not Allowed")},
    std::pair{406, std::string_view("Not Acceptable")},
    std::pair{408, std::string_view("Request Timeout")},
    std::pair{409, std::string_view("Conflict")},
    std::pair{411, std::string_view("Length Required")},
    std::pair{412, std::string_view("Precondition Failed")},
    std::pair{413, std::string_view("Content Too Large")},
    std::pair{414, std::string_view("URI Too Long")},
    std::pair{415, std::string_view("Unsupported Media Type")},
    std::pair{417, std::string_view("Expectation Failed")},
    std::pair{422, std::string_view("Unprocessable Content")},
    std::pair{429, std::string_view("Too Many Requests")},
    std::pair{431, std::string_view("Request Header Fields Too Large")},
    std::pair{500, std::string_view("Internal Server Error")},
    std::pair{501, std::string_view("Not Implemented")},
    std::pair{503, std::string_view("Service Unavailable")},
    std::pair{505, std::string_view("HTTP Version Not Supported")},
    std::pair{507, std::string_view("Insufficient Storage")}};

}  // namespace

std::optional<std::string> Request::header(const std::string& lower_case_name) const {
    const auto found = headers.find(lower_case_name);
    if (found == headers.end()) return std::nullopt;
    return found->second;
}

Response json_response(std::string json, int status) {
    return {status, {{"content-type", "application/json"}}, std::move(json), {}};
}

Response text_response(std::string text, std::string content_type) {
    return {200, {{"content-type", std::move(content_type)}}, std::move(text), {}};
}

std::string problem_type(int status) {
    std::string slug;
    for (const char c : reason_of(status)) {
        slug += c == ' ' ? '-' : text::lower_case(c);
    }
    return "/api/v1/docs#problem-" + slug;
}

Response problem_response(int status, std::string_view detail, std::string_view instance) {
    const nlohmann::json problem = {
        {"type", problem_type(status)},
        {"title", reason_of(status)},
        {"status", status},
        {"detail", detail},
        {"instance", instance}};
    auto response = json_response(wire::write_json(problem) + "\n", status);
    response.headers["content-type"] = "application/problem+json";
    return response;
}

std::string_view reason_of(int status) {
    for (const auto& [number, reason] : reasons) {
        if (number == status) return reason;
    }
    return "Unknown";
}

int status_of(Errc code) {
    switch (code) {
        case Errc::invalid_argument: return 400;
        case Errc::denied: return 403;
        case Errc::not_found: return 404;
        case Errc::conflict: return 409;
        case Errc::unavailable: return 503;
        case Errc::internal: return 500;
    }
    return 500;
}

Errc errc_of(int status) {
    switch (status) {
        case 401:
        case 403: return Errc::denied;
        case 404: return Errc::not_found;
        case 409: return Errc::conflict;
        case 408:
        case 429: return Errc::unavailable;
        default: return status >= 400 && status < 500 ? Errc::invalid_argument : Errc::unavailable;
    }
}

std::string failure_text(const Response& response) {
    std::string text =
        std::to_string(response.status) + " " + std::string(reason_of(response.status));
    try {
        const auto problem = wire::parse_json(response.body, "the reply");
        for (const auto* key : {"detail", "message"}) {
            const auto found = problem.find(key);
            if (found == problem.end() || !found->is_string()) continue;
            text += ": " + found->get<std::string>();
            break;
        }
    } catch (const Error&) {
        // Not JSON: the status says it all; a stranger's page does not belong into a message.
    }
    std::replace_if(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    if (text.size() > max_failure_text) text.resize(max_failure_text);
    return text;
}

}  // namespace vigil::http
