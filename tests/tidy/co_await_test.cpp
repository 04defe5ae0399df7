// The co_await rule for GCC 12, which destroys some temporaries of such an expression twice.

#include <optional>

#include <catch2/catch.hpp>

#include "tests/tidy/tree.hpp"

using namespace vigil::tidy;

namespace {

/// The first co_await expression that makes a temporary GCC 12 would destroy twice: an aggregate, a
/// braced list, or a lambda that captures other than nothing or exactly [&]. Bodies of such are
/// skipped.
std::optional<std::string> doubtful_await(std::string_view code) {
    static constexpr std::string_view keyword = "co_await";
    const auto excerpt = [&](std::size_t from, std::size_t to) {
        return std::string(code.substr(from, to - from + 12));
    };
    for (auto at = code.find(keyword); at != code.npos; at = code.find(keyword, at + 1)) {
        int depth = 0;
        char before = ' ';  // the last character that is not a space
        for (auto i = at + keyword.size(); i < code.size() && depth >= 0; ++i) {
            const char c = code[i];
            if (c == ';' && depth == 0) break;
            if (c == '[' && (before == '(' || before == ',')) {
                const auto lambda = code.substr(i);
                const bool copies = !lambda.starts_with("[&]") && !lambda.starts_with("[]");
                if (copies) return excerpt(at, i);
                i = code.find('{', i);  // into the body, and over it
                for (int braces = 0; i < code.size(); ++i) {
                    braces += code[i] == '{' ? 1 : code[i] == '}' ? -1 : 0;
                    if (braces == 0) break;
                }
                before = '}';
                continue;
            }
            const bool after_name = std::isalnum(static_cast<unsigned char>(before)) != 0;
            const bool after_mark = std::string_view("_>(,").find(before) != std::string_view::npos;
            if (c == '{' && (after_name || after_mark)) return excerpt(at, i);
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            if (std::isspace(static_cast<unsigned char>(c)) == 0) before = c;
        }
    }
    return std::nullopt;
}

}  // namespace

TEST_CASE("No co_await builds an aggregate or a copying lambda in place", "[tidy]") {
    for (const auto& source : all_sources()) {
        if (!source.is_cpp()) continue;
        const auto found = doubtful_await(source.code);
        CAPTURE(source.name, found.value_or(""));
        CHECK_FALSE(found.has_value());
    }
}

TEST_CASE("The co_await rule tells bad from good", "[tidy]") {
    for (const auto* bad :
         {"co_await f(Issue{a, b});",
          "co_await f({1, 2});",
          "co_await f([x] { return x; });",
          "co_await f(a, [&, y = 1] { g(); });",
          "co_await f(std::vector<int>{1});"}) {
        CAPTURE(bad);
        CHECK(doubtful_await(bad).has_value());
    }
    for (const auto* good :
         {"co_await f(std::move(issue));",
          "co_await lane.run([&](T& t) { return t.g({1}); });",
          "co_await lane.run([](T& t) { return t.g(); });",
          "if (co_await f()) return R{};",
          "for (;;) { co_await f(x[1]); g({2}); }"}) {
        CAPTURE(good);
        CHECK_FALSE(doubtful_await(good).has_value());
    }
}
