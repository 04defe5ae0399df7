#include "schema/archive/path_rules.hpp"

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"

using namespace vigil;
using archive::link_stays_inside;
using archive::split_path;

TEST_CASE("A path from an archive is its names, without dots and doubled slashes", "[archive]") {
    CHECK(split_path("./a//b/./c/", 100) == archive::PathParts{"a", "b", "c"});
    CHECK(split_path("./", 100).empty());
    CHECK(split_path("..a/b..", 100) == archive::PathParts{"..a", "b.."});
}

TEST_CASE("A path that is absolute, rises, is empty or too long is refused", "[archive]") {
    for (const auto* path : {"/etc/passwd", "../x", "a/../../x", "a/..", ""}) {
        CAPTURE(path);
        CHECK_THROWS_AS(split_path(path, 100), Error);
    }
    CHECK_THROWS_WITH(split_path(std::string(101, 'a'), 100), Catch::Contains("too long"));
    CHECK_THROWS_WITH(split_path(std::string(256, 'a'), 1000), Catch::Contains("too long"));
    CHECK_THROWS_AS(split_path(std::string("a\0b", 3), 100), Error);
}

TEST_CASE("A link may rise as far as its archive's root and no farther", "[archive]") {
    CHECK(link_stays_inside({"a"}, "b"));
    CHECK(link_stays_inside({"a"}, "b/c"));
    CHECK(link_stays_inside({"a", "b", "c"}, "../../x"));
    CHECK(link_stays_inside({"a", "b"}, ".."));
    CHECK_FALSE(link_stays_inside({"a"}, ".."));
    CHECK_FALSE(link_stays_inside({"a", "b"}, "../../x"));
    CHECK_FALSE(link_stays_inside({"a"}, "/etc"));
    CHECK_FALSE(link_stays_inside({"a"}, ""));
}

TEST_CASE("A link that rises after a name is refused, since the name may be a link", "[archive]") {
    CHECK_FALSE(link_stays_inside({"a", "b", "c"}, "d/.."));
    CHECK_FALSE(link_stays_inside({"a", "b", "c"}, "../d/../.."));
}

TEST_CASE("A path in a message has no control bytes and a bounded length", "[archive]") {
    CHECK(archive::printable("a\n\x1b[31mb\"") == "a??[31mb?");
    CHECK(archive::printable(std::string(5000, 'x')).size() < 200);
}
