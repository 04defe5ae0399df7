#include "service/config/suggest.hpp"

#include <algorithm>
#include <cctype>

namespace vigil::service {

namespace {

constexpr std::size_t max_word_bytes = 100;  // longer words have no suggestion

bool equal_letters(char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
}

/// Edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> cost(
        a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool equal = equal_letters(a[i - 1], b[j - 1]);
            cost[i][j] = std::min(
                {cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + (equal ? 0 : 1)});
            if (i < 2 || j < 2) continue;
            if (equal_letters(a[i - 1], b[j - 2]) && equal_letters(a[i - 2], b[j - 1])) {
                cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
            }
        }
    }
    return cost[a.size()][b.size()];
}

}  // namespace

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known) {
    if (word.empty() || word.size() > max_word_bytes) return std::nullopt;
    std::optional<std::string> found;
    std::size_t least = (word.size() + 2) / 3 + 1;
    for (const auto& candidate : known) {
        if (candidate.size() > max_word_bytes) continue;
        const auto distance = edit_distance(word, candidate);
        if (distance >= least || distance >= candidate.size()) continue;
        least = distance;
        found = candidate;
    }
    return found;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
    const auto found = nearest(word, known);
    return found ? "; did you mean \"" + *found + "\"?" : "";
}

}  // namespace vigil::service
