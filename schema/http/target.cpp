#include "schema/http/target.hpp"

#include <algorithm>
#include <charconv>

#include "schema/model/error.hpp"
#include "schema/text/characters.hpp"

namespace vigil::http {

namespace {

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

bool is_unreserved(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

bool is_clean_text(std::string_view text) {
    const auto is_control = [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    };
    return std::none_of(text.begin(), text.end(), is_control) &&
           text::find_unsound(text) == text.npos;
}

enum class Plus { is_plus, is_space };

std::optional<std::string> decode(std::string_view raw, Plus plus, bool& slash) {
    std::string text;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        if (raw[i] == '+' && plus == Plus::is_space) {
            text += ' ';
        } else if (raw[i] != '%') {
            text += raw[i];
        } else {
            if (i + 2 >= raw.size()) return std::nullopt;
            const int high = hex_value(raw[i + 1]);
            const int low = hex_value(raw[i + 2]);
            if (high < 0 || low < 0) return std::nullopt;
            const char c = static_cast<char>(high * 16 + low);
            slash = slash || c == '/' || c == '\\';
            text += c;
            i += 2;
        }
    }
    if (!is_clean_text(text)) return std::nullopt;
    return text;
}

/// Every segment is neither empty (but the last may be) nor made of dots.
bool has_plain_segments(std::string_view path) {
    for (std::size_t at = 1; at <= path.size();) {
        const auto end = std::min(path.find('/', at), path.size());
        const auto segment = path.substr(at, end - at);
        if (segment == "." || segment == "..") return false;
        if (segment.empty() && end != path.size()) return false;
        at = end + 1;
    }
    return true;
}

bool parse_query(std::string_view raw, std::map<std::string, std::string>& query) {
    while (!raw.empty()) {
        const auto pair = raw.substr(0, raw.find('&'));
        raw.remove_prefix(std::min(pair.size() + 1, raw.size()));
        if (pair.empty()) continue;
        const auto equals = std::min(pair.find('='), pair.size());
        bool slash = false;  // allowed in a query
        const auto name = decode(pair.substr(0, equals), Plus::is_space, slash);
        const auto rest = pair.substr(std::min(equals + 1, pair.size()));
        const auto value = decode(rest, Plus::is_space, slash);
        if (!name || name->empty() || !value) return false;
        if (query.size() == max_query_parameters) return false;
        if (!query.emplace(*name, *value).second) return false;
    }
    return true;
}

std::uint16_t parse_port(std::string_view text, std::string_view url) {
    unsigned port = 0;
    const auto* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, port);
    if (error != std::errc() || at != end || port == 0 || port > 65535) {
        throw Error(
            Errc::invalid_argument,
            "reading the URL '" + std::string(url) + "': the port is not a number of 1..65535");
    }
    return static_cast<std::uint16_t>(port);
}

}  // namespace

std::optional<Target> parse_target(std::string_view raw, std::string* why) {
    const auto refuse = [&](const char* reason) -> std::optional<Target> {
        if (why != nullptr) *why = reason;
        return std::nullopt;
    };
    if (raw.size() > max_target_bytes) return refuse("the target is too long");
    if (!raw.starts_with('/')) return refuse("the target is not an absolute path");
    const auto printable = [](char c) { return c > 0x20 && c < 0x7f; };
    if (!std::all_of(raw.begin(), raw.end(), printable) || raw.find('#') != raw.npos) {
        return refuse("the target has characters that must be encoded");
    }
    const auto mark = std::min(raw.find('?'), raw.size());
    bool slash = false;
    const auto path = decode(raw.substr(0, mark), Plus::is_plus, slash);
    if (!path || slash) return refuse("the path's encoding is broken");
    if (path->find('\\') != path->npos || !has_plain_segments(*path)) {
        return refuse("the path has empty or dot segments");
    }
    Target target{*path, {}};
    if (mark < raw.size() && !parse_query(raw.substr(mark + 1), target.query)) {
        return refuse("the query is broken, too long, or names a parameter twice");
    }
    return target;
}

std::optional<std::map<std::string, std::string>> parse_form(std::string_view body) {
    std::map<std::string, std::string> fields;
    if (!parse_query(body, fields)) return std::nullopt;
    return fields;
}

std::string percent_encode(std::string_view text) {
    static constexpr std::string_view digits = "0123456789ABCDEF";
    std::string encoded;
    for (const char c : text) {
        if (is_unreserved(c)) {
            encoded += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        encoded += {'%', digits[byte >> 4], digits[byte & 15]};
    }
    return encoded;
}

std::string query_string(const std::map<std::string, std::string>& query) {
    std::string text;
    for (const auto& [name, value] : query) {
        if (value.empty()) continue;
        text += (text.empty() ? "?" : "&") + percent_encode(name) + "=" + percent_encode(value);
    }
    return text;
}

std::string BaseUrl::authority() const {
    const bool bare_v6 = host.find(':') != host.npos;
    const std::string name = bare_v6 ? "[" + host + "]" : host;
    return port == (secure ? 443 : 80) ? name : name + ":" + std::to_string(port);
}

BaseUrl parse_base_url(std::string_view url) {
    const auto fail = [&](const char* reason) {
        return Error(
            Errc::invalid_argument,
            "reading the URL '" + std::string(url) + "': " + reason +
                "; it looks like http://host:port or https://host/path");
    };
    BaseUrl base;
    auto rest = url;
    if (rest.starts_with("https://")) {
        base.secure = true;
        base.port = 443;
        rest.remove_prefix(8);
    } else if (rest.starts_with("http://")) {
        rest.remove_prefix(7);
    } else {
        throw fail("it begins with neither http:// nor https://");
    }
    const auto authority = rest.substr(0, rest.find('/'));
    auto prefix = rest.substr(authority.size());
    while (prefix.ends_with('/')) prefix.remove_suffix(1);
    if (!prefix.empty() && !parse_target(prefix)) throw fail("its path is not plain");
    if (prefix.find('?') != prefix.npos) throw fail("it has a query");
    base.prefix = std::string(prefix);
    if (authority.find('@') != authority.npos) throw fail("it holds a user");
    auto host_end = authority.rfind(':');
    if (authority.starts_with('[')) {
        const auto bracket = authority.find(']');
        if (bracket == authority.npos) throw fail("its bracket is not closed");
        base.host = std::string(authority.substr(1, bracket - 1));
        host_end = bracket + 1;
        if (host_end < authority.size() && authority[host_end] != ':')
            throw fail("its host is odd");
    } else {
        base.host = std::string(authority.substr(0, host_end));
    }
    if (host_end < authority.size()) base.port = parse_port(authority.substr(host_end + 1), url);
    const auto plain = [](char c) { return is_unreserved(c) || c == ':'; };
    if (base.host.empty() || !std::all_of(base.host.begin(), base.host.end(), plain)) {
        throw fail("its host is not a name or an address");
    }
    return base;
}

WebAddress parse_url(std::string_view url) {
    const auto scheme_end = url.find("://");
    const auto host_at = scheme_end == url.npos ? 0 : scheme_end + 3;
    const auto path_at = std::min(url.find('/', host_at), url.size());
    WebAddress address{parse_base_url(url.substr(0, path_at)), std::string(url.substr(path_at))};
    if (address.path.empty()) address.path = "/";
    if (!parse_target(address.path)) {
        throw Error(Errc::invalid_argument, "reading an address: its path or query is not plain");
    }
    return address;
}

}  // namespace vigil::http
