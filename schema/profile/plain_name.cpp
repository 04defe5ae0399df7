#include <algorithm>
#include <array>

#include "schema/profile/profile.hpp"

namespace vigil::profile {

namespace {

/// Of functions that GCC and Clang make out of others; a number may follow.
constexpr std::array<std::string_view, 9> copies{
    ".isra",
    ".constprop",
    ".part",
    ".cold",
    ".lto_priv",
    ".localalias",
    ".clone",
    ".llvm",
    ".warm"};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_hexadecimal(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f');
}

/// Cuts ".isra", ".isra.0" and the like off the end. @return whether there was one
bool cut_copy(std::string_view& name) {
    auto rest = name;
    while (!rest.empty() && is_digit(rest.back())) rest.remove_suffix(1);
    if (rest.size() < name.size()) {
        if (!rest.ends_with('.')) return false;
        rest.remove_suffix(1);
    }
    for (const auto copy : copies) {
        if (!rest.ends_with(copy) || rest.size() == copy.size()) continue;
        name = rest.substr(0, rest.size() - copy.size());
        return true;
    }
    return false;
}

/// " [clone .isra.0]", as demanglers write it.
bool cut_clone(std::string_view& name) {
    constexpr std::string_view begins = " [clone ";
    const auto at = name.ends_with(']') ? name.rfind(begins) : name.npos;
    if (at == name.npos || at == 0) return false;
    name = name.substr(0, at);
    return true;
}

/// The level of a recursion, as callgrind counts it: "'2".
bool cut_level(std::string_view& name) {
    auto rest = name;
    while (!rest.empty() && is_digit(rest.back())) rest.remove_suffix(1);
    if (rest.size() == name.size() || rest.size() < 2 || rest.back() != '\'') return false;
    name = rest.substr(0, rest.size() - 1);
    return true;
}

/// "::h" and 16 hexadecimal digits, as rustc names its functions.
bool cut_hash(std::string_view& name) {
    constexpr std::string_view begins = "::h";
    constexpr std::size_t digits = 16;
    if (name.size() <= begins.size() + digits) return false;
    const auto rest = name.substr(0, name.size() - digits);
    const bool is_hash =
        rest.ends_with(begins) && std::ranges::all_of(name.substr(rest.size()), is_hexadecimal);
    if (is_hash) name = rest.substr(0, rest.size() - begins.size());
    return is_hash;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    std::string replaced;
    std::size_t done = 0;
    for (auto at = text.find(from); at != text.npos; at = text.find(from, done)) {
        replaced.append(text, done, at - done).append(to);
        done = at + from.size();
    }
    if (done > 0) text = replaced.append(text, done);
}

/// ", std::allocator<...> " as an argument of a template, which nobody wrote.
void cut_allocators(std::string& text) {
    constexpr std::string_view begins = ", std::allocator<";
    std::string cut;
    std::size_t done = 0;
    for (auto at = text.find(begins); at != text.npos; at = text.find(begins, done)) {
        auto end = at + begins.size();
        for (int depth = 1; end < text.size() && depth > 0; ++end) {
            if (text[end] == '<') ++depth;
            if (text[end] == '>') --depth;
        }
        if (end < text.size() && text[end] == ' ') ++end;
        cut.append(text, done, at - done);
        done = end;
    }
    if (done > 0) text = cut.append(text, done);
}

}  // namespace

std::string plain_name(std::string_view name) {
    while (cut_level(name) || cut_clone(name) || cut_copy(name) || cut_hash(name)) {
    }
    std::string plain(name);
    if (plain.find("std::") == plain.npos && plain.find("[abi:") == plain.npos) return plain;
    replace_all(plain, "std::__cxx11::", "std::");
    replace_all(plain, "[abi:cxx11]", "");
    cut_allocators(plain);
    replace_all(plain, "std::basic_string<char, std::char_traits<char>>", "std::string");
    replace_all(plain, "std::basic_string<char, std::char_traits<char> >", "std::string");
    return plain;
}

}  // namespace vigil::profile
