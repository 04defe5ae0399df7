#include <cstdio>

#include "product.hpp"
#include "shop.hpp"

using namespace shop;

namespace {

std::string make_text(int words) {
    std::string text;
    std::uint32_t state = 1;
    for (int i = 0; i < words; ++i) {
        state = state * 1664525 + 1013904223;
        text += "word" + std::to_string((state >> 16) % 997) + "-of-the-shop ";
    }
    return text;
}

std::uint64_t serve(const std::string& text) {
    auto words = split(text);
    const Index index(words);
    std::uint64_t sum = longest(words).size() + count(words).size();
    for (const auto& word : words) sum += index.has(word);
    order(words);
    sum += drain(20'000) + paths(11, 8);
    std::vector<Shape> shapes;
    std::vector<std::uint32_t> values;
    for (int i = 0; i < 20'000; ++i) {
        shapes.push_back({i * 0.5, 2.0, i % 2});
        values.push_back(i);
    }
    sum += static_cast<std::uint64_t>(total_area(shapes)) + join(values).size();
    for (int i = 0; i < 20; ++i) sum += scramble(values);
    const auto records = read_records(2000);
    for (int i = 0; i < 10; ++i) sum += checksum(records);
    sum += encode(text) + sum_of(Words(2000, "1234"));
    const std::vector<float> matrix(48 * 48, 0.5F);
    return sum + static_cast<std::uint64_t>(squared(matrix, 48));
}

}  // namespace

int main() {
    const auto text = make_text(3000);
    std::uint64_t sum = 0;
    for (int i = 0; i < 8; ++i) sum += serve(text);
    std::printf("%llu\n", static_cast<unsigned long long>(sum));
}
