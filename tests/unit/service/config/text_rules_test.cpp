#include "service/config/text_rules.hpp"

#include <catch2/catch.hpp>

using namespace vigil::service;

TEST_CASE("A repository on this machine is told from one elsewhere", "[service][config]") {
    for (const char* path : {"/srv/a.git", "a", "../a", "./a:b", "/srv/a:b"}) {
        CAPTURE(path);
        CHECK(is_path(path));
        CHECK(path_here(path) == path);
    }
    CHECK_FALSE(is_path("file:///srv/a.git"));
    CHECK(path_here("file:///srv/a.git") == "/srv/a.git");
    for (const char* elsewhere :
         {"https://example.org/a", "ssh://git@example.org/a", "git@example.org:a/b", "host:a"}) {
        CAPTURE(elsewhere);
        CHECK_FALSE(is_path(elsewhere));
        CHECK_FALSE(path_here(elsewhere));
    }
}
