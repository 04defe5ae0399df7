#include "schema/profile/flame.hpp"

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::profile;
using Catch::Contains;

namespace {

/// @param stacks  functions with a cost each, the outermost first
Profile profile_of(const std::vector<std::pair<std::vector<std::string>, std::int64_t>>& stacks) {
    Profile profile;
    profile.unit = CostUnit::peak_bytes;
    for (const auto& [names, cost] : stacks) {
        Stack stack;
        stack.cost = cost;
        for (const auto& name : names) {
            stack.frames.push_back(static_cast<std::uint32_t>(profile.frames.size()));
            profile.frames.push_back(name);
        }
        profile.total += cost;
        profile.stacks.push_back(std::move(stack));
    }
    return profile;
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
}

}  // namespace

TEST_CASE("A flame graph has both sides, and what is gone apart", "[schema][profile]") {
    const auto before = profile_of({{{"main", "load"}, 1000}, {{"main", "keep"}, 1000}});
    const auto after = profile_of({{{"main", "keep"}, 3000}, {{"main", "grow"}, 500}});
    const auto svg = flame_svg(before, after, {"parent <a>", "culprit \"b\""});
    CHECK_THAT(svg, Contains("before: parent &lt;a&gt;, 1.953 KiB at the peak"));
    CHECK_THAT(svg, Contains("after: culprit &quot;b&quot;, 3.418 KiB at the peak"));
    CHECK_THAT(svg, Contains("<title>keep: 1000 B before, 2.930 KiB after</title>"));
    CHECK_THAT(svg, Contains("<title>grow: 0 B before, 500 B after</title>"));
    const auto gone = svg.find("stacks that only before has");
    REQUIRE(gone != svg.npos);
    CHECK(svg.find("<title>load: 1000 B before, 0 B after</title>") > gone);
    CHECK(count(svg, "<title>keep") == 1);
    CHECK(count(svg, "<title>main") == 2);
    CHECK_THAT(flame_svg(before, before, {}), Contains("before has no stack that after has not"));
}

TEST_CASE("There is no flame graph without stacks", "[schema][profile]") {
    const auto some = profile_of({{{"main"}, 1}});
    auto other = some;
    other.unit = CostUnit::instructions;
    CHECK(flame_svg(some, Profile{}, {}).empty());
    CHECK(flame_svg(Profile{}, some, {}).empty());
    CHECK(flame_svg(some, other, {}).empty());
}

TEST_CASE("A function that calls itself stands once in a flame graph", "[schema][profile]") {
    const auto some = profile_of({{{"main", "walk", "walk", "walk", "leaf"}, 10}});
    const auto svg = flame_svg(some, some, {});
    CHECK(count(svg, "<title>walk") == 1);
    CHECK(count(svg, "<title>leaf") == 1);
}

TEST_CASE("A flame graph of strangers' names is bounded and holds no markup", "[schema][profile]") {
    std::vector<std::pair<std::vector<std::string>, std::int64_t>> stacks;
    for (int i = 0; i < 2000; ++i) {
        std::vector<std::string> names;
        for (int k = 0; k < 64; ++k) {
            names.push_back(
                "<script>alert(1)</script>\n\x01\uFFFF" + std::to_string(i * 64 + k) +
                std::string(900, 'x'));
        }
        stacks.emplace_back(std::move(names), 1'000'000);
    }
    const auto many = profile_of(stacks);
    const auto svg = flame_svg(many, many, {std::string(5000, '<'), "after"});
    CHECK(svg.size() <= max_flame_bytes);
    CHECK_THAT(svg, Contains("the rest is left out"));
    CHECK(svg.find("<script") == svg.npos);
    CHECK(svg.find('\x01') == svg.npos);
    CHECK(svg.find("\uFFFF") == svg.npos);  // XML has no such character
    CHECK_THAT(svg, Catch::EndsWith("</svg>\n"));
}
