#include "schema/profile/project_file.hpp"

#include <catch2/catch.hpp>

using vigil::profile::project_file;

TEST_CASE("A source file is named as in its project, wherever it was built", "[schema][profile]") {
    const auto named = [](const char* file) { return project_file(file, "/work/tree", "/built"); };
    CHECK(named("/work/tree/src/a.cpp") == "src/a.cpp");
    CHECK(named("/built/src/a.cpp") == "src/a.cpp");
    CHECK(named("/built//./src/a.cpp") == "src/a.cpp");
    CHECK(named("src/a.cpp") == "src/a.cpp");
    CHECK(named("/built2/src/a.cpp") == "/built2/src/a.cpp");
    CHECK(named("/usr/include/c++/12/vector") == "/usr/include/c++/12/vector");
    CHECK(project_file("/src/a.cpp", "", "") == "/src/a.cpp");
    CHECK(named("") == "");
}

TEST_CASE("A folder that the compiler writes as a dot is left out", "[schema][profile]") {
    const auto named = [](const char* file) { return project_file(file, "/work/tree", "/built"); };
    CHECK(named("./build/./src/a.cpp") == "src/a.cpp");
    CHECK(named("./src/a.cpp") == "src/a.cpp");
    CHECK(named("././src/a.cpp") == "src/a.cpp");
    CHECK(named("/usr/src/./a.cpp") == "/usr/src/./a.cpp");
    CHECK(named("./") == "");
}
