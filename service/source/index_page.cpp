#include "service/source/index_page.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include <boost/algorithm/string.hpp>

#include "schema/http/target.hpp"
#include "schema/text/characters.hpp"
#include "service/source/wheel_name.hpp"
#include "service/source/words.hpp"

namespace vigil::service {

using namespace std::string_view_literals;

namespace {

constexpr std::size_t max_links = 200'000;
constexpr std::size_t max_attribute_bytes = 4000;

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f';
}

/// The few references that stand in addresses: &amp; &#43; &#x2B;. Others stay as they are.
std::string without_references(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const auto end = text.front() == '&' ? text.substr(0, 10).find(';') : text.npos;
        const auto name = end == text.npos ? std::string_view() : text.substr(1, end - 1);
        int code = 0;
        if (name.starts_with("#")) {
            const bool hex = name.size() > 2 && text::lower_case(name[1]) == 'x';
            const auto digits = name.substr(hex ? 2 : 1);
            const char* last = digits.data() + digits.size();
            const auto [at, error] = std::from_chars(digits.data(), last, code, hex ? 16 : 10);
            if (error != std::errc{} || at != last) code = 0;
        } else if (name == "amp") {
            code = '&';
        } else if (name == "quot") {
            code = '"';
        }
        const bool known = code > 0x20 && code < 0x7f;
        out += known ? static_cast<char>(code) : text.front();
        text.remove_prefix(known ? end + 1 : 1);
    }
    return out;
}

using Attributes = std::map<std::string, std::string>;

/// The attributes of a tag, from behind its name up to its ">".
Attributes read_attributes(std::string_view html, std::size_t& at) {
    Attributes attributes;
    while (at < html.size() && html[at] != '>') {
        if (is_blank(html[at]) || html[at] == '/') {
            ++at;
            continue;
        }
        std::string name;
        while (at < html.size() && !is_blank(html[at]) && html[at] != '=' && html[at] != '>') {
            name += text::lower_case(html[at++]);
        }
        while (at < html.size() && is_blank(html[at])) ++at;
        std::string_view value;
        if (at < html.size() && html[at] == '=') {
            for (++at; at < html.size() && is_blank(html[at]);) ++at;
            const char quote = at < html.size() ? html[at] : '>';
            const bool quoted = quote == '"' || quote == '\'';
            if (quoted) ++at;
            const auto end = std::min(
                quoted ? html.find(quote, at) : html.find_first_of(" \t\r\n>", at), html.size());
            value = html.substr(at, end - at);
            at = end + (quoted && end < html.size() ? 1 : 0);
        }
        if (name.empty()) ++at;  // "=" without a name
        if (value.size() <= max_attribute_bytes) attributes.emplace(name, value);
    }
    return attributes;
}

enum class Reading { goes_on, ends };

/// The attributes of each element of this name, in the page's order. Comments are passed over.
template <class Take>
void for_each_element(std::string_view html, std::string_view name, Take&& take) {
    for (std::size_t at = 0; (at = html.find('<', at)) != html.npos;) {
        ++at;
        if (html.substr(at, 3) == "!--") {
            at = std::min(html.find("-->", at), html.size());
            continue;
        }
        const auto end = at + name.size();
        if (end >= html.size() || !is_blank(html[end])) continue;
        if (text::lower_case(html.substr(at, name.size())) != name) continue;
        at = end;
        if (take(read_attributes(html, at)) == Reading::ends) return;
    }
}

std::optional<Digest> digest_in(std::string_view fragment) {
    const std::string_view mark = "sha256=";
    if (!fragment.starts_with(mark)) return std::nullopt;
    const auto hex = text::lower_case(fragment.substr(mark.size()));
    if (hex.size() != 64 || !is_lower_hex(hex)) return std::nullopt;
    return Digest(hex);
}

/// "https://server:port", and the path behind it.
struct SplitUrl {
    std::string_view server;
    std::string_view path;
};

std::optional<SplitUrl> split_url(std::string_view url) {
    const auto mark = url.find("://");
    if (mark == url.npos) return std::nullopt;
    const auto end = std::min(url.find_first_of("/?#", mark + 3), url.size());
    return SplitUrl{url.substr(0, end), url.substr(end)};
}

/// What links of a page are resolved against, and what they are allowed by.
struct PageAddress {
    std::string page;  ///< where it came from
    std::string base;  ///< of its links
};

std::optional<std::string> followed(const PageAddress& address, std::string_view link) {
    auto url = resolve_link(address.base, link.substr(0, link.find('#')));
    if (url && !may_follow(address.page, *url)) url.reset();
    return url;
}

std::optional<IndexLink> link_of(const Attributes& attributes, const PageAddress& address) {
    const auto href = attributes.find("href");
    if (href == attributes.end()) return std::nullopt;
    const std::string raw = without_references(href->second);
    const auto hash = raw.find('#');
    const auto url = followed(address, raw);
    if (!url) return std::nullopt;
    const auto target = http::parse_target(std::string(split_url(*url)->path));
    if (!target || target->path.ends_with('/')) return std::nullopt;
    IndexLink link;
    link.url = *url;
    link.file = target->path.substr(target->path.rfind('/') + 1);
    if (hash != raw.npos) link.sha256 = digest_in(std::string_view(raw).substr(hash + 1));
    link.yanked = attributes.contains("data-yanked");
    return link;
}

constexpr std::array<std::string_view, 5> archive_ends{
    ".zip", ".tar.gz", ".tgz", ".tar.xz", ".tar.zst"};

std::optional<Revision> full_hash(std::string_view text) {
    if ((text.size() != 40 && text.size() != 64) || !is_lower_hex(text)) return std::nullopt;
    return Revision(std::string(text));
}

}  // namespace

