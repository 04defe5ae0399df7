#include "service/source/words.hpp"

#include <algorithm>

#include "schema/model/error.hpp"

namespace vigil::service {

void refuse(const std::string& why) {
    throw Error(Errc::invalid_argument, why);
}

std::string without_credentials(std::string_view origin) {
    const auto scheme = origin.find("://");
    if (scheme == origin.npos) return std::string(origin);
    const auto from = scheme + 3;
    const auto at = origin.substr(0, origin.find('/', from)).rfind('@');
    if (at == origin.npos || at < from) return std::string(origin);
    return std::string(origin.substr(0, from)) + std::string(origin.substr(at + 1));
}

std::string without_addresses(std::string_view text) {
    std::string result;
    while (true) {
        const auto mark = text.find("://");
        if (mark == text.npos) return result + std::string(text);
        auto begin = mark;
        const auto is_letter = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        };
        while (begin > 0 && is_letter(text[begin - 1])) --begin;
        result += std::string(text.substr(0, begin)) + "<address>";
        const auto end = text.find_first_of(" \t\r\n\"'<>", mark);
        if (end == text.npos) return result;
        text.remove_prefix(end);
    }
}

std::string without_paths(std::string_view text) {
    constexpr std::string_view scheme = "file://";
    constexpr std::string_view before = " \t\r\n\"'`(<[{=:,;|";
    constexpr std::string_view after = " \t\r\n\"'`)<>]},;|";
    std::string result;
    char last = ' ';
    while (!text.empty()) {
        const bool address = text.starts_with(scheme);
        // "://" of another address: its slashes are no path's.
        const bool path = text.front() == '/' && text.size() > 1 &&
                          before.find(last) != before.npos &&
                          !(last == ':' && text.starts_with("//"));
        const bool single = text.size() > 1 && after.find(text[1]) != after.npos;
        if ((!path || single) && !address) {
            last = text.front();
            result += last;
            text.remove_prefix(1);
            continue;
        }
        auto end = std::min(text.find_first_of(after, address ? scheme.size() : 1), text.size());
        // In quotes a path may hold spaces.
        if (last == '"' || last == '\'') {
            const auto quote = text.find(last);
            if (quote != text.npos) end = quote;
        }
        while (end > 1 && (text[end - 1] == ':' || text[end - 1] == '.')) --end;
        result += "<path>";
        last = '>';
        text.remove_prefix(end);
    }
    return result;
}

}  // namespace vigil::service
