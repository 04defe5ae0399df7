#include "worker/bench/arguments/nearest_name.hpp"

#include <algorithm>

namespace vigil_bench {

namespace {

constexpr std::size_t max_letters = 100;  // a longer one is no slip of the hand

/// Levenshtein's distance, where two neighbours that changed places count once.
std::size_t changes_between(const std::string& a, const std::string& b) {
    std::vector<std::vector<std::size_t>> table(
        a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) table[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j) table[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t changed = table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            table[i][j] = std::min({changed, table[i - 1][j] + 1, table[i][j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
            }
        }
    }
    return table[a.size()][b.size()];
}

}  // namespace

std::string nearest_name(const std::string& wrong, const std::vector<std::string>& names) {
    if (wrong.size() > max_letters) return "";
    std::string nearest;
    std::size_t fewest = std::max<std::size_t>(1, wrong.size() / 3) + 1;
    for (const auto& name : names) {
        const std::size_t changes = changes_between(wrong, name);
        if (changes >= fewest || changes >= wrong.size()) continue;
        fewest = changes;
        nearest = name;
    }
    return nearest;
}

std::string suggestion(const std::string& wrong, const std::vector<std::string>& names) {
    const std::string nearest = nearest_name(wrong, names);
    return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

}  // namespace vigil_bench
