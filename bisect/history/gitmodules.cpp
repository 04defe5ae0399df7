#include "bisect/history/gitmodules.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"

namespace vigil::history {

namespace {

constexpr std::size_t max_url = 2000;
constexpr std::size_t max_shown = 200;

[[noreturn]] void refuse(const std::string& why) {
    throw Error(Errc::invalid_argument, why);
}

bool is_config_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/// Reads git's config format. Not by libgit2, which reads the files that a stranger includes.
class ConfigReader {
  public:
    explicit ConfigReader(std::string_view text) : text_(text) {
        if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
    }

    /// The next key of a section "submodule" with a name; false at the end.
    bool next(std::string& name, std::string& key, std::string& value) {
        while (skip_to_word()) {
            if (take('[')) {
                read_section();
                continue;
            }
            key = word();
            while (is_config_blank(peek())) ++at_;
            value = take('=') ? read_value() : "true";
            if (!in_submodule_) continue;
            name = name_;
            return true;
        }
        return false;
    }

  private:
    char peek() const { return at_ < text_.size() ? text_[at_] : '\n'; }
    bool take(char c) {
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    [[noreturn]] void fail() const {
        const auto line =
            1 + std::count(text_.begin(), text_.begin() + std::ssize(text_.substr(0, at_)), '\n');
        refuse(fmt::format("line {} of .gitmodules is not one that git reads", line));
    }

    bool skip_to_word() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '#' || c == ';') {
                at_ = std::min(text_.find('\n', at_), text_.size());
            } else if (c == '\n' || is_config_blank(c)) {
                ++at_;
            } else {
                return true;
            }
        }
        return false;
    }

    std::string word() {
        std::string found;
        for (; std::isalnum(static_cast<unsigned char>(peek())) != 0 || peek() == '-' ||
               peek() == '.';
             ++at_) {
            found += text::lower_case(peek());
        }
        if (found.empty()) fail();
        return found;
    }

    void read_section() {
        const std::string kind = word();
        name_.clear();
        while (is_config_blank(peek())) ++at_;
        const bool named = take('"');
        while (named && !take('"')) {
            take('\\');
            if (peek() == '\n') fail();
            name_ += text_[at_++];
        }
        if (!take(']')) fail();
        in_submodule_ = named && kind == "submodule";
    }

    std::string read_value() {
        std::string value;
        std::size_t kept = 0;  // blanks at the end are none of it
        bool quoted = false;
        while (is_config_blank(peek())) ++at_;
        while (at_ < text_.size()) {
            char c = text_[at_++];
            if (c == '\n') {
                if (quoted) fail();
                break;
            }
            if (!quoted && (c == '#' || c == ';')) {
                at_ = std::min(text_.find('\n', at_), text_.size());
                break;
            }
            if (c == '"') {
                quoted = !quoted;
                kept = value.size();
                continue;
            }
            const bool blank = !quoted && is_config_blank(c);
            if (c == '\\') {
                take('\r');
                if (take('\n')) continue;
                c = escaped();
            }
            value += c;
            if (!blank) kept = value.size();
        }
        if (quoted) fail();
        value.resize(kept);
        return value;
    }

    char escaped() {
        constexpr std::string_view written = "ntb\"\\";
        constexpr std::string_view meant = "\n\t\b\"\\";
        const auto which = written.find(peek());
        if (at_ >= text_.size() || which == written.npos) fail();
        ++at_;
        return meant[which];
    }

    std::string_view text_;
    std::size_t at_ = 0;
    bool in_submodule_ = false;
    std::string name_;
};

