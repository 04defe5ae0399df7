// A tuned number of the search stands in a rules.hpp, where a bench can vary it.

#include <array>
#include <regex>

#include <catch2/catch.hpp>

#include "tests/tidy/tree.hpp"

using namespace vigil::tidy;

namespace {

/// Numbers that nobody tunes: nothing, one, a pair, a half, percent; and the ends of arithmetic, as
/// 1e-12 and 1e300 are.
bool is_plain(double value) {
    return std::ranges::any_of(
               std::array{0.0, 1.0, 2.0, 0.5, 100.0},
               [&](double plain) { return value == plain; }) ||
           value <= 1e-9 || value >= 1e6;
}

/// Whether a line of blanked code has a literal that is not plain.
bool has_number(const std::string& code) {
    static const std::regex number(
        R"((^|[^\w.'])((\d[\d']*(\.\d*)?|\.\d+)([eE][-+]?\d+)?)(?![\w.']))");
    for (std::sregex_iterator one(code.begin(), code.end(), number), end; one != end; ++one) {
        std::string digits = (*one)[2];
        std::erase(digits, '\'');
        if (!is_plain(std::stod(digits))) return true;
    }
    return false;
}

/// Whether a comment stands on the line, or on the statement or block that it belongs to.
bool is_explained(
    const std::vector<std::string>& text, const std::vector<std::string>& code, std::size_t line) {
    while (true) {
        if (text[line].find("//") != std::string::npos) return true;
        if (line == 0) return false;
        const std::string& above = code[line - 1];
        const auto last = above.find_last_not_of(' ');
        const bool is_blank = last == std::string::npos;
        if (is_blank && text[line - 1].find("//") == std::string::npos) return false;
        if (!is_blank && (above[last] == ';' || above[last] == '}')) return false;
        --line;
    }
}

}  // namespace

TEST_CASE("Numbers of the search are rules, or a comment says what they are", "[tidy]") {
    std::size_t seen = 0;
    for (const auto* source : product_sources()) {
        if (!source->is_in("bisect/search") || source->name.ends_with("/rules.hpp")) continue;
        const auto text = split_lines(source->text);
        const auto code = split_lines(source->code);
        for (std::size_t i = 0; i < code.size(); ++i) {
            if (!has_number(code[i])) continue;
            ++seen;
            INFO(source->name << ":" << i + 1 << ": " << text[i]);
            CHECK(is_explained(text, code, i));
        }
    }
    CHECK(seen > 0);
}

TEST_CASE("A number without a comment is found", "[tidy]") {
    const std::vector<std::string> text{"// nats", "constexpr double a = 3;", "double b = 4;"};
    const std::vector<std::string> code{"       ", "constexpr double a = 3;", "double b = 4;"};
    CHECK(has_number(code[2]));
    CHECK_FALSE(has_number("for (int i2 = 0; i2 < 1; ++i2) x_3 = 0.50 * 100;"));
    CHECK(is_explained(text, code, 1));
    CHECK_FALSE(is_explained(text, code, 2));
}
