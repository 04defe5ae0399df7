#include <algorithm>

#include "shop.hpp"

namespace shop {

namespace {

bool comes_first(const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
}

}  // namespace

Index::Index(const Words& words) : words_(words) {
    std::sort(words_.begin(), words_.end());
    words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
}

bool Index::has(const std::string& word) const {
    return std::binary_search(words_.begin(), words_.end(), word);
}

void order(Words& words) {
    std::sort(words.begin(), words.end(), comes_first);
}

}  // namespace shop
