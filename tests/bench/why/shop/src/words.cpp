#include "shop.hpp"

namespace shop {

std::size_t WordHash::operator()(const std::string& word) const {
    std::uint64_t hash = word.size();
    for (const char c : word) hash = hash * 31 + c;
    return hash;
}

Words split(const std::string& text) {
    Words words;
    std::size_t from = 0;
    while (from < text.size()) {
        const auto to = std::min(text.find(' ', from), text.size());
        words.push_back(text.substr(from, to - from));
        from = to + 1;
    }
    return words;
}

std::string longest(const Words& words) {
    const std::string* best = &words.front();
    for (const auto& word : words) {
        if (word.size() > best->size()) best = &word;
    }
    return *best;
}

Counts count(const Words& words) {
    Counts counts;
    for (const auto& word : words) ++counts[word];
    return counts;
}

}  // namespace shop
