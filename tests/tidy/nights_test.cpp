// The night before, and the newest one, are asked of the view `night`: what is measured beside the
// nights is not in it.

#include <optional>
#include <regex>

#include <catch2/catch.hpp>

#include "tests/tidy/tree.hpp"

using namespace vigil::tidy;

namespace {

/// The first SQL that takes the newest, the oldest or a number of rows of the table `nightly` by
/// their order.
std::optional<std::string> taken_from_all(const std::string& text) {
    static const std::regex joined("\"\\s*\"");  // a text over several lines
    static const std::regex ordered(
        "(max|min|count)\\((\\w+\\.)?(id|\\*|created_at_s)\\) from nightly\\b", std::regex::icase);
    const auto whole = std::regex_replace(text, joined, "");
    std::smatch found;
    if (!std::regex_search(whole, found, ordered)) return std::nullopt;
    return found.str();
}

}  // namespace

TEST_CASE("No decision takes a nightly beside the nights for a night", "[tidy]") {
    for (const auto& source : all_sources()) {
        if (!source.is_cpp() || !source.name.starts_with("service/")) continue;
        const auto found = taken_from_all(source.text);
        CAPTURE(source.name, found.value_or(""));
        CHECK_FALSE(found.has_value());
    }
}

TEST_CASE("The rule on nights tells bad from good", "[tidy]") {
    CHECK(taken_from_all("\"SELECT MAX(n.id) \"\n    \"FROM nightly n\""));
    CHECK(taken_from_all("\"SELECT count(*) FROM nightly WHERE id > ?1\""));
    CHECK_FALSE(taken_from_all("\"SELECT MAX(id) FROM night WHERE id < ?1\""));
    CHECK_FALSE(taken_from_all("\"SELECT version FROM nightly WHERE id = ?1\""));
}