bool stays_inside(std::string_view path) {
    if (path.starts_with('/')) return false;
    while (!path.empty()) {
        const auto end = std::min(path.find('/'), path.size());
        if (path.substr(0, end) == "..") return false;
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    return true;
}

/// As it is written in a tree: no "." and no slash too many.
std::string tidy_path(std::string_view path) {
    std::string tidied;
    while (!path.empty()) {
        const auto end = std::min(path.find('/'), path.size());
        const auto part = path.substr(0, end);
        if (!part.empty() && part != ".") {
            tidied += tidied.empty() ? "" : "/";
            tidied += part;
        }
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    return tidied;
}

/// "machine:path" and addresses have a colon before any slash.
bool is_path(std::string_view address) {
    const auto colon = address.find(':');
    return colon == address.npos || address.substr(0, colon).find('/') != address.npos;
}

bool is_here(std::string_view address) {
    return is_path(address) || address.starts_with("file://");
}

std::string shown(std::string_view url) {
    return "\"" + text::one_line(url, max_shown) + "\"";
}

/// As git's resolve_relative_url: each "../" takes a part off the end.
std::string joined(std::string_view origin, std::string_view url) {
    const std::string_view whole = url;
    while (origin.ends_with('/')) origin.remove_suffix(1);
    const auto scheme = origin.find("://");
    const std::size_t least = scheme == origin.npos ? 0 : scheme + 3;
    char separator = '/';
    while (true) {
        if (url.starts_with("./")) {
            url.remove_prefix(2);
        } else if (url.starts_with("../")) {
            url.remove_prefix(3);
            const auto cut = origin.find_last_of(least == 0 ? "/:" : "/");
            if (cut == origin.npos || cut < least) {
                refuse(fmt::format("its address {} leads above {}", shown(whole), shown(origin)));
            }
            separator = origin[cut];
            origin = origin.substr(0, cut);
        } else {
            break;
        }
    }
    std::string address = std::string(origin) + separator + std::string(url);
    while (address.ends_with('/')) address.pop_back();
    return address;
}

bool is_allowed_remote(std::string_view address) {
    const auto scheme = address.find("://");
    if (scheme == address.npos) {
        // machine:path; "ext::command" is none
        return !is_path(address) && address.find("::") == address.npos && address.front() != ':';
    }
    constexpr std::array<std::string_view, 4> allowed{"http", "https", "git", "ssh"};
    return std::find(allowed.begin(), allowed.end(), address.substr(0, scheme)) != allowed.end();
}

std::string allowed_address(const std::string& url, std::string_view origin) {
    if (url.empty()) refuse(".gitmodules names no address for it");
    const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
    if (url.size() > max_url || url.front() == '-' ||
        std::any_of(url.begin(), url.end(), is_control)) {
        refuse("its address " + shown(url) + " is none that git takes");
    }
    const bool relative = url.starts_with("./") || url.starts_with("../");
    const std::string address = relative ? joined(origin, url) : url;
    if (is_here(address)) {
        if (!is_here(origin)) {
            refuse(
                "its address " + shown(url) +
                " is a path of this machine, which only a repository on this machine may name");
        }
        const bool absolute = address.starts_with('/') || address.starts_with("file:///");
        if (!relative && !absolute) refuse("its address " + shown(url) + " is a path from nowhere");
    } else if (!is_allowed_remote(address)) {
        refuse(
            "its address " + shown(url) +
            " is of a kind that is not fetched; known are http, https, git, ssh and machine:path");
    }
    return address;
}

/// Without what two spellings of one address may differ in.
std::string_view plain_address(std::string_view address) {
    while (address.ends_with('/')) address.remove_suffix(1);
    if (address.ends_with(".git")) address.remove_suffix(4);
    return address;
}

}  // namespace

std::map<std::string, Submodule, std::less<>> parse_gitmodules(std::string_view text) {
    std::map<std::string, Submodule, std::less<>> by_name;
    ConfigReader reader(text);
    std::string name, key, value;
    while (reader.next(name, key, value)) {
        Submodule& module = by_name[name];
        module.name = name;
        if (key == "path" && module.path.empty()) {
            if (!stays_inside(value)) {
                refuse(fmt::format(
                    ".gitmodules names the path {}, which is absolute or has a \"..\"",
                    shown(value)));
            }
            module.path = tidy_path(value);
        }
        if (key == "url" && module.url.empty()) module.url = value;
        if (key == "update") module.wanted = value != "none";
    }
    std::map<std::string, Submodule, std::less<>> by_path;
    for (auto& [ignored, module] : by_name) {
        if (!module.path.empty()) by_path.emplace(module.path, std::move(module));
    }
    return by_path;
}

std::string submodule_address(
    const Submodule& module, std::span<const std::string> within, int taken) {
    VIGIL_ASSERT(!within.empty());
    if (taken >= max_submodules) {
        refuse(fmt::format("the tree has more than {} submodules", max_submodules));
    }
    if (std::ssize(within) > max_submodule_depth) {
        refuse(fmt::format("it lies more than {} submodules deep", max_submodule_depth));
    }
    auto address = allowed_address(module.url, within.back());
    for (const auto& one : within) {
        if (plain_address(one) == plain_address(address)) {
            refuse("it is a submodule of itself: it lies in " + shown(module.url));
        }
    }
    return address;
}

}  // namespace vigil::history
