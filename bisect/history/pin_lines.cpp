#include "bisect/history/pin_lines.hpp"

#include <algorithm>
#include <cctype>

namespace vigil::history {

namespace {

constexpr std::size_t short_hash_digits = 40;
constexpr std::size_t long_hash_digits = 64;
constexpr char hash_place = '\x01';  // in no text that a person wrote

bool is_word(char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
}

bool is_hash(std::string_view word) {
    return (word.size() == short_hash_digits || word.size() == long_hash_digits) &&
           std::all_of(word.begin(), word.end(), [](char c) {
               return std::isxdigit(static_cast<unsigned char>(c)) != 0;
           });
}

struct PinLine {
    std::string frame;  ///< the line with each hash left out, without its comment
    std::vector<std::string> hashes;
};

PinLine take_apart(std::string_view line) {
    PinLine parts;
    std::size_t tail = 0;  // of the frame: where what follows the last hash begins
    while (!line.empty()) {
        const auto end = std::find_if_not(line.begin(), line.end(), is_word);
        const auto word = line.substr(0, static_cast<std::size_t>(end - line.begin()));
        if (is_hash(word)) {
            parts.hashes.emplace_back(word);
            parts.frame += hash_place;
            tail = parts.frame.size();
            line.remove_prefix(word.size());
        } else {
            const auto length = std::max<std::size_t>(word.size(), 1);
            parts.frame += line.substr(0, length);
            line.remove_prefix(length);
        }
    }
    const auto comment = std::min(parts.frame.find('#', tail), parts.frame.find("//", tail));
    if (comment != parts.frame.npos) parts.frame.resize(comment);
    parts.frame.resize(parts.frame.find_last_not_of(" \t\r\n") + 1);
    return parts;
}

struct TagLine {
    std::string_view head, tag, tail;
};

TagLine take_tag(std::string_view line) {
    constexpr std::string_view key = "GIT_TAG";
    constexpr std::size_t longest = 100;
    const auto found = line.find(key);
    if (found == line.npos || (found > 0 && is_word(line[found - 1]))) return {};
    const auto behind = found + key.size();
    const auto begin = std::min(line.find_first_not_of(" \t\"", behind), line.size());
    if (begin == behind) return {};
    const auto end =
        std::find_if_not(line.begin() + static_cast<std::ptrdiff_t>(begin), line.end(), [](char c) {
            return is_word(c) || c == '.' || c == '-' || c == '/' || c == '+';
        });
    const auto size = static_cast<std::size_t>(end - line.begin()) - begin;
    if (size == 0 || size > longest) return {};
    auto tail = line.substr(begin + size);
    if (!tail.empty() && std::string_view(" \t\r\n\")#").find(tail.front()) == tail.npos) return {};
    tail = tail.substr(0, tail.find('#'));
    tail = tail.substr(0, tail.find_last_not_of(" \t\r\n") + 1);
    return {line.substr(0, begin), line.substr(begin, size), tail};
}

}  // namespace

std::optional<std::vector<HashPair>> moved_hashes(std::string_view before, std::string_view after) {
    const PinLine a = take_apart(before);
    const PinLine b = take_apart(after);
    if (a.hashes.empty() || a.hashes.size() != b.hashes.size() || a.frame != b.frame) {
        return std::nullopt;
    }
    std::vector<HashPair> moved;
    for (std::size_t i = 0; i < a.hashes.size(); ++i) {
        if (a.hashes[i] != b.hashes[i]) moved.emplace_back(a.hashes[i], b.hashes[i]);
    }
    if (moved.empty()) return std::nullopt;
    return moved;
}

std::optional<HashPair> moved_tag(std::string_view before, std::string_view after) {
    const auto a = take_tag(before);
    const auto b = take_tag(after);
    if (a.tag.empty() || b.tag.empty() || a.tag == b.tag) return std::nullopt;
    if (a.head != b.head || a.tail != b.tail) return std::nullopt;
    return HashPair{a.tag, b.tag};
}

}  // namespace vigil::history
