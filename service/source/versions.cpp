#include "service/source/versions.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "schema/model/error.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/numbers.hpp"

namespace vigil::service {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Oldest first; "end" is the release itself.
enum class Rank { development, alpha, beta, candidate, end, word, number };

struct Token {
    Rank rank = Rank::end;
    std::string text;
};

Rank rank_of(std::string_view word) {
    static constexpr std::pair<std::string_view, Rank> marks[]{
        {"dev", Rank::development},
        {"nightly", Rank::development},
        {"canary", Rank::development},
        {"a", Rank::alpha},
        {"alpha", Rank::alpha},
        {"b", Rank::beta},
        {"beta", Rank::beta},
        {"c", Rank::candidate},
        {"rc", Rank::candidate},
        {"pre", Rank::candidate},
        {"preview", Rank::candidate}};
    for (const auto& [mark, rank] : marks) {
        if (mark == word) return rank;
    }
    return Rank::word;
}

Token next_token(std::string_view& text) {
    while (!text.empty() && !is_digit(text.front()) && !is_letter(text.front())) {
        text.remove_prefix(1);
    }
    if (text.empty()) return {};
    const bool number = is_digit(text.front());
    std::size_t size = 0;
    while (size < text.size() && (number ? is_digit(text[size]) : is_letter(text[size]))) ++size;
    Token token{Rank::number, std::string(text.substr(0, size))};
    text.remove_prefix(size);
    if (number) {
        token.text.erase(0, std::min(token.text.find_first_not_of('0'), token.text.size()));
    } else {
        token.text = text::lower_case(token.text);
        token.rank = rank_of(token.text);
    }
    return token;
}

std::strong_ordering compare_tokens(const Token& a, const Token& b) {
    if (a.rank != b.rank) return a.rank <=> b.rank;
    if (a.rank == Rank::number && a.text.size() != b.text.size()) {
        return a.text.size() <=> b.text.size();
    }
    return a.text.compare(b.text) <=> 0;
}

}  // namespace

std::strong_ordering compare_versions(std::string_view a, std::string_view b) {
    std::string_view left = a.substr(0, a.find('+'));
    std::string_view right = b.substr(0, b.find('+'));
    while (true) {
        const Token one = next_token(left);
        const Token other = next_token(right);
        const auto order = compare_tokens(one, other);
        if (order != 0) return order;
        if (one.rank == Rank::end) return a.compare(b) <=> 0;
    }
}

bool is_day(std::string_view text) {
    try {
        text::parse_day(std::string(text));
        return text.substr(0, 4) >= "1980";
    } catch (const Error&) {
        return false;
    }
}

std::optional<std::string> day_in_version(std::string_view version) {
    for (std::size_t i = 0; i < version.size(); ++i) {
        if (!is_digit(version[i]) || (i > 0 && is_digit(version[i - 1]))) continue;
        std::size_t size = 0;
        while (i + size < version.size() && is_digit(version[i + size])) ++size;
        if (size == 8) {
            const auto digits = version.substr(i, 8);
            const auto day = std::string(digits.substr(0, 4)) + "-" +
                             std::string(digits.substr(4, 2)) + "-" +
                             std::string(digits.substr(6, 2));
            if (is_day(day)) return day;
        }
        const auto dashed = version.substr(i, 10);
        const bool ends = i + 10 >= version.size() || !is_digit(version[i + 10]);
        if (size == 4 && ends && is_day(dashed)) return std::string(dashed);
    }
    return std::nullopt;
}

std::string day_of(std::int64_t utc_s) {
    const std::string time = text::utc(utc_s);
    return time.substr(0, time.find(' '));
}

std::string days_after(const std::string& day, int days) {
    VIGIL_ASSERT(is_day(day));
    return day_of(text::parse_day(day) + std::int64_t{86'400} * days);
}

}  // namespace vigil::service
