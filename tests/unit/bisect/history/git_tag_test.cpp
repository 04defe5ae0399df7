#include "bisect/history/git_tag.hpp"

#include <catch2/catch.hpp>

using namespace vigil::history;

namespace {

std::string repository_of(const std::string& text, int line) {
    const auto found = find_git_tag(text, line);
    if (!found) return "";
    CHECK(text.substr(found->at, found->tag.size()) == found->tag);
    CHECK(found->tag == "x");
    return found->repository;
}

}  // namespace

TEST_CASE("The repository of a GIT_TAG stands in its call", "[bisect][history]") {
    CHECK(repository_of("f(a GIT_TAG x GIT_REPOSITORY ../b.git)\n", 1) == "../b.git");
    CHECK(repository_of("f(a GIT_REPOSITORY\n \"../b.git\"\nGIT_TAG \"x\")", 3) == "../b.git");
    CHECK(repository_of("f(GIT_TAG y GIT_REPOSITORY a)\nf(GIT_TAG\nx GIT_REPOSITORY b)", 3) == "b");
    CHECK(repository_of("# f(\ng(GIT_REPOSITORY # (a)\n b#\nGIT_TAG x)", 4) == "b");
    CHECK(repository_of("f(GIT_REPOSITORY b\nGIT_TAG x)\n", 1) == "");
    CHECK(repository_of("f(GIT_REPOSITORY a\n)\ng(GIT_TAG x\n)", 3) == "");
    CHECK(repository_of("# f(GIT_REPOSITORY a GIT_TAG x)", 1) == "");
    CHECK(repository_of("set(TAG x)\nf(GIT_REPOSITORY a GIT_TAG ${TAG})", 1) == "");
}

TEST_CASE("A GIT_TAG with a variable beside it is not found", "[bisect][history]") {
    CHECK(repository_of("f(GIT_REPOSITORY ${URL}\nGIT_TAG x)\n", 2) == "");
    CHECK(repository_of("f(GIT_REPOSITORY \"${URL}/a\" GIT_TAG x)\n", 1) == "");
    CHECK(repository_of("f(GIT_REPOSITORY a GIT_TAG ${X})\n", 1) == "");
}

TEST_CASE("A hostile file of CMake has no GIT_TAG", "[bisect][history]") {
    for (const std::string text :
         {"",
          "(",
          ")))(",
          "f(GIT_TAG",
          "f(GIT_REPOSITORY a GIT_TAG x",
          "f(GIT_REPOSITORY \"",
          "#",
          "f(GIT_REPOSITORY GIT_TAG)",
          "f(GIT_REPOSITORY \"\" GIT_TAG x)",
          "\"",
          "f(GIT_TAG \"x)"}) {
        for (const int line : {0, 1, 2, 9}) CHECK(repository_of(text, line) == "");
    }
}

TEST_CASE("A file of CMake is known by its name", "[bisect][history]") {
    CHECK(is_cmake_file("CMakeLists.txt"));
    CHECK(is_cmake_file("a/CMakeLists.txt"));
    CHECK(is_cmake_file("cmake/deps.cmake"));
    CHECK_FALSE(is_cmake_file("a/NotCMakeLists.txt"));
    CHECK_FALSE(is_cmake_file("requirements.txt"));
}
