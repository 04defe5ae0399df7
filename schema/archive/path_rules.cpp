#include "schema/archive/path_rules.hpp"

#include <cstdint>

#include "schema/model/error.hpp"

namespace vigil::archive {

namespace {

constexpr std::size_t max_name = 255;  // of Linux

std::vector<std::string_view> pieces(std::string_view path) {
    std::vector<std::string_view> found;
    while (!path.empty()) {
        const auto slash = path.find('/');
        const auto piece = path.substr(0, slash);
        path = slash == path.npos ? std::string_view() : path.substr(slash + 1);
        if (!piece.empty() && piece != ".") found.push_back(piece);
    }
    return found;
}

}  // namespace

PathParts split_path(std::string_view path, std::int64_t max_path) {
    const auto refuse = [&](const std::string& why) {
        throw Error(Errc::invalid_argument, "the path \"" + printable(path) + "\" " + why);
    };
    if (path.empty()) refuse("is empty");
    if (path.front() == '/') refuse("is absolute");
    if (static_cast<std::int64_t>(path.size()) > max_path) refuse("is too long");
    PathParts parts;
    for (const auto piece : pieces(path)) {
        if (piece == "..") refuse("rises out of its folder");
        if (piece.size() > max_name) refuse("has a name that is too long");
        if (piece.find('\0') != piece.npos) refuse("holds a zero byte");
        parts.emplace_back(piece);
    }
    return parts;
}

bool link_stays_inside(const PathParts& link, std::string_view target) {
    if (link.empty() || target.empty() || target.front() == '/') return false;
    if (target.find('\0') != target.npos) return false;
    const std::size_t depth = link.size() - 1;
    std::size_t rises = 0;
    bool descended = false;
    for (const auto piece : pieces(target)) {
        if (piece != "..") {
            descended = true;
            continue;
        }
        if (descended || ++rises > depth) return false;
    }
    return true;
}

std::string join_path(const PathParts& parts) {
    std::string path;
    for (const auto& part : parts) path += (path.empty() ? "" : "/") + part;
    return path.empty() ? "." : path;
}

std::string printable(std::string_view path) {
    constexpr std::size_t most = 120;
    std::string text;
    for (const char c : path.substr(0, most)) {
        const auto byte = static_cast<unsigned char>(c);
        text += byte < 0x20 || byte == 0x7f || byte == '"' ? '?' : c;
    }
    return path.size() > most ? text + "..." : text;
}

}  // namespace vigil::archive
