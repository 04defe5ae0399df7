// The table of docs/architecture.md names for each thing that is shared the tests that starve it.

#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "tests/tidy/tree.hpp"

using namespace vigil::tidy;

namespace {

/// What stands in quotes in a text, each without them.
std::set<std::string> quoted(const std::string& text) {
    std::set<std::string> found;
    for (auto open = text.find('"'); open != text.npos; open = text.find('"', open)) {
        const auto end = text.find('"', open + 1);
        if (end == text.npos) break;
        found.insert(text.substr(open + 1, end - open - 1));
        open = end + 1;
    }
    return found;
}

}  // namespace

TEST_CASE("Each thing that is shared has a test that starves it", "[tidy]") {
    std::ifstream file(fs::path(VIGIL_SOURCE_DIR) / "docs/architecture.md");
    const std::string page{std::istreambuf_iterator<char>(file), {}};
    const auto begin = page.find("## What is shared");
    REQUIRE(begin != page.npos);
    std::string tests;
    for (const auto& source : all_sources()) {
        if (source.is_in("tests") && source.is_cpp()) tests += source.text;
    }
    int rows = 0;
    for (const auto& line :
         split_lines(page.substr(begin, page.find("\n## ", begin + 1) - begin))) {
        if (!line.starts_with("| ") || line.starts_with("| What |") || line.starts_with("| ---")) {
            continue;
        }
        ++rows;
        const auto named = quoted(line);
        CAPTURE(line);
        CHECK_FALSE(named.empty());
        for (const auto& name : named) CHECK(tests.find("\"" + name + "\"") != tests.npos);
    }
    CHECK(rows > 10);
}