std::optional<std::string> resolve_link(const std::string& base, std::string_view link) {
    link = text::trimmed(link);
    const bool plain = std::all_of(link.begin(), link.end(), [](char c) {
        return c > 0x20 && c < 0x7f && c != '"' && c != '<' && c != '>' && c != '\\';
    });
    if (link.empty() || !plain) return std::nullopt;
    const auto from = split_url(base);
    if (!from) return std::nullopt;
    std::string url;
    if (link.starts_with("http://") || link.starts_with("https://")) {
        url = link;
    } else if (link.substr(0, link.find('/')).find(':') != link.npos) {
        return std::nullopt;  // mailto:, javascript:
    } else if (link.starts_with("//")) {
        url = base.substr(0, base.find("//")) + std::string(link);
    } else if (link.starts_with('/')) {
        url = std::string(from->server) + std::string(link);
    } else {
        auto folder = from->path.substr(0, from->path.find_first_of("?#"));
        folder = folder.substr(0, std::min(folder.rfind('/'), folder.size()));
        for (auto first = link.substr(0, link.find('/')); first == "." || first == "..";
             first = link.substr(0, link.find('/'))) {
            if (first == "..") {
                folder = folder.substr(0, std::min(folder.rfind('/'), folder.size()));
            }
            link.remove_prefix(std::min(first.size() + 1, link.size()));
        }
        url = std::string(from->server) + std::string(folder) + "/" + std::string(link);
    }
    const auto parts = split_url(url);
    if (!parts || !parts->path.starts_with('/')) return std::nullopt;
    const bool has_user = parts->server.find('@') != parts->server.npos;
    if (has_user || parts->server.ends_with("//")) return std::nullopt;
    return url;
}

bool may_follow(const std::string& base, const std::string& url) {
    if (url.starts_with("https://")) return true;
    const auto from = split_url(base);
    const auto to = split_url(url);
    return !base.starts_with("https://") && from && to && boost::iequals(from->server, to->server);
}

std::vector<IndexLink> parse_index_page(std::string_view html, const std::string& page) {
    PageAddress address{page, page};
    // By the rules of HTML the first base with an address holds for links that stand before it too.
    for_each_element(html, "base", [&](const Attributes& attributes) {
        const auto href = attributes.find("href");
        if (href == attributes.end()) return Reading::goes_on;
        address.base = followed(address, without_references(href->second)).value_or(page);
        return Reading::ends;
    });
    std::vector<IndexLink> links;
    for_each_element(html, "a", [&](const Attributes& attributes) {
        const auto link = link_of(attributes, address);
        if (link && links.size() >= max_links) refuse("the page has more than 200000 links");
        if (link) links.push_back(*link);
        return Reading::goes_on;
    });
    return links;
}

std::optional<std::string> version_in_archive_name(
    std::string_view file, std::string_view package) {
    if (!file.starts_with(package) || file.substr(package.size(), 1) != "-") return std::nullopt;
    auto version = file.substr(package.size() + 1);
    const auto* end = std::find_if(archive_ends.begin(), archive_ends.end(), [&](const auto& one) {
        return version.ends_with(one);
    });
    if (end == archive_ends.end()) return std::nullopt;
    version.remove_suffix(end->size());
    if (!parse_python_version(version)) return std::nullopt;
    return std::string(version);
}

std::optional<Revision> revision_in_version_py(std::string_view text) {
    // What PyTorch, NumPy and SciPy, pandas, setuptools-scm and versioneer write.
    constexpr std::array keys{
        "git_version"sv,
        "git_revision"sv,
        "__git_version__"sv,
        "__git_revision__"sv,
        "__commit_id__"sv,
        "commit_id"sv,
        "\"full-revisionid\""sv};
    while (!text.empty()) {
        auto line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        line = text::trimmed(line);
        const auto* key =
            std::ranges::find_if(keys, [&](auto one) { return line.starts_with(one); });
        if (key == keys.end()) continue;
        line.remove_prefix(key->size());
        const auto quote = line.find_first_of("'\"");
        if (quote == line.npos || line.find_first_of("=:") > quote) continue;
        const auto value = line.substr(quote + 1);
        if (auto hash = full_hash(value.substr(0, value.find(line[quote])))) return hash;
    }
    return std::nullopt;
}

std::optional<Revision> revision_in_nightly_message(std::string_view message) {
    const std::string_view mark = "nightly release (";
    const auto at = message.find(mark);
    if (at == message.npos) return std::nullopt;
    message.remove_prefix(at + mark.size());
    const auto end = message.find(')');
    return end == message.npos ? std::nullopt : full_hash(message.substr(0, end));
}

std::optional<std::string> required_version(std::string_view metadata, std::string_view package) {
    const std::string_view key = "Requires-Dist:";
    while (!metadata.empty()) {
        auto line = metadata.substr(0, metadata.find('\n'));
        metadata.remove_prefix(std::min(line.size() + 1, metadata.size()));
        if (text::trimmed(line).empty()) break;  // the description follows
        if (!line.starts_with(key)) continue;
        line = text::trimmed(line.substr(key.size()));
        line = line.substr(0, line.find(';'));  // what follows is when it holds
        const auto name = line.substr(0, line.find_first_of(" (=<>!~["));
        if (normalised_package(name) != normalised_package(package)) continue;
        const auto equals = line.find("==");
        if (equals == line.npos) return std::nullopt;
        auto version = text::trimmed(line.substr(equals + 2));
        version = text::trimmed(version.substr(0, version.find_first_of("), ")));
        return std::string(version);
    }
    return std::nullopt;
}

}  // namespace vigil::service
