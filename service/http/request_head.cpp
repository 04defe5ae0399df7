#include "service/http/request_head.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "schema/text/characters.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_method_bytes = 16;
constexpr std::size_t max_length_digits = 18;  // below 2^63
constexpr std::size_t max_host_bytes = 255;

/// Fields that mean one thing: sent twice, two readers could pick different ones.
constexpr std::array<std::string_view, 11> single_fields{
    "authorization",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    "idempotency-key",
    "transfer-encoding",
    "x-github-delivery",
    "x-github-event",
    "x-hub-signature-256"};

bool is_token_char(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_token(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_token_char);
}

/// A field's value: tab, printable ASCII and bytes above it.
bool is_value(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
    });
}

const std::string* find_field(const Head& head, const std::string& name) {
    const auto found = head.headers.find(name);
    return found == head.headers.end() ? nullptr : &found->second;
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

bool has_item(std::string_view list, std::string_view item) {
    while (!list.empty()) {
        const auto part = list.substr(0, list.find(','));
        if (text::lower_case(trim(part)) == item) return true;
        list.remove_prefix(std::min(part.size() + 1, list.size()));
    }
    return false;
}

/// Takes one line that ends with CRLF off the front. @return nothing on a bare CR or LF
std::optional<std::string_view> take_line(std::string_view& raw) {
    const auto end = raw.find('\n');
    if (end == raw.npos || end == 0 || raw[end - 1] != '\r') return std::nullopt;
    const auto line = raw.substr(0, end - 1);
    if (line.find('\r') != line.npos) return std::nullopt;
    raw.remove_prefix(end + 1);
    return line;
}

struct RequestLine {
    std::string_view method;
    std::string_view target;
    bool version_1_0 = false;
};

std::variant<RequestLine, Refusal> parse_request_line(std::string_view line) {
    const auto first = line.find(' ');
    const auto second = first == line.npos ? line.npos : line.find(' ', first + 1);
    if (second == line.npos || line.find(' ', second + 1) != line.npos) {
        return Refusal{400, "the request line is not 'METHOD target HTTP/1.1'"};
    }
    RequestLine parts{line.substr(0, first), line.substr(first + 1, second - first - 1)};
    const auto version = line.substr(second + 1);
    if (!is_token(parts.method) || parts.method.size() > max_method_bytes) {
        return Refusal{400, "the method is not a token"};
    }
    if (parts.target.size() > http::max_target_bytes) return Refusal{414, "the target is too long"};
    if (version == "HTTP/1.0") {
        parts.version_1_0 = true;
    } else if (version != "HTTP/1.1") {
        const bool known_form = version.size() == 8 && version.starts_with("HTTP/");
        if (known_form) return Refusal{505, "this service speaks HTTP/1.1"};
        return Refusal{400, "the request line does not end with an HTTP version"};
    }
    return parts;
}

std::optional<Refusal> parse_field(std::string_view line, http::Headers& headers) {
    if (line.front() == ' ' || line.front() == '\t') {
        return Refusal{400, "a header field is folded over several lines"};
    }
    const auto colon = line.find(':');
    if (colon == line.npos || !is_token(line.substr(0, colon))) {
        return Refusal{400, "a header field has no name, or space before its colon"};
    }
    const auto value = trim(line.substr(colon + 1));
    if (!is_value(value)) return Refusal{400, "a header field holds control characters"};
    const std::string name = text::lower_case(line.substr(0, colon));
    const auto [at, fresh] = headers.emplace(name, std::string(value));
    if (fresh) return std::nullopt;
    if (std::find(single_fields.begin(), single_fields.end(), name) != single_fields.end()) {
        return Refusal{400, "the header field " + name + " came twice"};
    }
    at->second += ", " + std::string(value);
    return std::nullopt;
}

std::optional<Refusal> parse_fields(std::string_view raw, http::Headers& headers) {
    for (std::size_t count = 0;; ++count) {
        const auto line = take_line(raw);
        if (!line) return Refusal{400, "a line of the header does not end with CR LF"};
        if (line->empty()) break;
        if (count == max_header_fields) return Refusal{431, "there are too many header fields"};
        if (auto refusal = parse_field(*line, headers)) return refusal;
    }
    if (!raw.empty()) return Refusal{400, "the header does not end with its empty line"};
    return std::nullopt;
}

std::optional<Refusal> check_host(const RequestLine& line, Head& head) {
    const auto* field = find_field(head, "host");
    if (field == nullptr) {
        if (line.version_1_0) return std::nullopt;
        return Refusal{400, "there is no Host"};
    }
    const std::string& host = *field;
    const auto fits = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
               std::string_view("-._~:[]%").find(c) != std::string_view::npos;
    };
    const bool bracketed = host.starts_with('[');
    const auto end = bracketed ? host.find(']') : std::min(host.find(':'), host.size());
    if (host.empty() || host.size() > max_host_bytes || end == 0 || end == host.npos ||
        !std::all_of(host.begin(), host.end(), fits)) {
        return Refusal{400, "the Host is not a host"};
    }
    const std::string_view port = std::string_view(host).substr(bracketed ? end + 1 : end);
    const bool digits = std::all_of(port.begin() + (port.empty() ? 0 : 1), port.end(), [](char c) {
        return c >= '0' && c <= '9';
    });
    if ((!port.empty() && port.front() != ':') || port.size() > 6 || !digits) {
        return Refusal{400, "the Host is not a host"};
    }
    head.host = bracketed ? host.substr(1, end - 1) : host.substr(0, end);
    return std::nullopt;
}

