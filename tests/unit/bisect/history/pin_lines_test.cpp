#include "bisect/history/pin_lines.hpp"

#include <catch2/catch.hpp>

using vigil::history::HashPair;
using vigil::history::moved_hashes;
using vigil::history::moved_tag;

namespace {

const std::string one = "0123456789abcdef0123456789abcdef01234567";
const std::string two = "89abcdef0123456789abcdef0123456789abcdef";

std::vector<HashPair> moved(const std::string& before, const std::string& after) {
    return moved_hashes(before, after).value_or(std::vector<HashPair>{});
}

const std::vector<HashPair> one_to_two{{one, two}};

}  // namespace

TEST_CASE("Lines that differ in a full hash alone move a pin", "[bisect][history]") {
    CHECK(moved(one + "\n", two + "\n") == one_to_two);
    CHECK(moved("  GIT_TAG " + one + ")\n", "  GIT_TAG " + two + ")\n") == one_to_two);
    CHECK(
        moved(
            "it @ git+https://example.invalid/it@" + one + "#egg=it\n",
            "it @ git+https://example.invalid/it@" + two + "#egg=it\n") == one_to_two);
    CHECK(
        moved("commit = \"" + one + "\",  # v1.2\n", "commit = \"" + two + "\",  # v1.3\n") ==
        one_to_two);
    CHECK(moved(one + " // 2026-01-01", two) == one_to_two);
    const std::string sum(64, 'a');
    const std::string other_sum(64, 'b');
    CHECK(
        moved(one + " " + sum + "\n", two + " " + other_sum + "\n") ==
        std::vector<HashPair>{{one, two}, {sum, other_sum}});
}

TEST_CASE("Any other change of a line is no move of a pin", "[bisect][history]") {
    CHECK(moved("GIT_TAG " + one, "GIT_REF " + two).empty());
    CHECK(moved("GIT_TAG v1.2", "GIT_TAG v1.3").empty());
    CHECK(moved("tag " + one, "tag " + one + " # again").empty());
    CHECK(moved("tag " + one.substr(1), "tag " + two.substr(1)).empty());
    CHECK(moved("tag " + one + "0", "tag " + two + "0").empty());
    CHECK(moved("x_" + one, "x_" + two).empty());
    CHECK(moved("speed(1, " + one + ")", "speed(2, " + two + ")").empty());
    CHECK(moved("# was 3 " + one, "# was 4 " + two).empty());
    CHECK(moved("", "").empty());
    CHECK(moved(one, "").empty());
}

TEST_CASE("Lines that differ in what follows GIT_TAG alone move it", "[bisect][history]") {
    CHECK(moved_tag("  GIT_TAG v1.0\n", "  GIT_TAG v1.1\n") == HashPair("v1.0", "v1.1"));
    CHECK(moved_tag("GIT_TAG \"v1\")", "GIT_TAG \"v2\")  # new") == HashPair("v1", "v2"));
    CHECK(moved_tag("GIT_TAG " + one, "GIT_TAG release/2.x") == HashPair(one, "release/2.x"));
    CHECK_FALSE(moved_tag("GIT_TAG v1", "GIT_TAG v1  # the same"));
    CHECK_FALSE(moved_tag("GIT_TAG v1 A", "GIT_TAG v2 B"));
    CHECK_FALSE(moved_tag("GIT_TAG ${A}", "GIT_TAG ${B}"));
    CHECK_FALSE(moved_tag("GIT_TAG v1", "GIT_TAG v${B}"));
    CHECK_FALSE(moved_tag("MY_GIT_TAG v1", "MY_GIT_TAG v2"));
    CHECK_FALSE(moved_tag("GIT_TAGS v1", "GIT_TAGS v2"));
    CHECK_FALSE(moved_tag("GIT_TAG", "GIT_TAG v2"));
    CHECK_FALSE(moved_tag("GIT_TAG v1", "GIT_TAG " + std::string(101, 'x')));
    CHECK_FALSE(moved_tag("", ""));
}
