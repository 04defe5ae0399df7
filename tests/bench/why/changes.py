"""Changes of the program `shop`, each of another kind, with the functions that a person would name.

An edit is (path, old text, new text); the old text occurs once; "" makes a file."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Change:
    kind: str
    functions: list[str]  # any of these is right: parts of names, with "(" where it is the end
    edits: list[tuple[str, str, str]]


CHANGES = [
    Change("an extra copy", ["shop::longest("], [
        ("src/words.cpp", "std::string longest(const Words& words) {\n",
         "std::string longest(const Words& words) {\n    const Words copy = words;\n"),
        ("src/words.cpp", "for (const auto& word : words) {\n        if",
         "for (const auto& word : copy) {\n        if")]),
    # The copy is made by who calls it.
    Change("an argument by value", ["serve("], [
        ("src/shop.hpp", "std::string longest(const Words& words);",
         "std::string longest(Words words);"),
        ("src/words.cpp", "std::string longest(const Words& words) {",
         "std::string longest(Words words) {")]),
    Change("a lost inline", ["shop::mix(", "shop::scramble("], [
        ("src/mix.hpp", """inline std::uint32_t mix(std::uint32_t x) {
    x ^= x << 13;
    x ^= x >> 17;
    return x ^ (x << 5);
}
""", "std::uint32_t mix(std::uint32_t x);\n"),
        ("src/queue.cpp", '#include "shop.hpp"\n\nnamespace shop {\n',
         """#include "mix.hpp"
#include "shop.hpp"

namespace shop {

std::uint32_t mix(std::uint32_t x) {
    x ^= x << 13;
    x ^= x >> 17;
    return x ^ (x << 5);
}
""")]),
    Change("a changed container", ["shop::count("], [
        ("src/shop.hpp",
         "using Counts = std::unordered_map<std::string, std::uint32_t, WordHash>;",
         "using Counts = std::map<std::string, std::uint32_t>;"),
        ("src/shop.hpp", "#include <memory>\n", "#include <map>\n#include <memory>\n")]),
    Change("an added lock", ["shop::Queue::push", "shop::Queue::pop", "shop::drain"], [
        ("src/shop.hpp", "    std::deque<std::uint32_t> values_;\n",
         "    std::deque<std::uint32_t> values_;\n    std::mutex mutex_;\n"),
        ("src/shop.hpp", "#include <memory>\n", "#include <memory>\n#include <mutex>\n"),
        ("src/queue.cpp", "    values_.push_back(value);\n",
         "    const std::lock_guard lock(mutex_);\n    values_.push_back(value);\n"),
        ("src/queue.cpp", "    const auto value = values_.front();\n",
         "    const std::lock_guard lock(mutex_);\n    const auto value = values_.front();\n")]),
    Change("a bigger allocation", ["shop::read_records("], [
        ("src/records.cpp", "constexpr std::size_t room = 16;",
         "constexpr std::size_t room = 512;")]),
    Change("a recursion", ["shop::paths("], [
        ("src/paths.cpp", """std::uint64_t paths(int width, int height) {
    std::vector<std::uint64_t> row(width + 1, 1);
    for (int y = 0; y < height; ++y) {
        for (int x = 1; x <= width; ++x) row[x] += row[x - 1];
    }
    return row[width];
}
""", """std::uint64_t paths(int width, int height) {
    if (width == 0 || height == 0) return 1;
    return paths(width - 1, height) + paths(width, height - 1);
}
""")]),
    Change("a template's other instance", ["shop::squared<", "product.hpp"], [
        ("src/main.cpp", "const std::vector<float> matrix(48 * 48, 0.5F);",
         "const std::vector<long double> matrix(48 * 48, 0.5L);")]),
    Change("a virtual call", ["shop::total_area(", "area("], [
        ("src/shapes.cpp", """double area(const Shape& shape) {
    return shape.kind == 0 ? shape.width * shape.height : shape.width * shape.height / 2;
}
""", """struct Kind {
    virtual ~Kind() = default;
    virtual double area(const Shape& shape) const = 0;
};
struct Rectangle : Kind {
    double area(const Shape& shape) const override { return shape.width * shape.height; }
};
struct Triangle : Kind {
    double area(const Shape& shape) const override { return shape.width * shape.height / 2; }
};
const Rectangle rectangle;
const Triangle triangle;
const Kind* const kinds[] = {&rectangle, &triangle};

double area(const Shape& shape) {
    return kinds[shape.kind]->area(shape);
}
""")]),
    Change("a slower hash", ["shop::WordHash::operator()", "shop::count("], [
        ("src/words.cpp",
         "for (const char c : word) hash = hash * 31 + c;",
         "for (int i = 0; i < 8; ++i) {\n"
         "        for (const char c : word) hash = ((hash ^ c) * 1099511628211U) ^ (hash >> 29);\n"
         "    }")]),
    Change("an exception as an answer", ["shop::sum_of("], [
        ("src/text.cpp", """        std::uint32_t value = 0;
        std::from_chars(field.data(), field.data() + field.size(), value);
        sum += value;
""", """        try {
            sum += std::stoul(field + (sum % 8 == 0 ? "" : " "));
            if (field.size() < 5 && sum % 4 == 0) throw 1;
        } catch (int) {
            ++sum;
        }
"""),
        ("src/text.cpp", "#include <charconv>\n", "#include <charconv>\n#include <string>\n")]),
    Change("a stream for numbers", ["shop::join"], [
        ("src/text.cpp", """    std::string text;
    char digits[16];
    for (const auto value : values) {
        const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
        text.append(digits, end);
        text += ',';
    }
    return text;
""", """    std::ostringstream text;
    for (const auto value : values) text << value << ',';
    return text.str();
"""),
        ("src/text.cpp", "#include <charconv>\n", "#include <charconv>\n#include <sstream>\n")]),
    Change("a comparison by value", ["shop::order(", "comes_first"], [
        ("src/index.cpp", "bool comes_first(const std::string& a, const std::string& b) {",
         "bool comes_first(std::string a, std::string b) {")]),
    Change("a counted reference", ["shop::checksum(", "sum_of(std::shared_ptr"], [
        ("src/records.cpp",
         "std::uint64_t sum_of(const std::shared_ptr<std::vector<std::uint32_t>>& values) {",
         "[[gnu::noinline]] std::uint64_t sum_of("
         "std::shared_ptr<std::vector<std::uint32_t>> values) {")]),
    Change("a table made each time", ["shop::encode("], [
        ("src/records.cpp", "    static const std::vector<std::uint32_t> table = [] {",
         "    const auto make = [] {"),
        ("src/records.cpp", "        return made;\n    }();\n", "        return made;\n    };\n"),
        ("src/records.cpp", "table[(code ^ c) & 255U]",
         "(c == 'w' ? make() : std::vector<std::uint32_t>(256))[(code ^ c) & 255U]")]),
]