std::optional<Refusal> check_framing(const RequestLine& line, Head& head) {
    const auto* length = find_field(head, "content-length");
    const auto* coding = find_field(head, "transfer-encoding");
    if (coding != nullptr) {
        if (line.version_1_0) return Refusal{400, "Transfer-Encoding has no place in HTTP/1.0"};
        if (length != nullptr) {
            return Refusal{400, "both Transfer-Encoding and Content-Length frame the body"};
        }
        if (text::lower_case(*coding) != "chunked") {
            return Refusal{400, "the only Transfer-Encoding accepted is chunked"};
        }
        head.chunked = true;
    }
    if (length != nullptr) {
        const std::string& text = *length;
        const auto* last = text.data() + text.size();
        std::uint64_t value = 0;
        const auto [at, error] = std::from_chars(text.data(), last, value);
        if (text.empty() || text.size() > max_length_digits || error != std::errc() || at != last) {
            return Refusal{400, "the Content-Length is not a number"};
        }
        head.content_length = value;
    }
    return std::nullopt;
}

std::optional<Refusal> check_wishes(const RequestLine& line, Head& head) {
    const auto* connection = find_field(head, "connection");
    const std::string wishes = connection == nullptr ? "" : *connection;
    head.keep_alive =
        line.version_1_0 ? has_item(wishes, "keep-alive") : !has_item(wishes, "close");
    const auto* expect = find_field(head, "expect");
    if (expect == nullptr || line.version_1_0) return std::nullopt;
    if (text::lower_case(*expect) != "100-continue") {
        return Refusal{417, "the only expectation understood is 100-continue"};
    }
    head.expects_continue = true;
    return std::nullopt;
}

/// A target in absolute form must name the host that Host names; it is served as its path.
std::optional<Refusal> parse_target_of(std::string_view raw, Head& head) {
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (!raw.starts_with(scheme)) continue;
        raw.remove_prefix(scheme.size());
        const auto authority = raw.substr(0, raw.find('/'));
        const auto* host = find_field(head, "host");
        if (host == nullptr || text::lower_case(authority) != text::lower_case(*host)) {
            return Refusal{400, "the target names another host than Host"};
        }
        raw.remove_prefix(authority.size());
        break;
    }
    std::string why;
    auto target = http::parse_target(raw, &why);
    if (!target) return Refusal{400, why};
    head.target = std::move(*target);
    return std::nullopt;
}

}  // namespace

std::variant<Head, Refusal> parse_head(std::string_view raw) {
    if (raw.size() > max_head_bytes) return Refusal{431, "the header is too large"};
    const auto first = take_line(raw);
    if (!first) return Refusal{400, "the request line does not end with CR LF"};
    const auto parsed = parse_request_line(*first);
    if (const auto* refusal = std::get_if<Refusal>(&parsed)) return *refusal;
    const auto& line = std::get<RequestLine>(parsed);
    Head head;
    head.method = std::string(line.method);
    if (auto refusal = parse_fields(raw, head.headers)) return *refusal;
    if (auto refusal = check_host(line, head)) return *refusal;
    if (auto refusal = check_framing(line, head)) return *refusal;
    if (auto refusal = check_wishes(line, head)) return *refusal;
    if (auto refusal = parse_target_of(line.target, head)) return *refusal;
    return head;
}

http::Request request_of(const Head& head, const std::string& id) {
    http::Request request;
    request.method = head.method == "HEAD" ? "GET" : head.method;
    request.path = head.target.path;
    request.query = head.target.query;
    request.headers = head.headers;
    if (head.method == "HEAD") request.headers.erase("range");  // a GET's alone
    request.id = id;
    return request;
}

}  // namespace vigil::service
